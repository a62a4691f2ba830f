#!/usr/bin/env bash
# Whether two builds of cucore, by compilers of their own, make the same of every tile source here:
#
#   scripts/same_code.sh BUILD OTHER
#
# The order in which C evaluates what one call is given is open: where two of them emit, compilers
# differ. The exit status is 1 where something differs, and what does is named.
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
            [ -z "$one$other" ] || compared=$((compared + 1)) # some are for fewer, or wrong on purpose
            [ "$one" = "$other" ] || {
                echo "$source: $kind for $arch differs"
                differ=$((differ + 1))
            }
        done
    done
done < <(git ls-files '*.tile')
echo "$compared compared, $differ differ"
[ $differ -eq 0 ] && [ $compared -gt 0 ]
