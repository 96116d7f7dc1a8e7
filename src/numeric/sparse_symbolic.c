// sparse_symbolic.c: order of elimination, fronts and where every entry goes, from a pattern.
//
// Problem   a sparse matrix of blocks with symmetric pattern, to be eliminated with little fill.
// Method    approximate minimum degree [AmestoyDavisDuff1996, pp. 886-905], elimination tree
//           [Liu1990, Sec. 3], columns with the same rows below joined into fronts, also where
//           that adds a few zeros.
// Assumes   the diagonal is in the pattern
#include <limits.h>
#include <string.h>

#include <suitesparse/amd.h>

#include "sparse_internal.h"

// Zeros (in blocks) that joining two columns may add to a front.
enum { EXTRA_BLOCKS = 12 };

typedef struct Symbolic {
    int n;
    int *start, *adjacent; // pattern of A + Aᵀ without the diagonal, in the order of elimination
    int *parent;           // elimination tree
    int *column_start;     // rows below each column
    int *below;
    int *mark, *stack;
} Symbolic;

static SpragStatus allocate(SpragArena *arena, size_t count, int **list)
{
    *list = sprag_arena_alloc(arena, count + 1, sizeof **list);
    return *list ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus check_pattern(SpragSparseLu *lu, const SpragSparsePattern *pattern)
{
    for (int i = 0; i < pattern->count; i++) {
        bool diagonal = false;
        for (int k = pattern->row_start[i]; k < pattern->row_start[i + 1]; k++) {
            int j = pattern->column[k];
            diagonal |= j == i;
            if (j < 0 || j >= pattern->count ||
                (k > pattern->row_start[i] && j <= pattern->column[k - 1]))
                return sprag_fail(lu->context, SPRAG_ERROR_ARGUMENT,
                                  "the columns of sparse row %d must ascend below %d", i,
                                  pattern->count);
        }
        if (!diagonal)
            return sprag_fail(lu->context, SPRAG_ERROR_ARGUMENT,
                              "sparse row %d must have its diagonal", i);
    }
    return SPRAG_OK;
}

static SpragStatus keep_pattern(SpragSparseLu *lu, const SpragSparsePattern *pattern)
{
    size_t n = (size_t)pattern->count, entries = (size_t)pattern->row_start[n];
    SPRAG_TRY(sprag_reserve(lu->context, &lu->row_start, &lu->row_start_capacity, n + 1,
                            sizeof *lu->row_start));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->column, &lu->column_capacity, entries + 1,
                            sizeof *lu->column));
    SPRAG_TRY(
        sprag_reserve(lu->context, &lu->order, &lu->order_capacity, n + 1, sizeof *lu->order));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->position, &lu->position_capacity, n + 1,
                            sizeof *lu->position));
    memcpy(lu->row_start, pattern->row_start, (n + 1) * sizeof *lu->row_start);
    memcpy(lu->column, pattern->column, entries * sizeof *lu->column);
    lu->count = pattern->count;
    lu->block = pattern->block;
    lu->entry_count = entries;
    return SPRAG_OK;
}

static SpragStatus find_order(SpragSparseLu *lu)
{
    int status = amd_order(lu->count, lu->row_start, lu->column, lu->order, NULL, NULL);
    if (status == AMD_OUT_OF_MEMORY)
        return sprag_fail(lu->context, SPRAG_ERROR_MEMORY, "no memory left to order %d rows",
                          lu->count);
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED)
        return sprag_fail(lu->context, SPRAG_ERROR_ARGUMENT, "a sparse pattern is not valid");
    for (int k = 0; k < lu->count; k++)
        lu->position[lu->order[k]] = k;
    return SPRAG_OK;
}

// Neighbours in A + Aᵀ, each as often as it is seen; in the order of elimination.
static void find_neighbours(const SpragSparseLu *lu, Symbolic *s)
{
    int n = lu->count;
    memset(s->start, 0, ((size_t)n + 2) * sizeof *s->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++)
            for (int k = lu->row_start[i]; k < lu->row_start[i + 1]; k++) {
                int a = lu->position[i], b = lu->position[lu->column[k]];
                if (a == b)
                    continue;
                if (pass == 0) {
                    s->start[a + 2]++;
                    s->start[b + 2]++;
                } else {
                    s->adjacent[s->start[a + 1]++] = b;
                    s->adjacent[s->start[b + 1]++] = a;
                }
            }
        for (int i = 0; pass == 0 && i < n; i++)
            s->start[i + 2] += s->start[i + 1];
    }
}

