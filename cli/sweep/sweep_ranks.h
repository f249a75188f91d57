// SPDX-License-Identifier: Apache-2.0
/* The plugin that knows MPI (ranks_mpi.c), so that the program itself is never linked with it. Messages are bytes;
 * every function returns false if MPI says that it failed. */
#ifndef CLI_SWEEP_RANKS_H
#define CLI_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>

struct sweep_ranks {
    bool (*begin)(int *out_rank, int *out_count);
    void (*end)(void);
    /* Ends all ranks. */
    void (*abort)(int exit_code);
    bool (*send)(int rank, const void *bytes, size_t size);
    /* Is there a message? *out_rank: whose; *out_size: its bytes; false in *out_is_there: none. */
    bool (*probe)(bool *out_is_there, int *out_rank, size_t *out_size);
    bool (*receive)(int rank, void *bytes, size_t size);
};

#define SWEEP_RANKS_SYMBOL "warpsage_sweep_ranks"
#define SWEEP_RANKS_FILE "libwarpsage_mpi.so"

#endif
