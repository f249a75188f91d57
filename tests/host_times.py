# SPDX-License-Identifier: Apache-2.0
"""What differs from run to run in reports of programs: how long this host took for a kernel."""
import re

TIME = re.compile(r" +[0-9.]+ [num]?s")


def without_host_times(text):
    """The column `host` of tables of kernels, and `host_s` of JSON."""
    lines = re.sub(r'"host_s": [0-9.e+-]+', '"host_s": 0', text).split("\n")
    column = None
    for i, line in enumerate(lines):
        if line.lstrip().startswith("kernel "):
            column = re.search(" +host(?= )", line)
        elif not line:
            column = None
        if column and TIME.fullmatch(line[column.start():column.end()]):
            blank = "-".rjust(column.end() - column.start())
            lines[i] = line[:column.start()] + blank + line[column.end():]
    return "\n".join(lines)
