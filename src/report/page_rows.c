// page_rows.c: a sample as a row of numbers and the touches of its contacts.
#include <math.h>
#include <string.h>

#include "page.h"

// Coordinates as they are: x, y, angle in the plane; x, y, z and a quaternion in space.
static void fill_bodies(const SpragPage *page, const SpragRunSample *sample, float *numbers)
{
    int dimension = sprag_system_dimension(page->system);
    int positions = dimension == 3 ? 7 : 3, speeds = dimension == 3 ? 6 : 3, k = 0;
    for (int body = 0; body < page->model->body_count; body++) {
        int q = sprag_system_body_position(page->system, body);
        int v = sprag_system_body_coordinate(page->system, body);
        double told[7], rates[6]; // of a body that moves as told
        if (q < 0 && !page->model->bodies[body].driven)
            continue;
        if (q < 0)
            sprag_system_driven_state(page->system, body, sample->t, told, rates);
        for (int i = 0; i < positions; i++)
            numbers[k++] = (float)(q < 0 ? told[i] : sample->q[q + i]);
        for (int i = 0; page->velocities && i < speeds; i++)
            numbers[k++] = (float)(q < 0 ? rates[i] : sample->v[v + i]);
    }
}

static void fill_energy(const SpragEnergyAccount *energy, float *numbers)
{
    const double all[PAGE_ENERGIES] = {energy->kinetic,   energy->potential, energy->elastic,
                                       energy->actuation, energy->friction,  energy->impact,
                                       energy->damping,   energy->change};
    for (int i = 0; i < PAGE_ENERGIES; i++)
        numbers[i] = (float)all[i];
}

static void set_vector(float *out, SpragVec3 vector)
{
    out[0] = (float)vector.x;
    out[1] = (float)vector.y;
    out[2] = (float)vector.z;
}

// The frame of a contact may turn in a run: what counts are its vectors in the world.
static void set_space(PageTouch *touch, const SpragRunContact *contact,
                      const SpragContactKinematics *k)
{
    SpragVec3 t = k->tangent[0], o = sprag_vec3_cross(k->normal, t);
    set_vector(touch->tangent, t);
    touch->slip[0] = (float)sprag_vec3_dot(contact->slip_vector, t);
    touch->slip[1] = (float)sprag_vec3_dot(contact->slip_vector, o);
    touch->tangential[0] = (float)sprag_vec3_dot(contact->tangential_vector, t);
    touch->tangential[1] = (float)sprag_vec3_dot(contact->tangential_vector, o);
}

static SpragStatus add_touch(SpragPage *page, const SpragRunSample *sample, int slot,
                             double closed_gap)
{
    const SpragRunContact *contact = sprag_run_sample_contact(sample, slot);
    const SpragContactKinematics *k = &page->kinematics[slot];
    SPRAG_TRY(sprag_reserve(page->context, &page->touches, &page->touch_capacity,
                            page->touch_count + 1, sizeof *page->touches));
    bool open = contact->mode == SPRAG_MODE_SEPARATE;
    // the rounding of a closed gap is no news
    double gap =
        !open && !contact->compliant && fabs(contact->gap) <= closed_gap ? 0 : contact->gap;
    PageTouch *touch = &page->touches[page->touch_count++];
    *touch =
        (PageTouch){.row = page->row_count,
                    .slot = (uint32_t)slot,
                    .state = (uint8_t)((unsigned)contact->mode | (contact->compliant ? 8u : 0u) |
                                       (contact->unique ? 0u : 16u)),
                    .gap = (float)gap,
                    .slip = {(float)contact->slip, 0},
                    .normal = (float)contact->normal,
                    .tangential = {(float)contact->tangential, 0},
                    .friction = (float)contact->friction,
                    .depth = (float)contact->depth};
    if (isfinite(k->gap)) {
        set_vector(touch->point, k->point);
        set_vector(touch->direction, k->normal);
        if (page->tangents == 2)
            set_space(touch, contact, k);
    }
    return SPRAG_OK;
}

static SpragStatus add_touches(SpragPage *page, const SpragRunSample *sample)
{
    int slots = sprag_system_contact_count(page->system);
    double closed = sprag_system_tolerances(page->system, sample->v).gap;
    for (int slot = 0; slot < slots; slot++)
        if (slots <= PAGE_ALL_SLOTS || sample->contacts[slot].mode != SPRAG_MODE_SEPARATE)
            SPRAG_TRY(add_touch(page, sample, slot, closed));
    return SPRAG_OK;
}

static bool is_compliant(const SpragPage *page, const SpragRunSample *sample)
{
    for (int slot = 0; slot < sprag_system_contact_count(page->system); slot++)
        if (sample->contacts[slot].compliant && sample->contacts[slot].mode != SPRAG_MODE_SEPARATE)
            return true;
    return false;
}

static SpragStatus reserve_row(SpragPage *page)
{
    size_t rows = (size_t)page->row_count + 1;
    size_t width = page_width(page);
    SpragContext *context = page->context;
    SPRAG_TRY(
        sprag_reserve(context, &page->times, &page->time_capacity, rows, sizeof *page->times));
    SPRAG_TRY(
        sprag_reserve(context, &page->flags, &page->flag_capacity, rows, sizeof *page->flags));
    SPRAG_TRY(sprag_reserve(context, &page->solutions, &page->solution_capacity, rows,
                            sizeof *page->solutions));
    return sprag_reserve(context, &page->numbers, &page->number_capacity, rows * width,
                         sizeof *page->numbers);
}

SpragStatus page_store(SpragPage *page, const SpragRunSample *sample)
{
    size_t row = page->row_count, width = page_width(page);
    SPRAG_TRY(reserve_row(page));
    SPRAG_TRY(page_kinematics(page, sample));
    page->times[row] = sample->t;
    page->flags[row] =
        (uint8_t)((sample->before_event ? 1u : 0u) | (sample->after_event ? 2u : 0u) |
                  (unsigned)sample->verdict << 2 | (is_compliant(page, sample) ? 32u : 0u));
    page->solutions[row] =
        (uint8_t)(sample->solution_count < 0
                      ? 0
                      : (sample->solution_count > 255 ? 255 : sample->solution_count));
    fill_energy(&sample->energy, page->numbers + row * width);
    fill_bodies(page, sample, page->numbers + row * width + PAGE_ENERGIES);
    SPRAG_TRY(page_extras_fill(page, sample,
                               page->numbers + row * width + PAGE_ENERGIES + page->body_columns));
    SPRAG_TRY(add_touches(page, sample));
    SPRAG_TRY(page_add_motions(page, sample));
    page->row_count++;
    return page->motions.failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

SpragStatus page_flush(SpragPage *page)
{
    PagePending *pending = &page->pending;
    if (!pending->there || pending->kept)
        return SPRAG_OK;
    // contacts may have been appended since: they are open
    SPRAG_TRY(sprag_reserve(page->context, &pending->contacts, &pending->contact_capacity,
                            (size_t)sprag_system_contact_count(page->system) + 1,
                            sizeof *pending->contacts));
    pending->kept = true;
    pending->sample.q = pending->q;
    pending->sample.v = pending->v;
    pending->sample.contacts = pending->contacts;
    return page_store(page, &pending->sample);
}
