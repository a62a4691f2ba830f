// Elaborates loops and ifs with their carried values, and code that is only checked.
//
// If a loop's body or an arm of an `if` rebinds an outer name, the name is carried: it becomes a
// result of the op and, for a loop, also an argument of its block.
#include "control.h"
#include "tile/ir/array.h"

#include <string.h>

// Names that statements bind, without repetition, in the order of their first binding.
struct names {
    const char **name;
    uint32_t count, capacity;
    struct tile_names known;
};

static void add_name(struct tile_elaborator *e, struct names *names, const char *name)
{
    if (tile_names_take(&names->known, e->module, name) &&
        TILE_RESERVE(e->module, names->name, names->capacity, names->count + 1, 4))
        names->name[names->count++] = name;
}

static void names_bound(struct tile_elaborator *e, const struct tile_statement *s,
                        struct names *names)
{
    for (; s; s = s->next) {
        bool loop = s->kind == TILE_STATEMENT_FOR || s->kind == TILE_STATEMENT_STATIC_FOR;
        for (uint32_t i = 0; i < s->names && !loop; i++)
            if (s->name[i])
                add_name(e, names, s->name[i]);
        names_bound(e, s->body, names);
        names_bound(e, s->otherwise, names);
    }
}

// Finds the loop's carried names: those that the body binds and that already have a value outside.
// Also returns these values.
static bool carried_names(struct tile_elaborator *e, const struct tile_statement *body,
                          struct names *carried, struct tile_value ***values)
{
    struct names bound = { 0 };
    bool ok = true;

    names_bound(e, body, &bound);
    *carried = (struct names){ 0 };
    *values = tile_take(e->module, (bound.count + 1) * sizeof(**values));
    for (uint32_t i = 0; *values && i < bound.count; i++) {
        struct tile_binding *binding = tile_lookup(e, bound.name[i]);
        if (!binding || binding->fixed)
            continue; // either a new name, or a fixed one, for which the statement reports an error
        struct tile_operand operand;
        e->b.where = binding->where;
        if (!tile_meaning_operand(e, &binding->what, &operand)) {
            ok = false;
            continue;
        }
        if (!operand.loose && operand.value->type.tensor) {
            tile_error(e->module, TILE_T302, binding->where,
                       "%s: a tensor cannot be bound again in a loop", bound.name[i]);
            ok = false;
            continue;
        }
        struct tile_value *value = tile_build_value(&e->b, operand);
        if (!value) {
            ok = false;
            continue;
        }
        (*values)[carried->count] = value;
        add_name(e, carried, bound.name[i]);
    }
    return ok && *values;
}

// Converts a constant to the dtype that the name has on the other path, if the name has a typed
// value there.
static struct tile_value *value_like(struct tile_elaborator *e, const struct tile_meaning *m,
                                     const struct tile_type *like)
{
    struct tile_operand operand;

    if (!tile_meaning_operand(e, m, &operand))
        return NULL;
    if (!operand.loose && operand.value && operand.value->type.tensor) {
        tile_error(e->module, TILE_T302, e->b.where,
                   "if: a tensor cannot be bound again in an arm or a loop");
        return NULL;
    }
    if (operand.loose && like && !like->tensor && !(operand.real && like->dtype <= CUC_U64))
        return tile_build_constant(&e->b, like->dtype, operand);
    return tile_build_value(&e->b, operand);
}

bool tile_leave_loop(struct tile_elaborator *e, enum tile_op_kind kind, struct tile_open_loop *loop)
{
    struct tile_location where = e->b.where;
    struct tile_value **values = tile_take(e->module, (loop->count + 1) * sizeof(*values));
    struct tile_location *bound = tile_take(e->module, (loop->count + 1) * sizeof(*bound));
    uint32_t lead = loop->op->kind == TILE_FOR ? 3 : 0;

    for (uint32_t i = 0; values && bound && i < loop->count; i++) {
        struct tile_binding *binding = tile_lookup(e, loop->name[i]);
        if (!binding)
            continue;
        values[i] = value_like(e, &binding->what, &loop->op->operand[lead + i]->type);
        bound[i] = binding->where;
    }
    e->b.where = where;
    return values && bound && tile_build_leave(&e->b, kind, loop->op, values, loop->name, bound);
}

