// Tests random calls of the C builder: they must not crash, and the resulting control flow must
// match the calls.
#include "base/array.h"
#include "builder_testing.h"

#include "tile/interpret/interpret.h"
#include "tests.h"

// ---- Random calls with random handles

static uint32_t seed;

static uint32_t dice(uint32_t sides)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % sides;
}

struct bag {
    cuc_tile value[64];
    uint32_t count;
};

static cuc_tile pick(const struct bag *bag)
{
    return dice(50) == 0 ? dice(3) * 0x1000001 : bag->count ? bag->value[dice(bag->count)] : 0;
}

static void put(struct bag *bag, cuc_tile x)
{
    if (x)
        bag->value[bag->count < 64 ? bag->count++ : dice(64)] = x;
}

static void random_call(cuc_tile_program *p, struct bag *bag, struct bag *variables);

static void random_function(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                            const cuc_tile *y, cuc_tile *result)
{
    struct bag *bag = user, own = { { 0 }, 0 }, none = { { 0 }, 0 };

    for (uint32_t i = 0; i < count; i++) {
        put(&own, x[i]);
        put(&own, y[i]);
    }
    for (uint32_t i = dice(4); i-- > 0;)
        random_call(p, dice(30) ? &own : bag, &none);
    for (uint32_t i = 0; i < count; i++)
        result[i] = dice(4) ? cuc_tile_add(K, x[i], y[i]) : pick(&own);
}

static void random_call(cuc_tile_program *p, struct bag *bag, struct bag *variables)
{
    static const cuc_dtype dtypes[] = { CUC_BOOL, CUC_I32, CUC_I64, CUC_U8, CUC_F16, CUC_F32 };
    cuc_tile x = pick(bag), y = pick(bag), z = pick(bag), r[4] = { 0 };
    int64_t shape[] = { 1 << dice(4), 1 << dice(3) };
    cuc_dtype dtype = dtypes[dice(6)];

    switch (dice(36)) {
    case 0:
        put(bag, cuc_tile_add(K, x, y));
        break;
    case 1:
        put(bag, cuc_tile_mul(K, x, y));
        break;
    case 2:
        put(bag, cuc_tile_lt(K, x, y));
        break;
    case 3:
        put(bag, cuc_tile_where(K, x, y, z));
        break;
    case 4:
        put(bag, cuc_tile_exp(K, x));
        break;
    case 5:
        put(bag, cuc_tile_cast(K, x, dtype, CUC_TILE_RN));
        break;
    case 6:
        put(bag, I(dice(9)));
        break;
    case 7:
        put(bag, F(0.25 * dice(9)));
        break;
    case 8:
        put(bag, cuc_tile_bool(K, (int32_t)dice(2)));
        break;
    case 9:
        put(bag, cuc_tile_zeros(K, dtype, dice(3), shape));
        break;
    case 10:
        put(bag, cuc_tile_sum(K, x, dice(2), shape));
        break;
    case 11:
        put(bag, cuc_tile_max(K, x, 0, NULL));
        break;
    case 12:
        put(bag, cuc_tile_broadcast(K, x, 2, shape));
        break;
    case 13:
        put(bag, cuc_tile_reshape(K, x, 1, shape));
        break;
    case 14:
        put(bag, cuc_tile_load(K, x, 1, &y, 1, shape, NULL));
        break;
    case 15:
        cuc_tile_store(K, x, 1, &y, z, NULL);
        break;
    case 16:
        put(bag, cuc_tile_gather(K, x, 1, &y, CUC_TILE_ACCESS_OPTIONS(.mask = z)));
        break;
    case 17:
        put(bag, cuc_tile_atomic_add(K, x, 1, &y, z, NULL));
        break;
    case 18:
        cuc_tile_topk(&r[0], &r[1], K, x, 1, 0);
        put(bag, r[dice(2)]);
        break;
    case 19:
        cuc_tile_reduce(r, K, random_function, bag, 1 + dice(2), (const cuc_tile[]){ x, y }, 0,
                        (const cuc_tile[]){ I(0), F(0.0) });
        put(bag, r[0]);
        break;
    case 20:
        put(bag, cuc_tile_slice(K, x, 0, y, z));
        break;
    case 21:
    case 22:
        put(variables, cuc_tile_declare(K, dice(2) ? "v" : NULL, x));
        break;
    case 23:
    case 24:
        put(bag, cuc_tile_get(K, pick(variables)));
        break;
    case 25:
    case 26:
        cuc_tile_set(K, pick(variables), x);
        break;
    case 27:
        put(bag, cuc_tile_for(K, x, y, 1 + dice(3)));
        break;
    case 28:
        cuc_tile_loop(K);
        break;
    case 29:
        cuc_tile_while(K, x);
        break;
    case 30:
        cuc_tile_if(K, x);
        break;
    case 31:
        cuc_tile_else(K);
        break;
    case 32:
    case 33:
        cuc_tile_end(K);
        break;
    case 34:
        (dice(2) ? cuc_tile_break : cuc_tile_continue)(K);
        break;
    default:
        if (dice(4) == 0)
            cuc_tile_return(K);
        break;
    }
}

