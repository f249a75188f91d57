// SPDX-License-Identifier: Apache-2.0
/* Nodes of graphs whose bodies are run as the value of a condition says, which kernels set. */
#ifndef RUNTIME_GRAPH_CONDITION_H
#define RUNTIME_GRAPH_CONDITION_H

#include "graph.h"

/* Makes a node's work with empty bodies. */
cudaError_t condition_work(struct cudaConditionalNodeParams *given, struct work *out);
cudaError_t condition_run(const struct condition_work *work);
/* With bodies of its own. */
cudaError_t condition_copy(struct condition_work *out, const struct condition_work *work);
void condition_clear(struct condition_work *work);
/* The graph is launched: conditions of its nodes, at any depth, get their default values. */
void condition_assign_defaults(const struct graph *graph);
/* cudaGraphSetConditional of a kernel; false: there is no such handle. */
bool condition_set(unsigned long long handle, unsigned value);

#endif
