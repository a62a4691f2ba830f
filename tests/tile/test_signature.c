// Tests signatures, the data that a launch needs about a kernel: they are written to its PTX and
// cubin, read back, and refused if damaged.
#include "base/array.h"
#include "code/cubin.h"
#include "code/kernel_tile.h"
#include "code/object.h"
#include "code/ptx_signature.h"
#include "testing.h"
#include "tile/compile/compile.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"

#include <sys/mman.h>
#include <unistd.h>

// Has every kind of host expression, with extents and with parameters.
static const char source[] =
    "kernel all(a: f32[M, N], b: bf16[M + 1, 8], c: i32[N * 2 - 1], n: i64, m: u16, on: bool,\n"
    "           eps: f32)\n"
    "    const BM = 4\n"
    "    where N <= 4096, N % 4 == 0, noalias(a, c), align(a, 16), unit(a, 1), not (M == 7),\n"
    "          M > 0 and N > 0 or n == 0, stride(a, 0) >= N, dim(b, 0) != 3, -n < 5, on == on,\n"
    "          where(n > 0, M, N) >= 1, minimum(M, N) <= maximum(M, m), N // 3 * 3 <= N, n < 100\n"
    "    grid cdiv(N, 128), M // BM + M % BM, maximum(minimum(M, 3), 1)\n"
    "{\n"
    "    i = block(0)\n"
    "    t = slice(c, 0, 1, 5)\n"
    "    store(t, [i], cast(load(a, [i, 0], [_, 4]), i32))\n"
    "    store_add(a, [i, 0], full(f32, [1, 4], eps))\n"
    "}\n"
    "kernel none() { assert(true, \"\") }\n";

static struct tile_module *module;
static char *ptx;
static unsigned char bytes[4096];
static size_t count;

static void compile(const char *text, int sm)
{
    struct tile_compiled compiled = { .ptx = NULL };
    struct tile_target target;
    char why[128];

    module = tile_parse("all.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert(tile_target_of(&target, sm, sm >= 90, why, sizeof(why)));
    ck_assert_msg(!module->diagnostics->errors && tile_compile(module, &target, &compiled), "%s",
                  tile_diagnostics_text(module, true));
    ptx = strdup(compiled.ptx);
}

static void setup(void)
{
    compile(source, 90);
    ck_assert(cuc__ptx_bytes(ptx, strlen(ptx), "__cucore_tile_all", bytes, sizeof(bytes), &count));
    ck_assert_uint_le(count, sizeof(bytes));
}

static void teardown(void)
{
    tile_module_free(module);
    free(ptx);
}

static void ck_expression(const struct tile_host_expression *a,
                          const struct tile_host_expression *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_int_eq(a->op, b->op);
    ck_assert_uint_eq(a->index, b->index);
    ck_assert_uint_eq(a->axis, b->axis);
    ck_assert_int_eq(a->value, b->value);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(a->operand[i] != NULL, b->operand[i] != NULL);
        if (a->operand[i])
            ck_expression(a->operand[i], b->operand[i]);
    }
}

static void ck_header(const struct tile_kernel *a, const struct tile_kernel *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_uint_eq(a->parameter_count, b->parameter_count);
    for (uint32_t i = 0; i < a->parameter_count; i++) {
        const struct tile_parameter *p = &a->parameter[i], *q = &b->parameter[i];
        ck_assert_str_eq(p->name, q->name);
        ck_assert(tile_type_same(&p->value->type, &q->value->type));
        ck_assert_uint_eq(q->value->index, i);
        for (uint32_t axis = 0; p->value->type.tensor && axis < p->value->type.rank; axis++) {
            const struct tile_extent *x = &p->extent[axis], *y = &q->extent[axis];
            ck_assert_int_eq(x->kind, y->kind);
            if (x->kind == TILE_EXTENT_NAMED)
                ck_assert_uint_eq(x->dimension, y->dimension);
            else if (x->kind == TILE_EXTENT_STATIC)
                ck_assert_int_eq(x->value, y->value);
            else
                ck_expression(x->check, y->check);
        }
    }
    ck_assert_uint_eq(a->dimension_count, b->dimension_count);
    for (uint32_t i = 0; i < a->dimension_count; i++) {
        ck_assert_str_eq(a->dimension[i].name, b->dimension[i].name);
        ck_assert_uint_eq(a->dimension[i].parameter, b->dimension[i].parameter);
        ck_assert_uint_eq(a->dimension[i].axis, b->dimension[i].axis);
    }
    ck_assert_uint_eq(a->fact_count, b->fact_count);
    for (uint32_t i = 0; i < a->fact_count; i++) {
        ck_assert_str_eq(a->fact[i].text, b->fact[i].text);
        ck_expression(a->fact[i].holds, b->fact[i].holds);
    }
    ck_assert_uint_eq(a->grid_rank, b->grid_rank);
    for (uint32_t i = 0; i < a->grid_rank; i++)
        ck_expression(a->grid[i], b->grid[i]);
}

