// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: a stream is destroyed once
#include "../checks.h"
struct worker {
    cudaStream_t stream;
    worker()
    {
        CHECK(cudaStreamCreate(&stream));
    }
    ~worker()
    {
        cudaStreamDestroy(stream); // BUG
    }
};

int main()
{
    worker first;
    {
        worker copy = first; /* copies the handle */
    }
    return 0;
}
