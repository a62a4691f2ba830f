// Tests the machine form: a printed module with layouts parses to itself, and compiles to the same
// code.
#include "base/array.h"
#include "tile/ir/target.h"
#include "tile/signature/entry.h"
#include "tile/layout/assign.h"
#include "tile/pass/pass.h"
#include "tile/ir/diagnostic.h"
#include "tile/emit/emit.h"
#include "tile/front/elaborate.h"
#include "tile/layout/fragment.h"
#include "tile/ir/layout.h"
#include "tile/signature/signature.h"
#include "tile/ir/text.h"
#include "tests.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1 << 18)

static struct tile_target target_of(int sm)
{
    struct tile_target target;
    char why[128];

    ck_assert(tile_target_of(&target, sm, false, why, sizeof(why)));
    return target;
}

// Returns the PTX of all kernels' entries of one kind.
static const char *code_of(struct tile_module *module, const struct tile_target *target,
                           enum tile_variant variant)
{
    struct tile_text text = { .module = module };

    for (struct tile_kernel *k = module->first; k; k = k->next) {
        struct tile_entry entry;
        ck_assert_msg(tile_emit_entry(module, k, target, 4, variant, NULL, &text, &entry), "%s: %s",
                      k->name, tile_diagnostics_text(module, false));
    }
    return text.at ? text.at : "";
}

// Compares texts that may be long; prints only the difference.
static void is_same(const char *what, const char *name, const char *got, const char *expected)
{
    size_t at = 0, line = 0;

    for (; got[at] && got[at] == expected[at]; at++)
        line = got[at] == '\n' ? at + 1 : line;
    ck_assert_msg(got[at] == expected[at], "%s of %s: %.200s\n, expected: %.200s", what, name,
                  got + line, expected + line);
}

static void is_read_back(const char *name, const char *text, size_t bytes)
{
    struct tile_target target = target_of(90);
    struct tile_module *module = tile_parse(name, text, bytes, NULL, 0);

    ck_assert_msg(module && !module->diagnostics->errors, "%s: %s", name,
                  module ? tile_diagnostics_text(module, false) : "no memory");
    for (struct tile_kernel *k = module->first; k; k = k->next) {
        tile_simplify(k);
        tile_mark_approximate(k);
        tile_assign_fragments(k, &target, 4);
        ck_assert(tile_assign_layouts(k, 4, NULL));
    }
    const char *dump = tile_print_machine(module);
    struct tile_module *again = tile_parse_machine(name, dump, strlen(dump));
    ck_assert_msg(again && !again->diagnostics->errors, "%s:\n%s%s", name, dump,
                  again ? tile_diagnostics_text(again, false) : "no memory");
    ck_assert_msg(tile_verify(again, "reading"), "%s:\n%s", name,
                  tile_diagnostics_text(again, false));
    is_same("dump", name, tile_print_machine(again), dump);
    is_same("code", name, code_of(again, &target, TILE_ALIGNED_32),
            code_of(module, &target, TILE_ALIGNED_32));
    tile_module_free(again);
    tile_module_free(module);
}

CASE("machine");

TEST(every_program_of_the_examples_is_read_back_and_makes_the_same_code)
{
    static const char *const folders[] = { EXAMPLES, PROGRAMS };
    char *text = malloc(MOST_BYTES), path[1024];
    int count = 0;

    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < 2; i++) {
        DIR *folder = opendir(folders[i]);
        ck_assert_msg(folder != NULL, "%s cannot be read", folders[i]);
        for (struct dirent *e; (e = readdir(folder));) {
            const char *dot = strrchr(e->d_name, '.');
            if (!dot || strcmp(dot, ".tile") != 0)
                continue;
            snprintf(path, sizeof(path), "%s/%s", folders[i], e->d_name);
            FILE *f = fopen(path, "rb");
            ck_assert_ptr_nonnull(f);
            is_read_back(e->d_name, text, fread(text, 1, MOST_BYTES, f));
            fclose(f);
            count++;
        }
        closedir(folder);
    }
    ck_assert_int_ge(count, 20);
    free(text);
}

// Details that few constructs have: strings, non-finite floats, functions, the smallest integer.
static const char *const programs[] = {
    "kernel k(a: f32[N], b: f16[N]) grid cdiv(N, 8) {\n"
    "    i = block(0)\n    grid_dependency_wait()\n    x = load(a, [i], [8], inside=true)\n"
    "    y = div(add(x, 1.5, round=rz, ftz=true), exp(x, round=approx), round=full)\n"
    "    z = cast(minimum(y, x, ftz=true), f16, round=rp, ftz=true)\n"
    "    grid_dependency_launch()\n    store(b, [i], fma(z, z, z, round=rm))\n"
    "    store(a, [i], sum(y, round=rp) + prod(y, ftz=true) + x)\n}",
    "kernel k(a: f32[N], n: i64) where n > -9223372036854775807 - 1, unit(a, 0) grid cdiv(N, 8), 1 "
    "{\n"
    "    x = load(a, [block(0)], [8], pad=nan)\n    y = full(f32, [8], -inf)\n"
    "    if n == -9223372036854775807 - 1 { print(\"a \\\"b\\\" {}\\n\", x) } else { y = x * 0.1 "
    "}\n"
    "    store(a, [block(0)], asm(\"neg.f32 $0, $1;\", f32, [y]))\n}",
    "fn least(v, i, w, j) { c = v < w\n return where(c, v, w), where(c, i, j) }\n"
    "kernel k(a: f32[N], n: i32) grid 1 {\n"
    "    v, i = reduce(least, [load(a, [0], [64]), iota(i32, 64)], 0, [inf, 0])\n"
    "    for j in 0 .. n step 2 { if j > 7 { break }\n v = v + 1.0 }\n"
    "    while n > 0 { n = n - 1\n if n == 3 { continue }\n v = v * 2.0 }\n"
    "    store(a, [0], v * cast(i, f32))\n}",
    "kernel k(a: f32[M, N], b: i32[M]) grid 1 {\n    s = slice(a, 0, b[0], b[1])\n"
    "    store(s, [0, 0], trans(load(s, [1, 0], [16, 32])), shape=[32, 16])\n"
    "    x = atomic_add(b, [iota(i32, 8)], 1, mask=iota(i32, 8) > 2, order=acquire, scope=block)\n"
    "    store_max(b, [1], x)\n    v, i = topk(load(a, [0, 0], [_, 64], cache=stream), 4, 0)\n"
    "    store(a, [0, 0], v)\n}",
};

