// SPDX-License-Identifier: Apache-2.0
/* Moves of 8 x 8 matrices of halves by a warp: PTX ISA, ldmatrix, stmatrix, movmatrix. Lane l of the warp has of each matrix the
 * elements 2 (l mod 4) and the one behind it of row l / 4; .trans: of the transposed matrix. Lane 8 m + r tells where row
 * r of matrix m lies. */
#include <string.h>

#include "isa/matrix.h"
#include "reference/thread.h"

enum { SIDE = 8, ROW_OF_HALVES = 16, MATRICES_MAX = 4 };

struct matrix {
    uint16_t at[SIDE][SIDE];
};

static uint16_t *element(struct matrix *matrix, uint32_t lane, unsigned half, bool transposed)
{
    unsigned row = lane / 4, column = 2 * (lane % 4) + half;
    return transposed ? &matrix->at[column][row] : &matrix->at[row][column];
}

static uint32_t fragment(struct matrix *matrix, uint32_t lane, bool transposed)
{
    return *element(matrix, lane, 0, transposed) | (uint32_t)*element(matrix, lane, 1, transposed)
                                                       << 16;
}

static void set_fragment(struct matrix *matrix, uint32_t lane, bool transposed, uint64_t word)
{
    *element(matrix, lane, 0, transposed) = (uint16_t)word;
    *element(matrix, lane, 1, transposed) = (uint16_t)(word >> 16);
}

static void load(struct thread *warp, const struct insn *insn)
{
    struct matrix matrices[MATRICES_MAX] = {0};
    for (uint32_t lane = 0; lane < SIDE * insn->vector; lane++) {
        const unsigned char *row = thread_accessed(&warp[lane], insn, ROW_OF_HALVES);
        if (!row) return;
        memcpy(matrices[lane / SIDE].at[lane % SIDE], row, ROW_OF_HALVES);
    }
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        for (unsigned m = 0; m < insn->vector; m++)
            thread_write(&warp[lane], &insn->operands[m],
                         fragment(&matrices[m], lane, insn->matrix->columns));
}

static void store(struct thread *warp, const struct insn *insn)
{
    struct matrix matrices[MATRICES_MAX] = {0};
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        for (unsigned m = 0; m < insn->vector; m++)
            set_fragment(&matrices[m], lane, insn->matrix->columns,
                         thread_read(&warp[lane], insn_source(insn, 1 + m), TYPE_B32));
    for (uint32_t lane = 0; lane < SIDE * insn->vector; lane++) {
        unsigned char *row = thread_accessed(&warp[lane], insn, ROW_OF_HALVES);
        if (!row) return;
        memcpy(row, matrices[lane / SIDE].at[lane % SIDE], ROW_OF_HALVES);
    }
}

static void transpose(struct thread *warp, const struct insn *insn)
{
    struct matrix matrix = {0};
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        set_fragment(&matrix, lane, false,
                     thread_read(&warp[lane], insn_source(insn, 0), TYPE_B32));
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        thread_write(&warp[lane], &insn->operands[0], fragment(&matrix, lane, true));
}

bool thread_moves_matrices(const struct insn *insn)
{
    return insn->op == OP_LDMATRIX || insn->op == OP_STMATRIX || insn->op == OP_MOVMATRIX;
}

void threads_move_matrices(struct thread *warp, const struct insn *insn)
{
    if (insn->op == OP_LDMATRIX)
        load(warp, insn);
    else if (insn->op == OP_STMATRIX)
        store(warp, insn);
    else
        transpose(warp, insn);
}
