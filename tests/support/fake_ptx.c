// Reads as much PTX as a driver's tables need: kernels with their parameters and static shared
// memory, variables, and enough syntax to distinguish a program from other text.
#include "fake_internal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scanner {
    const char *at;
    int line;
    char token[512];
    char *log;
    size_t log_bytes;
    bool bad;
    struct library *library;
    int target; // 90 for sm_90
    size_t constant_bytes;
};

__attribute__((format(printf, 2, 3))) static void fail(struct scanner *s, const char *format, ...)
{
    va_list args;

    if (s->bad)
        return;
    s->bad = true;
    int n = snprintf(s->log, s->log_bytes, "ptx input, line %d; error: ", s->line);
    va_start(args, format);
    if (n > 0 && (size_t)n < s->log_bytes)
        vsnprintf(s->log + n, s->log_bytes - (size_t)n, format, args);
    va_end(args);
}

static void skip_blank(struct scanner *s)
{
    for (;;) {
        if (s->at[0] == '/' && s->at[1] == '/') {
            while (*s->at && *s->at != '\n')
                s->at++;
        } else if (s->at[0] == '/' && s->at[1] == '*') {
            for (s->at += 2; *s->at && !(s->at[0] == '*' && s->at[1] == '/'); s->at++)
                s->line += *s->at == '\n';
            s->at += *s->at ? 2 : 0;
        } else if (isspace((unsigned char)*s->at)) {
            s->line += *s->at++ == '\n';
        } else {
            return;
        }
    }
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

// The next token, "" at the end. A word includes its dots, a string its quotes.
static const char *next(struct scanner *s)
{
    size_t n = 0;

    skip_blank(s);
    if (*s->at == '"') {
        do
            s->line += *s->at++ == '\n';
        while (*s->at && *s->at != '"');
        s->at += *s->at == '"';
        return strcpy(s->token, "\"\"");
    }
    if (*s->at && !word_char(*s->at))
        s->token[n++] = *s->at++;
    else
        while (word_char(*s->at) && n < sizeof(s->token) - 1)
            s->token[n++] = *s->at++;
    s->token[n] = '\0';
    return s->token;
}

static bool peek(struct scanner *s, char c)
{
    skip_blank(s);
    return *s->at == c;
}

static bool is(const struct scanner *s, const char *text)
{
    return strcmp(s->token, text) == 0;
}

static bool expect(struct scanner *s, const char *text)
{
    next(s);
    if (!is(s, text))
        fail(s, "'%s' where '%s' belongs", s->token[0] ? s->token : "the end", text);
    return !s->bad;
}

static char *keep(const char *text)
{
    return strcpy(sim_alloc(strlen(text) + 1), text);
}

// Returns the bytes of a type such as .u32, .b8, .f64, .b128; 0 if it is not a type.
static size_t type_bytes(const char *token)
{
    char *end;

    if (strcmp(token, ".texref") == 0 || strcmp(token, ".samplerref") == 0 ||
        strcmp(token, ".surfref") == 0)
        return 8;
    if (token[0] != '.' || !strchr("busf", token[1]) || !token[1] ||
        !isdigit((unsigned char)token[2]))
        return 0;
    unsigned long bits = strtoul(token + 2, &end, 10);
    if (*end == 'x') // packed: .f16x2
        bits *= strtoul(end + 1, &end, 10);
    return *end ? 0 : bits / 8;
}

static size_t align_up(size_t at, size_t to)
{
    return (at + to - 1) / to * to;
}

// The rest of a declaration after its state space, up to the name's array bounds.
struct declaration {
    char name[512];
    size_t element, count, align;
    bool managed;
};

static void declaration(struct scanner *s, struct declaration *d)
{
    bool pointer = false; // an alignment after .ptr belongs to the pointee

    *d = (struct declaration){ .count = 1 };
    for (;;) {
        next(s);
        if (is(s, ".align")) {
            size_t align = strtoul(next(s), NULL, 10);
            if (!pointer)
                d->align = align;
        } else if (is(s, ".ptr")) {
            pointer = true;
        } else if (is(s, ".attribute")) {
            while (!s->bad && !is(s, ")") && s->token[0]) {
                next(s);
                d->managed |= is(s, ".managed");
            }
        } else if (is(s, ".v2") || is(s, ".v4")) {
            d->count *= is(s, ".v2") ? 2 : 4;
        } else if (type_bytes(s->token)) {
            d->element = type_bytes(s->token);
        } else if (s->token[0] != '.') {
            break;
        }
        // other words, such as the space of a pointer, say nothing about the layout
    }
    if (!s->token[0] || !word_char(s->token[0]) || isdigit((unsigned char)s->token[0]) ||
        !d->element) {
        fail(s, "'%s' in a declaration", s->token[0] ? s->token : "the end");
        return;
    }
    snprintf(d->name, sizeof(d->name), "%s", s->token);
    while (peek(s, '[')) {
        next(s);
        next(s);
        if (is(s, "]")) {
            d->count = 0; // size given by the launch
            continue;
        }
        d->count *= strtoul(s->token, NULL, 0);
        expect(s, "]");
    }
    if (!d->align)
        d->align = d->element;
}

static void parameters(struct scanner *s, struct kernel *k)
{
    struct declaration d;

    next(s); // (
    while (!s->bad && !peek(s, ')')) {
        if (!expect(s, ".param"))
            return;
        declaration(s, &d);
        if (s->bad)
            return;
        struct parameter *grown = realloc(k->parameters, (k->parameter_count + 1) * sizeof(*grown));
        if (!grown)
            sim_bug("no memory", "realloc");
        k->parameters = grown;
        size_t offset = align_up(k->parameter_bytes, d.align);
        grown[k->parameter_count++] =
            (struct parameter){ .offset = offset, .bytes = d.element * d.count };
        k->parameter_bytes = offset + d.element * d.count;
        if (peek(s, ','))
            next(s);
        else if (!peek(s, ')'))
            fail(s, "',' or ')' belongs between parameters");
    }
    next(s); // )
}

// First words of statements, without their suffixes.
static bool opcode(const char *token)
{
    static const char known[] =
        " abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra "
        "brev brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta "
        "discard div dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep "
        "istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma "
        "mov movmatrix mul mul24 multimem nanosleep neg not or pmevent popc prefetch prefetchu "
        "prmt rcp red redux rem ret rsqrt sad selp set setmaxnreg setp shf shfl shl shr sin slct "
        "sqrt st stackrestore stacksave stmatrix sub subc suld suq sured sust szext tanh tcgen05 "
        "tensormap testp tex tld4 trap txq vadd vmad vmax vmin vote vset vshl vshr vsub wgmma wmma "
        "xor ";
    char wanted[64];
    int n = (int)strcspn(token, ".");

    if (n == 0 || snprintf(wanted, sizeof(wanted), " %.*s ", n, token) >= (int)sizeof(wanted))
        return false;
    return strstr(known, wanted) != NULL;
}

static void skip_statement(struct scanner *s)
{
    int depth = 0;

    for (;;) {
        next(s);
        depth += is(s, "{") - is(s, "}");
        if (is(s, ";") && depth <= 0)
            return;
        if (!s->token[0] || depth < 0) {
            fail(s, "a statement does not end");
            return;
        }
    }
}

static void body(struct scanner *s, size_t *shared, size_t *local)
{
    struct declaration d;
    int depth = 1;

    while (!s->bad && depth) {
        next(s);
        if (is(s, "{")) {
            depth++;
        } else if (is(s, "}")) {
            depth--;
        } else if (is(s, ".shared") || is(s, ".local")) {
            size_t *sum = is(s, ".shared") ? shared : local;
            declaration(s, &d);
            *sum = align_up(*sum, d.align ? d.align : 1) + d.element * d.count;
            if (!s->bad)
                skip_statement(s);
        } else if (is(s, ".loc")) {
            // ends with its line
            while (*s->at && *s->at != '\n')
                s->at++;
        } else if (is(s, ".pragma") || s->token[0] == '.') {
            skip_statement(s);
        } else if (is(s, "@")) {
            if (peek(s, '!'))
                next(s);
            next(s);
        } else if (is(s, ";")) {
            continue;
        } else if (!s->token[0]) {
            fail(s, "a kernel or function does not end");
        } else if (peek(s, ':')) {
            next(s); // a label
        } else if (opcode(s->token)) {
            skip_statement(s);
        } else {
            fail(s, "'%s' is no instruction", s->token);
        }
    }
}

static void three(struct scanner *s, int out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        out[i] = (int)strtol(next(s), NULL, 10);
        if (!peek(s, ','))
            return;
        next(s);
    }
}

