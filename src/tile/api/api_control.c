// Variables, loops and ifs of the C builder. See struct tile_frame.
//
// While a loop's body is being built, it is not yet known which variables the body sets, so every
// variable gets an argument of the loop's block. When the loop ends, each variable that was set
// becomes a carried value, in the order of first assignment, as in the front end. The other
// arguments are replaced by the variables' values before the loop.
#include "api.h"

#include "tile/ir/diagnostic.h"

#include <string.h>

static void keep_variables(const cuc_tile_program *p, struct tile_value **to)
{
    for (uint32_t i = 0; i < p->variables; i++)
        to[i] = p->variable[i].now;
}

static void restore_variables(cuc_tile_program *p, uint32_t count, struct tile_value *const *from)
{
    p->variables = count;
    for (uint32_t i = 0; i < count; i++)
        p->variable[i].now = from[i];
}

// Marks the following code as unreachable, and directs its ops into a block that is discarded.
static void die(cuc_tile_program *p)
{
    p->frame->dead = true;
    p->e.b.block = tile_block_create(p->e.b.kernel, NULL, 0);
}

struct tile_frame *tile_open_frame(cuc_tile_program *p, enum tile_frame_kind kind,
                                   struct tile_op *op)
{
    struct tile_frame *frame = tile_take(p->module, sizeof(*frame));
    uint32_t open = 0;

    for (const struct tile_frame *f = p->frame; f; f = f->outer)
        open++;
    if (open == TILE_MOST_OPEN)
        tile_error(p->module, TILE_T006, p->e.b.where, "%s: nested deeper than %d", p->op,
                   TILE_MOST_OPEN);
    if (!frame)
        return NULL;
    *frame = (struct tile_frame){
        .kind = kind,
        .outer = p->frame,
        .where = p->e.b.where,
        .op = op,
        .outside = p->e.b.block,
        .scope = ++p->scopes,
        .dead = p->frame && p->frame->dead,
        .variables = p->variables,
    };
    keep_variables(p, frame->before);
    p->frame = frame;
    return frame;
}

void tile_drop_frame(cuc_tile_program *p)
{
    p->e.b.block = p->frame->outside;
    p->variables = p->frame->variables;
    p->frame = p->frame->outer;
}

void tile_close_to(cuc_tile_program *p, const struct tile_frame *frame)
{
    static const char *const words[] = {
        [TILE_IN_FOR] = "for",   [TILE_IN_LOOP] = "loop",       [TILE_IN_IF] = "if",
        [TILE_IN_ELSE] = "else", [TILE_IN_FUNCTION] = "reduce", [TILE_IN_KERNEL] = "kernel",
    };

    while (p->frame && p->frame != frame) {
        tile_error(p->module, TILE_T408, p->frame->where,
                   "%s: it is not ended: a cuc_tile_end() "
                   "is missing",
                   words[p->frame->kind]);
        restore_variables(p, p->frame->variables, p->frame->before);
        tile_drop_frame(p);
    }
}

// Variables

cuc_tile_variable cuc_tile_declare(cuc_tile_program *program, const char *file, uint32_t line,
                                   const char *name, cuc_tile value)
{
    cuc_tile_program *p = program;
    const char *copy = NULL;

    if (!TILE_BEGIN("variable") || (name && !(copy = tile_use_name(p, name))))
        return 0;
    struct tile_value *now = tile_use_value(p, "value", value);
    if (now && now->type.tensor)
        tile_error(p->module, TILE_T302, p->e.b.where,
                   "variable: operand value: expected a tile, got a tensor: load from it first");
    if (!now || now->type.tensor)
        return 0;
    if (p->variables == TILE_MOST_VARIABLES) {
        tile_error(p->module, TILE_T511, p->e.b.where,
                   "variable: at most %d can be there at once: those of a block end with it",
                   TILE_MOST_VARIABLES);
        return 0;
    }
    if (copy && !now->name)
        now->name = copy;
    p->variable[p->variables] = (struct tile_held){ now, copy, p->e.b.where };
    return tile_handle_of_variable(p, p->variables++);
}

cuc_tile cuc_tile_get(cuc_tile_program *program, const char *file, uint32_t line,
                      cuc_tile_variable variable)
{
    const struct tile_held *held = TILE_BEGIN("variable") ? tile_use_variable(program, variable)
                                                          : NULL;

    return held ? tile_handle_of(program, held->now) : 0;
}

