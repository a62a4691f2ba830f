// Writes the C header of cucore build, which declares kernels as functions that launch them.
#include "base/array.h"
#include "base/demangle.h"
#include "build.h"
#include "code/kernel_tile.h"
#include "code/object.h"
#include "code/ptx_signature.h"
#include "tile/ir/diagnostic.h"
#include "tile/ir/text.h"

#include <cucore/error.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Words that must not name a function's parameter in C or C++: keywords, macros of common headers,
// and the names that the generated functions use.
static const char reserved[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
    "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq typeof linux unix NULL EOF I errno assert memcpy "
    "stream config kernel args ";

// Indexed by cuc_dtype. If C has no type for a dtype, the function takes its bits.
static const struct {
    const char *constant, *type;
} scalars[] = {
#define SCALAR(constant, value, text, bits) [constant] = { #constant, NULL },
    CUC_DTYPE_LIST(SCALAR)
#undef SCALAR
};

static const char *type_of(cuc_dtype dtype)
{
    static const char *const types[] = {
        [CUC_BOOL] = "bool ",    [CUC_I8] = "int8_t ",    [CUC_I16] = "int16_t ",
        [CUC_I32] = "int32_t ",  [CUC_I64] = "int64_t ",  [CUC_U8] = "uint8_t ",
        [CUC_U16] = "uint16_t ", [CUC_U32] = "uint32_t ", [CUC_U64] = "uint64_t ",
        [CUC_F32] = "float ",    [CUC_F64] = "double ",
    };
    const size_t bytes = cuc_dtype_bits(dtype) / 8;

    if ((size_t)dtype < CUC_LENGTH(types) && types[dtype])
        return types[dtype];
    return bytes == 1 ? "uint8_t " : bytes == 2 ? "uint16_t " : bytes == 4 ? "uint32_t " : NULL;
}

// Return whether a parameter must not have this name: words in `reserved`, names that begin or end
// like types and macros of the included headers, and the header's own function name.
static bool is_reserved(const char *name)
{
    static const char *const starts[] = { "cuc_", "CUC_", "INT", "UINT" };
    static const char *const ends[] = { "_t", "_arg", "_MAX", "_MIN" };
    const size_t length = strlen(name);

    for (size_t i = 0; i < CUC_LENGTH(starts); i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    for (size_t i = 0; i < CUC_LENGTH(ends); i++)
        if (length > strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    for (const char *at = reserved; (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static char *formatted(const char *format, ...) CLI_PRINTF(1, 2);

static char *formatted(const char *format, ...)
{
    struct cuc__text text = { .at = NULL };
    va_list args;

    va_start(args, format);
    cuc__text_vput(&text, format, args);
    va_end(args);
    if (text.lost)
        cli_no_memory();
    char *copy = cli_copy_text(text.at ? text.at : "", text.length);
    free(text.at);
    return copy;
}

char *build_identifier(const char *text)
{
    char *out = formatted("%s%s", isalpha((unsigned char)*text) || *text == '_' ? "" : "_", text);

    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80)
            *c = '_';
    return out;
}

// Return a unique name for parameter `number` in the header.
static char *parameter_name(const struct tile_kernel *k, uint32_t number)
{
    const char *name = k->parameter[number].name;
    char *out = formatted("%s%s", name, is_reserved(name) ? "_" : "");

    for (uint32_t i = 0; i < k->parameter_count; i++)
        if (i != number && strcmp(k->parameter[i].name, out) == 0) {
            char *longer = formatted("%s_", out);
            free(out);
            out = longer;
            i = UINT32_MAX; // start again from the first parameter
        }
    return out;
}

static void describe_tile(build_kernel *out, const struct tile_signature *s)
{
    struct tile_text text = { .module = s->module };
    struct cuc__text declaration = { .at = NULL };
    const struct tile_kernel *k = s->kernel;
    const char *separator = "; writes ";

    tile_put_header(&text, k);
    if (s->module->diagnostics->out_of_memory)
        cli_no_memory();
    size_t length = text.length;
    while (length && strchr(" {\n", text.at[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++) // put it on one line
        if (text.at[i] != '\n')
            cuc__text_append(&declaration, &text.at[i], 1);
        else
            while (i + 1 < length && text.at[i + 1] == ' ' && text.at[i + 2] == ' ')
                i++;
    out->parameters = cli_allocate((k->parameter_count + 1) * sizeof(*out->parameters));
    out->parameter_count = k->parameter_count;
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct tile_parameter *p = &k->parameter[i];
        const cuc_dtype dtype = p->value->type.dtype;
        const char *type = p->value->type.tensor ? "const cuc_tensor *" : type_of(dtype);
        out->parameters[i] = (build_parameter){
            .name = parameter_name(k, i),
            .type = type ? type : "const void *",
            .arg = p->value->type.tensor ? "CUC_ARG_TENSOR"
                   : type                ? scalars[dtype].constant
                                         : "CUC_ARG_BYTES",
            .bytes = p->value->type.tensor ? 8 : cuc_dtype_bits(dtype) / 8,
        };
        if (s->written >> i & 1) {
            cuc__text_put(&declaration, "%s%s", separator, p->name);
            separator = ", ";
        }
    }
    if (declaration.lost)
        cli_no_memory();
    out->declaration = declaration.at;
    out->tile = true;
    out->has_grid = k->grid_rank > 0;
}

// Describe a kernel from its PTX, which has sizes and classes of parameters but no names.
static bool describe_ptx(build_kernel *out, cuc_object *object, const char *symbol)
{
    char plain[512];
    struct cuc__ptx at;
    size_t n = 0;

    if (cuc__object_ptx_entry(&at, object, symbol) != CUC__PTX_FOUND ||
        !cuc__ptx_signature(at.at, (size_t)(at.end - at.at), symbol, NULL, 0, &n))
        return false;
    struct cuc__parameter *p = cli_allocate((n + 1) * sizeof(*p));
    (void)cuc__ptx_signature(at.at, (size_t)(at.end - at.at), symbol, p, n, &n);
    out->parameters = cli_allocate((n + 1) * sizeof(*out->parameters));
    out->parameter_count = n;
    for (size_t i = 0; i < n; i++) {
        build_parameter *to = &out->parameters[i];
        const bool real = p[i].type == CUC__PARAMETER_FLOAT;
        *to = (build_parameter){ formatted("arg%zu", i), "const void *", "CUC_ARG_BYTES",
                                 p[i].bytes };
        if (real || p[i].type == CUC__PARAMETER_INT) {
            const cuc_dtype dtype = p[i].bytes == 8   ? (real ? CUC_F64 : CUC_U64)
                                    : p[i].bytes == 4 ? (real ? CUC_F32 : CUC_U32)
                                    : p[i].bytes == 2 ? CUC_U16
                                                      : CUC_U8;
            to->type = type_of(dtype);
            to->arg = scalars[dtype].constant;
        }
    }
    free(p);
    out->declaration =
        formatted("%s", cuc__demangle(plain, sizeof(plain), symbol) ? plain : symbol);
    return true;
}

bool build_describe(build_kernel *out, cuc_object *object, const char *symbol, cli_why *why)
{
    struct tile_signature *signature = NULL;
    const char *called = symbol;
    bool good = true;

    *out = (build_kernel){ .symbol = cli_copy_text(symbol, strlen(symbol)) };
    for (size_t i = 0; i < cuc_object_mapping_count(object); i++) {
        cuc_object_mapping m;
        if (cuc_object_get_mapping(&m, object, i) == CUC_OK && strcmp(m.symbol, symbol) == 0)
            called = m.expression;
    }
    out->name = build_identifier(called);
    cuc_status st = cuc__tile_signature_of(&signature, object, symbol, "cucore build");
    if (st == CUC_OK)
        describe_tile(out, signature);
    else
        good = st == CUC_ERROR_NOT_FOUND && describe_ptx(out, object, symbol);
    tile_signature_free(signature);
    return good || cli_because(why, "the parameters of the kernel %s cannot be read: %s", symbol,
                               st < 0 && st != CUC_ERROR_NOT_FOUND ? cuc_error_message()
                                                                   : "its PTX is unusual");
}

bool build_same_parameters(const build_kernel *a, const build_kernel *b)
{
    bool same = a->tile == b->tile && a->has_grid == b->has_grid &&
                a->parameter_count == b->parameter_count;

    for (size_t i = 0; same && i < a->parameter_count; i++)
        same = strcmp(a->parameters[i].arg, b->parameters[i].arg) == 0 &&
               a->parameters[i].bytes == b->parameters[i].bytes;
    return same;
}

void build_kernel_free(build_kernel *k)
{
    for (size_t i = 0; i < k->parameter_count; i++)
        free(k->parameters[i].name);
    free(k->parameters);
    free(k->declaration);
    free(k->symbol);
    free(k->name);
    *k = (build_kernel){ .symbol = NULL };
}

static void put_launch(struct cuc__text *out, const build_text *t, const build_kernel *k)
{
    cuc__text_put(out, "\n/** %s.%s", k->declaration,
                  k->tile ? "" : " Integers stand for addresses too: cuc_buffer_ptr().");
    for (size_t i = 0; i < k->parameter_count; i++)
        if (strcmp(k->parameters[i].arg, "CUC_ARG_BYTES") == 0)
            cuc__text_put(out, " %s: %u bytes.", k->parameters[i].name, k->parameters[i].bytes);
    cuc__text_put(out,
                  " */\n"
                  "static inline cuc_status %s_launch_%s(cuc_stream *stream, %scuc_kernel *kernel",
                  t->prefix, k->name, k->has_grid ? "" : "const cuc_launch_config *config, ");
    for (size_t i = 0; i < k->parameter_count; i++)
        cuc__text_put(out, ", %s%s", k->parameters[i].type, k->parameters[i].name);
    cuc__text_put(out, ")\n{\n");
    if (k->parameter_count)
        cuc__text_put(out, "    cuc_arg args[%zu];\n", k->parameter_count);
    for (size_t i = 0; i < k->parameter_count; i++) {
        const build_parameter *p = &k->parameters[i];
        cuc__text_put(out, "    %s_arg(&args[%zu], %s, %u, %s%s);\n", t->prefix, i, p->arg,
                      p->bytes, strchr(p->type, '*') ? "" : "&", p->name);
    }
    cuc__text_put(out, "    return cuc_launch(stream, %s, kernel, %s, %zu);\n}\n",
                  k->has_grid ? "NULL" : "config", k->parameter_count ? "args" : "NULL",
                  k->parameter_count);
}

// The functions compile as C11 and C++11, so they use no designated initializers and no compound
// literals.
static const char helper[] =
    "\n/* Used by the functions below. */\n"
    "static inline void %s_arg(cuc_arg *arg, int32_t type, uint32_t bytes, const void *value)\n"
    "{\n"
    "    arg->type = type;\n"
    "    arg->bytes = bytes;\n"
    "    arg->value.u64 = 0;\n"
    "    if (type == CUC_ARG_TENSOR || type == CUC_ARG_BYTES)\n"
    "        arg->value.pointer = value;\n"
    "    else\n"
    "        memcpy(&arg->value, value, bytes);\n"
    "}\n";

static const char array[] =
    "\n/** The fat binary, which %s defines. */\n"
    "extern const unsigned char %s_fatbin[];\n"
    "extern const size_t %s_fatbin_bytes;\n"
    "\n/** Create the object of all kernels; release it with cuc_object_release(). */\n"
    "static inline cuc_status %s_load(cuc_object **out)\n"
    "{\n"
    "    cuc_object_options options;\n"
    "\n"
    "    cuc_object_options_init(&options, sizeof(options));\n"
    "    options.name = \"%s\";\n"
    "    return cuc_object_create(out, CUC_CODE_FATBIN, %s_fatbin, %s_fatbin_bytes, &options);\n"
    "}\n";

void build_write_header(struct cuc__text *out, const build_text *t)
{
    const char *p = t->prefix;

    cuc__text_put(out,
                  "/* Kernels for %s, made by cucore build: do not edit. */\n"
                  "#ifndef %s_CUCORE_BUILD_H\n#define %s_CUCORE_BUILD_H\n\n"
                  "#include <cucore/cucore.h>\n\n"
                  "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
                  "#include <string.h>\n\n"
                  "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
                  t->archs, p, p);
    if (t->embed)
        cuc__text_put(out, array, "the C file beside this header", p, p, p, p, p, p);
    cuc__text_put(out, helper, p);
    for (size_t i = 0; i < t->kernel_count; i++) {
        const build_kernel *k = &t->kernels[i];
        cuc__text_put(out,
                      "\n/** Get the kernel %s; release it with cuc_kernel_release(). */\n"
                      "static inline cuc_status %s_get_%s(cuc_kernel **out, cuc_object *object)\n"
                      "{\n    return cuc_object_get_kernel(out, object, \"%s\");\n}\n",
                      k->symbol, p, k->name, k->symbol);
        put_launch(out, t, k);
    }
    cuc__text_put(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

void build_write_array(struct cuc__text *out, const build_text *t, const void *code, size_t bytes)
{
    enum { A_LINE = 24 };
    const unsigned char *at = code;

    cuc__text_put(out,
                  "/* Kernels for %s, made by cucore build: do not edit. */\n"
                  "#include \"%s\"\n\n"
                  "#ifdef __cplusplus\nalignas(16)\n#else\n_Alignas(16)\n#endif\n"
                  "const unsigned char %s_fatbin[] = {",
                  t->archs, t->header_name, t->prefix);
    for (size_t i = 0; i < bytes; i++)
        cuc__text_put(out, "%s%u,", i % A_LINE ? "" : "\n", at[i]);
    cuc__text_put(out, "\n};\nconst size_t %s_fatbin_bytes = sizeof(%s_fatbin);\n", t->prefix,
                  t->prefix);
}