static void entry(struct scanner *s)
{
    struct kernel_facts facts = { .registers = 32, .ptx = s->target };
    size_t shared = 0, local = 0;

    // Adds it to the library at once, so that a failure midway frees it too.
    struct kernel *k = sim_kernel_new(s->library, keep(next(s)));
    if (!word_char(k->name[0]))
        fail(s, "'%s' where a kernel's name belongs", k->name);
    k->code = fake_kernel_slot(k->name);
    if (!s->bad && peek(s, '('))
        parameters(s, k);
    while (!s->bad && !peek(s, '{')) {
        int n[3];
        next(s);
        if (is(s, ".maxntid") || is(s, ".reqntid")) {
            bool exact = is(s, ".reqntid");
            three(s, n);
            facts.threads = n[0] * n[1] * n[2];
            if (exact)
                memcpy(facts.exact_threads, n, sizeof(n));
        } else if (is(s, ".reqnctapercluster")) {
            three(s, facts.cluster);
        } else if (is(s, ".explicitcluster")) {
            facts.explicit_cluster = true;
        } else if (is(s, ".minnctapersm") || is(s, ".maxclusterrank")) {
            three(s, n);
        } else if (is(s, ".maxnreg")) {
            three(s, n);
            facts.registers = n[0];
        } else if (is(s, ".pragma")) {
            skip_statement(s);
        } else if (!is(s, ".blocksareclusters") && !is(s, ".noreturn")) {
            fail(s, "'%s' before the body of a kernel", s->token[0] ? s->token : "the end");
        }
    }
    next(s); // {
    body(s, &shared, &local);
    facts.shared = (int)shared;
    facts.local = (int)local;
    sim_kernel_ready(k, &facts);
}

