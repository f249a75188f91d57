#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests of tools/: each must see what it is there to see. Usage: test-tools.sh SOURCE_DIR
set -uo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# expect NAME STATUS FRAGMENT COMMAND...: exit status and a line of the output.
expect() {
    local name=$1 wanted=$2 fragment=$3 output status
    shift 3
    output=$("$@" 2>&1 </dev/null)
    status=$?
    if [ "$status" -eq "$wanted" ] && grep -qF -- "$fragment" <<<"$output"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name: status $status, not $wanted, or no '$fragment' in:"
        echo "$output"
    fi
}

# A small tree that keeps all rules, then one breach at a time.
spdx='// SPDX-License-Identifier: Apache-2.0'
tree() {
    rm -rf "$work/tree"
    mkdir -p "$work"/tree/{include/warpsage,src/{base,decode,model/core,emulate,replay},cli}
    printf '%s\n#include <stdio.h>\n' "$spdx" >"$work/tree/include/warpsage/warpsage.h"
    printf '%s\n#include "base/text.h"\n' "$spdx" >"$work/tree/src/decode/lexer.c"
    printf '%s\n#include <warpsage/warpsage.h>\n#include "cli.h"\n' "$spdx" >"$work/tree/cli/main.c"
}
breach() {
    tree
    printf '%b\n' "$2" >"$work/tree/$1"
}
layering=("$root/tools/check-layering.sh" "$work/tree")
tree
expect "a clean tree" 0 "" "${layering[@]}"
breach src/base/up.c "$spdx\n#include \"decode/module.h\""
expect "an include to the right" 1 "src/base/up.c:2: base must not include decode" "${layering[@]}"
breach src/replay/side.c "$spdx\n#include \"emulate/observer.h\""
expect "replay and the observer" 0 "" "${layering[@]}"
breach src/replay/side.c "$spdx\n#include \"emulate/emulate.h\""
expect "replay and the rest of emulate" 1 \
    'src/replay/side.c:2: replay must not include "emulate/emulate.h"' "${layering[@]}"
breach src/model/peek.c "$spdx\n\n#include \"decode/lexer.h\""
expect "a private header" 1 'src/model/peek.c:3: "decode/lexer.h" is private to decode' \
    "${layering[@]}"
breach src/model/core/room.c "$spdx\n#include \"model/power/power_estimate.h\""
expect "a room of the models" 1 \
    'src/model/core/room.c:2: "model/power/power_estimate.h": of src/model/, core sees core' \
    "${layering[@]}"
breach cli/deep.c "$spdx\n#include \"model/core/estimate.h\""
expect "cli beside the public header" 1 'cli/deep.c:2: cli must not include "model/core/estimate.h"' \
    "${layering[@]}"
breach cli/lexer.c "$spdx"
expect "a name taken twice" 1 "src/decode/lexer.c:1: the file name is taken by cli/lexer.c" \
    "${layering[@]}"
breach src/model/own.c "$spdx\nvoid f(void *p) { free(p); }"
expect "memory of the C library" 1 "src/model/own.c:2: memory comes from base/memory.h" \
    "${layering[@]}"
breach cli/bare.c "int x;"
expect "no SPDX line" 1 "cli/bare.c:1: the line" "${layering[@]}"

references=("$root/tools/check-references.py" "$work/tree")
page() {
    tree
    mkdir "$work/tree/doc"
    printf '# A page\n\n## What it says\n' >"$work/tree/doc/page.md"
    printf '%s\n/* %s */\n' "$spdx" "$1" >"$work/tree/src/base/cites.h"
}
page "doc/page.md, doc/page.md#what-it-says, https://example.com/other.md"
expect "pages that are there" 0 "" "${references[@]}"
page "doc/plan.md has it"
expect "a page that is not there" 1 "src/base/cites.h:2: doc/plan.md is not in the tree" \
    "${references[@]}"
