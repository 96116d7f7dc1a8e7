// fclib.c: friction problems in the format of FCLIB (HDF5).
//
// Problem   /fclib_local/{W, vectors/{q, mu}, spacedim}: u = W r + q; or
//           /fclib_global/{M, H, vectors/{f, w, mu}, spacedim}: M v = H r + f, u = Hᵀ v + w. With
//           V, R, s (local): u = … + V λ, 0 = Vᵀ r + R λ + s; with G, b (global): M v = … + G λ, 0
//           = Gᵀ v + b: bilateral blocks behind the contacts.
// Method    the file is opened from memory; matrices come as compressed rows (nz −2), compressed
//           columns (nz −1) or triplets (nz ≥ 0), with m, n, nzmax, p, i, x. Triplets have columns
//           in p as CSparse has them; where that cannot be, rows, as the format's own description
//           says.
// Assumes   nothing: sizes of datasets are compared with what they should be before they are read
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <hdf5.h>

#include "fclib_private.h"

enum { PATH_BYTES = 160, MAX_NUMBER_BYTES = 16 };

typedef struct File {
    SpragContext *context;
    const char *name;
    hid_t id;
} File;

static SpragStatus refuse(const File *file, const char *dataset, const char *format, ...)
    SPRAG_PRINTF(3, 4);

static SpragStatus refuse(const File *file, const char *dataset, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sprag_fail(file->context, SPRAG_ERROR_INPUT, "%s: %s: %s", file->name, dataset, text);
}

// Whether every group on the way and the object itself are there.
static bool exists(const File *file, const char *path)
{
    char part[PATH_BYTES];
    size_t length = strlen(path);
    for (size_t k = 1; k <= length; k++) {
        if (k < length && path[k] != '/')
            continue;
        memcpy(part, path, k);
        part[k] = 0;
        if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Oexists_by_name(file->id, path, H5P_DEFAULT) > 0;
}

// Reads the numbers of a dataset, `least` to `most` of them, for which there is room.
static SpragStatus read_dataset(const File *file, const char *path, H5T_class_t kind, hid_t type,
                                size_t least, size_t most, void *numbers)
{
    if (!exists(file, path))
        return refuse(file, path, "is missing");
    hid_t dataset = H5Dopen2(file->id, path, H5P_DEFAULT);
    if (dataset < 0)
        return refuse(file, path, "cannot be opened: a dataset is expected");
    hid_t space = H5Dget_space(dataset), stored = H5Dget_type(dataset);
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    SpragStatus status = SPRAG_OK;
    H5T_class_t found = stored >= 0 ? H5Tget_class(stored) : H5T_NO_CLASS;
    if (found != kind && !(kind == H5T_FLOAT && found == H5T_INTEGER))
        status =
            refuse(file, path, "must hold %s", kind == H5T_FLOAT ? "numbers" : "whole numbers");
    else if (H5Tget_size(stored) > MAX_NUMBER_BYTES) // the library takes memory for one and more
        status = refuse(file, path, "numbers of %zu bytes are not read", H5Tget_size(stored));
    else if (points < 0 || (size_t)points < least || (size_t)points > most)
        status = least == most ? refuse(file, path, "must have %zu numbers, got %lld", least,
                                        (long long)points)
                               : refuse(file, path, "must have from %zu to %zu numbers, got %lld",
                                        least, most, (long long)points);
    else if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0)
        status = refuse(file, path, "cannot be read: the file is damaged");
    if (stored >= 0)
        H5Tclose(stored);
    if (space >= 0)
        H5Sclose(space);
    H5Dclose(dataset);
    return status;
}

static SpragStatus read_whole(const File *file, const char *group, const char *name, int least,
                              int most, int *number)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", group, name);
    SPRAG_TRY(read_dataset(file, path, H5T_INTEGER, H5T_NATIVE_INT, 1, 1, number));
    return *number >= least && *number <= most
               ? SPRAG_OK
               : refuse(file, path, "must be from %d to %d, got %d", least, most, *number);
}