CASE("builder random", .timeout = 60);

TEST_RANGE(random_calls_never_crash, 0, 4)
{
    for (uint32_t i = 0; i < 400; i++) {
        cuc_tile_program *p = program();
        struct bag bag = { { 0 }, 0 }, variables = { { 0 }, 0 };

        seed = (uint32_t)_i * 1000 + i;
        cuc_tile_kernel_begin(K, "k");
        put(&bag, cuc_tile_tensor(K, "a", CUC_F32, "N"));
        put(&bag, cuc_tile_scalar(K, "s", CUC_I32));
        for (int n = 0; n < 150; n++)
            random_call(p, &bag, &variables);
        cuc_tile_kernel_end(K);
        cuc_status st = cuc_tile_program_finish(NULL, p);
        ck_assert(st == CUC_OK || st == CUC_ERROR_COMPILE);
        ck_assert_msg(!strstr(cuc_tile_program_log(p), "T901"), "%s", cuc_tile_program_log(p));
        cuc_tile_program_release(p);
    }
}

// A kernel made of random calls, each with its own seed; END stands for cuc_tile_end().
enum { END = 0, MOST_CALLS = 60 };

static cuc_tile_program *replay(const uint32_t *calls, uint32_t count)
{
    cuc_tile_program *p = program();
    struct bag bag = { { 0 }, 0 }, variables = { { 0 }, 0 };

    cuc_tile_kernel_begin(K, "k");
    put(&bag, cuc_tile_tensor(K, "a", CUC_F32, "N"));
    put(&bag, cuc_tile_tensor(K, "b", CUC_I32, "N"));
    put(&bag, cuc_tile_scalar(K, "s", CUC_I32));
    put(&bag, cuc_tile_gt(K, bag.value[2], I(0)));
    put(&bag, cuc_tile_add(K, bag.value[2], I(1)));
    put(&variables, cuc_tile_declare(K, "x", bag.value[4]));
    for (uint32_t i = 0; i < count; i++) {
        seed = calls[i];
        if (calls[i] == END)
            cuc_tile_end(K);
        else
            random_call(p, &bag, &variables);
    }
    return p;
}

static bool is_right(const uint32_t *calls, uint32_t count)
{
    cuc_tile_program *p = replay(calls, count);
    bool right = !*cuc_tile_program_log(p);

    cuc_tile_program_release(p);
    return right;
}

// Tries each call after the previous ones, and keeps it if it causes no error.
TEST_RANGE(random_calls_without_an_error_build_a_program, 0, 4)
{
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t calls[2 * MOST_CALLS], count = 0, next = (uint32_t)_i * 50 + i;
        const char *source = NULL;

        for (uint32_t tries = 0; tries < 400 && count < MOST_CALLS; tries++) {
            next = next * 1664525 + 1013904223;
            calls[count] = next | 1;
            count += is_right(calls, count + 1);
        }
        for (calls[count] = END; is_right(calls, count + 1); calls[count] = END)
            count++;
        cuc_tile_program *p = replay(calls, count);
        cuc_tile_kernel_end(K);
        ck_assert_msg(cuc_tile_program_finish(&source, p) == CUC_OK, "%s", cuc_tile_program_log(p));
        free(parsed(source, false));
        cuc_tile_program_release(p);
    }
}