void cuc_tile_set(cuc_tile_program *program, const char *file, uint32_t line,
                  cuc_tile_variable variable, cuc_tile value)
{
    cuc_tile_program *p = program;
    struct tile_held *held = TILE_BEGIN("variable") ? tile_use_variable(p, variable) : NULL;
    struct tile_operand x;

    if (!held || !tile_use(p, "value", value, &x))
        return;
    const struct tile_type *type = &held->now->type;
    bool takes = x.loose && !(x.real && type->dtype <= CUC_U64);
    struct tile_value *now = takes ? tile_build_constant(&p->e.b, type->dtype, x)
                                   : tile_build_value(&p->e.b, x);
    if (!tile_need_carried(&p->e.b, held->name, now, NULL, type, held->where))
        return;
    if (held->name && !now->name)
        now->name = held->name;
    held->now = now;
    uint32_t number = (uint32_t)(held - p->variable);
    for (struct tile_frame *f = p->frame; f && number < f->variables && !p->frame->dead;
         f = f->outer) {
        uint32_t i = 0;
        while (i < f->set_count && f->set[i] != number)
            i++;
        if (i == f->set_count)
            f->set[f->set_count++] = number;
    }
}

// Loops

static void open_loop(cuc_tile_program *p, enum tile_frame_kind kind, struct tile_op *op)
{
    struct tile_frame *frame = tile_open_frame(p, kind, op);

    if (!frame)
        return;
    frame->alive = op && !frame->dead;
    if (!frame->alive) {
        die(p);
        return;
    }
    p->e.b.block = op->block[0];
    for (uint32_t i = 0; i < p->variables; i++) {
        struct tile_value *argument = tile_value_create(p->e.b.kernel, &p->variable[i].now->type);
        if (!argument)
            return;
        argument->block = op->block[0];
        argument->name = p->variable[i].name;
        frame->argument[i] = p->variable[i].now = argument;
    }
}

cuc_tile cuc_tile_for(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile first,
                      cuc_tile last, int64_t step)
{
    cuc_tile_program *p = program;
    struct tile_operand from, to;

    if (!TILE_BEGIN("for"))
        return 0;
    bool ok = tile_use(p, "first", first, &from);
    ok &= tile_use(p, "last", last, &to);
    struct tile_op *op = ok ? tile_build_for(&p->e.b, from, to, tile_of_int(step), 0, NULL) : NULL;
    open_loop(p, TILE_IN_FOR, op);
    return op ? tile_handle_of(p, op->block[0]->argument[0]) : 0;
}

void cuc_tile_loop(cuc_tile_program *program, const char *file, uint32_t line)
{
    if (TILE_BEGIN("loop"))
        open_loop(program, TILE_IN_LOOP, tile_build_loop(&program->e.b, 0, NULL));
}

// Adds a continue or break of a loop at the end of the current block.
static void depart(cuc_tile_program *p, struct tile_frame *loop, enum tile_op_kind kind)
{
    struct tile_departure *departure = tile_take(p->module, sizeof(*departure));

    if (!departure || !tile_build_leave(&p->e.b, kind, loop->op, NULL, NULL, NULL))
        return;
    departure->op = p->e.b.block->last;
    departure->next = loop->departure;
    keep_variables(p, departure->now); // variables declared in the loop come last and are ignored
    loop->departure = departure;
}

// Schedules an argument for replacement at the kernel's end. Replacing it now would miss uses: a
// continue or break of an outer loop may record the argument as a variable's value, and gets it as
// an operand only when that loop ends.
static void replace_at_end(cuc_tile_program *p, struct tile_value *from, struct tile_value *to)
{
    struct tile_unset *unset = tile_take(p->module, sizeof(*unset));

    if (!unset)
        return;
    *unset = (struct tile_unset){ .argument = from, .before = to };
    if (p->last_unset)
        p->last_unset->next = unset;
    else
        p->unset = unset;
    p->last_unset = unset;
}