TEST_ROWS(every_construct_is_read_back_and_makes_the_same_code, programs)
{
    is_read_back("k.tile", programs[_i], strlen(programs[_i]));
}

TEST(the_form_is_that_of_the_documentation)
{
    const char *source =
        "kernel double(a: f32[N]) grid cdiv(N, 512) {\n"
        "    i = block(0)\n    x = load(a, [i], [512])\n    store(a, [i], x + x)\n}";
    struct tile_module *module = tile_parse("d.tile", source, strlen(source), NULL, 0);

    tile_simplify(module->first);
    ck_assert(tile_assign_layouts(module->first, 4, NULL));
    ck_assert_str_eq(tile_print_machine(module),
                     "tile 1 machine\n"
                     "\n"
                     "layout @0 = r: l:0,0,0,0,0 w:0,0 of []\n"
                     "layout @1 = r:1,2 l:4,8,16,32,64 w:128,256 of [512]\n"
                     "\n"
                     "kernel double(a: f32[N])\n"
                     "    grid cdiv(N, 512)\n"
                     "{\n"
                     "    %i_1 = block() {index = 0} : i64 @0\n"
                     "    %x_2 = load(%a_0, %i_1) {shape = [512]} : f32[512] @1\n"
                     "    %3 = add(%x_2, %x_2) : f32[512] @1\n"
                     "    store(%a_0, %i_1, %3) {shape = [512]}\n"
                     "    return()\n"
                     "}\n");
    tile_module_free(module);
}

static const struct {
    const char *text, *says; // position and text of the first error
} wrongs[] = {
    { "tile 2 machine\n", "1:6: error T005: tile: this library reads version 1" },
    { "tile 1\n", "expected machine, got" },
    { "tile 1 machine\nlayout @1 = r: l:1,2,4,8,16 w: of [32]\n",
      "2:9: error T004: machine form: " },
    { "tile 1 machine\nlayout @0 = r: l:1,2,4,8 w: of [16]\n", "expected 5 bases of lanes" },
    { "tile 1 machine\nlayout @0 = r: l:1,2,4,8,16 w: of [33]\n", "powers of two" },
    { "tile 1 machine\nkernel k() {\n    %1 = frob() : i32\n    return()\n}\n",
      "3:10: error T004: machine form: expected an op, got frob" },
    { "tile 1 machine\nkernel k() {\n    %1 = neg(%7) : i32\n    return()\n}\n",
      "3:5: error T501: machine form: nothing makes %7" },
    { "tile 1 machine\nkernel k(n: i32) {\n    %0 = neg(%n_0) : i32\n    return()\n}\n",
      "a number that no value has yet" },
    { "tile 1 machine\nkernel k() {\n    %1 = constant() {valu = 3} : i32\n}\n",
      "expected an attribute, got valu" },
    { "tile 1 machine\nkernel k() {\n    %1 = constant() {value = 3} : i31\n}\n",
      "expected a dtype, got i31" },
    { "tile 1 machine\nkernel k() {\n    %1 = constant() {value = 3} : i32 @2\n}\n",
      "a layout that is there" },
    { "tile 1 machine\nkernel k(a: f32[N] {\n    return()\n}\n", "2:20: error T004: syntax: " },
    { "tile 1 machine\nkernel k() {\n    print() {text = \"x}\n    return()\n}\n", "T003" },
    { "tile 1 machine\nkernel k() {\n    %4000000000 = constant() {value = 3} : i32\n}\n",
      "expected a value" },
    { "tile 1 machine\nkernel k() {\n    %1 = constant() {value = 3} : i32\n", "" },
};

TEST_ROWS(errors_are_reported, wrongs)
{
    struct tile_module *module =
        tile_parse_machine("m.tile", wrongs[_i].text, strlen(wrongs[_i].text));

    ck_assert_ptr_nonnull(module);
    ck_assert_msg(module->diagnostics->errors > 0, "%s", wrongs[_i].text);
    const char *all = tile_diagnostics_text(module, false);
    ck_assert_msg(strstr(all, wrongs[_i].says) != NULL, "expected %s\n%s", wrongs[_i].says, all);
    tile_module_free(module);
}

int main(void)
{
    return run_tests("tile machine form");
}