// Binds carried names to a loop's results, after the loop.
static void bind_results(struct tile_elaborator *e, const struct tile_op *op,
                         const struct names *names, struct tile_location where)
{
    for (uint32_t i = 0; i < names->count; i++) {
        struct tile_binding *binding = tile_lookup(e, names->name[i]);
        if (binding) {
            op->result[i]->name = names->name[i];
            binding->what = tile_meaning_of(op->result[i]);
            binding->where = where;
        }
    }
}

static void bind_arguments(struct tile_elaborator *e, const struct tile_op *op, uint32_t lead,
                           const struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        struct tile_value *argument = op->block[0]->argument[lead + i];
        argument->name = names->name[i];
        tile_lookup(e, names->name[i])->what = tile_meaning_of(argument);
    }
}

bool tile_enter_detached(struct tile_elaborator *e, struct tile_saved_state *before)
{
    struct tile_block *nowhere = tile_block_create(e->b.kernel, NULL, 0);
    struct tile_meaning *dropped = tile_take(e->module, TILE_MAX_VALUES * sizeof(*dropped));

    *before = (struct tile_saved_state){ e->b.block, e->function_block, e->result, e->results,
                                         e->returned };
    if (!nowhere || !dropped)
        return false;
    if (e->b.block == e->function_block)
        e->function_block = nowhere;
    e->b.block = nowhere;
    e->result = dropped;
    e->results = 0;
    return true;
}

void tile_leave_detached(struct tile_elaborator *e, const struct tile_saved_state *before)
{
    e->b.block = before->block;
    e->function_block = before->function_block;
    e->result = before->result;
    e->results = before->results;
    e->returned = before->returned;
}

// Binds names to an erroneous meaning. `new`: including names that were unbound before.
static void give_up(struct tile_elaborator *e, const struct names *names,
                    struct tile_location where, bool new)
{
    for (uint32_t i = 0; i < names->count; i++) {
        struct tile_binding *binding = tile_lookup(e, names->name[i]);
        if (binding ? !binding->fixed : new)
            tile_bind(e, names->name[i], (struct tile_meaning){ 0 }, where);
    }
}

// Checks the body of a loop whose head has an error.
static void elaborate_wrong_loop(struct tile_elaborator *e, const struct tile_statement *s)
{
    struct tile_open_loop loop = { .wrong = s->kind != TILE_STATEMENT_STATIC_FOR,
                                   .outer = e->loop };
    struct names bound = { 0 };
    struct tile_saved_state before;

    names_bound(e, s->body, &bound);
    give_up(e, &bound, s->where, false);
    if (tile_enter_detached(e, &before)) {
        uint32_t inner = e->count;
        e->loop = &loop;
        if (s->names)
            tile_push_binding(e, s->name[0], (struct tile_meaning){ 0 }, s->where, true);
        tile_elaborate_statements(e, s->body);
        e->loop = loop.outer;
        tile_unbind(e, inner);
    }
    tile_leave_detached(e, &before);
    give_up(e, &bound, s->where, false);
}

static void lose(struct tile_elaborator *e, const char *name, struct tile_location where,
                 bool in_loop)
{
    struct tile_lost *lost = tile_take(e->module, sizeof(*lost));

    if (!lost)
        return;
    *lost = (struct tile_lost){ name, where, in_loop, e->lost };
    e->lost = lost;
}

// Removes the bindings of a loop's body, and records their names as lost.
static void unbind_body(struct tile_elaborator *e, uint32_t inner)
{
    for (uint32_t i = inner; i < e->count; i++)
        if (!e->binding[i].fixed && e->binding[i].what.kind != TILE_NOTHING)
            lose(e, e->binding[i].name, e->binding[i].where, true);
    tile_unbind(e, inner);
}