static void ck_entries(const struct tile_signature *s, const char *first)
{
    ck_assert_uint_ge(s->entries, 1);
    ck_assert_str_eq(s->entry[0].name, first);
    ck_assert_int_eq(s->entry[s->entries - 1].variant, TILE_INDEX_64);
    for (uint32_t i = 0; i < s->entries; i++) {
        char directive[128];
        snprintf(directive, sizeof(directive), ".entry %s(", s->entry[i].name);
        ck_assert_msg(strstr(ptx, directive) != NULL, "no %s", directive);
        ck_assert_uint_ge(s->entry[i].warps, 1);
        ck_assert_uint_le(s->entry[i].warps, 32);
    }
}

CASE("signature", .setup = setup, .teardown = teardown, .timeout = 60);

TEST(a_signature_comes_back_from_ptx_as_it_was)
{
    char why[128];
    struct tile_signature *s = tile_signature_read(bytes, count, why, sizeof(why));

    ck_assert_msg(s != NULL, "%s", why);
    ck_header(module->first, s->kernel);
    ck_entries(s, "all$idx32_aligned");
    ck_assert_uint_eq(s->written, 1 | 4); // a by an atomic sum, c through a slice
    ck_assert_uint_eq(s->parameter_bytes, (8 + 32) + (8 + 32) + (8 + 16) + 4 * 8);
    tile_signature_free(s);
}

TEST(a_kernel_without_parameters_has_a_signature)
{
    char why[128];
    struct tile_signature *s;

    ck_assert(cuc__ptx_bytes(ptx, strlen(ptx), "__cucore_tile_none", bytes, sizeof(bytes), &count));
    s = tile_signature_read(bytes, count, why, sizeof(why));
    ck_assert_msg(s != NULL, "%s", why);
    ck_assert_uint_eq(s->kernel->parameter_count, 0);
    ck_assert_uint_eq(s->kernel->grid_rank, 0);
    ck_assert_uint_eq(s->written, 0);
    tile_signature_free(s);
}

TEST(equal_programs_have_equal_signatures_and_equal_ptx)
{
    char *before = ptx;

    tile_module_free(module);
    compile(source, 90);
    ck_assert_str_eq(ptx, before);
    free(before);
}

