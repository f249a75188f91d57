#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What perf and gdb are told of compiled code: debug.sh PROGRAM SOURCE_DIR. Where gdb is not found, or may not trace, the map
# alone is tested.
set -u
folder=$(mktemp -d)
map=
trap 'rm -rf "$folder" $map' EXIT
launch=$2/examples/kernels/reduce/reduce.yaml
grep -q 'avx512' /proc/cpuinfo || exit 77

# run VALUE OPTION...: in a process whose number is known before
run() {
    value=$1
    shift
    WARPSAGE_PERF_MAP=$value "$program" analyze "$launch" --isa ptx --quiet "$@" >"$folder/out" &
    map=/tmp/perf-$!.map
    wait $! || { echo "failed with WARPSAGE_PERF_MAP='$value' $*"; exit 1; }
}
program=$1
# A kernel that runs for long enough is compiled unless told otherwise.
run 1 --engine interpreter
[ ! -e "$map" ] || { echo "the interpreter compiles"; exit 1; }
run 1
[ -s "$map" ] || { echo "not compiled by default"; exit 1; }
rm -f "$map"
run '' --engine compiled
[ ! -e "$map" ] || { echo "a map that nobody asked for"; exit 1; }
run 1 --engine compiled
[ -s "$map" ] || { echo "no map"; exit 1; }
# Functions of one piece of memory, one behind the other, each named once.
awk 'function number(text,   value, i) {
         value = 0
         for (i = 1; i <= length(text); i++) value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
         return value
     }
     { begin = number($1); end_ = begin + number($2)
       if (NF != 3 || number($2) == 0) { print "line " NR ": " $0; bad = 1 }
       if (begin < last) { print "line " NR " begins within another: " $0; bad = 1 }
       if ($3 in names) { print "twice: " $3; bad = 1 }
       names[$3] = 1; last = end_
       if ($3 ~ /\.path[0-9]+\.line[0-9]+$/) paths++
       if ($3 ~ /\.body[0-9]+\.line[0-9]+\.part$/) parts++ }
     END { if (!paths || !parts) { print "no paths or bodies"; bad = 1 }
           exit bad }' "$map" || exit 1

command -v gdb >/dev/null || exit 0
cat >"$folder/commands" <<'END'
set pagination off
set confirm off
break body_tell_segment
run
backtrace
echo \nnow step by step\n
tbreak path_run
continue
END
# From the function's first instruction to its last each shows the caller's frame.
cat >>"$folder/commands" <<'END'
python
def caller():
    frame = gdb.newest_frame()
    while frame is not None and not (frame.name() or '').startswith('path_run'):
        frame = frame.older()
    return frame
gdb.execute('delete breakpoints')
inside = 0
for step in range(4000):
    gdb.execute('stepi', to_string=True)
    name = gdb.newest_frame().name() or ''
    if '.path' in name:
        inside += 1
        if caller() is None: print('lost in', name, 'at', hex(gdb.newest_frame().pc()))
    elif inside and name == 'path_run':
        print('stepped through', inside, 'instructions')
        break
    elif inside and gdb.newest_frame().older() is not None:
        gdb.execute('finish', to_string=True)
end
kill
quit
END
# One thread: a block that another thread runs has no main below it.
WARPSAGE_GDB=1 gdb -q -batch -nx -x "$folder/commands" --args \
    "$program" analyze "$launch" --isa ptx --quiet --engine compiled --threads 1 >"$folder/gdb" 2>&1
grep -q '^#0 .*body_tell_segment' "$folder/gdb" || { echo "gdb cannot run the program"; exit 0; }
grep -q '^#1 .* in reduce[^ ]*\.path[0-9]*\.line[0-9]*' "$folder/gdb" &&
    grep -q '^#2 .* path_run' "$folder/gdb" && grep -Eq '^#[0-9]+ +(.* in )?main ' "$folder/gdb" &&
    grep -q 'stepped through' "$folder/gdb" && ! grep -q '^lost in' "$folder/gdb" || {
    tail -n 40 "$folder/gdb"
    exit 1
}