void tile_elaborate_loop(struct tile_elaborator *e, const struct tile_statement *s)
{
    bool is_for = s->kind == TILE_STATEMENT_FOR;
    struct tile_block *outside = e->b.block;
    struct tile_operand bound[3] = { { 0 }, { 0 }, tile_of_int(1) };
    struct tile_value **values;
    struct names carried;
    struct tile_op *op = NULL;
    bool ok = true;

    for (uint32_t i = 0; is_for && i < s->values; i++)
        ok &= tile_elaborate_operand(e, s->value[i], &bound[i]);
    ok &= carried_names(e, s->body, &carried, &values);
    e->b.where = s->where;
    if (ok)
        op = is_for ? tile_build_for(&e->b, bound[0], bound[1], bound[2], carried.count, values)
                    : tile_build_loop(&e->b, carried.count, values);
    if (!op) {
        elaborate_wrong_loop(e, s);
        return;
    }
    uint32_t inner = e->count;
    struct tile_open_loop loop = { op, false, carried.name, carried.count, e->loop };
    e->loop = &loop;
    e->b.block = op->block[0];
    bind_arguments(e, op, is_for, &carried);
    if (is_for) {
        struct tile_value *variable = op->block[0]->argument[0];
        variable->name = s->name[0];
        tile_push_binding(e, s->name[0], tile_meaning_of(variable), s->where, true);
    } else if (!s->value[0] || s->value[0]->kind != TILE_AST_BOOL || !s->value[0]->i) {
        // A `while` is a loop whose body begins with a conditional break.
        struct tile_value *condition = tile_elaborate_value(e, s->value[0]);
        e->b.where = s->value[0] ? s->value[0]->where : s->where;
        e->b.op = "while";
        struct tile_op *leave = tile_build_if(&e->b, condition);
        e->b.op = NULL;
        if (leave) {
            e->b.block = leave->block[0];
            tile_build_yield(&e->b, NULL, 0);
            e->b.block = leave->block[1];
            tile_leave_loop(e, TILE_BREAK, &loop);
            e->b.block = op->block[0];
        }
    }
    bool left = tile_elaborate_statements(e, s->body);
    e->b.where = s->where;
    if (!left)
        tile_leave_loop(e, TILE_CONTINUE, &loop);
    e->loop = loop.outer;
    unbind_body(e, inner);
    e->b.block = outside;
    bind_results(e, op, &carried, s->where);
}

bool tile_elaborate_static_for(struct tile_elaborator *e, const struct tile_statement *s)
{
    static const char *const names[] = { "where the loop begins", "where the loop ends",
                                         "the step" };
    int64_t bound[3] = { 0, 0, 1 };
    struct tile_open_loop loop = { .outer = e->loop };
    bool ok = true, left = false;

    for (uint32_t i = 0; i < s->values; i++)
        ok &= tile_elaborate_int(e, s->value[i], names[i], &bound[i]);
    if (ok && bound[2] < 1) {
        tile_error(e->module, TILE_T403, s->where,
                   "static for: expected a step of 1 or more, got %lld", (long long)bound[2]);
        ok = false;
    }
    if (ok && bound[1] > bound[0] &&
        (uint64_t)bound[1] - (uint64_t)bound[0] > (uint64_t)bound[2] * TILE_MAX_STATIC_ITERATIONS) {
        tile_error(e->module, TILE_T406, s->where, "static for: more than %d iterations",
                   TILE_MAX_STATIC_ITERATIONS);
        ok = false;
    }
    if (!ok) {
        elaborate_wrong_loop(e, s);
        return false;
    }
    e->loop = &loop;
    for (int64_t i = bound[0]; i < bound[1]; i += bound[2]) {
        uint32_t inner = e->count;
        tile_push_binding(e, s->name[0], tile_meaning_of_int(i), s->where, true);
        left = tile_elaborate_statements(e, s->body);
        unbind_body(e, inner);
        // Errors in one iteration are enough.
        if (left || e->module->diagnostics->errors || bound[2] > bound[1] - i)
            break;
    }
    e->loop = loop.outer;
    return left;
}

// One arm of an `if`. Both arms start with the same bindings; `after` holds the meanings at the
// arm's end.
struct arm {
    struct tile_block *end; // block in which the arm ends
    struct tile_meaning *after;
    bool *bound; // per name: bound in this arm, possibly to an expression with an error
    struct tile_location *where;
    bool leaves;
};