static void end_loop(cuc_tile_program *p)
{
    struct tile_frame *f = p->frame;
    struct tile_value *before[TILE_MOST_VARIABLES], *argument[TILE_MOST_VARIABLES];
    struct tile_value *now[TILE_MOST_VARIABLES];
    struct tile_builder *b = &p->e.b;

    if (f->alive && !f->dead)
        depart(p, f, TILE_CONTINUE);
    restore_variables(p, f->variables, f->before);
    tile_drop_frame(p);
    if (!f->alive || p->module->diagnostics->out_of_memory)
        return;
    for (uint32_t i = 0; i < f->set_count; i++) {
        before[i] = f->before[f->set[i]];
        argument[i] = f->argument[f->set[i]];
        f->argument[f->set[i]] = NULL;
    }
    for (uint32_t i = 0; i < f->variables; i++)
        if (f->argument[i])
            replace_at_end(p, f->argument[i], f->before[i]);
    bool ok = tile_carry(b, f->op, f->set_count, before, argument);
    for (const struct tile_departure *d = f->departure; ok && d; d = d->next) {
        for (uint32_t i = 0; i < f->set_count; i++)
            now[i] = d->now[f->set[i]];
        ok = tile_feed(b, d->op, f->set_count, now);
    }
    for (uint32_t i = 0; ok && i < f->set_count; i++)
        p->variable[f->set[i]].now = f->op->result[i];
}

static struct tile_frame *innermost_loop(cuc_tile_program *p)
{
    struct tile_frame *f = p->frame;

    while (f && f->kind != TILE_IN_FOR && f->kind != TILE_IN_LOOP)
        f = f->kind == TILE_IN_FUNCTION ? NULL : f->outer;
    if (!f)
        tile_error(p->module, TILE_T402, p->e.b.where, "%s: it stands in no loop", p->op);
    return f;
}

static void leave_loop(cuc_tile_program *p, enum tile_op_kind kind)
{
    struct tile_frame *loop = innermost_loop(p);

    if (!loop || p->frame->dead)
        return;
    depart(p, loop, kind);
    die(p);
}

void cuc_tile_break(cuc_tile_program *program, const char *file, uint32_t line)
{
    if (TILE_BEGIN("break"))
        leave_loop(program, TILE_BREAK);
}

void cuc_tile_continue(cuc_tile_program *program, const char *file, uint32_t line)
{
    if (TILE_BEGIN("continue"))
        leave_loop(program, TILE_CONTINUE);
}

void cuc_tile_return(cuc_tile_program *program, const char *file, uint32_t line)
{
    if (!TILE_BEGIN("return") || program->frame->dead)
        return;
    tile_build_return(&program->e.b);
    die(program);
}

void cuc_tile_while(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile condition)
{
    cuc_tile_program *p = program;
    struct tile_builder *b = &p->e.b;
    struct tile_meaning what;
    struct tile_operand x;

    if (!TILE_BEGIN("while"))
        return;
    struct tile_frame *loop = innermost_loop(p);
    if (loop && loop != p->frame) {
        tile_error(p->module, TILE_T402, b->where,
                   "while: it stands in an if: expected it in the loop's own block");
        return;
    }
    if (!loop || !tile_use_meaning(p, "condition", condition, &what) ||
        (what.kind == TILE_TRUTH && what.operand.i))
        return;
    if (!tile_meaning_operand(&p->e, &what, &x))
        return;
    struct tile_op *leave = tile_build_if(b, tile_build_value(b, x));
    if (!leave || loop->dead)
        return;
    struct tile_block *body = b->block;
    b->block = leave->block[0];
    tile_build_yield(b, NULL, 0);
    b->block = leave->block[1];
    depart(p, loop, TILE_BREAK);
    b->block = body;
}

// Ifs

static void begin_arm(cuc_tile_program *p, uint32_t n)
{
    struct tile_frame *f = p->frame;

    f->kind = n ? TILE_IN_ELSE : TILE_IN_IF;
    f->scope = ++p->scopes;
    f->dead = !f->arm[n].taken;
    if (f->dead)
        die(p);
    else
        p->e.b.block = f->op ? f->op->block[n] : f->outside;
}

static void end_arm(cuc_tile_program *p)
{
    struct tile_frame *f = p->frame;
    uint32_t n = f->kind == TILE_IN_ELSE;

    p->variables = f->variables;
    f->arm[n].leaves = f->dead;
    f->arm[n].end = p->e.b.block;
    keep_variables(p, f->arm[n].after);
    restore_variables(p, f->variables, f->before);
}

