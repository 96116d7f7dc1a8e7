// scene_bundle.c: a scene together with its files in one text, and back.
// Problem   the page of a run (HTML) may stand for its scene, wherever both have gone since
// Method    while a scene is packed every file that it reads is noted with its name relative to the
//           scene's folder. A page is read as if it were a folder: "run.html/rod.yaml", beside
//           which the noted files lie. Sets of the packed run come before those that are given.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scene_private.h"
#include "sprag/bundle.h"

static const char element[] = "<script id=\"sprag-scene\" type=\"text/plain\">";

// ---- Base64 -------------------------------------------------------------------------------------

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void sprag_base64_encode(const char *bytes, size_t count, SpragText *text)
{
    for (size_t i = 0; i < count; i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; k++)
            group = group << 8 | (i + k < count ? (unsigned char)bytes[i + k] : 0u);
        char out[4];
        for (size_t k = 0; k < 4; k++)
            out[k] = k > count - i ? '=' : alphabet[group >> (18 - 6 * k) & 63u];
        sprag_text_add_bytes(text, out, sizeof out);
    }
}

bool sprag_base64_decode(const char *letters, size_t count, char *bytes, size_t *length)
{
    uint32_t group = 0;
    size_t bits = 0, plain = count;
    *length = 0;
    while (plain > 0 && count - plain < 2 && letters[plain - 1] == '=')
        plain--;
    for (size_t i = 0; i < plain; i++) {
        const char *place = letters[i] ? strchr(alphabet, letters[i]) : NULL;
        if (!place)
            return false;
        group = (group << 6 | (uint32_t)(place - alphabet)) & 0xffffffu;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[(*length)++] = (char)(unsigned char)(group >> bits & 255u);
        }
    }
    return count % 4 == 0;
}

// ---- Noting files -------------------------------------------------------------------------------

// The name of a path in the bundle: what follows the folder of the scene.
static const char *name_in_bundle(const Reader *reader, const char *path)
{
    const char *slash = strrchr(reader->file, '/');
    size_t folder = slash ? (size_t)(slash - reader->file) + 1 : 0;
    return strncmp(path, reader->file, folder) == 0 ? path + folder : path;
}

static void pack_line(SpragText *pack, const char *word, const char *name, const char *bytes,
                      size_t length)
{
    sprag_text_add(pack, "%s ", word);
    sprag_base64_encode(name, strlen(name), pack);
    sprag_text_add(pack, " ");
    sprag_base64_encode(bytes, length, pack);
    sprag_text_add(pack, "\n");
}

SpragStatus bundle_note(Reader *reader, const char *path, const SpragText *text)
{
    if (!reader->pack)
        return SPRAG_OK;
    const char *name = name_in_bundle(reader, path);
    for (const BundleFile *file = reader->packed; file; file = file->next)
        if (strcmp(file->name, name) == 0)
            return SPRAG_OK;
    BundleFile *noted = sprag_arena_alloc(reader->arena, 1, sizeof *noted);
    size_t bytes = strlen(name) + 1;
    char *copy = sprag_arena_alloc(reader->arena, bytes, 1);
    if (!noted || !copy)
        return SPRAG_ERROR_MEMORY;
    memcpy(copy, name, bytes);
    *noted = (BundleFile){.name = copy, .next = reader->packed};
    reader->packed = noted;
    pack_line(reader->pack, "file", name, text->bytes ? text->bytes : "", text->length);
    return reader->pack->failed ? SPRAG_ERROR_MEMORY : SPRAG_OK;
}

// ---- Reading ------------------------------------------------------------------------------------

