// Prints the IR as source that parses to the same IR: names, statements and kernels.
//
// Every value has its own name, with one exception: a carried value's initial value, block argument
// and result share a name. A statement rebinds the name once the value for the next iteration is
// known. The same holds for the results of an `if`.
#include "print.h"

#include "diagnostic.h"

#include "base/arena.h"

#include <string.h>

// Reserves a name. Returns true if no other value has it.
static bool take_name(struct tile_printer *p, const char *name)
{
    uint32_t hash = 0;

    for (const char *c = name; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    for (;; hash++) {
        const char **slot = &p->used[hash & (p->used_capacity - 1)];
        if (!*slot) {
            *slot = name;
            return true;
        }
        if (strcmp(*slot, name) == 0)
            return false;
    }
}

const char *tile_printed_name(struct tile_printer *p, const struct tile_value *value)
{
    const char **slot = &p->name[value->id];
    const char *name = value->name;

    if (*slot)
        return *slot;
    while (!name || !take_name(p, name)) {
        name = cuc__arena_print(p->kernel->module->arena, "%s%s%u", value->name ? value->name : "v",
                                value->name ? "_" : "", p->numbered++);
        if (!name) {
            p->kernel->module->diagnostics->out_of_memory = true;
            return "?";
        }
    }
    return *slot = name;
}

// Prints "name, name = value, value". Omits values that already have the right name.
static void put_rebinding(struct tile_printer *p, struct tile_value *const *to,
                          struct tile_value *const *from, uint32_t count, uint32_t depth)
{
    uint32_t changed = 0;

    for (int side = 0; side < 2; side++) {
        uint32_t shown = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (strcmp(tile_printed_name(p, to[i]), tile_printed_name(p, from[i])) == 0)
                continue;
            if (!side && !changed++)
                tile_put_indent(p->text, depth);
            tile_put(p->text, "%s%s", shown++ ? ", " : "",
                     tile_printed_name(p, side ? from[i] : to[i]));
        }
        if (!changed)
            return;
        tile_put_string(p->text, side ? "\n" : " = ");
    }
}

static void put_terminator(struct tile_printer *p, const struct tile_op *op, uint32_t depth)
{
    const struct tile_op *target = op->kind == TILE_RETURN ? NULL : tile_ended_by(op);
    bool last = op->parent->parent == target; // the end of the loop's body, where the loop
                                              // continues anyway

    if (op->kind == TILE_YIELD && target->kind != TILE_IF) { // a function's yield
        tile_put_indent(p->text, depth);
        tile_put_string(p->text, "return ");
        tile_put_operands(p, op, 0, op->operand_count);
        tile_put_string(p->text, "\n");
        return;
    }
    if (target)
        put_rebinding(p, target->result, op->operand, op->operand_count, depth);
    if (op->kind == TILE_YIELD || (op->kind == TILE_CONTINUE && last) ||
        (op->kind == TILE_RETURN && !op->parent->parent))
        return;
    tile_put_indent(p->text, depth);
    tile_put(p->text, "%s\n", tile_op_infos[op->kind].name);
}

// True if some path to the next iteration or to the loop's end rebinds the carried value.
static bool is_changed(const struct tile_block *block, const struct tile_op *loop, uint32_t i)
{
    const struct tile_value *own = loop->block[0]->argument[i + (loop->kind == TILE_FOR)];

    for (const struct tile_op *op = block->first; op; op = op->next) {
        if ((op->kind == TILE_CONTINUE || op->kind == TILE_BREAK) && tile_ended_by(op) == loop &&
            op->operand[i] != own)
            return true;
        for (uint32_t n = 0; n < op->block_count; n++)
            if (is_changed(op->block[n], loop, i))
                return true;
    }
    return false;
}

static void put_loop(struct tile_printer *p, const struct tile_op *op, uint32_t depth)
{
    bool is_for = op->kind == TILE_FOR;
    uint32_t lead = is_for ? 3 : 0;
    const struct tile_block *body = op->block[0];

    put_rebinding(p, op->result, op->operand + lead, op->result_count, depth);
    for (uint32_t i = 0; i < op->result_count; i++)
        p->name[body->argument[i + is_for]->id] = tile_printed_name(p, op->result[i]);
    tile_put_indent(p->text, depth);
    if (is_for) {
        const struct tile_op *step = op->operand[2]->op;
        tile_put(p->text, "for %s in %s .. %s", tile_printed_name(p, body->argument[0]),
                 tile_printed_name(p, op->operand[0]), tile_printed_name(p, op->operand[1]));
        if (step && tile_int(step, TILE_ATTR_VALUE, 1) != 1)
            tile_put(p->text, " step %lld", (long long)tile_int(step, TILE_ATTR_VALUE, 1));
        tile_put_string(p->text, " {\n");
    } else {
        tile_put_string(p->text, "while true {\n");
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!is_changed(body, op, i)) { // rebind it to itself, or the parser would not carry it
            tile_put_indent(p->text, depth + 1);
            tile_put(p->text, "%s = %s\n", tile_printed_name(p, op->result[i]),
                     tile_printed_name(p, op->result[i]));
        }
    tile_put_block(p, body, depth + 1);
    tile_put_indent(p->text, depth);
    tile_put_string(p->text, "}\n");
}