// Parents by path compression [Liu1990, Sec. 3]; `stack` serves as ancestors.
static void find_tree(Symbolic *s)
{
    int *ancestor = s->stack;
    for (int k = 0; k < s->n; k++) {
        s->parent[k] = ancestor[k] = -1;
        for (int e = s->start[k]; e < s->start[k + 1]; e++)
            for (int i = s->adjacent[e], next; i < k && i != -1; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next == -1)
                    s->parent[i] = k;
            }
    }
}

// Order in which every subtree is finished before the next begins.
static void order_tree(SpragSparseLu *lu, Symbolic *s, int *child, int *next, int *renumbered)
{
    int n = s->n, count = 0, top = 0;
    for (int k = 0; k < n; k++)
        child[k] = -1;
    for (int k = 0; k < n; k++)
        if (s->parent[k] >= 0) {
            next[k] = child[s->parent[k]];
            child[s->parent[k]] = k;
        }
    for (int root = 0; root < n; root++) {
        if (s->parent[root] >= 0)
            continue;
        s->stack[top++] = root;
        while (top > 0) {
            int k = s->stack[top - 1], c = child[k];
            if (c >= 0) {
                child[k] = next[c];
                s->stack[top++] = c;
            } else {
                renumbered[count++] = lu->order[k];
                top--;
            }
        }
    }
    memcpy(lu->order, renumbered, (size_t)n * sizeof *renumbered);
    for (int k = 0; k < n; k++)
        lu->position[lu->order[k]] = k;
}

static void sort(int *list, int count)
{
    for (int gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int i = gap; i < count; i++) {
            int value = list[i], j = i;
            for (; j >= gap && list[j - gap] > value; j -= gap)
                list[j] = list[j - gap];
            list[j] = value;
        }
}

// Rows below every column, counted by walking up the tree from every entry of every row.
static size_t count_below(Symbolic *s)
{
    size_t total = 0;
    for (int k = 0; k < s->n; k++)
        s->mark[k] = -1;
    for (int i = 0; i < s->n; i++) {
        s->mark[i] = i;
        for (int e = s->start[i]; e < s->start[i + 1]; e++)
            for (int k = s->adjacent[e]; k < i && s->mark[k] != i; k = s->parent[k]) {
                s->mark[k] = i;
                s->column_start[k + 1]++;
                total++;
            }
    }
    return total;
}

static void list_below(Symbolic *s)
{
    for (int k = 0; k < s->n; k++) {
        s->mark[k] = -1;
        s->column_start[k + 1] += s->column_start[k];
        s->stack[k] = s->column_start[k];
    }
    for (int i = 0; i < s->n; i++) {
        s->mark[i] = i;
        for (int e = s->start[i]; e < s->start[i + 1]; e++)
            for (int k = s->adjacent[e]; k < i && s->mark[k] != i; k = s->parent[k]) {
                s->mark[k] = i;
                s->below[s->stack[k]++] = i;
            }
    }
}

// ---- Fronts -------------------------------------------------------------------------------------

// Columns are joined while the next one is the parent and few zeros are added.
static int find_fronts(const Symbolic *s, SparseFront *fronts)
{
    int count = 0;
    for (int k = 0; k < s->n;) {
        SparseFront *front = &fronts[count++];
        *front = (SparseFront){.first = k, .pivots = 1, .parent = -1, .child = -1, .next = -1};
        int zeros = 0;
        while (k + 1 < s->n && s->parent[k] == k + 1) {
            int now = s->column_start[k + 1] - s->column_start[k];
            int then = s->column_start[k + 2] - s->column_start[k + 1];
            int extra = (then + 1 - now) * front->pivots;
            if (extra + zeros > EXTRA_BLOCKS)
                break;
            zeros += extra;
            front->pivots++;
            k++;
        }
        front->below = s->column_start[k + 1] - s->column_start[k];
        front->rows = s->column_start[k]; // for the moment: in s->below
        k++;
    }
    return count;
}

