// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaEventRecord takes an event of cudaEventCreate
#include "../checks.h"
struct timer {
    cudaEvent_t begin = nullptr, end = nullptr;
};

int main()
{
    timer t;
    CHECK(cudaEventCreate(&t.begin));
    CHECK(cudaEventRecord(t.begin));
    t.end = reinterpret_cast<cudaEvent_t>(0x1234560); /* never created */
    cudaEventRecord(t.end); // BUG
    cudaEventDestroy(t.begin);
    return 0;
}