// ---- Random control flow, built and interpreted, compared with a walk of the same tree in C

enum { VARIABLES = 5, MOST_VARIABLES = 24, SLOTS = 16, MOST_DEPTH = 5 };

enum kind { SET, LOCAL, TRACE, IF, IF_CONSTANT, FOR, WHILE, BREAK, CONTINUE, RETURN, KINDS };

struct node {
    enum kind kind;
    uint32_t to, x, y, op;
    struct node *body, *otherwise, *next;
};

// Makes a random block. `in_loop` allows break and continue; `in_for` allows the loop's counter.
static struct node *grow_block(uint32_t depth, bool in_loop, bool in_for, uint32_t variables)
{
    struct node *first = NULL, **end = &first;

    for (uint32_t n = 1 + dice(5); n; n--) {
        static const enum kind kinds[] = { SET,         SET,   SET,      SET,   LOCAL, TRACE,
                                           IF,          IF,    IF,       FOR,   FOR,   WHILE,
                                           IF_CONSTANT, BREAK, CONTINUE, RETURN };
        enum kind kind = kinds[dice(CUC_LENGTH(kinds))];
        bool nests = kind == IF || kind == IF_CONSTANT || kind == FOR || kind == WHILE;
        if ((nests && depth == MOST_DEPTH) || ((kind == BREAK || kind == CONTINUE) && !in_loop) ||
            (kind == RETURN && dice(4)) || (kind == LOCAL && variables == MOST_VARIABLES - 2) ||
            (kind == WHILE && variables > MOST_VARIABLES - 4))
            kind = SET;
        struct node *node = calloc(1, sizeof(*node));
        *node = (struct node){ .kind = kind,
                               .to = dice(variables),
                               .x = dice(variables),
                               .y = dice(variables + in_for), // the innermost loop's counter
                               .op = dice(4) };
        if (kind == LOCAL)
            variables++;
        if (kind == TRACE)
            node->to = VARIABLES + dice(SLOTS - VARIABLES);
        if (nests && kind != SET) {
            bool loop = kind == FOR || kind == WHILE;
            node->body = grow_block(depth + 1, in_loop || loop, in_for || kind == FOR,
                                    variables + (kind == WHILE));
            if (!loop && dice(3))
                node->otherwise = grow_block(depth + 1, in_loop, in_for, variables);
        }
        *end = node;
        end = &node->next;
    }
    return first;
}

static void fell(struct node *node)
{
    while (node) {
        struct node *next = node->next;
        fell(node->body);
        fell(node->otherwise);
        free(node);
        node = next;
    }
}

// In C

struct machine {
    uint32_t v[MOST_VARIABLES], variables, out[SLOTS];
};

static uint32_t compute(uint32_t op, uint32_t x, uint32_t y)
{
    return op == 0 ? x + y : op == 1 ? x - y : op == 2 ? x * y : x ^ y;
}

static bool compare(uint32_t op, uint32_t x, uint32_t y)
{
    return op == 0 ? (int32_t)x < (int32_t)y : op == 1 ? x == y : op == 2 ? x != y : (x & 1) == 0;
}

enum flow { NEXT, BROKEN, CONTINUED, RETURNED };

// Runs a block; returns how control left it, which is NEXT at its end.
static enum flow run(struct machine *m, const struct node *node, uint32_t number)
{
    uint32_t variables = m->variables;
    enum flow flow = NEXT;

