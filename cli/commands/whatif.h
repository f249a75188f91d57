// SPDX-License-Identifier: Apache-2.0
/* What-ifs: a launch as it is against changes of it, model by model. */
#ifndef CLI_WHATIF_H
#define CLI_WHATIF_H

#include "cli/options/analysis.h"

enum change_kind {
    CHANGE_EFFECT,    /* --without bank-conflicts */
    CHANGE_MACHINE,   /* --set machine.sm.count=60 */
    CHANGE_BLOCK,     /* --set launch.block=256 */
    CHANGE_REGISTERS, /* --set launch.registers=32 */
    CHANGE_SHARED,    /* --set launch.shared=4096 */
};

struct change {
    enum change_kind kind;
    const char *text;  /* as in the table: "without bank-conflicts", "launch.block=256" */
    const char *key;   /* of effect or machine */
    const char *value; /* "=256", "=*2" */
};

enum { WHATIF_MODELS = 16 };

/* What the models say of one row on one machine. */
struct whatif_cell {
    const char *reason; /* why there is no figure; NULL: there is one */
    double seconds, gain;
    const char *bottleneck;
};
struct whatif_answer {
    struct whatif_cell cells[WHATIF_MODELS]; /* by model of the table */
};

struct whatif_row {
    const char *text;
    bool executed;        /* the kernel ran again for it */
    const char *note;     /* NULL: none */
    bool impossible;      /* with --each: no model has an answer, `note` says why */
    const char *surprise; /* why a worse machine gains or a better one loses; NULL: none does */
    struct whatif_answer *answers; /* by machine */
};

struct whatif_table {
    const char *kernel;
    size_t machine_count;
    ws_machine **machines;
    size_t model_count;
    const char *models[WHATIF_MODELS];
    size_t *best;            /* by machine: the model that suits it */
    struct whatif_row *rows; /* the first is the launch as it is */
    size_t row_count;
};

/* "launch.block" "=256": KEY and change of --set KEY=VALUE. */
int whatif_parse_set(struct cli *cli, const char *text, struct change *out);
/* The value of =V, =*V, =+V, =-V, =+P% or =-P% applied to a whole number. */
int whatif_apply(struct cli *cli, const struct change *change, uint64_t now, uint64_t *out);

/* Is the machine better (1) or worse (-1) by the change of this key from `before` to `after`? 0: that
 * depends. */
int whatif_direction(const char *key, double before, double after);
/* Adds to row->surprise what must be said of row->answers[machine], if the machine became better (1) or
 * worse (-1). */
void whatif_explain(struct cli *cli, const struct whatif_table *table, struct whatif_row *row,
                    size_t machine, const char *key, int direction);

int whatif_write(struct cli *cli, const struct whatif_table *table, const struct request *request);

#endif