// The cubin alone, as it comes from a file.
TEST(a_signature_comes_back_from_a_cubin)
{
    cuc_object *object = NULL, *alone = NULL;
    struct tile_signature *s = NULL;
    cuc_program *program = NULL;
    const void *code;
    size_t size;

    if (testing_lacks("nvJitLink"))
        return;
    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, source, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90a")));
    ck_assert_msg(cuc_program_compile(&object, program, CUC_CODE_CUBIN) == CUC_OK, "%s\n%s",
                  cuc_error_message(), cuc_error_log());
    ck_ok(cuc_object_get_code(&code, &size, object));
    ck_ok(cuc_object_create(&alone, CUC_CODE_CUBIN, code, size, NULL));
    ck_ok(cuc__tile_signature_of(&s, alone, "all", "cuc_test"));
    ck_header(module->first, s->kernel);
    ck_entries(s, "all$idx32_aligned");
    tile_signature_free(s);
    ck_assert_int_eq(cuc__tile_signature_of(&s, alone, "al", "cuc_test"), CUC_ERROR_NOT_FOUND);

    cuc_tile_entry entry = CUC_TILE_ENTRY_INIT;
    ck_ok(cuc_tile_get_entry(&entry, alone, "all", 0));
    ck_assert_str_eq(entry.variant, "idx32+aligned");
    ck_assert_uint_gt(entry.registers, 7);
    ck_assert_uint_lt(entry.registers, 256);
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_get_entry(&entry, alone, "all", 9), "9", "entries");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_get_entry(&entry, alone, "nothing", 0), "nothing");
    cuc_object_release(alone);

    // The cubin as a member of a fat binary, after a compressed member.
    unsigned char *fat = calloc(1, 16 + 64 + 40 + 64 + size);
    memcpy(fat, "\x50\xed\x55\xba\1\0\x10\0", 8);
    const uint64_t content = 64 + 40 + 64 + size;
    memcpy(fat + 8, &content, 8);
    memcpy(fat + 16, "\1\0\1\1\x40\0\0\0\x28", 9); // 64 bytes of header, then 40 arbitrary bytes
    memcpy(fat + 16 + 104, "\2\0\1\1\x40\0\0\0", 8);
    memcpy(fat + 16 + 104 + 8, &size, 8);
    memcpy(fat + 16 + 104 + 64, code, size);
    ck_ok(cuc_object_create(&alone, CUC_CODE_FATBIN, fat, 16 + content, NULL));
    ck_ok(cuc__tile_signature_of(&s, alone, "all", "cuc_test"));
    ck_header(module->first, s->kernel);
    tile_signature_free(s);
    cuc_object_release(alone);
    fat[16 + 8] = 0xff; // a member that would end inside the next one
    ck_ok(cuc_object_create(&alone, CUC_CODE_FATBIN, fat, 16 + content, NULL));
    ck_assert_int_eq(cuc__tile_signature_of(&s, alone, "all", "cuc_test"), CUC_ERROR_NOT_FOUND);
    cuc_object_release(alone);
    free(fat);

    // Change any byte of the file, and truncate it at any length: the signature must be complete or
    // refused.
    unsigned char *copy = malloc(size);
    memcpy(copy, code, size);
    for (size_t at = 0; at < size; at += at < 64 ? 1 : 37) {
        copy[at] ^= 0xA5;
        const unsigned char *found;
        uint32_t registers, stack;
        size_t length;
        if (cuc__code_check(CUC_CODE_CUBIN, copy, size, "cuc_test") == CUC_OK) {
            (void)cuc__cubin_variable(&found, &length, copy, size, "__cucore_tile_all");
            cuc__cubin_resources(&registers, &stack, copy, size, "all$idx64");
        }
        copy[at] ^= 0xA5;
    }
    free(copy);
    cuc_object_release(object);
    cuc_program_release(program);
}

TEST(a_changed_byte_is_refused)
{
    char why[128];

    for (size_t at = 0; at < count; at++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (unsigned char)(1 << bit);
            ck_assert_msg(!tile_signature_read(bytes, count, why, sizeof(why)), "byte %zu", at);
            ck_assert_str_ne(why, "");
            bytes[at] ^= (unsigned char)(1 << bit);
        }
}

TEST(a_truncated_signature_is_refused)
{
    char why[128];

    for (size_t length = 0; length < count; length++) {
        unsigned char *copy = malloc(length + 1); // so that a read past its end is noticed
        memcpy(copy, bytes, length);
        ck_assert_msg(!tile_signature_read(copy, length, why, sizeof(why)), "%zu bytes", length);
        free(copy);
    }
}

static void seal(unsigned char *at, size_t length)
{
    uint32_t sum = 2166136261u;

    for (size_t i = 16; i < length; i++)
        sum = (sum ^ at[i]) * 16777619u;
    for (uint32_t i = 0; i < 4; i++) {
        at[8 + i] = (unsigned char)(length >> 8 * i);
        at[12 + i] = (unsigned char)(sum >> 8 * i);
    }
}

static void use(const struct tile_signature *s)
{
    struct tile_argument argument[TILE_MAX_PARAMETERS] = { { .tensor = NULL } };
    int64_t dimension[TILE_MAX_DIMENSIONS], grid[3];
    struct tile_binding_set set = { s->kernel, argument, dimension };
    static uint64_t block[TILE_MAX_PARAMETERS * 17 + 1];
    cuc_tensor tensors[TILE_MAX_PARAMETERS];
    char text[512];

    for (uint32_t i = 0; i < s->kernel->parameter_count; i++) {
        const struct tile_type *type = &s->kernel->parameter[i].value->type;
        tensors[i] = (cuc_tensor){ .data = 4096, .dtype = type->dtype, .rank = type->rank };
        for (uint32_t axis = 0; axis < type->rank; axis++)
            tensors[i].shape[axis] = tensors[i].strides[axis] = 8;
        argument[i].dtype = type->dtype;
        argument[i].tensor = type->tensor ? &tensors[i] : NULL;
    }
    if (tile_bind_arguments(&set, s->kernel->parameter_count, text, sizeof(text)))
        (void)tile_host_grid(&set, grid, text, sizeof(text));
    ck_assert_uint_le(s->parameter_bytes + TILE_ALIGNED_BYTES, sizeof(block));
    tile_pack_arguments(s->kernel, TILE_INDEX_64, argument, block);
    ck_assert_ptr_nonnull(tile_select_entry(s, argument));
}

