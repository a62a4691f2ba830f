#!/bin/sh
# check.sh STANDARD COMPILER...: checks that every public header compiles by itself, and is
# installed.
#
# STANDARD is c11 or c++17. A source includes each header twice, which tests the include guard. C++
# headers (*.hpp) are compiled only as C++.
set -u
standard=$1
shift
include=$(cd "$(dirname "$0")/../../include" && pwd)
case $standard in
c++*) language=c++ more=.hpp ;;
*) language=c more= ;;
esac
bad=0
count=0

for path in "$include"/cucore/*.h ${more:+"$include"/cucore/*"$more"}; do
    header=cucore/${path##*/}
    count=$((count + 1))
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" |
        "$@" -std="$standard" -x $language -I "$include" -fsyntax-only \
            -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror - || {
        echo "$header does not compile alone as $standard"
        bad=1
    }
    # libcucore-bench installs its own headers.
    [ "$header" = cucore/bench.h ] || [ "$header" = cucore/tune.h ] && continue
    grep -q "^  '${header#cucore/}',\$" "$include/cucore/meson.build" || {
        echo "$header is not installed: add it to include/cucore/meson.build"
        bad=1
    }
    # cucore.h does not include check.h, whose macros print and exit; programs include it
    # themselves.
    [ "$header" = cucore/cucore.h ] || [ "$header" = cucore/check.h ] ||
        [ "$header" != "${header%.hpp}" ] ||
        grep -q "^#include <$header>\$" "$include/cucore/cucore.h" || {
        echo "$header is not in cucore/cucore.h"
        bad=1
    }
done

[ $bad = 0 ] && echo "$count headers compile alone as $standard"
exit $bad
