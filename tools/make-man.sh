#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The man page, on standard output, from the help that the program prints of itself.
#
#     tools/make-man.sh PROGRAM
set -euo pipefail
program=$1

# Text as it is; a backslash, a leading dot or quote mean something to roff, and - must stay ASCII.
verbatim() {
    echo '.nf'
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\\&&/"
    echo '.fi'
}
help=$("$program" --help)
part() { # the lines under a heading
    sed -n "/^$1\$/,/^\$/p" <<<"$help" | sed -e '1d' -e '/^$/d'
}

version=$("$program" --version)
echo ".TH WARPSAGE 1 \"\" \"$version\" \"User Commands\""
echo '.SH NAME'
echo "$help" | sed -n '1s/^warpsage: \(.*\)$/warpsage \\- \1/p'
echo '.SH SYNOPSIS'
echo '.B warpsage'
echo '.I COMMAND'
echo '[OPTIONS]'
echo '.SH COMMANDS'
part Commands | verbatim
part Commands | awk '$1 != "help" { print $1 }' | while read -r command; do
    echo ".SH $(tr '[:lower:]' '[:upper:]' <<<"$command")"
    "$program" help "$command" | sed '1,2d' | verbatim
done
echo '.SH EXIT STATUS'
part 'Exit status' | verbatim
cat <<'END'
.SH ENVIRONMENT
.TP
.B WARPSAGE_MACHINES
folder of machine files, instead of the installed one
.TP
.B WARPSAGE_EVIDENCE
file of the models' errors on measured kernels, instead of the installed one
.TP
.B PATH
where nvcc, clang and ptxas are looked for; none of them is needed for PTX
.TP
.BR NO_COLOR ", " CLICOLOR_FORCE ", " COLUMNS ", " TERM
colour and width of text
.SH FILES
.TP
.I share/warpsage/machines/NAME.yaml
the GPUs; every figure has its source
.TP
.I share/warpsage/schemas
JSON Schemas of what the program writes and reads
END