// Returns memory that ends where readable memory ends, so that a read past its end faults.
static unsigned char *at_the_end(size_t length)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (length + page - 1) / page * page;
    unsigned char *start =
        mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert(start != MAP_FAILED);
    ck_assert_int_eq(mprotect(start + room, page, PROT_NONE), 0);
    return start + room - length;
}

// A count may take up to ten bytes; the counted data follows it.
TEST(a_name_does_not_reach_past_the_end)
{
    enum { NAME = 20 };
    char why[128];

    for (size_t digits = 1; digits <= 10; digits++)
        for (size_t over = 0; over <= digits; over++) {
            const size_t length = 16 + digits + NAME;
            unsigned char *copy = at_the_end(length);
            memcpy(copy, bytes, 16);
            copy[16] = (unsigned char)(NAME + over);
            for (size_t i = 1; i < digits; i++) {
                copy[16 + i - 1] |= 128;
                copy[16 + i] = 0;
            }
            memset(copy + 16 + digits, 'A', NAME);
            seal(copy, length);
            ck_assert_ptr_null(tile_signature_read(copy, length, why, sizeof(why)));
            ck_assert_str_eq(why, over ? "a count in it is too large" : "it ends too early");
        }
}

// These bytes have a correct checksum. If a signature is accepted, it must be safe to use.
TEST(any_bytes_are_read_or_refused)
{
    static const unsigned char values[] = { 0, 1, 2, 3, 5, 8, 63, 64, 127, 128, 255 };
    unsigned char *copy = at_the_end(count);
    uint32_t random = 1;
    char why[128];
    int good = 0;

    for (size_t at = 16; at < count; at++)
        for (int i = 0; i < CUC_LENGTH(values); i++) {
            memcpy(copy, bytes, count);
            copy[at] = values[i];
            seal(copy, count);
            struct tile_signature *s = tile_signature_read(copy, count, why, sizeof(why));
            if (s)
                use(s);
            good += s != NULL;
            tile_signature_free(s);
        }
    ck_assert_int_gt(good, 0);
    for (int turn = 0; turn < 20000; turn++) {
        memcpy(copy, bytes, count);
        for (int changes = 0; changes < 1 + turn % 5; changes++) {
            random = random * 1664525u + 1013904223u;
            copy[16 + (random >> 8) % (count - 16)] = (unsigned char)(random >> 24);
        }
        seal(copy, count);
        struct tile_signature *s = tile_signature_read(copy, count, why, sizeof(why));
        if (s)
            use(s);
        tile_signature_free(s);
    }
}

TEST(errors_are_reported)
{
    char why[128];

    bytes[0] ^= 1;
    ck_assert_ptr_null(tile_signature_read(bytes, count, why, sizeof(why)));
    ck_assert_str_eq(why, "it does not begin as one");
    bytes[0] ^= 1;
    bytes[4] = 9;
    ck_assert_ptr_null(tile_signature_read(bytes, count, why, sizeof(why)));
    ck_assert_str_eq(why, "it is of version 9, this library knows 8: update cucore");
    bytes[4] = 5;
    ck_assert_ptr_null(tile_signature_read(bytes, count, why, sizeof(why)));
    ck_assert_str_eq(why, "it is of version 5, this library knows 8: compile the program again");
    bytes[4] = TILE_SIGNATURE_VERSION;
    bytes[count - 1] ^= 1;
    ck_assert_ptr_null(tile_signature_read(bytes, count, why, sizeof(why)));
    ck_assert_str_eq(why, "its checksum is another");
    seal(bytes, count - 1);
    ck_assert_ptr_null(tile_signature_read(bytes, count - 1, why, sizeof(why)));
    ck_assert_str_eq(why, "it ends too early");
}