static SpragStatus read_vector(const File *file, const char *group, const char *name, int count,
                               double **numbers)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/vectors/%s", group, name);
    if (!*numbers)
        *numbers = sprag_alloc(file->context, (size_t)count + 1, sizeof **numbers);
    if (!*numbers)
        return SPRAG_ERROR_MEMORY;
    size_t size = (size_t)count;
    SPRAG_TRY(read_dataset(file, path, H5T_FLOAT, H5T_NATIVE_DOUBLE, size, size, *numbers));
    for (int k = 0; k < count; k++)
        if (!isfinite((*numbers)[k]))
            return refuse(file, path, "entry %d must be finite, got %g", k, (*numbers)[k]);
    return SPRAG_OK;
}

// ---- Matrices -----------------------------------------------------------------------------------

typedef struct Stored {
    int m, n, nz, count, room; // count: entries; room: numbers that i and x may have (nzmax)
    int *p, *i;
    double *x;
    size_t p_count, p_room;
} Stored;

// Matrices that were put together piece by piece have room for more entries than they use.
static SpragStatus read_arrays(const File *file, const char *group, Stored *stored)
{
    char path[PATH_BYTES];
    size_t room = (size_t)(stored->count > stored->room ? stored->count : stored->room);
    stored->p = sprag_alloc(file->context, stored->p_room + 1, sizeof *stored->p);
    stored->i = sprag_alloc(file->context, room + 1, sizeof *stored->i);
    stored->x = sprag_alloc(file->context, room + 1, sizeof *stored->x);
    if (!stored->p || !stored->i || !stored->x)
        return SPRAG_ERROR_MEMORY;
    snprintf(path, sizeof path, "%s/p", group);
    SPRAG_TRY(read_dataset(file, path, H5T_INTEGER, H5T_NATIVE_INT, stored->p_count, stored->p_room,
                           stored->p));
    if (stored->nz < 0)
        stored->count = stored->p[stored->p_count - 1];
    if (stored->nz < 0 && (stored->count < 0 || stored->count > stored->room))
        return refuse(file, group, "p must end at %d entries or fewer, got %d", stored->room,
                      stored->count);
    size_t count = (size_t)stored->count;
    snprintf(path, sizeof path, "%s/i", group);
    SPRAG_TRY(read_dataset(file, path, H5T_INTEGER, H5T_NATIVE_INT, count, room, stored->i));
    snprintf(path, sizeof path, "%s/x", group);
    SPRAG_TRY(read_dataset(file, path, H5T_FLOAT, H5T_NATIVE_DOUBLE, count, room, stored->x));
    for (int k = 0; k < stored->count; k++)
        if (!isfinite(stored->x[k]))
            return refuse(file, path, "entry %d must be finite, got %g", k, stored->x[k]);
    return SPRAG_OK;
}

static int largest_of(const int *list, int count)
{
    int most = -1;
    for (int k = 0; k < count; k++)
        most = list[k] > most ? list[k] : most;
    return most;
}

// Triplets whose p can only be rows.
static void turn_triplets(Stored *stored)
{
    int p = largest_of(stored->p, stored->count), i = largest_of(stored->i, stored->count);
    if ((p >= stored->n || i >= stored->m) && p < stored->m && i < stored->n) {
        int *columns = stored->i;
        stored->i = stored->p;
        stored->p = columns;
    }
}

// Indices within the matrix, pointers that grow from 0 to the number of entries.
static SpragStatus check_indices(const File *file, const char *group, const Stored *stored)
{
    bool triplets = stored->nz >= 0;
    int inner = stored->nz == -2 ? stored->n : stored->m;
    for (int k = 0; k < stored->count; k++)
        if (stored->i[k] < 0 || stored->i[k] >= inner)
            return refuse(file, group, "i[%d] must be below %d, got %d", k, inner, stored->i[k]);
    for (size_t k = 0; k < stored->p_count; k++) {
        int least = triplets ? 0 : k > 0 ? stored->p[k - 1] : 0;
        int most = triplets ? stored->n - 1 : k > 0 ? stored->count : 0;
        if (stored->p[k] < least || stored->p[k] > most)
            return refuse(file, group, "p[%zu] must be from %d to %d, got %d", k, least, most,
                          stored->p[k]);
    }
    return SPRAG_OK;
}

// Numbers of a dataset; -1: there is none.
static long long points_of(const File *file, const char *path)
{
    hid_t dataset = exists(file, path) ? H5Dopen2(file->id, path, H5P_DEFAULT) : -1;
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    return points;
}