// One value of an initialiser: an integer, or the bits of a float as 0f and 0d write them.
static uint64_t value(const char *token)
{
    if (token[0] == '0' &&
        (token[1] == 'f' || token[1] == 'F' || token[1] == 'd' || token[1] == 'D'))
        return strtoull(token + 2, NULL, 16);
    return strtoull(token, NULL, 0); // a U suffix is ignored
}

static void variable(struct scanner *s, bool visible, bool constant)
{
    struct declaration d;

    declaration(s, &d);
    if (s->bad)
        return;
    struct variable *v = sim_alloc(sizeof(*v));
    v->next = s->library->code;
    s->library->code = v;
    v->name = keep(d.name);
    v->bytes = d.element * d.count;
    v->managed = d.managed;
    v->hidden = !visible;
    v->initial = sim_alloc(v->bytes);
    if (constant)
        s->constant_bytes += v->bytes;
    size_t at = 0;
    bool negative = false;
    if (peek(s, '=')) {
        next(s);
        while (!s->bad && !peek(s, ';')) {
            next(s);
            if (is(s, "-")) {
                negative = true;
            } else if (isdigit((unsigned char)s->token[0])) {
                uint64_t bits = value(s->token);
                bits = negative ? 0 - bits : bits;
                negative = false;
                if (at + d.element <= v->bytes && d.element <= sizeof(bits))
                    memcpy(v->initial + at, &bits, d.element);
                at += d.element;
            } else if (!s->token[0]) {
                fail(s, "a variable does not end");
            }
        }
    }
    if (!s->bad)
        expect(s, ";");
}

// A .func: a declaration that ends with ';', or a definition. Its memory is not counted.
static void function(struct scanner *s)
{
    size_t shared = 0, local = 0;

    while (!s->bad && !peek(s, '{') && !peek(s, ';')) {
        next(s);
        if (!s->token[0])
            fail(s, "a function does not end");
    }
    next(s);
    if (is(s, "{"))
        body(s, &shared, &local);
}

