#!/usr/bin/env bash
# Make an installable static library from an internal one: link its objects into one and localise
# hidden names.
#
#     scripts/prelink.sh INTERNAL.a OUT.a FOLDER CC...
set -eu
internal=$1 out=$2 folder=$3
shift 3
mkdir -p "$folder"
# LTO objects become machine code here, because their names cannot be localised.
lto=
if "$@" -flinker-output=nolto-rel -x c -c -o /dev/null /dev/null 2>/dev/null; then
    lto=-flinker-output=nolto-rel
fi
# shellcheck disable=SC2086 # empty or one word
"$@" $lto -r -nostdlib -o "$folder/cucore.o" -Wl,--whole-archive "$internal" -Wl,--no-whole-archive
objcopy --localize-hidden "$folder/cucore.o"
rm -f "$out"
ar rcs "$out" "$folder/cucore.o"