// True for a constant that is used only as a loop's step. The loop's head prints it.
static bool is_step_only(const struct tile_op *op)
{
    if (op->kind != TILE_CONSTANT || tile_attribute(op, TILE_ATTR_REAL))
        return false;
    for (const struct tile_use *use = op->result[0]->use; use; use = use->next)
        if (use->user->kind != TILE_FOR || use != &use->user->use[2])
            return false;
    return op->result[0]->uses > 0;
}

static void put_op(struct tile_printer *p, const struct tile_op *op, uint32_t depth)
{
    if (tile_op_infos[op->kind].traits & TILE_TERMINATES) {
        put_terminator(p, op, depth);
        return;
    }
    if (op->kind == TILE_DIMENSION) { // its name is in the header
        p->name[op->result[0]->id] = p->kernel->dimension[tile_int(op, TILE_ATTR_INDEX, 0)].name;
        return;
    }
    if (op->kind == TILE_FOR || op->kind == TILE_LOOP) {
        put_loop(p, op, depth);
        return;
    }
    if (is_step_only(op))
        return;
    tile_put_indent(p->text, depth);
    if (op->kind == TILE_IF) {
        tile_put(p->text, "if %s {\n", tile_printed_name(p, op->operand[0]));
        tile_put_block(p, op->block[0], depth + 1);
        tile_put_indent(p->text, depth);
        const struct tile_op *otherwise = op->block[1]->first;
        if (otherwise->kind != TILE_YIELD || otherwise->operand_count) {
            tile_put_string(p->text, "} else {\n");
            tile_put_block(p, op->block[1], depth + 1);
            tile_put_indent(p->text, depth);
        }
        tile_put_string(p->text, "}\n");
        return;
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        tile_put(p->text, "%s%s", i ? ", " : "", tile_printed_name(p, op->result[i]));
    if (op->result_count)
        tile_put_string(p->text, " = ");
    tile_put_value(p, op);
    tile_put_string(p->text, "\n");
}

void tile_put_block(struct tile_printer *p, const struct tile_block *block, uint32_t depth)
{
    for (const struct tile_op *op = block->first; op; op = op->next)
        put_op(p, op, depth);
}

static void put_kernel(struct tile_printer *p)
{
    const struct tile_kernel *k = p->kernel;

    for (uint32_t i = 0; i < k->parameter_count; i++)
        p->name[k->parameter[i].value->id] = k->parameter[i].name;
    tile_put_header(p->text, k);
    tile_put_block(p, &k->body, 1);
    tile_put_string(p->text, "}\n");
}

const char *tile_print(struct tile_module *module)
{
    struct tile_text kernels = { .module = module }, functions = { .module = module };
    struct tile_printer p = { .text = &kernels, .functions = &functions };

    for (const struct tile_kernel *kernel = module->first; kernel; kernel = kernel->next) {
        p.kernel = kernel;
        p.name = tile_take(module, (kernel->value_count + 1) * sizeof(*p.name));
        for (p.used_capacity = 64;
             p.used_capacity < 2 * kernel->value_count + 2 * kernel->dimension_count;)
            p.used_capacity *= 2;
        p.used = tile_take(module, p.used_capacity * sizeof(*p.used));
        p.numbered = 0;
        if (!p.name || !p.used)
            break;
        for (uint32_t i = 0; i < kernel->dimension_count; i++)
            take_name(&p, kernel->dimension[i].name);
        for (uint32_t i = 0; i < kernel->parameter_count; i++)
            take_name(&p, kernel->parameter[i].name);
        put_kernel(&p);
    }
    const char *text = cuc__arena_print(module->arena, "tile 1\n%s%s",
                                        functions.at ? functions.at : "",
                                        kernels.at ? kernels.at : "");
    module->diagnostics->out_of_memory |= !text;
    return text ? text : "";
}
