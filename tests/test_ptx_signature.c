// Tests reading signatures from PTX text, whether well formed or not.
#include "base/array.h"
#include "code/ptx_signature.h"

#include "data/sample_ptx.h"
#include "tests.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Writes a signature as text: "0:4f 8:8i" is a 4-byte float at offset 0 and an 8-byte integer at 8.
static void describe(char *to, size_t size, const struct cuc__parameter *p, size_t count)
{
    size_t at = 0;

    to[0] = '\0';
    for (size_t i = 0; i < count && at < size; i++)
        at += (size_t)snprintf(to + at, size - at, "%s%u:%u%c", i ? " " : "", p[i].offset,
                               p[i].bytes, "?if"[p[i].type]);
}

static const char *signature(const char *text, size_t bytes, const char *kernel)
{
    static char out[4096];
    struct cuc__parameter p[256];
    size_t count = 0;

    if (!cuc__ptx_signature(text, bytes, kernel, p, 256, &count))
        return "not found";
    describe(out, sizeof(out), p, count < 256 ? count : 256);
    return out;
}

static const struct {
    const char *text;
    const char *kernel;
    const char *expected;
} rows[] = {
    // The form that compilers write.
    { ".entry k(.param .f32 a, .param .u64 b, .param .s32 c) {", "k", "0:4f 8:8i 16:4i" },
    { ".visible .entry k(\n\t.param .f64 a\n)\n{", "k", "0:8f" },
    { ".entry k() {}", "k", "" },
    { ".entry k {}", "k", "" },
    { ".entry k .maxntid 1,1,1 {}", "k", "" },
    { ".weak .entry _Z1kIfE$_1(.param .u8 x)", "_Z1kIfE$_1", "0:1i" },
    { ".weak .entry %k$_1(.param .u8 x)", "%k$_1", "0:1i" },
    // After a body that has opcodes with words that begin with a digit.
    { ".entry a { cp.async.bulk.tensor.2d.shared::cluster.global.tile [%r1], [%r2]; } "
      ".entry k(.param .f32 x)",
      "k", "0:4f" },
    // A % stands only before a name (PTX ISA, "Identifiers").
    { ".weak .entry _Z1kIfE$%1(.param .u8 x)", "_Z1kIfE$%1", "not found" },
    { ".entry %(.param .u8 x)", "%", "not found" },
    // Layout: natural alignment, or an explicit one.
    { ".entry k(.param .u8 a, .param .u16 b, .param .u8 c, .param .u64 d)", "k",
      "0:1i 2:2i 4:1i 8:8i" },
    { ".entry k(.param .u8 a, .param .align 128 .b8 m[128], .param .u8 z)", "k",
      "0:1i 128:128? 256:1i" },
    { ".entry k(.param .u8 a, .param .align 8 .b8 s[12], .param .b8 z)", "k", "0:1i 8:12? 20:1?" },
    { ".entry k(.param .u8 a, .param .b8 s[3])", "k", "0:1i 1:3?" },
    { ".entry k(.param .u8 a, .param .align 16 .f32 x)", "k", "0:1i 16:4f" },
    { ".entry k(.param .u8 a, .param .v4 .f32 x, .param .v2 .u8 y)", "k", "0:1i 16:16? 32:2?" },
    { ".entry k(.param .u8 a, .param .b128 x)", "k", "0:1i 16:16?" },
    // Types that specify only a number of bits, and the short floats.
    { ".entry k(.param .b16 a, .param .b32 b, .param .b64 c)", "k", "0:2? 4:4? 8:8?" },
    { ".entry k(.param .f16 a, .param .bf16 b, .param .f16x2 c)", "k", "0:2? 2:2? 4:4?" },
    // Pointers: attributes after .ptr describe the pointed-to memory.
    { ".entry k(.param .u8 a, .param .u64 .ptr .global .align 256 p)", "k", "0:1i 8:8i" },
    { ".entry k(.param .b64 .ptr p, .param .u64 .ptr .shared .align 4 q)", "k", "0:8i 8:8i" },
    { ".entry k(.param.u64.ptr.global.align 4 p)", "k", "0:8i" },
    // Arrays, with sizes in every number notation.
    { ".entry k(.param .u32 a[3], .param .b8 b[0x10], .param .b8 c[010], .param .b8 d[0b11])", "k",
      "0:12? 12:16? 28:8? 36:3?" },
    { ".entry k(.param .b8 a[2][3][4], .param .b8 b[4U])", "k", "0:24? 24:4?" },
    // Comments and strings hide what looks like a kernel.
    { "// .entry k(.param .f32 a)\n.entry k(.param .u32 a)", "k", "0:4i" },
    { "/* .entry k(.param .f32 a) // */ .entry k(.param .u32 a)", "k", "0:4i" },
    { ".file 1 \".entry k(.param .f32 a)\"\n.entry k(.param .u32 a)", "k", "0:4i" },
    { "\"a \\\" .entry k(.param .f32 a)\" .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry /* one */ k // two\n(/**/.param/*,*/.u32//)\n a/* ) */)", "k", "0:4i" },
    { "/* /* */ .entry k(.param .u32 a)", "k", "0:4i" },
    // A body ends at its own closing brace.
    { ".entry a { { mov.v2 {%r1, %r2}, %r3; } } .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry a { // }\n.entry k(.param .f32 a) }\n.entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry a { /* } */ .entry k(.param .f32 a) } .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry a { .pragma \"}\"; .entry k(.param .f32 a) } .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry a { // {\n } .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry a { /* {\" */ } .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry a { .pragma \"\\\"{/*\"; } .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry a { div / * {} } .entry k(.param .u32 a)", "k", "0:4i" },
    { ".global .b8 x[2] = {1, 2}; .entry k(.param .u32 a)", "k", "0:4i" },
    { ".entry k2(.param .f32 a) .entry k(.param .u32 a) .entry k3(.param .f32 a)", "k", "0:4i" },
    // Absent kernels.
    { "", "k", "not found" },
    { ".entry", "k", "not found" },
    { ".entry k", "k", "not found" },
    { ".entry k(", "k", "not found" },
    { ".entry k(.param", "k", "not found" },
    { ".entry k(.param .u32", "k", "not found" },
    { ".entry k(.param .u32 a", "k", "not found" },
    { ".entry k(.param .u32 a,", "k", "not found" },
    { ".entry k(.param .u32 a,)", "k", "not found" },
    { ".entry k(.param .u32 a .param .u32 b)", "k", "not found" },
    { ".entry k(.param a)", "k", "not found" },
    { ".entry k(.u32 a)", "k", "not found" },
    { ".entry k(.param .u32)", "k", "not found" },
    { ".entry k(.param .u32 .f32 a)", "k", "not found" },
    { ".entry k(.param .u128 a)", "k", "not found" },
    { ".entry k(.param .pred a)", "k", "not found" },
    { ".entry k(.param .texref a)", "k", "not found" },
    { ".entry k(.param .b8 a[])", "k", "not found" },
    { ".entry k(.param .b8 a[0])", "k", "not found" },
    { ".entry k(.param .b8 a[-1])", "k", "not found" },
    { ".entry k(.param .b8 a[4)", "k", "not found" },
    { ".entry k(.param .b8 a[4x])", "k", "not found" },
    { ".entry k(.param .b8 a[0x])", "k", "not found" },
    { ".entry k(.param .b8 a[09])", "k", "not found" },
    { ".entry k(.param .b8 a[99999999999999999999])", "k", "not found" },
    { ".entry k(.param .b8 a[1048576][1048576])", "k", "not found" },
    { ".entry k(.param .b64 a[1048576])", "k", "not found" },
    { ".entry k(.param .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .v4 .b32 a)",
      "k", "not found" },
    { ".entry k(.param .align 3 .b8 a[4])", "k", "not found" },
    { ".entry k(.param .align 0 .b8 a[4])", "k", "not found" },
    { ".entry k(.param .align .b8 a[4])", "k", "not found" },
    { ".entry k(.param .global .u64 a)", "k", "not found" },
    { "/* .entry k(.param .u32 a)", "k", "not found" },
    { "\".entry k(.param .u32 a)", "k", "not found" },
    { "// .entry k(.param .u32 a)", "k", "not found" },
    { ".entry kk(.param .u32 a)", "k", "not found" },
    { ".entry k(.param .u32 a)", "kk", "not found" },
    { ".entry a { .entry k(.param .u32 a) }", "k", "not found" },
    { ".entry a { { } .entry k(.param .u32 a)", "k", "not found" },
    { ".entry a { /* } .entry k(.param .u32 a)", "k", "not found" },
    { ".entry a { \" } .entry k(.param .u32 a)", "k", "not found" },
    { ".entry 1k(.param .u32 a)", "1k", "not found" },
    { ".func k(.param .u32 a)", "k", "not found" },
    { ".entry k(.param .u32 a)", "", "not found" },
};