    for (; node && flow == NEXT; node = node->next) {
        uint32_t x = m->v[node->x], y = node->y < m->variables ? m->v[node->y] : number;
        switch (node->kind) {
        case SET:
            m->v[node->to] = compute(node->op, x, y);
            break;
        case LOCAL:
            m->v[m->variables++] = compute(node->op, x, y);
            break;
        case TRACE:
            m->out[node->to] = m->out[node->to] * 31 + x;
            break;
        case IF:
            flow = run(m, compare(node->op, x, y) ? node->body : node->otherwise, number);
            break;
        case IF_CONSTANT:
            flow = run(m, node->op & 1 ? node->body : node->otherwise, number);
            break;
        case FOR:
            for (uint32_t i = 0, last = x & 3; i < last && flow != RETURNED && flow != BROKEN;
                 i += 1 + (node->op & 1))
                flow = run(m, node->body, i);
            flow = flow == RETURNED ? RETURNED : NEXT;
            break;
        case WHILE: {
            uint32_t turn = m->variables++;
            for (uint32_t own = 0, last = x & 3;
                 own < last && flow != RETURNED && flow != BROKEN;) {
                m->v[turn] = ++own;
                flow = run(m, node->body, number);
            }
            m->variables--;
            flow = flow == RETURNED ? RETURNED : NEXT;
            break;
        }
        case BREAK:
            flow = BROKEN;
            break;
        case CONTINUE:
            flow = CONTINUED;
            break;
        default:
            flow = RETURNED;
            break;
        }
    }
    m->variables = variables;
    return flow;
}

// By calls

struct build {
    cuc_tile_program *p;
    cuc_tile out;
    cuc_tile_variable v[MOST_VARIABLES];
    uint32_t variables;
};

static cuc_tile build_compute(cuc_tile_program *p, uint32_t op, cuc_tile x, cuc_tile y)
{
    return op == 0   ? cuc_tile_add(K, x, y)
           : op == 1 ? cuc_tile_sub(K, x, y)
           : op == 2 ? cuc_tile_mul(K, x, y)
                     : cuc_tile_bitxor(K, x, y);
}

static cuc_tile build_compare(cuc_tile_program *p, uint32_t op, cuc_tile x, cuc_tile y)
{
    return op == 0   ? cuc_tile_lt(K, x, y)
           : op == 1 ? cuc_tile_eq(K, x, y)
           : op == 2 ? cuc_tile_ne(K, x, y)
                     : cuc_tile_eq(K, cuc_tile_bitand(K, x, I(1)), I(0));
}

static void build(struct build *b, const struct node *node, cuc_tile number)
{
    cuc_tile_program *p = b->p;
    uint32_t variables = b->variables;

    for (; node; node = node->next) {
        cuc_tile x = cuc_tile_get(K, b->v[node->x]);
        cuc_tile y = node->y < b->variables ? cuc_tile_get(K, b->v[node->y]) : number;
        switch (node->kind) {
        case SET:
            cuc_tile_set(K, b->v[node->to], build_compute(p, node->op, x, y));
            break;
        case LOCAL:
            b->v[b->variables++] = cuc_tile_declare(K, NULL, build_compute(p, node->op, x, y));
            break;
        case TRACE: {
            cuc_tile old = cuc_tile_element(K, b->out, CUC_TILES(I(node->to)));
            old = cuc_tile_add(K, cuc_tile_mul(K, old, I(31)), x);
            cuc_tile_store_at(K, b->out, CUC_TILES(I(node->to)), old, NULL);
            break;
        }
        case IF:
        case IF_CONSTANT:
            cuc_tile_if(K, node->kind == IF ? build_compare(p, node->op, x, y)
                                            : cuc_tile_bool(K, node->op & 1));
            build(b, node->body, number);
            if (node->otherwise || dice(2)) {
                cuc_tile_else(K);
                build(b, node->otherwise, number);
            }
            cuc_tile_end(K);
            break;
        case FOR: {
            cuc_tile i = cuc_tile_for(K, I(0), cuc_tile_bitand(K, x, I(3)), 1 + (node->op & 1));
            build(b, node->body, i);
            cuc_tile_end(K);
            break;
        }
        case WHILE: {
            uint32_t turn = b->variables++;
            cuc_tile_variable own = cuc_tile_declare(K, "own", I(0));
            b->v[turn] = cuc_tile_declare(K, "turn", I(0));
            cuc_tile last = cuc_tile_bitand(K, x, I(3));
            cuc_tile_loop(K);
            cuc_tile_while(K, cuc_tile_lt(K, cuc_tile_get(K, own), last));
            cuc_tile_set(K, own, cuc_tile_add(K, cuc_tile_get(K, own), I(1)));
            cuc_tile_set(K, b->v[turn], cuc_tile_get(K, own));
            build(b, node->body, number);
            cuc_tile_end(K);
            b->variables--;
            break;
        }
        case BREAK:
            cuc_tile_break(K);
            break;
        case CONTINUE:
            cuc_tile_continue(K);
            break;
        default:
            cuc_tile_return(K);
            break;
        }
    }
    b->variables = variables;
}

