// SPDX-License-Identifier: Apache-2.0
/* Stands for a library of NVIDIA's: its file has such a name. */
int foreign_function(void);

int foreign_function(void)
{
    return 7;
}