// Copies text without a NUL or any other byte after it, so that a memory checker notices a read
// past the end.
static char *exact_copy(const char *text, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1);

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, bytes);
    return copy;
}

CASE("scanner", .timeout = 60);

TEST_ROWS(a_signature_is_read_or_not_found, rows)
{
    size_t bytes = strlen(rows[_i].text);
    char *text = exact_copy(rows[_i].text, bytes);

    ck_assert_msg(strcmp(signature(text, bytes, rows[_i].kernel), rows[_i].expected) == 0,
                  "%s\n  gives    %s\n  expected %s", rows[_i].text,
                  signature(text, bytes, rows[_i].kernel), rows[_i].expected);
    free(text);
}

static const struct {
    const char *kernel;
    const char *expected;
} sample[] = {
    { "saxpy", "0:4f 8:8i 16:8i 24:4i" },
    { "_Z5scaleIfEvT_PS0_", "0:4f 8:8i" },
    { "mixed", "0:1i 1:1i 2:2i 4:4i 8:8i 16:1i 20:4f 24:8f 32:2? 36:4? 48:16? 64:32? 96:1? "
               "128:128? 256:4? 264:8?" },
    { "big_shared", "0:8i" },
    { "nothing_in_the_list", "" },
    { "no_list", "" },
    { "wait_then_write", "0:8i 8:8i" },
    { "helper", "not found" },
    { "in_a_comment", "not found" },
    { "in_another", "not found" },
};

