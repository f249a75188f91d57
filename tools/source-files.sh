#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lists the C sources that clang-format keeps in shape. (.def files are tables: formatted by hand.)
cd "$(dirname "$0")/.." || exit 1
find include src cli tools runtime calibrate bench examples tests -name '*.[ch]' 2>/dev/null |
    LC_ALL=C sort