static SpragStatus read_stored(const File *file, const char *group, Stored *stored)
{
    int nzmax, most = 1 << 28;
    SPRAG_TRY(read_whole(file, group, "m", 1, most, &stored->m));
    SPRAG_TRY(read_whole(file, group, "n", 1, most, &stored->n));
    SPRAG_TRY(read_whole(file, group, "nzmax", 0, most, &nzmax));
    SPRAG_TRY(read_whole(file, group, "nz", -2, nzmax, &stored->nz));
    stored->count = stored->nz;
    stored->p_count = stored->nz >= 0 ? (size_t)stored->count
                                      : (size_t)(stored->nz == -1 ? stored->n : stored->m) + 1;
    stored->p_room = stored->nz >= 0 ? (size_t)nzmax : stored->p_count;
    // as long as the file says; a few bytes may not ask for more than that
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/p", group);
    long long points = points_of(file, path);
    if (points < 0)
        return refuse(file, path,
                      exists(file, path) ? "cannot be opened: a dataset is expected"
                                         : "is missing");
    if ((size_t)points < stored->p_count || (size_t)points > stored->p_room)
        return refuse(file, path, "must have %zu numbers, got %lld", stored->p_count, points);
    stored->p_room = (size_t)points;
    snprintf(path, sizeof path, "%s/i", group);
    long long held = points_of(file, path);
    snprintf(path, sizeof path, "%s/x", group);
    points = points_of(file, path);
    held = held > points ? held : points;
    stored->room = held < 0 ? 0 : held < nzmax ? (int)held : nzmax;
    SPRAG_TRY(read_arrays(file, group, stored));
    if (stored->nz >= 0)
        turn_triplets(stored);
    return check_indices(file, group, stored);
}

// Calls entries_add for every entry.
static SpragStatus list_entries(const Stored *stored, Entries *entries)
{
    if (stored->nz >= 0) {
        for (int k = 0; k < stored->count; k++)
            SPRAG_TRY(entries_add(entries, stored->i[k], stored->p[k], stored->x[k]));
        return SPRAG_OK;
    }
    for (int j = 0; j + 1 < (int)stored->p_count; j++)
        for (int k = stored->p[j]; k < stored->p[j + 1]; k++) {
            bool by_rows = stored->nz == -2;
            SPRAG_TRY(entries_add(entries, by_rows ? j : stored->i[k], by_rows ? stored->i[k] : j,
                                  stored->x[k]));
        }
    return SPRAG_OK;
}

static SpragStatus read_matrix(const File *file, const char *group, Entries *entries, int *rows,
                               int *columns)
{
    Stored stored = {0};
    SpragStatus status = read_stored(file, group, &stored);
    if (status == SPRAG_OK)
        status = list_entries(&stored, entries);
    *rows = stored.m;
    *columns = stored.n;
    sprag_free(file->context, stored.p);
    sprag_free(file->context, stored.i);
    sprag_free(file->context, stored.x);
    return status;
}

SpragStatus columns_compress(const Entries *entries, int rows, int columns, Columns *to)
{
    SpragContext *context = entries->context;
    to->rows = rows;
    to->columns = columns;
    to->start = sprag_alloc(context, (size_t)columns + 2, sizeof *to->start);
    to->row = sprag_alloc(context, entries->count + 1, sizeof *to->row);
    to->value = sprag_alloc(context, entries->count + 1, sizeof *to->value);
    if (!to->start || !to->row || !to->value)
        return SPRAG_ERROR_MEMORY;
    for (size_t k = 0; k < entries->count; k++)
        to->start[entries->column[k] + 2]++;
    for (int j = 0; j < columns; j++)
        to->start[j + 2] += to->start[j + 1];
    for (size_t k = 0; k < entries->count; k++) {
        int place = to->start[entries->column[k] + 1]++;
        to->row[place] = entries->row[k];
        to->value[place] = entries->value[k];
    }
    return SPRAG_OK;
}

void columns_destroy(SpragContext *context, Columns *columns)
{
    sprag_free(context, columns->start);
    sprag_free(context, columns->row);
    sprag_free(context, columns->value);
}