TEST_ROWS(the_kernels_of_a_module_are_distinguished, sample)
{
    const char *got = signature(sample_ptx, strlen(sample_ptx), sample[_i].kernel);

    ck_assert_str_eq(got, sample[_i].expected);
}

TEST(entries_come_in_the_order_of_the_text)
{
    static const char *const expected[] = { "saxpy",          "_Z5scaleIfEvT_PS0_",  "mixed",
                                            "big_shared",     "nothing_in_the_list", "no_list",
                                            "wait_then_write" };
    struct cuc__ptx ptx = { sample_ptx, sample_ptx + strlen(sample_ptx) };
    const char *name;
    size_t bytes, n = 0;

    while (cuc__ptx_next_entry(&ptx, &name, &bytes)) {
        ck_assert_uint_lt(n, 7);
        ck_assert_uint_eq(bytes, strlen(expected[n]));
        ck_assert_int_eq(memcmp(name, expected[n], bytes), 0);
        n++;
    }
    ck_assert_uint_eq(n, 7);
}

TEST(parameters_past_the_capacity_are_counted_and_not_stored)
{
    struct cuc__parameter p[3];
    size_t count = 0;

    memset(p, 0x5a, sizeof(p));
    ck_assert(cuc__ptx_signature(sample_ptx, strlen(sample_ptx), "saxpy", p, 2, &count));
    ck_assert_uint_eq(count, 4);
    ck_assert_uint_eq(p[1].offset, 8);
    ck_assert_uint_eq(p[2].offset, 0x5a5a5a5a);
    ck_assert(cuc__ptx_signature(sample_ptx, strlen(sample_ptx), "saxpy", NULL, 0, &count));
    ck_assert_uint_eq(count, 4);
}

static const struct {
    const char *text;
    bool is;
} headers[] = {
    { ".version 9.0\n", true },   { "\n // of a compiler\n/* */ .version 9.0", true },
    { ".versions 9.0", false },   { ".target sm_90", false },
    { "version 9.0", false },     { "", false },
    { "// .version 9.0", false }, { "\177ELF .version", false },
};

TEST_ROWS(ptx_begins_with_a_version, headers)
{
    char *text = exact_copy(headers[_i].text, strlen(headers[_i].text));

    ck_assert_int_eq(cuc__ptx_is_text(text, strlen(headers[_i].text)), headers[_i].is);
    free(text);
}

// Reads the assembler's layout of a kernel's parameters from the cubin's .nv.info section. It has
// records of a format, an attribute and a size; for attribute 0x17 also a parameter's number,
// offset and size.
static size_t layout_of(const unsigned char *cubin, const char *kernel, struct cuc__parameter *out,
                        size_t capacity)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    char wanted[256];
    size_t count = 0;

    snprintf(wanted, sizeof(wanted), ".nv.info.%s", kernel);
    memcpy(&header, cubin, sizeof(header));
    memcpy(&names, cubin + header.e_shoff + header.e_shstrndx * sizeof(names), sizeof(names));
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, cubin + header.e_shoff + i * sizeof(section), sizeof(section));
        if (strcmp((const char *)cubin + names.sh_offset + section.sh_name, wanted) != 0)
            continue;
        const unsigned char *p = cubin + section.sh_offset;
        for (const unsigned char *end = p + section.sh_size; p < end;) {
            uint16_t size, ordinal, offset;
            uint32_t word;
            memcpy(&size, p + 2, 2);
            if (p[0] == 4 && p[1] == 0x17) {
                memcpy(&ordinal, p + 8, 2);
                memcpy(&offset, p + 10, 2);
                memcpy(&word, p + 12, 4);
                ck_assert_uint_lt(ordinal, capacity);
                out[ordinal].offset = offset;
                out[ordinal].bytes = word >> 18;
                count++;
            }
            p += p[0] == 4 ? 4 + size : 4;
        }
    }
    return count;
}

