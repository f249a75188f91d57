// SPDX-License-Identifier: Apache-2.0
#ifndef RUNTIME_DEVICE_QUESTIONS_H
#define RUNTIME_DEVICE_QUESTIONS_H

#include "runtime.h"

/* Answers a kernel that asks about the device or a kernel; cudaErrorNotSupported: it asks something else. */
cudaError_t device_question(const ws_device_call *call);

#endif