// ---- The two forms ------------------------------------------------------------------------------

static SpragStatus read_dimension(const File *file, const char *group, int rows, int *d)
{
    SPRAG_TRY(read_whole(file, group, "spacedim", 2, 3, d));
    if (rows % *d)
        return refuse(file, group, "%d rows are not contacts of dimension %d", rows, *d);
    return SPRAG_OK;
}

// Sets dimension, contact count, q (or w) and friction; n is the number of rows of u, which are
// followed by bilateral blocks.
static SpragStatus read_common(const File *file, const char *group, const char *vector, int n,
                               int d, int blocks, SpragFrictionFile *to)
{
    if (n / d > SPRAG_FRICTION_MAX_CONTACTS - blocks)
        return refuse(file, group, "there may be %d contacts, got %d and %d bilateral ones",
                      SPRAG_FRICTION_MAX_CONTACTS, n / d, blocks);
    to->problem.dimension = d;
    to->problem.contact_count = n / d + blocks;
    SPRAG_TRY(friction_file_reserve(file->context, to, blocks));
    SPRAG_TRY(read_vector(file, group, vector, n, &to->q));
    SPRAG_TRY(read_vector(file, group, "mu", n / d, &to->friction));
    for (int i = 0; i < n / d; i++)
        if (to->friction[i] < 0)
            return refuse(file, "mu", "entry %d must be a number ≥ 0, got %g", i, to->friction[i]);
    return SPRAG_OK;
}

// V and R beside W, of `rows` rows; the transpose of V is not in the file.
static SpragStatus read_mixed(const File *file, Entries *entries, int rows, int *extra)
{
    Entries V = {.context = file->context}, R = {.context = file->context};
    int v_rows, v_columns = 0, r_rows, r_columns;
    SpragStatus status = read_matrix(file, "/fclib_local/V", &V, &v_rows, &v_columns);
    if (status == SPRAG_OK && v_rows != rows)
        status = refuse(file, "/fclib_local/V", "must have the %d rows of W, got %d", rows, v_rows);
    if (status == SPRAG_OK)
        status = read_matrix(file, "/fclib_local/R", &R, &r_rows, &r_columns);
    if (status == SPRAG_OK && (r_rows != v_columns || r_columns != v_columns))
        status = refuse(file, "/fclib_local/R", "must be %d x %d as V has columns, got %d x %d",
                        v_columns, v_columns, r_rows, r_columns);
    for (size_t k = 0; status == SPRAG_OK && k < V.count; k++) {
        status = entries_add(entries, V.row[k], rows + V.column[k], V.value[k]);
        if (status == SPRAG_OK)
            status = entries_add(entries, rows + V.column[k], V.row[k], V.value[k]);
    }
    for (size_t k = 0; status == SPRAG_OK && k < R.count; k++)
        status = entries_add(entries, rows + R.row[k], rows + R.column[k], R.value[k]);
    entries_destroy(&V);
    entries_destroy(&R);
    *extra = v_columns;
    return status;
}

static SpragStatus read_local_parts(const File *file, Entries *entries, SpragFrictionFile *to)
{
    int rows, columns, d, extra = 0;
    SPRAG_TRY(read_matrix(file, "/fclib_local/W", entries, &rows, &columns));
    if (rows != columns)
        return refuse(file, "/fclib_local/W", "must be square, got %d x %d", rows, columns);
    SPRAG_TRY(read_dimension(file, "/fclib_local", rows, &d));
    if (exists(file, "/fclib_local/V") || exists(file, "/fclib_local/R"))
        SPRAG_TRY(read_mixed(file, entries, rows, &extra));
    int blocks = (extra + d - 1) / d;
    SPRAG_TRY(read_common(file, "/fclib_local", "q", rows, d, blocks, to));
    if (extra > 0) {
        double *s = to->q + rows;
        SPRAG_TRY(read_vector(file, "/fclib_local", "s", extra, &s));
    }
    entries->size = rows + blocks * d;
    return entries_gather(entries, to);
}

static SpragStatus read_local(const File *file, SpragFrictionFile *to)
{
    Entries entries = {.context = file->context};
    SpragStatus status = read_local_parts(file, &entries, to);
    entries_destroy(&entries);
    return status;
}