TEST(the_assembler_lays_parameters_out_the_same_way)
{
    char folder[] = "/tmp/cucore-ptx-XXXXXX";
    char ptx[64], cubin[64], command[256];
    static unsigned char data[1 << 20];
    struct cuc__parameter mine[64], theirs[64];

    if (system("PATH=\"$PATH:/usr/local/cuda/bin\" ptxas --version >/dev/null 2>&1") != 0) {
        fprintf(stderr, "no ptxas here: not compared\n");
        return;
    }
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(ptx, sizeof(ptx), "%s/a.ptx", folder);
    snprintf(cubin, sizeof(cubin), "%s/a.cubin", folder);
    FILE *file = fopen(ptx, "w");
    ck_assert_ptr_nonnull(file);
    fputs(sample_ptx, file);
    fclose(file);
    snprintf(command, sizeof(command),
             "PATH=\"$PATH:/usr/local/cuda/bin\" ptxas -arch=sm_80 %s -o %s", ptx, cubin);
    ck_assert_int_eq(system(command), 0);
    file = fopen(cubin, "rb");
    ck_assert_ptr_nonnull(file);
    size_t bytes = fread(data, 1, sizeof(data), file);
    fclose(file);
    unlink(ptx);
    unlink(cubin);
    rmdir(folder);
    ck_assert_uint_gt(bytes, sizeof(Elf64_Ehdr));

    for (size_t i = 0; i < 7; i++) {
        size_t n = layout_of(data, sample[i].kernel, theirs, 64), count = 0;
        ck_assert(
            cuc__ptx_signature(sample_ptx, strlen(sample_ptx), sample[i].kernel, mine, 64, &count));
        ck_assert_uint_eq(count, n);
        // Offsets after a parameter aligned to 128 bytes depend on the architecture.
        bool own = false;
        for (size_t k = 0; k < n; k++) {
            own |= mine[k].bytes == 128;
            ck_assert_uint_eq(mine[k].bytes, theirs[k].bytes);
            if (!own)
                ck_assert_uint_eq(mine[k].offset, theirs[k].offset);
        }
    }
}

TEST(truncated_text_is_harmless)
{
    for (size_t bytes = 0; bytes <= strlen(sample_ptx); bytes++) {
        char *text = exact_copy(sample_ptx, bytes);
        (void)cuc__ptx_is_text(text, bytes);
        (void)signature(text, bytes, "saxpy");
        (void)signature(text, bytes, "mixed");
        free(text);
    }
}

static uint32_t seed = 20250101;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

// Mutates copies of one text in a few places: with bytes outside the grammar, arbitrary bytes, or
// moved pieces. Offsets must stay in order and in bounds, whatever the result is.
TEST(mutated_text_never_harms)
{
    static const char grammar[] = "()[]{},;./*\"\\ \n0123456789xXbU.ptr.align.param.entry.v4";
    struct cuc__parameter p[64];

    for (int round = 0; round < 20000; round++) {
        const char *from = round & 1 ? rows[random_below(30)].text : sample_ptx;
        const char *kernel = round & 1 ? "k" : "mixed";
        size_t bytes = strlen(from), count = 0;
        char *text = exact_copy(from, bytes);

        for (uint32_t n = 1 + random_below(8); n; n--) {
            size_t at = random_below((uint32_t)bytes);
            size_t length = random_below((uint32_t)(bytes - at > 16 ? 16 : bytes - at) + 1);
            switch (random_below(3)) {
            case 0:
                text[at] = grammar[random_below(sizeof(grammar) - 1)];
                break;
            case 1:
                text[at] = (char)random_below(256);
                break;
            default:
                memmove(text + random_below((uint32_t)(bytes - length) + 1), text + at, length);
            }
        }
        if (cuc__ptx_signature(text, bytes, kernel, p, 64, &count)) {
            uint32_t end = 0;
            for (size_t i = 0; i < count && i < 64; i++) {
                ck_assert_uint_ge(p[i].offset, end);
                ck_assert_uint_ge(p[i].bytes, 1);
                end = p[i].offset + p[i].bytes;
                ck_assert_uint_le(end, 1 << 20);
                ck_assert_uint_le(p[i].type, CUC__PARAMETER_FLOAT);
            }
        }
        free(text);
    }
}

int main(void)
{
    return run_tests("ptx_signature");
}