static void elaborate_arm(struct tile_elaborator *e, const struct tile_statement *body,
                          struct tile_block *block, const struct names *names, struct arm *arm)
{
    uint32_t outer = e->count;
    struct tile_binding *before = tile_take(e->module, (names->count + 1) * sizeof(*before));

    arm->bound = tile_take(e->module, (names->count + 1) * sizeof(*arm->bound));
    arm->after = tile_take(e->module, (names->count + 1) * sizeof(*arm->after));
    arm->where = tile_take(e->module, (names->count + 1) * sizeof(*arm->where));
    if (!before || !arm->after || !arm->bound || !arm->where)
        return;
    for (uint32_t i = 0; i < names->count; i++) {
        struct tile_binding *binding = tile_lookup(e, names->name[i]);
        if (binding)
            before[i] = *binding;
    }
    e->b.block = block;
    arm->leaves = tile_elaborate_statements(e, body);
    arm->end = e->b.block;
    for (uint32_t i = 0; i < names->count; i++) {
        struct tile_binding *binding = tile_lookup(e, names->name[i]);
        arm->bound[i] = binding != NULL;
        if (binding) {
            arm->after[i] = binding->what;
            arm->where[i] = binding->where;
        }
    }
    tile_unbind(e, outer);
    for (uint32_t i = 0; i < names->count; i++) {
        struct tile_binding *binding = tile_lookup(e, names->name[i]);
        if (binding)
            *binding = before[i];
    }
}

static bool same_meaning(const struct tile_meaning *x, const struct tile_meaning *y)
{
    return x->kind == y->kind && x->operand.value == y->operand.value &&
           x->operand.loose == y->operand.loose && x->operand.i == y->operand.i &&
           memcmp(&x->operand.f, &y->operand.f, sizeof(x->operand.f)) == 0 && x->dtype == y->dtype;
}

// Returns a name's type at the end of an arm; NULL if the name is not a typed value there.
static const struct tile_type *typed(const struct tile_meaning *m)
{
    return m->kind == TILE_OPERAND && !m->operand.loose ? &m->operand.value->type : NULL;
}

// The names whose values differ between the arms, with each arm's value and location.
struct merge {
    struct names names;
    struct tile_value **yielded[2];
    struct tile_location *where[2];
};

static bool open_merge(struct tile_elaborator *e, uint32_t most, struct merge *m)
{
    for (uint32_t a = 0; a < 2; a++)
        m->yielded[a] = tile_take(e->module, (most + 1) * sizeof(**m->yielded));
    for (uint32_t a = 0; a < 2; a++)
        m->where[a] = tile_take(e->module, (most + 1) * sizeof(**m->where));
    return m->yielded[0] && m->yielded[1] && m->where[0] && m->where[1];
}

// Merges the two meanings of bound name `i`. A new name stays bound only if every path that
// continues binds it.
static void merge_name(struct tile_elaborator *e, const struct tile_statement *s,
                       const struct names *bound, uint32_t i, const struct arm arm[2],
                       struct merge *m)
{
    const struct tile_meaning *x = &arm[0].after[i], *y = &arm[1].after[i];
    struct tile_binding *old = tile_lookup(e, bound->name[i]);
    struct tile_block *outside = e->b.block;
    bool both = (arm[0].leaves || x->kind) && (arm[1].leaves || y->kind);