static SpragStatus read_columns(const File *file, const char *group, Columns *to)
{
    Entries entries = {.context = file->context};
    int rows, columns;
    SpragStatus status = read_matrix(file, group, &entries, &rows, &columns);
    if (status == SPRAG_OK)
        status = columns_compress(&entries, rows, columns, to);
    entries_destroy(&entries);
    return status;
}

// b goes to the rows of q that the columns of G have.
static SpragStatus read_bias(const File *file, const Global *global, double *q)
{
    double *b = NULL;
    SpragStatus status = read_vector(file, "/fclib_global", "b", global->G.columns, &b);
    for (int j = 0; status == SPRAG_OK && j < global->G.columns; j++)
        q[global->place[j]] = b[j];
    sprag_free(file->context, b);
    return status;
}

static SpragStatus read_global_parts(const File *file, Global *global, SpragFrictionFile *to)
{
    static const char group[] = "/fclib_global";
    int d, rows;
    SPRAG_TRY(read_columns(file, "/fclib_global/M", &global->M));
    SPRAG_TRY(read_columns(file, "/fclib_global/H", &global->H));
    rows = global->H.columns;
    if (global->M.rows != global->M.columns || global->M.rows != global->H.rows)
        return refuse(file, group, "M (%d x %d) and H (%d x %d) do not fit", global->M.rows,
                      global->M.columns, global->H.rows, global->H.columns);
    SPRAG_TRY(read_dimension(file, group, rows, &d));
    if (exists(file, "/fclib_global/G")) {
        SPRAG_TRY(read_columns(file, "/fclib_global/G", &global->G));
        if (global->G.rows != global->M.rows)
            return refuse(file, "/fclib_global/G", "must have the %d rows of M, got %d",
                          global->M.rows, global->G.rows);
        SPRAG_TRY(fclib_place(global, d));
    }
    SPRAG_TRY(read_common(file, group, "w", rows, d, global->blocks, to));
    if (global->G.columns > 0)
        SPRAG_TRY(read_bias(file, global, to->q));
    SPRAG_TRY(read_vector(file, group, "f", global->M.rows, &global->f));
    return fclib_eliminate(global, to);
}

static SpragStatus read_global(const File *file, SpragFrictionFile *to)
{
    Global global = {.context = file->context, .name = file->name};
    SpragStatus status = read_global_parts(file, &global, to);
    columns_destroy(file->context, &global.M);
    columns_destroy(file->context, &global.H);
    columns_destroy(file->context, &global.G);
    sprag_free(file->context, global.f);
    sprag_free(file->context, global.place);
    return status;
}

static SpragStatus open_image(File *file, const char *bytes, size_t length)
{
    // the library copies the image, though its argument is not const
    union {
        const char *given;
        void *taken;
    } image = {.given = bytes};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0 || H5Pset_fapl_core(access, 1 << 16, 0) < 0 ||
        H5Pset_file_image(access, image.taken, length) < 0) {
        if (access >= 0)
            H5Pclose(access);
        return sprag_fail(file->context, SPRAG_ERROR_MEMORY, "%s: cannot be opened", file->name);
    }
    // a name that no file has: the library refuses an image beside a file
    file->id = H5Fopen("\\sprag/image\\", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file->id >= 0 ? SPRAG_OK
                         : sprag_fail(file->context, SPRAG_ERROR_INPUT,
                                      "%s: not an HDF5 file, or a damaged one", file->name);
}

SpragStatus sprag_friction_read_fclib_bytes(SpragContext *context, const char *name,
                                            const char *bytes, size_t length,
                                            SpragFrictionFile *file)
{
    File source = {context, name, -1};
    memset(file, 0, sizeof *file);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // the messages are ours
    if (length == 0)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "%s: the file is empty", name);
    SPRAG_TRY(open_image(&source, bytes, length));
    SpragStatus status;
    if (exists(&source, "/fclib_local"))
        status = read_local(&source, file);
    else if (exists(&source, "/fclib_global"))
        status = read_global(&source, file);
    else
        status = refuse(&source, "/", "the group fclib_local or fclib_global is expected");
    H5Fclose(source.id);
    if (status != SPRAG_OK)
        sprag_friction_file_destroy(context, file);
    return status;
}
