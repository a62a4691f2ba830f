#!/usr/bin/env bash
# Makes an installable static library from an internal one: links its objects into one and makes
# hidden symbols local.
#
#     scripts/prelink.sh INTERNAL.a OUT.a FOLDER CC...
set -eu
internal=$1 out=$2 folder=$3
shift 3
mkdir -p "$folder"
# Compile LTO objects to machine code here, because their symbols cannot be made local.
lto=
if "$@" -flinker-output=nolto-rel -x c -c -o /dev/null /dev/null 2>/dev/null; then
    lto=-flinker-output=nolto-rel
fi
# shellcheck disable=SC2086 # empty or one word
"$@" $lto -r -nostdlib -o "$folder/cucore.o" -Wl,--whole-archive "$internal" -Wl,--no-whole-archive
objcopy --localize-hidden "$folder/cucore.o"
rm -f "$out"
ar rcs "$out" "$folder/cucore.o"
