// SPDX-License-Identifier: Apache-2.0
/* The ranks of a sweep by MPI: a plugin, loaded under mpirun only. */
#include <limits.h>
#include <mpi.h>
#include <warpsage/warpsage.h>

#include "cli/sweep/sweep_ranks.h"

static bool begin(int *out_rank, int *out_count)
{
    return MPI_Init(NULL, NULL) == MPI_SUCCESS &&
           MPI_Comm_rank(MPI_COMM_WORLD, out_rank) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, out_count) == MPI_SUCCESS;
}

static void end(void)
{
    MPI_Finalize();
}

static void abort_all(int exit_code)
{
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

static bool send_bytes(int rank, const void *bytes, size_t size)
{
    return size <= INT_MAX &&
           MPI_Send(bytes, (int)size, MPI_BYTE, rank, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static bool probe(bool *out_is_there, int *out_rank, size_t *out_size)
{
    MPI_Status status;
    int is_there = 0, size = 0;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status);
    if (code != MPI_SUCCESS) return false;
    *out_is_there = is_there;
    if (!is_there) return true;
    *out_rank = status.MPI_SOURCE;
    code = MPI_Get_count(&status, MPI_BYTE, &size);
    *out_size = (size_t)size;
    return code == MPI_SUCCESS;
}

static bool receive(int rank, void *bytes, size_t size)
{
    return size <= INT_MAX && MPI_Recv(bytes, (int)size, MPI_BYTE, rank, 0, MPI_COMM_WORLD,
                                       MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

WS_API extern const struct sweep_ranks warpsage_sweep_ranks;
const struct sweep_ranks warpsage_sweep_ranks = {begin, end, abort_all, send_bytes, probe, receive};