page "doc/page.md#what-it-said"
expect "a heading that is not there" 1 "src/base/cites.h:2: doc/page.md has no heading #what-it-said" \
    "${references[@]}"
page "as PLAN section 2 demands"
expect "a page without a name" 1 "src/base/cites.h:2: 'PLAN section 2' names no page" \
    "${references[@]}"
page ""
echo '[there](doc/gone.md)' >"$work/tree/README.md"
expect "a page that cites" 1 "README.md:1: doc/gone.md is not in the tree" "${references[@]}"

# papers LINE...: one paper with a row and a curve, and the list of its tables and figures
papers() {
    page ""
    mkdir -p "$work/tree/papers/one"
    echo '{"rows": [{"id": "fig1-a", "paper": "one"}]}' >"$work/tree/papers/one/published.json"
    echo '{"curves": [{"id": "drawn"}]}' >"$work/tree/papers/one/curves.json"
    printf '%s\n' "## Tables and figures" "### one: 0 tables, 2 figures" "| number | what | rows | curves | missing |" \
        "|---|---|---|---|---|" "$@" >"$work/tree/doc/papers.md"
}
papers '| figure 1 | a | `fig1-*` | `drawn` | |' '| figure 2 | b | | | illustration |'
expect "all figures are listed" 0 "" "${references[@]}"
papers '| figure 1 to 2 | a | `fig1-*` | `drawn` | |' '| figure 2 | b | | | illustration |'
expect "a figure twice" 1 "doc/papers.md:7: one: figure 2 is not listed once" "${references[@]}"
papers '| figure 1, 2 | a | `fig2` | `drawn` | |'
expect "a row that is not there" 1 "doc/papers.md:5: no row of these papers is called fig2" "${references[@]}"
expect "a row that is not named" 1 "doc/papers.md:6: one: the row fig1-a is not named" "${references[@]}"
papers '| figure 1, 2 | a | `fig1-a` | `lost` | |'
expect "a curve that is not there" 1 "doc/papers.md:5: no curve is called lost" "${references[@]}"
expect "a curve that is not named" 1 "doc/papers.md:6: the curve drawn is not named" "${references[@]}"
papers '| figure 1 | a | `fig1-a` | `drawn` | |' '| figure 2 | b | | | |'
expect "a figure without anything" 1 "doc/papers.md:6: figure 2 has neither" "${references[@]}"

summary=$root/tools/test-summary
log() {
    cat >"$work/log"
}
log <<'LOG'
Test project /somewhere
3: [ RUN      ] first
3: [       OK ] first
3: [ RUN      ] second
3: [  ERROR   ] --- 1 != 2
3: [  FAILED  ] second
3: [==========] 2 test(s) run.
3: [  PASSED  ] 1 test(s).
3: [  FAILED  ] 1 test(s), listed below:
3: [  FAILED  ] second
1/4 Test #3: test_things ......................***Failed    0.01 sec
4: 7 passed, 0 failed
2/4 Test #4: cli ..............................   Passed    0.40 sec
5: [       OK ] only
3/4 Test #5: test_crash .......................***Exception: SegFault  0.10 sec
6: hello
4/4 Test #6: plain ............................   Passed    0.01 sec
LOG
expect "cases of all kinds" 1 "10 passed, 2 failed" "$summary" "$work/log"
expect "failed cases are named" 1 "failed: second" "$summary" "$work/log"
expect "crashed programs are named" 1 "failed: test_crash" "$summary" "$work/log"
log <<'LOG'
Test project /somewhere
1: [       OK ] a
1: [       OK ] b
1/1 Test #1: test_a ...........................   Passed    0.01 sec
LOG
expect "all well" 0 "2 passed, 0 failed" "$summary" "$work/log"
log <<'LOG'
No tests were found!!!
LOG
expect "no tests are no success" 1 "0 passed, 0 failed" "$summary" "$work/log"

expect "an unknown group of packages" 2 "unknown group" "$root/tools/install-deps.sh" everything

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
