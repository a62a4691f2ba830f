#!/usr/bin/env bash
# Checks that two builds of cucore, made by different compilers, generate the same code for every
# tile source in this checkout:
#
#   scripts/same_code.sh BUILD OTHER
#
# C does not specify the order in which arguments are evaluated, so the output depends on the
# compiler if two arguments of a call both emit code. Exits 1 and names each difference.
set -uo pipefail
[ $# -eq 2 ] || {
    echo "usage: scripts/same_code.sh BUILD OTHER" >&2
    exit 2
}
cd "$(dirname "$0")/.." || exit 1
differ=0 compared=0

make() { # BUILD SOURCE ARCH KIND
    LD_LIBRARY_PATH=$1 "$1/tools/cucore/cucore" compile "$2" --arch "$3" --emit "$4" -o - 2>/dev/null
}

while read -r source; do
    for arch in sm_80 sm_90a sm_100 sm_120; do
        for kind in ir machine ptx; do
            one=$(make "$1" "$source" $arch $kind)
            other=$(make "$2" "$source" $arch $kind)
            [ -z "$one$other" ] || compared=$((compared + 1)) # some sources are for fewer architectures, or wrong on purpose
            [ "$one" = "$other" ] || {
                echo "$source: $kind for $arch differs"
                differ=$((differ + 1))
            }
        done
    done
done < <(git ls-files '*.tile')
echo "$compared compared, $differ differ"
[ $differ -eq 0 ] && [ $compared -gt 0 ]