// Arrays in PTX in the form that other compilers write.
static const struct {
    const char *ptx;
    int count; // -1: refused
} arrays[] = {
    { ".version 9.0\n.visible .global .align 8 .b8 x[3] = {1, 2, 3};", 3 },
    { ".version 9.0\n.global .b8 x[2]={0xff,0};", 2 },
    { ".version 9.0\n// .b8 x[1] = {1};\n.global .b8 /* here */ x [ 1 ] = { 7 } ;", 1 },
    { ".version 9.0\n.global .b8 y[1] = {1};\n.global .b8 x[1] = {9};", 1 },
    { ".version 9.0\n.global .b8 x[3] = {1, 2};", -1 },
    { ".version 9.0\n.global .b8 x[1] = {1, 2};", -1 },
    { ".version 9.0\n.global .b8 x[1] = {256};", -1 },
    { ".version 9.0\n.global .b8 x[1] = {1", -1 },
    { ".version 9.0\n.global .b8 x[4];", -1 },
    { ".version 9.0\n.global .u32 x[1] = {1};", -1 },
    { ".version 9.0\n.global .b8 xx[1] = {1};", -1 },
    { ".version 9.0\n", -1 },
};

CASE("select");

TEST_ROWS(arrays_are_read_out_of_ptx, arrays)
{
    const char *text = arrays[_i].ptx;
    unsigned char out[2];
    size_t n = 99;

    ck_assert_int_eq(cuc__ptx_bytes(text, strlen(text), "x", out, sizeof(out), &n),
                     arrays[_i].count >= 0);
    if (arrays[_i].count >= 0)
        ck_assert_int_eq((int)n, arrays[_i].count);
}

// The entry selected for two tensors of f32 with two axes.
#define GIGA (INT64_C(1) << 30)
static const struct {
    const char *what;
    cuc_tensor t;
    enum tile_variant variant;
} tensors[] = {
    { "contiguous", { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { 8, 1 } }, TILE_ALIGNED_32 },
    { "rows of a multiple of 16 bytes",
      { 4096, CUC_F32, 2, 0, 0, { 4, 5 }, { 12, 1 } },
      TILE_ALIGNED_32 },
    { "a base in between", { 4104, CUC_F32, 2, 0, 0, { 4, 8 }, { 8, 1 } }, TILE_INDEX_32 },
    { "rows of 36 bytes", { 4096, CUC_F32, 2, 0, 0, { 4, 9 }, { 9, 1 } }, TILE_INDEX_32 },
    { "one row of 36 bytes", { 4096, CUC_F32, 2, 0, 0, { 1, 9 }, { 9, 1 } }, TILE_ALIGNED_32 },
    { "a last stride of 2", { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { 16, 2 } }, TILE_INDEX_64 },
    { "a last stride of 0", { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { 16, 0 } }, TILE_INDEX_64 },
    { "from the end", { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { -8, 1 } }, TILE_ALIGNED_32 },
    { "the largest", { 4096, CUC_F32, 2, 0, 0, { 1, GIGA / 2 - 1 }, { 8, 1 } }, TILE_ALIGNED_32 },
    { "a byte too many", { 4096, CUC_F32, 2, 0, 0, { 1, GIGA / 2 }, { 8, 1 } }, TILE_INDEX_64 },
    { "an extent too large", { 4096, CUC_F32, 2, 0, 0, { 2 * GIGA, 1 }, { 0, 1 } }, TILE_INDEX_64 },
    { "far apart", { 4096, CUC_F32, 2, 0, 0, { 2, 8 }, { GIGA, 1 } }, TILE_INDEX_64 },
    { "far before", { 4096, CUC_F32, 2, 0, 0, { 2, 8 }, { -GIGA, 1 } }, TILE_INDEX_64 },
    { "a sum too far",
      { 4096, CUC_F32, 2, 0, 0, { 2, GIGA / 4 }, { GIGA / 4, 1 } },
      TILE_INDEX_64 },
    { "beyond 64 bits",
      { 4096, CUC_F32, 2, 0, 0, { 3, 3 }, { INT64_MAX, INT64_MIN } },
      TILE_INDEX_64 },
    { "no elements", { 0, CUC_F32, 2, 0, 0, { 0, 8 }, { 8, 1 } }, TILE_ALIGNED_32 },
};