const BundleFile *bundle_find(const Reader *reader, const char *path)
{
    const char *name = name_in_bundle(reader, path);
    for (const BundleFile *file = reader->bundle; file; file = file->next)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

FILE *bundle_open(Reader *reader, const char *path)
{
    if (!reader->bundle)
        return fopen(path, "rb");
    const BundleFile *file = bundle_find(reader, path);
    // an empty stream in memory is refused, an empty line says as little
    if (file)
        return fmemopen((void *)(file->length ? file->bytes : "\n"),
                        file->length ? file->length : 1, "rb");
    errno = ENOENT;
    return NULL;
}

// A word up to a space or the end of its line, decoded, with a zero behind it.
static bool take_word(Reader *reader, const char **at, const char *end, const char **bytes,
                      size_t *length)
{
    const char *stop = *at;
    while (stop < end && *stop != ' ' && *stop != '\n')
        stop++;
    size_t count = (size_t)(stop - *at);
    char *decoded = sprag_arena_alloc(reader->arena, count / 4 * 3 + 1, 1);
    if (!decoded || !sprag_base64_decode(*at, count, decoded, length))
        return false;
    decoded[*length] = 0;
    *bytes = decoded;
    *at = stop < end ? stop + 1 : stop;
    return true;
}

typedef struct Unpacked {
    const BundleFile *scene;
    SpragSceneSet *sets;
    int set_count;
} Unpacked;

static SpragStatus damaged(const Reader *reader)
{
    return sprag_fail(reader->context, SPRAG_ERROR_INPUT, "%s: the scene in this page is damaged",
                      reader->file);
}

// Sets and files of a text; sets: room for one a line.
static SpragStatus unpack(Reader *reader, const char *at, const char *end, Unpacked *out)
{
    static const char *const words[] = {"scene ", "file ", "set "};
    enum { SCENE, FILES, SET, KINDS };
    while (at < end) {
        int kind = 0;
        const char *name, *bytes;
        size_t name_length, length, left = (size_t)(end - at);
        while (kind < KINDS &&
               (left < strlen(words[kind]) || strncmp(at, words[kind], strlen(words[kind])) != 0))
            kind++;
        if (kind == KINDS)
            return damaged(reader);
        at += strlen(words[kind]);
        if (!take_word(reader, &at, end, &name, &name_length) ||
            !take_word(reader, &at, end, &bytes, &length))
            return damaged(reader);
        if (kind == SET) {
            out->sets[out->set_count++] = (SpragSceneSet){name, bytes};
            continue;
        }
        BundleFile *file = sprag_arena_alloc(reader->arena, 1, sizeof *file);
        if (!file)
            return SPRAG_ERROR_MEMORY;
        *file = (BundleFile){name, bytes, length, reader->bundle};
        reader->bundle = file;
        if (kind == SCENE)
            out->scene = file;
    }
    return out->scene && !strchr(out->scene->name, '/') ? SPRAG_OK : damaged(reader);
}

static const char *find_element(const char *text, size_t length, const char **end)
{
    const char *at = memmem(text, length, element, sizeof element - 1);
    if (!at)
        return NULL;
    at += sizeof element - 1;
    *end = memchr(at, '<', length - (size_t)(at - text));
    while (*end && at < *end && *at == '\n')
        at++;
    return *end ? at : NULL;
}

static SpragStatus enter_page(Reader *reader, const char *scene)
{
    size_t before = strlen(reader->file), bytes = strlen(scene) + 1;
    char *whole = sprag_arena_alloc(reader->arena, before + 1 + bytes, 1);
    if (!whole)
        return SPRAG_ERROR_MEMORY;
    memcpy(whole, reader->file, before);
    whole[before] = '/';
    memcpy(whole + before + 1, scene, bytes);
    reader->file = whole;
    return SPRAG_OK;
}

bool bundle_is_page(const char *text, size_t length)
{
    static const char start[] = "<!doctype html";
    return length >= sizeof start - 1 && strncasecmp(text, start, sizeof start - 1) == 0;
}

SpragStatus bundle_enter(Reader *reader, const char **text, size_t *length,
                         SpragSceneSettings *settings)
{
    const char *end, *at = find_element(*text, *length, &end);
    if (!at)
        return sprag_fail(reader->context, SPRAG_ERROR_INPUT,
                          "%s: this page has no scene in it; give the file that its run was made "
                          "from",
                          reader->file);
    size_t lines = 1 + (size_t)settings->set_count;
    for (const char *c = at; c < end; c++)
        lines += *c == '\n';
    Unpacked out = {.sets = sprag_arena_alloc(reader->arena, lines, sizeof *out.sets)};
    if (!out.sets)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(unpack(reader, at, end, &out));
    for (int i = 0; i < settings->set_count; i++)
        out.sets[out.set_count++] = settings->sets[i];
    settings->sets = out.sets;
    settings->set_count = out.set_count;
    *text = out.scene->bytes;
    *length = out.scene->length;
    return enter_page(reader, out.scene->name);
}

// ---- Packing ------------------------------------------------------------------------------------

static SpragStatus pack_scene(Reader *reader, const char *text, size_t length,
                              SpragSceneSettings *settings)
{
    SpragText *pack = reader->pack;
    if (bundle_is_page(text, length))
        SPRAG_TRY(bundle_enter(reader, &text, &length, settings));
    const char *slash = strrchr(reader->file, '/');
    pack_line(pack, "scene", slash ? slash + 1 : reader->file, text, length);
    for (int i = 0; i < settings->set_count; i++)
        pack_line(pack, "set", settings->sets[i].path, settings->sets[i].value,
                  strlen(settings->sets[i].value));
    SPRAG_TRY(reader_parse(reader, text, length, settings));
    reader->scene = sprag_alloc(reader->context, 1, sizeof *reader->scene);
    if (!reader->scene)
        return SPRAG_ERROR_MEMORY;
    reader->scene->context = reader->context;
    return reader_interpret(reader);
}

SpragStatus sprag_scene_pack(SpragContext *context, const char *path,
                             const SpragSceneSettings *settings, SpragText *bundle)
{
    SpragSceneSettings chosen;
    SpragText text;
    Reader reader;
    SPRAG_TRY(choose_settings(context, settings, &chosen));
    sprag_text_init(&text, context);
    SpragStatus status = reader_open(&reader, context, path);
    if (status == SPRAG_OK)
        status = read_whole_file(context, path, &text);
    reader.pack = bundle;
    if (status == SPRAG_OK)
        status = pack_scene(&reader, text.bytes ? text.bytes : "", text.length, &chosen);
    sprag_scene_destroy(reader.scene);
    reader_close(&reader);
    sprag_text_destroy(&text);
    return status == SPRAG_OK && bundle->failed ? SPRAG_ERROR_MEMORY : status;
}
