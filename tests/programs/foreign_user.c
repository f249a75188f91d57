// SPDX-License-Identifier: Apache-2.0
/* A program that is linked with a library of NVIDIA's name (command.case). */
int foreign_function(void);

int main(void)
{
    return foreign_function();
}