TEST_ROWS(arguments_choose_the_entry, tensors)
{
    static const cuc_tensor plain = { 8192, CUC_F32, 2, 0, 0, { 4, 8 }, { 8, 1 } };
    static const enum tile_variant sets[][3] = {
        { TILE_ALIGNED_32, TILE_INDEX_32, TILE_INDEX_64 },
        { TILE_ALIGNED_32, TILE_INDEX_64, TILE_VARIANTS },
        { TILE_INDEX_64, TILE_VARIANTS, TILE_VARIANTS },
    };

    for (int set = 0; set < CUC_LENGTH(sets); set++)
        for (int second = 0; second < 2; second++) {
            struct tile_argument argument[2] = { { .tensor = &plain }, { .tensor = &plain } };
            struct tile_parameter parameter[2] = { { .name = "a" }, { .name = "b" } };
            struct tile_kernel k = { .parameter = parameter, .parameter_count = 2 };
            struct tile_signature s = { .kernel = &k };
            enum tile_variant expected = TILE_INDEX_64;
            for (int i = 2; i >= 0; i--) { // the first one that is at least as wide as needed
                if (sets[set][i] == TILE_VARIANTS)
                    continue;
                s.entries++;
                if (sets[set][i] >= tensors[_i].variant)
                    expected = sets[set][i];
            }
            for (uint32_t i = 0; i < s.entries; i++) {
                s.entry[i].variant = sets[set][i];
                s.entry[i].aligned = sets[set][i] == TILE_ALIGNED_32 ? 3 : 0;
                s.entry[i].narrow = sets[set][i] != TILE_INDEX_64;
            }
            argument[second].tensor = &tensors[_i].t;
            ck_assert_msg(tile_select_entry(&s, argument)->variant == expected,
                          "%s: %s, expected %s", tensors[_i].what,
                          tile_variant_name(tile_select_entry(&s, argument)->variant),
                          tile_variant_name(expected));
        }
}

// Operands that threads copy: any base and rows, but 32-bit coordinates.
static const struct {
    const char *what;
    cuc_tensor t;
    bool taken;
} realigned[] = {
    { "rows of 18 bytes", { 4098, CUC_F16, 2, 0, 0, { 4, 9 }, { 9, 1 } }, true },
    { "rows from the end", { 4098, CUC_F16, 2, 0, 0, { 4, 9 }, { -9, 1 } }, true },
    { "equal rows", { 4098, CUC_F16, 2, 0, 0, { 4, 9 }, { 0, 1 } }, true },
    { "rows far apart", { 4098, CUC_F16, 2, 0, 0, { 4, 9 }, { 4 * GIGA + 1, 1 } }, true },
    { "as many rows as possible", { 4098, CUC_F16, 2, 0, 0, { GIGA, 9 }, { 9, 1 } }, true },
    { "too many rows", { 4098, CUC_F16, 2, 0, 0, { GIGA + 1, 9 }, { 9, 1 } }, false },
    { "no rows", { 4098, CUC_F16, 2, 0, 0, { 0, 9 }, { 9, 1 } }, false },
    { "columns apart", { 4098, CUC_F16, 2, 0, 0, { 4, 9 }, { 18, 2 } }, false },
};

TEST_ROWS(operands_of_any_alignment_choose_the_entry, realigned)
{
    struct tile_argument argument = { .tensor = &realigned[_i].t };
    struct tile_parameter parameter = { .name = "a" };
    struct tile_kernel k = { .parameter = &parameter, .parameter_count = 1 };
    struct tile_signature s = { .kernel = &k, .entries = 2 };

    s.entry[0].variant = TILE_REALIGNED;
    s.entry[0].realigned = 1;
    s.entry[1].variant = TILE_INDEX_64;
    ck_assert_msg(tile_entry_takes(&s, 0, &argument) == realigned[_i].taken, "%s",
                  realigned[_i].what);
}