    if (old && old->fixed)
        return; // the binding statement has reported the error
    if (!both && (arm[0].leaves || arm[0].bound[i]) && (arm[1].leaves || arm[1].bound[i]))
        tile_bind(e, bound->name[i], (struct tile_meaning){ 0 }, s->where); // an arm has an error
    else if (!old && !both && arm[0].bound[i] != arm[1].bound[i])
        lose(e, bound->name[i], arm[!arm[0].bound[i]].where[i], false);
    // The only arm that continues leaves the name unchanged.
    if (arm[0].leaves != arm[1].leaves && old && same_meaning(arm[0].leaves ? y : x, &old->what))
        return;
    if (!both || (arm[0].leaves && arm[1].leaves) ||
        (!arm[0].leaves && !arm[1].leaves && same_meaning(x, y))) {
        if (both && !arm[0].leaves)
            tile_bind(e, bound->name[i], *x, s->where);
        return;
    }
    for (uint32_t a = 0; a < 2; a++) {
        if (arm[a].leaves)
            continue;
        e->b.block = arm[a].end;
        // Turn a constant into a value at the position where the name was bound.
        bool loose = arm[a].bound[i] && arm[a].after[i].operand.loose;
        e->b.where = loose ? arm[a].where[i] : s->where;
        m->where[a][m->names.count] = arm[a].bound[i] ? arm[a].where[i] : s->where;
        m->yielded[a][m->names.count] =
            value_like(e, &arm[a].after[i], arm[1 - a].leaves ? NULL : typed(&arm[1 - a].after[i]));
    }
    e->b.block = outside;
    add_name(e, &m->names, bound->name[i]);
}

bool tile_elaborate_if(struct tile_elaborator *e, const struct tile_statement *s)
{
    struct tile_meaning condition = tile_elaborate_expression(e, s->value[0]);
    struct tile_block *outside = e->b.block;
    struct names bound = { 0 };
    struct merge merge = { 0 };
    struct arm arm[2] = { 0 };

    if (condition.kind == TILE_TRUTH) // the other arm is ignored
        return tile_elaborate_statements(e, condition.operand.i ? s->body : s->otherwise);
    e->b.where = s->value[0] ? s->value[0]->where : s->where;
    struct tile_operand operand = { 0 };
    struct tile_value *value =
        tile_meaning_operand(e, &condition, &operand) ? tile_build_value(&e->b, operand) : NULL;
    struct tile_op *op = tile_build_if(&e->b, value);
    names_bound(e, s->body, &bound);
    names_bound(e, s->otherwise, &bound);
    if (!op) {
        struct tile_saved_state before;
        // The condition is known to be a value. A constant condition would have selected one arm,
        // and only that arm would be checked.
        if (operand.value) {
            if (tile_enter_detached(e, &before)) {
                struct tile_block *nowhere = e->b.block;
                e->function_block = NULL; // a return inside an arm has no function to return from
                elaborate_arm(e, s->body, nowhere, &bound, &arm[0]);
                elaborate_arm(e, s->otherwise, nowhere, &bound, &arm[1]);
            }
            tile_leave_detached(e, &before);
        }
        give_up(e, &bound, s->where, true);
        return false;
    }
    elaborate_arm(e, s->body, op->block[0], &bound, &arm[0]);
    elaborate_arm(e, s->otherwise, op->block[1], &bound, &arm[1]);
    e->b.block = outside;
    if (!arm[0].after || !arm[1].after || !arm[0].bound || !arm[1].bound || !arm[0].where ||
        !arm[1].where)
        return false;

    if (!open_merge(e, bound.count, &merge))
        return false;
    for (uint32_t i = 0; i < bound.count; i++)
        merge_name(e, s, &bound, i, arm, &merge);
    e->b.where = s->where;
    for (uint32_t a = 0; a < 2; a++)
        if (!arm[a].leaves) {
            e->b.block = arm[a].end;
            tile_build_yield(&e->b, merge.yielded[a], merge.names.count);
        }
    e->b.block = outside;
    if (arm[0].leaves && arm[1].leaves) {
        tile_build_return(&e->b); // unreachable, but every block needs a terminator
        for (uint32_t i = 0; i < bound.count; i++) {
            const struct tile_binding *old = tile_lookup(e, bound.name[i]);
            if (arm[0].bound[i] && arm[1].bound[i] && !(old && old->fixed))
                tile_bind(e, bound.name[i], arm[1].after[i], s->where);
        }
        return true;
    }
    bool ok = tile_finish_if(&e->b, op, merge.names.name, merge.where) &&
              op->result_count == merge.names.count;
    for (uint32_t i = 0; i < merge.names.count; i++)
        tile_bind(e, merge.names.name[i],
                  ok ? tile_meaning_of(op->result[i]) : (struct tile_meaning){ 0 }, s->where);
    return false;
}
