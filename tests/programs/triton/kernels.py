#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the PTX of triton_layer_norm.cu and triton_attention.cu anew: what Triton (3.9.0) makes of the kernels below for
sm_90, as text within C++. Needs `pip install triton`, and no GPU."""
import os

os.environ["TRITON_DISABLE_LINE_INFO"] = "1"

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


@triton.jit
def layer_norm(x, weight, bias, y, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    a = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(a, axis=0) / columns
    centred = tl.where(inside, a - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scaled = centred / tl.sqrt(variance + eps) * tl.load(weight + at, mask=inside)
    tl.store(y + row * columns + at, scaled + tl.load(bias + at, mask=inside), mask=inside)


@triton.jit
def attention(q, k, v, out, scale, LENGTH: tl.constexpr, DIM: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Causal; scale: with the logarithm of e to the base 2."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    base = tl.program_id(1) * LENGTH * DIM
    dims = tl.arange(0, DIM)
    query = tl.load(q + base + rows[:, None] * DIM + dims[None, :])
    sums = tl.zeros((ROWS,), dtype=tl.float32)
    most = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    result = tl.zeros((ROWS, DIM), dtype=tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * ROWS, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        key = tl.load(k + base + columns[None, :] * DIM + dims[:, None])
        scores = tl.dot(query, key) * scale
        scores = tl.where(columns[None, :] <= rows[:, None], scores, -float("inf"))
        higher = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp2(scores - higher[:, None])
        shrink = tl.exp2(most - higher)
        sums = sums * shrink + tl.sum(weights, axis=1)
        value = tl.load(v + base + columns[:, None] * DIM + dims[None, :])
        result = result * shrink[:, None] + tl.dot(weights.to(tl.float16), value)
        most = higher
    tl.store(out + base + rows[:, None] * DIM + dims[None, :], result / sums[:, None])


def write(function, types, constants, warps):
    names = function.arg_names
    signature = {name: types.get(name, "constexpr") for name in names}
    source = ASTSource(fn=function, signature=signature,
                       constexprs={(names.index(name),): value for name, value in constants.items()},
                       attrs={(i,): [["tt.divisibility", 16]] for i, name in enumerate(names)
                              if signature[name].startswith("*")})
    kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps, "num_stages": 3})
    folder = os.path.join(HERE, "..", "triton_" + function.__name__)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, function.__name__ + "_ptx.h"), "w", encoding="utf-8") as file:
        file.write("// SPDX-License-Identifier: Apache-2.0\n// Written by triton/kernels.py.\n"
                   f"enum {{ SHARED_BYTES = {kernel.metadata.shared}, THREADS = {32 * warps} }};\n"
                   f'static const char ptx[] = R"ptx({kernel.asm["ptx"]})ptx";\n')


write(layer_norm, {"x": "*fp16", "weight": "*fp32", "bias": "*fp32", "y": "*fp16", "columns": "i32", "eps": "fp32"},
      {"BLOCK": 1024}, 4)
write(attention, {"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp16", "scale": "fp32"},
      {"LENGTH": 256, "DIM": 64, "ROWS": 64, "COLUMNS": 64}, 4)