// The newest PTX that a driver reads, as 90 for 9.0.
static int newest_ptx(void)
{
    static const struct {
        int driver, ptx;
    } table[] = { { 13000, 90 }, { 12090, 88 }, { 12080, 87 }, { 12070, 86 }, { 12050, 85 },
                  { 12040, 84 }, { 12030, 83 }, { 12020, 82 }, { 12010, 81 }, { 0, 80 } };
    size_t i = 0;

    while (sim.version < table[i].driver)
        i++;
    return table[i].ptx;
}

static void version(struct scanner *s, CUresult *code)
{
    char *end;
    long major = strtol(next(s), &end, 10), minor = *end == '.' ? strtol(end + 1, &end, 10) : -1;

    if (major < 1 || minor < 0 || *end)
        fail(s, "'%s' is no version", s->token);
    else if (major * 10 + minor > newest_ptx()) {
        fail(s, "PTX %s is newer than this driver, which reads up to %d.%d", s->token,
             newest_ptx() / 10, newest_ptx() % 10);
        *code = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
}

static void target(struct scanner *s, CUresult *code)
{
    int device = 10 * sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                 sim_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    char suffix = '\0';

    next(s);
    if (sscanf(s->token, "sm_%d%c", &s->target, &suffix) < 1) {
        fail(s, "'%s' is no target", s->token);
    } else if (s->target > device || (suffix == 'a' && s->target != device)) {
        fail(s, "code for %s does not run on sm_%d", s->token, device);
        *code = CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    while (peek(s, ',')) {
        next(s);
        next(s);
    }
}

CUresult fake_ptx_scan(struct library *library, const char *text, char *log, size_t log_bytes)
{
    struct scanner s = {
        .at = text, .line = 1, .log = log, .log_bytes = log_bytes, .library = library
    };
    bool versioned = false, visible = false;
    CUresult code = CUDA_ERROR_INVALID_PTX;

    log[0] = '\0';
    while (!s.bad && next(&s)[0]) {
        if (is(&s, ".version")) {
            version(&s, &code);
            versioned = true;
        } else if (!versioned) {
            fail(&s, "PTX begins with .version, this with '%.40s'", s.token);
        } else if (is(&s, ".target")) {
            target(&s, &code);
        } else if (!s.target && !is(&s, ".address_size")) {
            fail(&s, ".target belongs before '%.40s'", s.token);
        } else if (is(&s, ".address_size")) {
            if (strcmp(next(&s), "64") != 0)
                fail(&s, "addresses have 64 bits, not %s", s.token);
        } else if (is(&s, ".visible") || is(&s, ".weak") || is(&s, ".common")) {
            visible = true;
            continue;
        } else if (is(&s, ".extern")) {
            skip_statement(&s); // definitions elsewhere
        } else if (is(&s, ".entry")) {
            entry(&s);
        } else if (is(&s, ".func")) {
            function(&s);
        } else if (is(&s, ".global") || is(&s, ".const")) {
            variable(&s, visible, is(&s, ".const"));
        } else if (is(&s, ".shared")) {
            skip_statement(&s);
        } else if (is(&s, ".section")) {
            while (*s.at && *s.at != '{')
                s.line += *s.at++ == '\n';
            while (*s.at && *s.at != '}')
                s.line += *s.at++ == '\n';
            s.at += *s.at == '}';
        } else if (is(&s, ".file")) {
            while (*s.at && *s.at != '\n')
                s.at++;
        } else if (is(&s, ".pragma") || is(&s, ".alias")) {
            skip_statement(&s);
        } else if (!is(&s, ";")) {
            fail(&s, "'%.40s' is nothing that begins a declaration", s.token);
        }
        visible = false;
    }
    if (!s.target)
        fail(&s, "there is no .version and .target");
    for (struct kernel *k = library->kernels; k; k = k->next)
        for (int i = 0; i < SIM_DEVICES; i++)
            k->attributes[i][CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)s.constant_bytes;
    return s.bad ? code : CUDA_SUCCESS;
}
