// fit_csv.c: data, model and residuals of a fit as CSV.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit_private.h"

// The fewest of 15, 16 or 17 digits that give the number back; nothing for NaN.
static void add_number(SpragText *text, double number)
{
    char buffer[40];
    if (isnan(number))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, number == 0 ? 0.0 : number);
        if (strtod(buffer, NULL) == number)
            break;
    }
    char *comma = strchr(buffer, ',');
    if (comma)
        *comma = '.'; // whatever the program's locale
    sprag_text_add(text, "%s", buffer);
}

static void add_rows(const SpragFit *fit, SpragText *text)
{
    size_t columns = (size_t)fit->column_count;
    sprag_text_add(text, "t");
    for (size_t k = 0; k < columns; k++) {
        const char *signal = fit->columns[k].signal;
        sprag_text_add(text, ",%s data,%s model,%s residual", signal, signal, signal);
    }
    sprag_text_add(text, "\n");
    for (size_t i = 0; i < fit->row_count; i++) {
        add_number(text, fit->times[i]);
        for (size_t k = 0; k < columns; k++) {
            double data = fit->data[i * columns + k];
            double model = i < fit->covered ? fit->model[i * columns + k] : NAN;
            sprag_text_add(text, ",");
            add_number(text, data);
            sprag_text_add(text, ",");
            add_number(text, model);
            sprag_text_add(text, ",");
            add_number(text, model - data);
        }
        sprag_text_add(text, "\n");
    }
}

SpragStatus sprag_fit_write_csv(const SpragFit *fit, const char *path)
{
    SpragText text;
    sprag_text_init(&text, fit->context);
    add_rows(fit, &text);
    SpragStatus status = sprag_text_save(&text, path);
    sprag_text_destroy(&text);
    return status;
}
