// SPDX-License-Identifier: Apache-2.0
/* A closed form: named numbers in, named terms out. Each model's stand in a table of its own,
 * forms_MODEL.c, which closed_forms.def lists. */
#ifndef MODEL_CLOSED_FORM_H
#define MODEL_CLOSED_FORM_H

#include "base/diag.h"

enum { CLOSED_FORM_INPUTS_MAX = 48 };

/* What a function reads. `otherwise` NAN: it must be given. */
struct input_row {
    const char *name;
    double otherwise;
    const char *const *words; /* readings, the first is the default; NULL: a number */
};

struct evaluation {
    struct diag *diag;
    const char *function; /* its name, for messages */
    const struct input_row *rows;
    double values[CLOSED_FORM_INPUTS_MAX]; /* as the rows; of a reading: the index of its word */
    ws_term *out;
    size_t capacity, count;
};

struct closed_form {
    const char *name;
    const struct input_row *rows; /* ends with a NULL name */
    ws_status (*run)(struct evaluation *e);
};

/* The value of an input that is among the function's rows. */
double evaluation_get(const struct evaluation *e, const char *name);
/* WS_ERR_ARGUMENT names the first of the inputs that is not above 0. */
#define EVALUATION_POSITIVE(e, ...)                                                                \
    evaluation_check_positive((e), (const char *const[]){__VA_ARGS__, NULL})
ws_status evaluation_check_positive(const struct evaluation *e, const char *const *names);
/* What does not apply (no memory access, say) is left out. */
void evaluation_put(struct evaluation *e, const char *name, double value);

/* ws_model_evaluate. */
ws_status model_evaluate(struct diag *diag, const char *function, const ws_input *inputs,
                         size_t input_count, ws_term *out, size_t capacity, size_t *out_count);
/* Names of the closed forms by index; NULL beyond the last. */
const char *model_function(size_t index);

/* Each ends with a NULL name. */
#define CLOSED_FORMS(table) extern const struct closed_form table[];
#include "model/closed_form/closed_forms.def"
#undef CLOSED_FORMS

#endif
