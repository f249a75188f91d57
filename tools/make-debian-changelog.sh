#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Debian's changelog, on standard output, from CHANGELOG.md. What is not yet released has the time
# SOURCE_DATE_EPOCH; a release has its date in its heading: `## 0.2.0 (2026-12-01)`.
#
#     SOURCE_DATE_EPOCH=SECONDS tools/make-debian-changelog.sh
#     tools/make-debian-changelog.sh --version        the version of the first heading: 0.2.0, or 0.2.0~dev
#     tools/make-debian-changelog.sh --maintainer     name and address
set -euo pipefail
cd "$(dirname "$0")/.."
maintainer='warpsage maintainers <maintainers@users.noreply.a-seed-8ce0738a.example>'
if [ "${1:-}" = --maintainer ]; then
    echo "$maintainer"
    exit 0
fi
wrong() {
    echo "CHANGELOG.md: $*" >&2
    exit 1
}

# "VERSION WHEN" of a heading
heading() {
    sed -nE 's/^## ([0-9]+\.[0-9]+\.[0-9]+) \((not yet released|[0-9]{4}-[0-9]{2}-[0-9]{2})\)$/\1 \2/p' <<<"$1"
}
debian_version() {
    if [ "$2" = 'not yet released' ]; then echo "$1~dev"; else echo "$1"; fi
}

# Each entry of a section as a paragraph that begins with `* `, lines below 80 columns.
entries() {
    awk '/^- / { if (text) print text; text = substr($0, 3); next }
         text && /^  +[^ ]/ { sub(/^ +/, ""); text = text " " $0; next }
         END { if (text) print text }' | while IFS= read -r text; do
        fold -s -w 74 <<<"$text" | sed -E -e 's/ +$//' -e '1s/^/  * /' -e '2,$s/^/    /'
    done
}

section=
version=
when=
written=
finish() {
    [ -n "$version" ] || return 0
    local time distribution
    if [ "$when" = 'not yet released' ]; then
        time=@${SOURCE_DATE_EPOCH:?set it to the time of the source}
        distribution=UNRELEASED
    else
        time="$when 12:00 UTC"
        distribution=unstable
    fi
    [ -z "$written" ] || echo
    written=yes
    printf 'warpsage (%s) %s; urgency=medium\n\n' "$(debian_version "$version" "$when")" "$distribution"
    entries <<<"$section"
    printf '\n -- %s  %s\n' "$maintainer" "$(LC_ALL=C date --utc --rfc-email --date="$time")"
}

while IFS= read -r line; do
    if [[ $line == '## '* ]]; then
        found=$(heading "$line")
        [ -n "$found" ] || wrong "'$line' is not '## X.Y.Z (YYYY-MM-DD)' or '## X.Y.Z (not yet released)'"
        if [ "${1:-}" = --version ]; then
            debian_version "${found%% *}" "${found#* }"
            exit 0
        fi
        finish
        version=${found%% *} when=${found#* } section=
    else
        section+=$line$'\n'
    fi
done <CHANGELOG.md
[ -n "$version" ] || wrong "it has no heading '## X.Y.Z (...)'"
finish
