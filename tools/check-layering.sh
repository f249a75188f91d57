#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the rules of the tree that no compiler checks; says file:line for each breach.
#
#     tools/check-layering.sh [ROOT]
#
# 1. Includes go left only: base, isa, machine, host, decode, emulate, {compile, replay}, check, measure, model,
#    recommend, answer, render, api; replay sees emulate's observer, compile all of
#    emulate.
# 2. A stage is seen through the headers named below; its other headers are its own.
#    In src/model/, core sees no other room but the list of models, and every room sees core and itself;
#    closed_form, the tables of the models' equations, sees all.
# 3. cli, runtime and calibrate use <warpsage/warpsage.h>, system headers and their own folder; cli sees
#    calibrate/calibrate.h.
# 4. A C file name occurs once in the tree.
# 5. Memory of the library comes from base/memory.h: whoever asks the C library for it cannot say that
#    there is none.
# 6. Every source file has its SPDX line on top (the second line after #!).
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

c_files() {
    find include src cli runtime calibrate bench examples tests -name '*.[ch]' -o -name '*.def' \
        2>/dev/null | LC_ALL=C sort || true
}

check_includes() {
    c_files | grep -E '^(src|cli|runtime|calibrate)/' | xargs -r awk '
    BEGIN {
        split("base isa machine host decode emulate check measure model recommend answer render api", order, " ")
        for (i in order) level[order[i]] = i + 0
        level["compile"] = level["emulate"] + 0.5 # the other engine
        level["replay"] = level["emulate"] + 0.5 # a second producer of the observer it includes
        # One header a stage, named after the noun it makes; what follows it are exceptions.
        exported["isa"] = "insn.h matrix.h bulk.h modifiers.h sass.h native_modifiers.h"; exported["machine"] = "machine.h yaml_tree.h"
        exported["host"] = "host.h"
        exported["decode"] = "module.h cubin.h fat_binary.h listing.h tool.h"; exported["emulate"] = "observer.h emulate.h engine.h checker.h tensor_map.h"
        exported["compile"] = "compile.h"
        exported["check"] = "findings.h finding.h streams.h suppression.h check_names.h"
        exported["replay"] = "replay.h"
        exported["measure"] = "profile.h trace.h trace_file.h traceg_write.h cache.h cache_section.h l2_history.h memory_rules.h"
        exported["model"] = "estimate.h quantitative.h closed_form.h energy_form.h power_estimate.h core_sweep.h clock_sweep.h thermal.h split_plan.h throughput_case.h timeline.h warp_waits.h warp_parallelism.h teg_clocks.h"; exported["recommend"] = "advice.h"
        exported["answer"] = "answer.h question.h analyze.h"
        exported["render"] = "render.h chart_file.h json_out.h page.h reflow.h timeline_json.h disasm.h"
    }
    function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text }
    function room(path,   part) { return split(path, part, "/") == 3 ? part[2] : "" }
    function check_room(own, path,   to) {
        to = room(path)
        if (path == "model/models.def" || own == "closed_form" || to == own || to == "core") return
        if (own != "")
            complain("\"" path "\": of src/model/, " own " sees core and itself")
        else if (to != "")
            complain("\"" path "\": of the rooms of src/model/, a model outside them sees core")
    }
    function check_stage(own, path,   to, file) {
        to = path; sub(/\/.*/, "", to)
        file = path; sub(/.*\//, "", file)
        if (path !~ /\//)
            complain("write #include \"" own "/" path "\": headers are named from src/")
        else if (!(to in level))
            complain("\"" path "\" is no header of a stage")
        else if (own == "replay" && to == "emulate" && file != "observer.h")
            complain("replay must not include \"" path "\": of emulate it sees the observer")
        else if (to != own && level[to] >= level[own])
            complain(own " must not include " to " (\"" path "\"): includes go left only")
        else if (own == "compile" && to == "emulate")
            return
        else if (to != own && to != "base" && file ~ /\.h$/ &&
                 index(" " exported[to] " ", " " file " ") == 0)
            complain("\"" path "\" is private to " to "; its headers are: " exported[to])
    }
    /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
        system_header = ($0 ~ /include[ \t]*</)
        path = $0
        sub(/^[^<"]*[<"]/, "", path); sub(/[>"].*/, "", path)
        split(FILENAME, part, "/")
        if (part[1] == "src") {
            if (!system_header && path != "warpsage/warpsage.h") check_stage(part[2], path)
            if (!system_header && part[2] == "model" && path ~ /^model\//)
                check_room(room(substr(FILENAME, 5)), path)
        } else if (!system_header && path ~ /\// && path !~ "^" part[1] "/" &&
                   path != "warpsage/warpsage.h" &&
                   !(part[1] == "cli" && path == "calibrate/calibrate.h"))
            complain(part[1] " must not include \"" path "\": only <warpsage/warpsage.h> and its own")
        else if (system_header && path ~ /^(base|isa|machine|host|decode|emulate|compile|replay|check|measure|model|recommend|answer|render|api)\//)
            complain(part[1] " must not include <" path ">: only <warpsage/warpsage.h> and its own")
    }'
}

check_names() {
    c_files | grep '\.[ch]$' | awk -F/ '
        $NF in first { printf "%s:1: the file name is taken by %s\n", $0, first[$NF]; next }
        { first[$NF] = $0 }'
}

check_memory() {
    c_files | grep -E '^src/.*\.[ch]$' | grep -v '^src/base/memory\.c$' | xargs -r awk '
    {
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line); sub(/\/[\/*].*/, "", line)
        if (line ~ /(^|[^A-Za-z0-9_.>])(malloc|calloc|realloc|aligned_alloc|posix_memalign|strdup|strndup|asprintf|vasprintf|open_memstream|getline|free|abort)\(/)
            printf "%s:%d: memory comes from base/memory.h (mem_alloc, mem_free ...): %s\n", FILENAME, FNR, $0
    }'
}

check_spdx() {
    {
        c_files
        find . -path ./.git -prune -o -path './build*' -prune -o -type f \
            \( -name '*.sh' -o -name '*.py' -o -name '*.cu' -o -name '*.cmake' -o \
            -name CMakeLists.txt -o -name Makefile -o -path './.ci/*' -o -path './data/*.yaml' -o \
            -path './examples/*.yaml' -o -path './examples/*.ptx' -o -path './tests/kernels/*.ptx' \
            -o -path './tools/*' \) -print | sed 's|^\./||'
    } | LC_ALL=C sort -u | while read -r file; do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
            echo "$file:1: the line 'SPDX-License-Identifier: Apache-2.0' is missing"
    done
}

{
    check_includes
    check_names
    check_memory
    check_spdx
} >"$errors"
cat "$errors" >&2
if [ -s "$errors" ]; then
    echo "check-layering: $(wc -l <"$errors") breaches" >&2
    exit 1
fi
