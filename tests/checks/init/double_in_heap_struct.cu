// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// also: memory
// why: malloc in a kernel does not clear: the root of the tree has no left child yet
#include "../array.h"
struct tree {
    double key;
    tree *left, *right;
};

__device__ tree *make(double key)
{
    tree *one = (tree *)malloc(sizeof(tree));
    one->key = key;
    one->right = nullptr;
    return one;
}

__global__ void build(double *out)
{
    tree *root = make(5);
    tree *other = make(3);
    if (other->key < root->key) {
        if (root->left) // BUG
            *out = root->left->key; // ALSO
        root->left = other;
    }
    free(other);
    free(root);
}

int main()
{
    array<double> out(1);
    build<<<1, 1>>>(out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
