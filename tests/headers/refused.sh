#!/bin/sh
# refused.sh COMPILER...: checks that invalid launch arguments in C do not compile, and that the
# compiler says why.
set -u
include=$(cd "$(dirname "$0")/../../include" && pwd)
compiler=$*
bad=0

row() { # ARGUMENT MESSAGE; an empty message: it must compile without a warning
    if said=$(printf '#include <cucore/cucore.h>
struct opaque;
struct point { int x, y; };
int function(float x);
extern float array[64], matrix[4][4];
extern const struct point points[2];
extern volatile short *shorts;
cuc_status f(cuc_stream *s, cuc_kernel *k, const cuc_launch_config *c, cuc_buffer *buffer,
             const cuc_buffer *const_buffer, cuc_tensor *tensor, cuc_event *event, cuc_graph *graph,
             cuc_program *program, float *data, const float *const_data, float **pointers,
             struct opaque *opaque, void *bare, struct point point, void (*callback)(int, void *));
cuc_status f(cuc_stream *s, cuc_kernel *k, const cuc_launch_config *c, cuc_buffer *buffer,
             const cuc_buffer *const_buffer, cuc_tensor *tensor, cuc_event *event, cuc_graph *graph,
             cuc_program *program, float *data, const float *const_data, float **pointers,
             struct opaque *opaque, void *bare, struct point point, void (*callback)(int, void *))
{
    (void)buffer, (void)const_buffer, (void)tensor, (void)event, (void)graph, (void)program, (void)data;
    (void)const_data, (void)pointers, (void)opaque, (void)bare, (void)point, (void)callback;
    return CUC_LAUNCH(s, c, k, %s);
}\n' "$1" | $compiler -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-error=pedantic -x c \
        -I "$include" -fsyntax-only - 2>&1); then
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

for good in buffer const_buffer tensor data const_data pointers opaque bare point '&point' 1 2.0f 3ull \
    shorts '*shorts' '&array[0]' 'array[1]' 'points[1]' '&points[1]' 'matrix[1][2]' '(_Bool)1' \
    '(struct point){ .x = 1 }' 'cuc_buffer_ptr(buffer)' '(cuc_arg){ .type = CUC_F32 }'; do
    row "$good" ''
done
for handle in s k event graph program; do
    row "$handle" 'a kernel takes no handle of the host'
    row "&$handle" 'a kernel takes no handle of the host'
done
row '&buffer' 'pass the cuc_buffer * itself'
row '&tensor' 'a kernel takes no handle of the host'
row '1, 2.0f, &event, 3' 'a kernel takes no handle of the host'
for array in array matrix 'matrix[1]' points '"text"'; do
    row "$array" 'a kernel takes no array of the host: pass a cuc_buffer'
done
row function 'a kernel takes no function of the host'
row '&function' 'a kernel takes no function of the host'
row callback 'a kernel takes no function of the host'
# C99 guarantees string literals of 4095 characters, so a macro can turn a launch with four
# arguments into text.
printf '#include <cucore/cucore.h>
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
extern const char text[];
const char text[] = TEXT(CUC_LAUNCH(stream, config, kernel, 2.0f, a, b, n));
' | $compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -x c -I "$include" -fsyntax-only - || {
    echo "a launch of four arguments is too long as text"
    bad=1
}
[ $bad = 0 ] && echo "what no kernel takes is refused by the compiler"
exit $bad
