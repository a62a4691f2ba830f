#!/usr/bin/env bash
# Make an installable static library of an internal one: all its objects linked into one, hidden
# names made local.
#
#     scripts/prelink.sh INTERNAL.a OUT.a FOLDER CC...
set -eu
internal=$1 out=$2 folder=$3
shift 3
mkdir -p "$folder"
"$@" -r -nostdlib -o "$folder/cucore.o" -Wl,--whole-archive "$internal" -Wl,--no-whole-archive
objcopy --localize-hidden "$folder/cucore.o"
rm -f "$out"
ar rcs "$out" "$folder/cucore.o"