// Tensors of 4 x 8 f32, some of which are written.
static const struct {
    const char *what;
    uint64_t written;
    cuc_tensor a, b;
    enum tile_variant variant;
} overlaps[] = {
#define AT(address)                          \
    {                                        \
        address, CUC_F32, 2, 0, 0, { 4, 8 }, \
        {                                    \
            8, 1                             \
        }                                    \
    }
    { "apart", 2, AT(4096), AT(8192), TILE_ALIGNED_32 },
    { "side by side", 2, AT(4096), AT(4096 + 128), TILE_ALIGNED_32 },
    { "a row in common", 2, AT(4096), AT(4096 + 96), TILE_OVERLAP_32 },
    { "the same, the second written", 2, AT(4096), AT(4096), TILE_OVERLAP_32 },
    { "the same, the first written", 1, AT(4096), AT(4096), TILE_OVERLAP_32 },
    { "the same, both read", 0, AT(4096), AT(4096), TILE_ALIGNED_32 },
    { "from the end, over it",
      1,
      { 4096 + 256, CUC_F32, 2, 0, 0, { 4, 8 }, { -16, 1 } },
      AT(4096),
      TILE_OVERLAP_32 },
    { "the same, without elements",
      3,
      { 4096, CUC_F32, 2, 0, 0, { 0, 8 }, { 8, 1 } },
      AT(4096),
      TILE_ALIGNED_32 },
    { "the same, between vectors", 2, AT(4100), AT(4100), TILE_INDEX_64 },
    { "the same, too large",
      2,
      { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { GIGA, 1 } },
      { 4096, CUC_F32, 2, 0, 0, { 4, INT64_MAX / 4 }, { INT64_MAX / 4, 1 } },
      TILE_INDEX_64 },
#undef AT
};

TEST_ROWS(tensors_that_overlap_choose_the_entry, overlaps)
{
    struct tile_argument argument[2] = { { .tensor = &overlaps[_i].a },
                                         { .tensor = &overlaps[_i].b } };
    struct tile_parameter parameter[2] = { { .name = "a" }, { .name = "b" } };
    struct tile_kernel k = { .parameter = parameter, .parameter_count = 2 };
    struct tile_signature s = { .kernel = &k, .written = overlaps[_i].written, .entries = 3 };

    s.entry[0].variant = TILE_ALIGNED_32;
    s.entry[1].variant = TILE_OVERLAP_32;
    s.entry[0].aligned = s.entry[1].aligned = 3;
    s.entry[2].variant = TILE_INDEX_64;
    ck_assert_msg(tile_select_entry(&s, argument)->variant == overlaps[_i].variant,
                  "%s: %s, expected %s", overlaps[_i].what,
                  tile_variant_name(tile_select_entry(&s, argument)->variant),
                  tile_variant_name(overlaps[_i].variant));
    s.entry[1] = s.entry[2]; // an entry that assumes nothing about overlap
    s.entries = 2;
    if (overlaps[_i].variant == TILE_OVERLAP_32)
        ck_assert_int_eq(tile_select_entry(&s, argument)->variant, TILE_ALIGNED_32);
}

// A pipeline's operand and output, both f32; only the operand must have a tensor map.
static const struct {
    const char *what;
    cuc_tensor operand, output;
    bool taken, has_map; // whether the pipeline takes the operand, and whether the output has a map
} mapped[] = {
#define ROWS(address, columns, pitch)              \
    {                                              \
        address, CUC_F32, 2, 0, 0, { 4, columns }, \
        {                                          \
            pitch                                  \
        }                                          \
    }
#define UNIT(address, columns, pitch)              \
    {                                              \
        address, CUC_F32, 2, 0, 0, { 4, columns }, \
        {                                          \
            pitch, 1                               \
        }                                          \
    }
    { "aligned", UNIT(4096, 8, 8), UNIT(8192, 8, 8), true, true },
    { "an output's base", UNIT(4096, 8, 8), UNIT(8196, 8, 8), true, false },
    { "an output's rows", UNIT(4096, 8, 8), UNIT(8192, 8, 9), true, false },
    { "an output's end", UNIT(4096, 8, 8), UNIT(8192, 7, 8), true, false },
    { "an output from the end", UNIT(4096, 8, 8), UNIT(8192, 8, -8), true, false },
    { "an output's last stride", UNIT(4096, 8, 8), ROWS(8192, 8, 8), false, false },
    { "an output without elements", UNIT(4096, 8, 8), UNIT(8192, 0, 8), false, false },
    { "an output with too many", UNIT(4096, 8, 8), UNIT(8192, GIGA + 1, 8), false, false },
    { "an operand's base", UNIT(4100, 8, 8), UNIT(8192, 8, 8), false, true },
    { "an operand's rows", UNIT(4096, 8, 9), UNIT(8192, 8, 8), false, true },
    { "an operand's end", UNIT(4096, 7, 8), UNIT(8192, 8, 8), true, true },
#undef ROWS
#undef UNIT
};