void cuc_tile_if(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile condition)
{
    cuc_tile_program *p = program;
    struct tile_meaning what;
    struct tile_operand x;
    struct tile_op *op = NULL;

    if (!TILE_BEGIN("if"))
        return;
    if (tile_use_meaning(p, "c", condition, &what) && what.kind != TILE_TRUTH &&
        tile_meaning_operand(&p->e, &what, &x))
        op = tile_build_if(&p->e.b, tile_build_value(&p->e.b, x));
    struct tile_frame *f = tile_open_frame(p, TILE_IN_IF, p->frame->dead ? NULL : op);
    if (!f)
        return;
    for (uint32_t n = 0; n < 2 && !f->dead; n++)
        f->arm[n].taken = op || (what.kind == TILE_TRUTH && what.operand.i == (n == 0));
    begin_arm(p, 0);
}

void cuc_tile_else(cuc_tile_program *program, const char *file, uint32_t line)
{
    if (!TILE_BEGIN("else"))
        return;
    if (program->frame->kind != TILE_IN_IF) {
        tile_error(program->module, TILE_T408, program->e.b.where,
                   "else: expected an if that is open, and has no else yet");
        return;
    }
    end_arm(program);
    begin_arm(program, 1);
}

// Creates results for the variables whose values differ between the arms, in the order of first
// assignment. An arm that control leaves yields nothing.
static void merge(cuc_tile_program *p, struct tile_frame *f)
{
    struct tile_value *yield[2][TILE_MOST_VARIABLES];
    const char *name[TILE_MOST_VARIABLES];
    uint32_t merged[TILE_MOST_VARIABLES], count = 0;
    struct tile_builder *b = &p->e.b;
    bool leaves[2] = { f->arm[0].leaves, f->arm[1].leaves };

    for (uint32_t n = 0; n < f->set_count; n++) {
        uint32_t i = f->set[n];
        struct tile_value *x = f->arm[0].after[i], *y = f->arm[1].after[i];
        if (leaves[0] != leaves[1] ? (leaves[0] ? y : x) == f->before[i] : x == y) {
            p->variable[i].now = leaves[0] ? y : x;
            continue;
        }
        yield[0][count] = x;
        yield[1][count] = y;
        name[count] = p->variable[i].name;
        merged[count++] = i;
    }
    b->where = f->where;
    for (uint32_t a = 0; a < 2; a++)
        if (!leaves[a]) {
            b->block = f->arm[a].end;
            tile_build_yield(b, yield[a], count);
        }
    b->block = f->outside;
    if (tile_finish_if(b, f->op, name, NULL) && f->op->result_count == count)
        for (uint32_t i = 0; i < count; i++)
            p->variable[merged[i]].now = f->op->result[i];
}

static void end_if(cuc_tile_program *p)
{
    struct tile_frame *f = p->frame;
    struct tile_location where = p->e.b.where;

    end_arm(p);
    if (f->kind == TILE_IN_IF) { // an empty else
        begin_arm(p, 1);
        end_arm(p);
    }
    tile_drop_frame(p);
    if (p->module->diagnostics->out_of_memory)
        return;
    if (f->op) {
        if (!f->arm[0].leaves || !f->arm[1].leaves) {
            merge(p, f);
        } else {
            tile_build_return(&p->e.b); // unreachable, but a block needs a terminator
            die(p);
        }
    } else if (f->arm[0].taken || f->arm[1].taken) {
        uint32_t n = f->arm[1].taken;
        restore_variables(p, f->variables, f->arm[n].after);
        if (f->arm[n].leaves)
            die(p);
    }
    p->e.b.where = where;
}

void cuc_tile_end(cuc_tile_program *program, const char *file, uint32_t line)
{
    if (!TILE_BEGIN("end"))
        return;
    switch (program->frame->kind) {
    case TILE_IN_FOR:
    case TILE_IN_LOOP:
        end_loop(program);
        break;
    case TILE_IN_IF:
    case TILE_IN_ELSE:
        end_if(program);
        break;
    case TILE_IN_KERNEL:
    case TILE_IN_FUNCTION:
        tile_error(
            program->module, TILE_T408, program->e.b.where, "end: no loop and no if is open here%s",
            program->frame->kind == TILE_IN_KERNEL ? ": a kernel is ended by cuc_tile_kernel_end()"
                                                   : "");
        break;
    }
}
