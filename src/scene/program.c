// program.c: a formula of t as a list of operations in postfix order, evaluated on a small stack.
#include <math.h>

#include "formula.h"

// `change`: by how much the operation makes the stack higher.
static SpragStatus emit(Formula *f, Operation operation, int change)
{
    Program *program = f->program;
    if (!program)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(f->reader->context, &program->operations, &program->capacity,
                            (size_t)program->count + 1, sizeof operation));
    program->operations[program->count++] = operation;
    program->depth += change;
    if (program->depth > program->most_depth)
        program->most_depth = program->depth;
    if (program->most_depth > MAX_PROGRAM_DEPTH)
        return complain(f, "too many levels for a formula of t");
    return SPRAG_OK;
}

SpragStatus emit_number(Formula *f, double number)
{
    Operation operation = {.kind = PUSH_NUMBER, .number = number};
    return emit(f, operation, 1);
}

SpragStatus emit_time(Formula *f)
{
    Operation operation = {.kind = PUSH_TIME};
    f->program->varies = true;
    return emit(f, operation, 1);
}

SpragStatus emit_one(Formula *f, double (*one)(double))
{
    Operation operation = {.kind = APPLY_ONE, .one = one, .slopes = slopes_of(one)};
    return emit(f, operation, 0);
}

SpragStatus emit_two(Formula *f, double (*two)(double, double))
{
    Operation operation = {.kind = APPLY_TWO, .two = two, .join = join_of(two)};
    return emit(f, operation, -1);
}

int program_kinks(const Program *program)
{
    int count = 0;
    for (int i = 0; i < program->count; i++) {
        const Operation *operation = &program->operations[i];
        count += operation->kind == APPLY_ONE && operation->one == fabs;
        count += operation->kind == APPLY_TWO && (operation->two == fmin || operation->two == fmax);
    }
    return count;
}

// Notes what decides min, max and abs: the difference of their arguments, or the argument.
static void note_kink(const Operation *operation, const double *top, double **kinks)
{
    if (operation->kind == APPLY_ONE && operation->one == fabs)
        *(*kinks)++ = top[-1];
    if (operation->kind == APPLY_TWO && (operation->two == fmin || operation->two == fmax))
        *(*kinks)++ = top[-2] - top[-1];
}

double program_evaluate(const Program *program, double t)
{
    return program_evaluate_kinks(program, t, NULL);
}

double program_evaluate_kinks(const Program *program, double t, double *kinks)
{
    double stack[MAX_PROGRAM_DEPTH];
    int top = 0;
    for (int i = 0; i < program->count; i++) {
        const Operation *operation = &program->operations[i];
        if (kinks)
            note_kink(operation, stack + top, &kinks);
        switch (operation->kind) {
        case PUSH_NUMBER:
            stack[top++] = operation->number;
            break;
        case PUSH_TIME:
            stack[top++] = t;
            break;
        case APPLY_ONE:
            stack[top - 1] = operation->one(stack[top - 1]);
            break;
        case APPLY_TWO:
            top--;
            stack[top - 1] = operation->two(stack[top - 1], stack[top]);
            break;
        }
    }
    return top == 1 ? stack[0] : NAN;
}