TEST_ROWS(a_pipeline_needs_maps_of_its_operands_alone, mapped)
{
    struct tile_argument argument[2] = { { .tensor = &mapped[_i].operand },
                                         { .tensor = &mapped[_i].output } };
    struct tile_parameter parameter[2] = { { .name = "a" }, { .name = "c" } };
    struct tile_kernel k = { .parameter = parameter, .parameter_count = 2 };
    struct tile_signature s = { .kernel = &k, .written = 2, .entries = 2 };

    s.entry[0] = (struct tile_entry){
        .variant = TILE_TMA,
        .aligned = 1,
        .map_count = 2,
        .map = { { .parameter = 0 }, { .parameter = 1, .optional = true } },
    };
    s.entry[1].variant = TILE_INDEX_64;
    ck_assert_msg(tile_entry_takes(&s, 0, argument) == mapped[_i].taken, "%s", mapped[_i].what);
    ck_assert_int_eq(tile_select_entry(&s, argument)->variant,
                     mapped[_i].taken ? TILE_TMA : TILE_INDEX_64);
    ck_assert_msg(tile_can_have_map(&s, &s.entry[0].map[1], argument[1].tensor) ==
                      mapped[_i].has_map,
                  "%s", mapped[_i].what);
    s.entry[0].map[1].optional = false;
    ck_assert_int_eq(tile_entry_takes(&s, 0, argument), mapped[_i].taken && mapped[_i].has_map);
}

TEST(an_entry_asks_which_tensors_are_aligned)
{
    static const cuc_tensor tensor[] = {
        { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { 8, 1 } },
        { 4100, CUC_F32, 2, 0, 0, { 4, 8 }, { 8, 1 } },
        { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { 8, 1 } },
        { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { 9, 1 } },
        { 4096, CUC_F32, 2, 0, 0, { 1, 8 }, { 9, 1 } },
        { 4096, CUC_F32, 2, 0, 0, { 4, 8 }, { 8, 2 } },
    };
    enum { COUNT = CUC_LENGTH(tensor), WORDS = COUNT * 5 };
    struct tile_parameter parameter[COUNT] = { { .name = "a" } };
    struct tile_argument argument[COUNT];
    struct tile_kernel k = { .parameter = parameter, .parameter_count = COUNT };
    uint64_t block[WORDS + 1];

    for (int i = 0; i < COUNT; i++)
        argument[i] = (struct tile_argument){ .tensor = &tensor[i] };
    tile_pack_arguments(&k, TILE_INDEX_64, argument, block);
    ck_assert_uint_eq(block[WORDS], 1 | 4 | 16);
    for (int i = 0; i < COUNT; i++)
        parameter[i].vector_bytes = 4; // no access is wider
    tile_pack_arguments(&k, TILE_INDEX_64, argument, block);
    ck_assert_uint_eq(block[WORDS], 1 | 2 | 4 | 8 | 16);
    block[WORDS] = 99;
    tile_pack_arguments(&k, TILE_ALIGNED_32, argument, block);
    ck_assert_uint_eq(block[WORDS], 99);
}

TEST(scalars_are_extended_by_their_sign)
{
    ck_assert_uint_eq(tile_scalar_of(CUC_I8, "\xff"), UINT64_MAX);
    ck_assert_uint_eq(tile_scalar_of(CUC_U8, "\xff"), 255);
    ck_assert_uint_eq(tile_scalar_of(CUC_I16, "\x00\x80"), (uint64_t)-32768);
    ck_assert_uint_eq(tile_scalar_of(CUC_I32, "\x01\x00\x00\x00"), 1);
    ck_assert_uint_eq(tile_scalar_of(CUC_F32, "\x00\x00\x80\xbf"), 0xbf800000);
    ck_assert_uint_eq(tile_scalar_of(CUC_BOOL, "\x01"), 1);
    ck_assert_uint_eq(tile_scalar_of(CUC_U64, "\xff\xff\xff\xff\xff\xff\xff\xff"), UINT64_MAX);
}

int main(void)
{
    return run_tests("tile signature");
}