// Block index of position `row` in a front, which has it.
static int index_in(const SpragSparseLu *lu, const SparseFront *front, int row)
{
    if (row < front->first + front->pivots)
        return row - front->first;
    const int *rows = lu->rows + front->rows;
    int low = 0, high = front->below - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return front->pivots + low;
}

static SpragStatus link_fronts(SpragSparseLu *lu, const Symbolic *s, const int *front_of)
{
    size_t total = 0;
    for (int f = 0; f < lu->front_count; f++)
        total += (size_t)lu->fronts[f].below;
    if (total > INT_MAX)
        return sprag_fail(lu->context, SPRAG_ERROR_LIMIT, "a sparse matrix has too much fill");
    SPRAG_TRY(
        sprag_reserve(lu->context, &lu->rows, &lu->rows_capacity, total + 1, sizeof *lu->rows));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->relative, &lu->relative_capacity, total + 1,
                            sizeof *lu->relative));
    int next = 0;
    for (int f = 0; f < lu->front_count; f++) {
        SparseFront *front = &lu->fronts[f];
        memcpy(lu->rows + next, s->below + front->rows, (size_t)front->below * sizeof *lu->rows);
        front->rows = next;
        next += front->below;
    }
    // backwards, so that the list of children ascends
    for (int f = lu->front_count - 1; f >= 0; f--) {
        SparseFront *front = &lu->fronts[f];
        if (front->below == 0)
            continue;
        front->parent = front_of[lu->rows[front->rows]];
        front->next = lu->fronts[front->parent].child;
        lu->fronts[front->parent].child = f;
        for (int k = 0; k < front->below; k++)
            lu->relative[front->rows + k] =
                index_in(lu, &lu->fronts[front->parent], lu->rows[front->rows + k]);
    }
    return SPRAG_OK;
}

static SpragStatus place_entries(SpragSparseLu *lu, const int *front_of)
{
    size_t count = lu->entry_count + 1;
    SPRAG_TRY(sprag_reserve(lu->context, &lu->entry_front, &lu->entry_front_capacity, count,
                            sizeof *lu->entry_front));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->entry_row, &lu->entry_row_capacity, count,
                            sizeof *lu->entry_row));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->entry_column, &lu->entry_column_capacity, count,
                            sizeof *lu->entry_column));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->entry_list, &lu->entry_list_capacity, count,
                            sizeof *lu->entry_list));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->entry_start, &lu->entry_start_capacity,
                            (size_t)lu->front_count + 2, sizeof *lu->entry_start));
    memset(lu->entry_start, 0, ((size_t)lu->front_count + 2) * sizeof *lu->entry_start);
    for (int i = 0; i < lu->count; i++)
        for (int k = lu->row_start[i]; k < lu->row_start[i + 1]; k++) {
            int row = lu->position[i], column = lu->position[lu->column[k]];
            int f = front_of[row < column ? row : column];
            lu->entry_front[k] = f;
            lu->entry_row[k] = index_in(lu, &lu->fronts[f], row);
            lu->entry_column[k] = index_in(lu, &lu->fronts[f], column);
            lu->entry_start[f + 2]++;
        }
    for (int f = 0; f < lu->front_count; f++)
        lu->entry_start[f + 2] += lu->entry_start[f + 1];
    for (size_t k = 0; k < lu->entry_count; k++)
        lu->entry_list[lu->entry_start[lu->entry_front[k] + 1]++] = (int)k;
    return SPRAG_OK;
}

