# SPDX-License-Identifier: Apache-2.0
"""matrix.py TYPE M N K: A, B (column after column) and C of integers, and D = A B + C, as files a, b, c, d."""
import struct
import sys

kind, m, n, k = sys.argv[1], *map(int, sys.argv[2:5])
A = [[(row * 7 + i * 3) % 13 - 6 for i in range(k)] for row in range(m)]
B = [[(i * 5 + column * 11) % 9 - 4 for i in range(k)] for column in range(n)]
C = [[row * n + column for column in range(n)] for row in range(m)]
if kind == "s8":
    C[0][0], C[1][1] = 2**31 - 1, -2**31  # these saturate
    A[0], B[0] = [5] * k, [3] * k
    A[1], B[1] = [5] * k, [-3] * k
D = [[sum(A[r][i] * B[c][i] for i in range(k)) + C[r][c] for c in range(n)] for r in range(m)]
D = [[min(max(x, -2**31), 2**31 - 1) for x in row] for row in D]


def factor(x):
    if kind == "bf16":
        return struct.pack("<f", x)[2:]
    return struct.pack({"tf32": "<f", "f64": "<d", "s8": "<b"}[kind], x)


def whole(x):
    return struct.pack({"f64": "<d", "s8": "<i"}.get(kind, "<f"), x)


for name, rows, pack in (("a", A, factor), ("b", B, factor), ("c", C, whole), ("d", D, whole)):
    with open(name, "wb") as file:
        file.write(b"".join(pack(x) for row in rows for x in row))
