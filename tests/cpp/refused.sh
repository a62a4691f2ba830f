#!/bin/sh
# refused.sh COMPILER...: checks that invalid uses of the C++ layer do not compile, and that the
# compiler says why.
set -u
include=$(cd "$(dirname "$0")/../../include" && pwd)
compiler=$*
bad=0

row() { # STATEMENT MESSAGE; an empty message: it must compile
    if said=$(printf '#include <cucore/cucore.hpp>
struct text { char *at; ~text() {} };
void f(cuc::stream &s, cuc::kernel &k, cuc::config &c) { %s }\n' "$1" |
        $compiler -std=c++17 -x c++ -I "$include" -fsyntax-only - 2>&1); then
        [ -z "$2" ] && return
        echo "this compiles: $1"
    else
        case "$2:$said" in
        :*) echo "this does not compile: $1" ;;
        *:*"$2"*) return ;;
        *) echo "of this the compiler does not say \"$2\": $1" ;;
        esac
        printf '%s\n' "$said" | head -5
    fi
    bad=1
}

row 'cuc::launch(s, c, k, 1, 2.0f, nullptr);' ''
row 'cuc::launch(s, c, k, s.get());' 'a kernel takes no handle of the host'
row 'cuc::launch(s, c, k, k);' 'a kernel takes numbers, addresses, buffers, tensors and plain structs'
row 'cuc::launch(s, c, k, text{nullptr});' 'a kernel takes numbers, addresses'
row 'cuc::launch(s, c, k, "text");' 'pass a device address, a buffer or an array'
row 'cuc::launch(s, c, k, c);' 'a kernel takes no device, node or config'
row 'cuc::launch(s, c, k, s.device());' 'a kernel takes no device, node or config'
row 'cuc::launch(s, c, k, cuc::node(nullptr));' 'a kernel takes no device, node or config'
row 'cuc::array<int> a(s, 4); cuc::launch(s, c, k, &a);' 'pass the buffer or the array itself'
row 'cuc::buffer b(s, 4); cuc::launch(s, c, k, &b);' 'pass the buffer or the array itself'
row 'cuc::tensor t; cuc::launch(s, c, k, &t);' ''
row 'cuc::launch(s, 4, k, 1);' 'the second argument of launch() is a cuc::config or cuc::own_grid'
row 'cuc::stream t(0); (void)s; (void)k; (void)c;' 'ambiguous'
row 'cuc::stream t(nullptr); (void)s; (void)k; (void)c;' 'delete'
row 'cuc::stream t = s; (void)t; (void)k; (void)c;' 'delete'
row 'cuc::array<text> a(s, 4); (void)k; (void)c;' 'a device takes plain values'
[ $bad = 0 ] && echo "what makes no sense is refused by the compiler"
exit $bad
