// record_outputs.c: outputs by name: the event, the contacts and the signal that each one means.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record_private.h"

// Puts "file:line:column: " before the message of a wrong name.
SpragStatus locate_name(const Catalogue *catalogue, const char *what, const char *name, int line,
                        int column, SpragStatus status)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    char message[512];
    if (status != SPRAG_ERROR_INPUT)
        return status;
    snprintf(message, sizeof message, "%s", sprag_context_message(catalogue->context));
    if (model && model->source && line > 0)
        return sprag_fail(catalogue->context, status, "%s:%d:%d: %s", model->source, line, column,
                          message);
    return sprag_fail(catalogue->context, status, "%s.%.100s: %s", what, name, message);
}

// ---- Events -------------------------------------------------------------------------------------

SpragStatus find_type(const Catalogue *catalogue, const char *name, int *type)
{
    Nearest nearest = {.wanted = name, .distance = -1};
    for (*type = 0; *type < SPRAG_EVENT_SCENE; ++*type) {
        if (strcmp(sprag_event_name((SpragEventType)*type), name) == 0)
            return SPRAG_OK;
        nearest_try(&nearest, sprag_event_name((SpragEventType)*type));
    }
    return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                      "there is no event of type \"%.100s\"; did you mean \"%s\"?", name,
                      nearest.name);
}

// Is a contact the one of that name, or one of several of that rule: "pads.3" for "pads"?
static bool is_named(const char *contact, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(contact, name, length) != 0)
        return false;
    const char *rest = contact + length;
    return !*rest ||
           (*rest == '.' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1));
}

// A rule may name contacts that are not there yet.
static bool is_rule(const SpragSystem *system, const char *name)
{
    const SpragModel *model = sprag_system_model(system);
    bool found = false;
    for (int i = 0; model && model->dimension == 3 && i < model->rule_count; i++)
        found = found || (model->rules[i].name && strcmp(model->rules[i].name, name) == 0);
    return found;
}

SpragStatus find_contacts(const Catalogue *catalogue, const char *name, ContactSet *set)
{
    const SpragSystem *system = catalogue->system;
    int slots = sprag_system_contact_count(system);
    Nearest nearest = {.wanted = name, .distance = -1};
    bool found = is_rule(system, name);
    *set = (ContactSet){.system = system, .name = name, .known = slots};
    set->has = sprag_arena_alloc(catalogue->names, (size_t)slots + 1, sizeof *set->has);
    if (!set->has)
        return SPRAG_ERROR_MEMORY;
    for (int slot = 0; slot < slots; slot++) {
        const char *contact = sprag_system_contact_name(system, slot);
        set->has[slot] = is_named(contact, name);
        found |= set->has[slot];
        nearest_try(&nearest, contact);
    }
    if (found)
        return SPRAG_OK;
    if (slots == 0)
        return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                          "there is no contact \"%.100s\": the scene has none", name);
    return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                      "there is no contact \"%.100s\"; did you mean \"%s\"?", name, nearest.name);
}

bool contact_set_has(const ContactSet *set, int contact)
{
    if (!set->name)
        return true;
    if (contact < 0)
        return false;
    return contact < set->known
               ? set->has[contact]
               : is_named(sprag_system_contact_name(set->system, contact), set->name);
}

// ---- Setting up ---------------------------------------------------------------------------------

SpragStatus catalogue_copy(const Catalogue *catalogue, const char **text)
{
    if (!*text)
        return SPRAG_OK;
    size_t bytes = strlen(*text) + 1;
    char *made = sprag_arena_alloc(catalogue->names, bytes, 1);
    if (!made)
        return SPRAG_ERROR_MEMORY;
    *text = memcpy(made, *text, bytes);
    return SPRAG_OK;
}

static SpragStatus find_signal(Catalogue *catalogue, const SpragOutput *want, Signal *signal)
{
    SPRAG_TRY(select_one(catalogue, want->of, signal));
    if (signal->kind != SPRAG_SIGNAL_NUMBER)
        return sprag_fail(catalogue->context, SPRAG_ERROR_INPUT,
                          "%.100s is a word, and an output a number", want->of);
    return SPRAG_OK;
}

static SpragStatus account_open(Catalogue *catalogue, const SpragOutput *want,
                                const Watches *watches, Account *account)
{
    account->want = *want;
    account->first_time = account->last_time = NAN;
    account->sample_t = NAN;
    SPRAG_TRY(catalogue_copy(catalogue, &account->want.name));
    SPRAG_TRY(catalogue_copy(catalogue, &account->want.of));
    SPRAG_TRY(catalogue_copy(catalogue, &account->want.contact));
    SpragStatus status = SPRAG_OK;
    if (!sprag_output_is_of_events(want->kind))
        status = find_signal(catalogue, want, &account->signal);
    else if (watches_have(watches, want->of))
        account->type = SPRAG_EVENT_SCENE;
    else
        status = find_type(catalogue, want->of, &account->type);
    SPRAG_TRY(locate_name(catalogue, "outputs", want->name, want->line, want->column, status));
    if (!want->contact)
        return SPRAG_OK;
    status = find_contacts(catalogue, account->want.contact, &account->contacts);
    return locate_name(catalogue, "outputs", want->name, want->contact_line, want->contact_column,
                       status);
}

SpragStatus outputs_open(Catalogue *catalogue, const SpragOutput *wanted, int count,
                         const Watches *watches, Outputs *outputs)
{
    outputs->covered = -INFINITY;
    if (count == 0)
        return SPRAG_OK;
    outputs->items = sprag_alloc(catalogue->context, (size_t)count, sizeof *outputs->items);
    if (!outputs->items)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        if (!wanted[i].name || !wanted[i].of || !(wanted[i].from <= wanted[i].to))
            return sprag_fail(catalogue->context, SPRAG_ERROR_ARGUMENT,
                              "an output needs a name, what it is of, and a window from ≤ to");
        SPRAG_TRY(account_open(catalogue, &wanted[i], watches, &outputs->items[i]));
        outputs->signals |= !sprag_output_is_of_events(wanted[i].kind);
    }
    outputs->count = count;
    return SPRAG_OK;
}

void outputs_close(SpragContext *context, Outputs *outputs)
{
    sprag_free(context, outputs->items);
}

void outputs_hear_event(Outputs *outputs, const SpragEvent *event)
{
    for (int i = 0; i < outputs->count; i++) {
        Account *account = &outputs->items[i];
        const SpragOutput *want = &account->want;
        if (!sprag_output_is_of_events(want->kind) || (int)event->type != account->type ||
            event->t < want->from || event->t > want->to)
            continue;
        if (account->type == SPRAG_EVENT_SCENE && strcmp(event->name, want->of) != 0)
            continue;
        if (!contact_set_has(&account->contacts, event->contact))
            continue;
        // corners of one body that slip together do so once
        account->times += account->count == 0 || event->t > account->last_time;
        if (account->count++ == 0)
            account->first_time = event->t;
        account->last_time = event->t;
    }
}