static void interpret(const char *source, bool simplified, uint32_t *in, uint32_t *out)
{
    struct tile_module *module = tile_parse("p.tile", source, strlen(source), NULL, 0);
    cuc_tensor tensors[2];
    int64_t extents[] = { VARIABLES, SLOTS };
    struct tile_argument arguments[2] = { { .tensor = &tensors[0] }, { .tensor = &tensors[1] } };
    char text[512] = "";

    ck_assert_msg(module && !module->diagnostics->errors, "%s\n%s",
                  tile_diagnostics_text(module, false), source);
    if (simplified)
        tile_simplify(module->first);
    ck_assert_msg(tile_verify(module, "parsing"), "%s\n%s", tile_diagnostics_text(module, false),
                  source);
    cuc_tensor_from_pointer(&tensors[0], (cuc_device_ptr)(uintptr_t)in, CUC_I32, 1, &extents[0],
                            -1);
    cuc_tensor_from_pointer(&tensors[1], (cuc_device_ptr)(uintptr_t)out, CUC_I32, 1, &extents[1],
                            -1);
    const struct tile_interpretation run = { .kernel = module->first,
                                             .argument = arguments,
                                             .arguments = 2 };
    ck_assert_msg(tile_interpret(&run, text, sizeof(text)), "%s\n%s", text, source);
    tile_module_free(module);
}

TEST_RANGE(control_flow_does_what_the_calls_say, 0, 10)
{
    for (uint32_t i = 0; i < 100; i++) {
        struct machine m = { .variables = VARIABLES };
        struct build b = { .p = program(), .variables = VARIABLES };
        uint32_t in[VARIABLES], out[SLOTS];
        cuc_tile_program *p = b.p;
        const char *source = NULL;

        seed = (uint32_t)_i * 1000 + i;
        struct node *tree = grow_block(0, false, false, VARIABLES);
        for (uint32_t n = 0; n < VARIABLES; n++)
            in[n] = m.v[n] = dice(12);
        if (run(&m, tree, 0) == NEXT)
            memcpy(m.out, m.v, VARIABLES * sizeof(uint32_t));

        cuc_tile_kernel_begin(K, "k");
        cuc_tile from = cuc_tile_tensor(K, "from", CUC_I32, "N");
        b.out = cuc_tile_tensor(K, "to", CUC_I32, "M");
        cuc_tile_grid(K, "1");
        for (uint32_t n = 0; n < VARIABLES; n++)
            b.v[n] = cuc_tile_declare(K, "v", cuc_tile_element(K, from, CUC_TILES(I(n))));
        build(&b, tree, 0);
        for (uint32_t n = 0; n < VARIABLES; n++)
            cuc_tile_store_at(
                K, b.out, CUC_TILES(I(n)), cuc_tile_get(K, b.v[n]),
                CUC_TILE_ACCESS_OPTIONS(.shape = (const int64_t[]){ CUC_NO_AXIS }, .rank = 1));
        cuc_tile_kernel_end(K);
        ck_assert_msg(cuc_tile_program_finish(&source, p) == CUC_OK, "%s", cuc_tile_program_log(p));
        for (int simplified = 0; simplified < 2; simplified++) {
            memset(out, 0, sizeof(out));
            interpret(source, simplified, in, out);
            for (uint32_t n = 0; n < SLOTS; n++)
                ck_assert_msg(out[n] == m.out[n], "out[%u]: expected %d, got %d%s\n%s", n,
                              (int)m.out[n], (int)out[n], simplified ? " by simplified code" : "",
                              source);
        }
        fell(tree);
        cuc_tile_program_release(p);
    }
}

int main(void)
{
    return run_tests("tile builder random");
}