// Sizes of the arrays of the factorisation: an update stays on the stack until its parent takes it.
static SpragStatus reserve_numbers(SpragSparseLu *lu)
{
    size_t b = (size_t)lu->block, largest = 0, used = 0, most = 0;
    lu->factor_count = 0;
    lu->work = 0;
    for (int f = 0; f < lu->front_count; f++) {
        SparseFront *front = &lu->fronts[f];
        size_t p = (size_t)front->pivots * b, u = (size_t)front->below * b, m = p + u;
        front->factor = lu->factor_count;
        lu->factor_count += p * p + 2 * p * u;
        lu->work += (double)p * (double)p * (double)p / 3 + (double)p * (double)u * (double)(p + u);
        largest = m * m > largest ? m * m : largest;
        for (int c = front->child; c >= 0; c = lu->fronts[c].next) {
            size_t below = (size_t)lu->fronts[c].below * b;
            used -= below * below;
        }
        front->update = used;
        used += u * u;
        most = used > most ? used : most;
    }
    size_t n = (size_t)lu->count * b;
    SPRAG_TRY(sprag_reserve(lu->context, &lu->factors, &lu->factors_capacity, lu->factor_count + 1,
                            sizeof(double)));
    SPRAG_TRY(sprag_reserve(lu->context, &lu->front, &lu->front_entries_capacity, largest + 1,
                            sizeof(double)));
    SPRAG_TRY(
        sprag_reserve(lu->context, &lu->stack, &lu->stack_capacity, most + 1, sizeof(double)));
    SPRAG_TRY(
        sprag_reserve(lu->context, &lu->vector, &lu->vector_capacity, 2 * n + 1, sizeof(double)));
    return sprag_reserve(lu->context, &lu->exchange, &lu->exchange_capacity, n + 1,
                         sizeof *lu->exchange);
}

static SpragStatus analyze(SpragSparseLu *lu, SpragArena *arena)
{
    size_t n = (size_t)lu->count;
    Symbolic s = {.n = lu->count};
    int *child, *next, *renumbered;
    SPRAG_TRY(find_order(lu));
    SPRAG_TRY(allocate(arena, n + 2, &s.start));
    SPRAG_TRY(allocate(arena, 2 * lu->entry_count, &s.adjacent));
    SPRAG_TRY(allocate(arena, n, &s.parent));
    SPRAG_TRY(allocate(arena, n + 1, &s.column_start));
    SPRAG_TRY(allocate(arena, n, &s.mark));
    SPRAG_TRY(allocate(arena, n, &s.stack));
    SPRAG_TRY(allocate(arena, n, &child));
    SPRAG_TRY(allocate(arena, n, &next));
    SPRAG_TRY(allocate(arena, n, &renumbered));
    find_neighbours(lu, &s);
    find_tree(&s);
    order_tree(lu, &s, child, next, renumbered);
    find_neighbours(lu, &s);
    find_tree(&s);
    size_t total = count_below(&s);
    if (total > INT_MAX)
        return sprag_fail(lu->context, SPRAG_ERROR_LIMIT, "a sparse matrix has too much fill");
    SPRAG_TRY(allocate(arena, total, &s.below));
    list_below(&s);
    for (int k = 0; k < s.n; k++)
        sort(s.below + s.column_start[k], s.column_start[k + 1] - s.column_start[k]);
    SPRAG_TRY(
        sprag_reserve(lu->context, &lu->fronts, &lu->front_capacity, n + 1, sizeof *lu->fronts));
    lu->front_count = find_fronts(&s, lu->fronts);
    for (int f = 0; f < lu->front_count; f++)
        for (int k = 0; k < lu->fronts[f].pivots; k++)
            renumbered[lu->fronts[f].first + k] = f;
    SPRAG_TRY(link_fronts(lu, &s, renumbered));
    SPRAG_TRY(place_entries(lu, renumbered));
    return reserve_numbers(lu);
}

static bool is_same(const SpragSparseLu *lu, const SpragSparsePattern *pattern)
{
    size_t n = (size_t)pattern->count;
    return lu->ready && lu->count == pattern->count && lu->block == pattern->block &&
           memcmp(lu->row_start, pattern->row_start, (n + 1) * sizeof(int)) == 0 &&
           memcmp(lu->column, pattern->column, lu->entry_count * sizeof(int)) == 0;
}

SpragStatus sprag_sparse_lu_analyze(SpragSparseLu *lu, const SpragSparsePattern *pattern)
{
    if (is_same(lu, pattern))
        return SPRAG_OK;
    lu->ready = false;
    SPRAG_TRY(check_pattern(lu, pattern));
    SPRAG_TRY(keep_pattern(lu, pattern));
    SpragArena *arena;
    SPRAG_TRY(sprag_arena_create(lu->context, 1 << 16, &arena));
    SpragStatus status = analyze(lu, arena);
    sprag_arena_destroy(arena);
    lu->ready = status == SPRAG_OK;
    return status;
}
