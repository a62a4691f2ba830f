// Elaborates kernels: constants and settings, then dimensions, parameters, facts and the grid, and
// finally the body.
#include "elaborate.h"

#include "tile/ir/budget.h"
#include "tile/pass/pass.h"
#include "tile/ir/host.h"
#include "base/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Constants

// Parses a setting's value: an integer, a float, true, false or a dtype.
static bool parse_setting(const char *text, struct tile_meaning *out)
{
    char *end;

    *out = (struct tile_meaning){ .kind = TILE_DTYPE, .dtype = cuc_dtype_from_name(text) };
    if (out->dtype != CUC_DTYPE_UNKNOWN && out->dtype <= CUC_E5M2)
        return true;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *out = tile_meaning_of_truth(*text == 't');
        return true;
    }
    errno = 0;
    long long i = strtoll(text, &end, 0);
    if (*text && !*end && !errno) {
        *out = tile_meaning_of_int(i);
        return true;
    }
    errno = 0;
    unsigned long long large = strtoull(text, &end, 0); // strtoull() also accepts a sign
    if (*text && *text != '-' && !*end && !errno) {
        *out = tile_meaning_of_int((tile_wide)large);
        return true;
    }
    double f = strtod(text, &end);
    *out = tile_meaning_of_real(f);
    return *text && !*end;
}

static const char *kind_of(const struct tile_meaning *m)
{
    return m->kind == TILE_DTYPE   ? "a dtype"
           : m->kind == TILE_TRUTH ? "true or false"
           : m->operand.real       ? "a float"
                                   : "an integer";
}

// Returns the setting without the kernel's name; NULL if it does not apply to this kernel.
// "NAME=VALUE" applies to every kernel, "KERNEL.NAME=VALUE" to one.
static const char *of_kernel(const struct tile_elaborator *e, const char *setting)
{
    const char *name = e->kernel->name ? e->kernel->name : "";
    size_t length = strlen(name);

    return strncmp(setting, name, length) == 0 && setting[length] == '.' ? setting + length + 1
                                                                         : setting;
}

// Replaces the source's value of a constant with the host's setting.
static void apply_setting(struct tile_elaborator *e, const struct tile_constant_ast *c,
                          struct tile_meaning *value)
{
    size_t length = c->name ? strlen(c->name) : 0;

    for (uint32_t i = 0; length && i < e->settings; i++) {
        const char *setting = of_kernel(e, e->setting[i]);
        struct tile_meaning given;
        if (strncmp(setting, c->name, length) != 0 || setting[length] != '=')
            continue;
        e->setting_used[i] = true;
        bool ok = parse_setting(setting + length + 1, &given);
        if (ok && value->kind == TILE_OPERAND && value->operand.real &&
            given.kind == TILE_OPERAND && !given.operand.real)
            given = tile_meaning_of_real((double)given.operand.i);
        if (!ok || given.kind != value->kind ||
            (given.kind == TILE_OPERAND && given.operand.real != value->operand.real)) {
            tile_error(e->module, TILE_T506, c->where, "setting: %s: expected %s", setting,
                       kind_of(value));
            continue;
        }
        *value = given;
    }
}

static struct tile_candidate candidate_of(const struct tile_meaning *value)
{
    return (struct tile_candidate){
        .i = value->kind == TILE_DTYPE ? value->dtype : value->operand.i,
        .f = value->operand.f,
    };
}

// Checks that all candidates have the same kind as the first one. An integer among floats becomes a
// float.
static void need_alike(struct tile_elaborator *e, const struct tile_constant_ast *c, uint32_t n,
                       const struct tile_meaning *first, struct tile_meaning *candidate)
{
    bool real = first->kind == TILE_OPERAND && first->operand.real;

    if (first->kind == TILE_NOTHING || candidate->kind == TILE_NOTHING)
        return;
    if (real && candidate->kind == TILE_OPERAND && !candidate->operand.real)
        *candidate = tile_meaning_of_real((double)candidate->operand.i);
    if (candidate->kind != first->kind ||
        (first->kind == TILE_OPERAND && candidate->operand.real != real))
        tile_error(e->module, TILE_T505, c->value[n]->where,
                   "const: %s: expected %s, as the first candidate is, got %s", c->name,
                   kind_of(first), kind_of(candidate));
}

static void elaborate_constants(struct tile_elaborator *e)
{
    const struct tile_kernel_ast *ast = e->kernel;
    struct tile_kernel *kernel = e->b.kernel;

    struct tile_names names = { 0 };

    kernel->constant = tile_take(e->module, ast->constants * sizeof(*kernel->constant));
    for (uint32_t i = 0; kernel->constant && i < ast->constants; i++) {
        const struct tile_constant_ast *c = &ast->constant[i];
        struct tile_candidate *list = tile_take(e->module, c->values * sizeof(*list));
        struct tile_meaning *meaning = tile_take(e->module, c->values * sizeof(*meaning));
        struct tile_meaning value = { 0 };
        // Go backwards, so that `value` ends up as the first candidate of auto().
        for (uint32_t n = c->values; list && meaning && n-- > 0;) {
            struct tile_meaning candidate = tile_elaborate_expression(e, c->value[n]);
            if (candidate.kind == TILE_STRING ||
                (candidate.kind == TILE_OPERAND && !candidate.operand.loose)) {
                tile_error(e->module, TILE_T505, c->where, "const: %s: expected a constant",
                           c->name);
                candidate = (struct tile_meaning){ 0 };
            }
            meaning[n] = value = candidate;
        }
        for (uint32_t n = 0; list && meaning && n < c->values; n++) {
            need_alike(e, c, n, &value, &meaning[n]);
            list[n] = candidate_of(&meaning[n]);
        }
        if (value.kind != TILE_NOTHING)
            apply_setting(e, c, &value);
        if (c->name && !tile_names_take(&names, e->module, c->name))
            tile_error(e->module, TILE_T502, c->where, "const: %s is bound already", c->name);
        tile_bind(e, c->name, value, c->where);
        kernel->constant[kernel->constant_count++] = (struct tile_constant){
            .name = c->name,
            .dtype = value.kind == TILE_DTYPE   ? CUC_DTYPE_UNKNOWN
                     : value.kind == TILE_TRUTH ? CUC_BOOL
                     : value.operand.real       ? CUC_F64
                                                : CUC_I64,
            .i = candidate_of(&value).i,
            .f = value.operand.f,
            .chosen = c->is_auto,
            .candidate = list,
            .candidates = c->is_auto ? c->values : 0,
        };
    }
}

// Parameters

static cuc_dtype dtype_of(struct tile_elaborator *e, const struct tile_ast *ast)
{
    cuc_dtype dtype = ast && ast->text ? cuc_dtype_from_name(ast->text) : CUC_DTYPE_UNKNOWN;
    const struct tile_binding *binding;

    if (dtype != CUC_DTYPE_UNKNOWN && dtype <= CUC_E5M2)
        return dtype;
    binding = ast ? tile_lookup(e, ast->text) : NULL;
    if (binding && binding->what.kind == TILE_DTYPE)
        return binding->what.dtype;
    if (ast && ast->text && !(binding && binding->what.kind == TILE_NOTHING))
        tile_error(e->module, TILE_T501, ast->where,
                   "parameter: expected a dtype or a constant that is one, got %s", ast->text);
    return CUC_DTYPE_UNKNOWN;
}

// Returns the index of a named dimension, and adds the dimension if the name is new. `binding` is
// the name's binding, or NULL. All dimensions before `first` have a binding.
static uint32_t dimension_named(struct tile_elaborator *e, const char *name,
                                const struct tile_binding *binding, uint32_t first,
                                uint32_t parameter, uint32_t axis)
{
    struct tile_kernel *kernel = e->b.kernel;

    if (binding)
        return (uint32_t)tile_int(binding->what.operand.value->op, TILE_ATTR_INDEX, 0);
    for (uint32_t i = first; i < kernel->dimension_count; i++)
        if (strcmp(kernel->dimension[i].name, name) == 0)
            return i;
    kernel->dimension[kernel->dimension_count] =
        (struct tile_dimension){ .name = name, .parameter = parameter, .axis = axis };
    return kernel->dimension_count++;
}

static bool is_dimension(const struct tile_binding *binding)
{
    const struct tile_value *value = binding ? binding->what.operand.value : NULL;

    return value && value->op && value->op->kind == TILE_DIMENSION;
}

// Creates an op per dimension at the start of the body. Dead-code elimination removes unused ones.
static void bind_dimensions(struct tile_elaborator *e, uint32_t first)
{
    struct tile_kernel *kernel = e->b.kernel;

    for (uint32_t i = first; i < kernel->dimension_count; i++) {
        struct tile_attribute attribute = { .key = TILE_ATTR_INDEX, .i = i };
        e->b.where = kernel->parameter[kernel->dimension[i].parameter].where;
        struct tile_value *value = tile_build(&e->b, TILE_DIMENSION, NULL, 0, &attribute, 1, NULL);
        tile_bind(e, kernel->dimension[i].name, tile_meaning_of(value), e->b.where);
    }
}

struct tile_value *tile_elaborate_parameter(struct tile_elaborator *e, uint32_t i)
{
    const struct tile_parameter_ast *p = &e->kernel->parameter[i];
    struct tile_kernel *kernel = e->b.kernel;
    struct tile_parameter *parameter = &kernel->parameter[i];
    cuc_dtype dtype = dtype_of(e, p->dtype);
    uint32_t rank = p->extents, dimensions = kernel->dimension_count;

    if (rank > TILE_MAX_RANK) {
        tile_error(e->module, TILE_T207, p->where, "%s: a tensor has at most %d axes, got %u",
                   p->name, TILE_MAX_RANK, rank);
        rank = TILE_MAX_RANK;
    }
    struct tile_type type = p->tensor ? tile_tensor(dtype, rank) : tile_scalar(dtype);
    parameter->name = p->name;
    parameter->where = p->where;
    parameter->value = tile_value_create(kernel, &type);
    if (!parameter->value)
        return NULL;
    parameter->value->index = i;
    parameter->value->name = p->name;
    kernel->parameter_count = i + 1;
    bool twice = p->name && tile_lookup(e, p->name);
    if (twice)
        tile_error(e->module, TILE_T502, p->where, "parameter: %s is bound already", p->name);
    tile_bind(e, p->name,
              twice || dtype == CUC_DTYPE_UNKNOWN ? (struct tile_meaning){ 0 }
                                                  : tile_meaning_of(parameter->value),
              p->where);
    for (uint32_t axis = 0; axis < rank; axis++) {
        const struct tile_ast *extent = p->extent[axis];
        if (!extent || extent->kind != TILE_AST_NAME)
            continue;
        const struct tile_binding *binding = tile_lookup(e, extent->text);
        if (!binding || is_dimension(binding)) {
            parameter->extent[axis].kind = TILE_EXTENT_NAMED;
            parameter->extent[axis].dimension =
                dimension_named(e, extent->text, binding, dimensions, i, axis);
        }
    }
    bind_dimensions(e, dimensions);
    return dtype == CUC_DTYPE_UNKNOWN ? NULL : parameter->value;
}

static void elaborate_parameters(struct tile_elaborator *e)
{
    const struct tile_kernel_ast *ast = e->kernel;
    struct tile_kernel *kernel = e->b.kernel;

    kernel->parameter = tile_take(e->module, ast->parameters * sizeof(*kernel->parameter));
    kernel->dimension =
        tile_take(e->module, ast->parameters * TILE_MAX_RANK * sizeof(*kernel->dimension));
    for (uint32_t i = 0; kernel->parameter && kernel->dimension && i < ast->parameters; i++)
        tile_elaborate_parameter(e, i);
}

// Elaborates extents other than plain dimension names. They may use every parameter.
static void elaborate_extents(struct tile_elaborator *e)
{
    struct tile_kernel *kernel = e->b.kernel;

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct tile_parameter_ast *p = &e->kernel->parameter[i];
        for (uint32_t axis = 0; axis < p->extents && axis < TILE_MAX_RANK; axis++) {
            const struct tile_ast *ast = p->extent[axis];
            struct tile_extent *extent = &kernel->parameter[i].extent[axis];
            if (ast && ast->kind == TILE_AST_NAME && is_dimension(tile_lookup(e, ast->text)))
                continue;
            const struct tile_host_expression *host =
                tile_elaborate_host(e, ast, TILE_HOST_INTEGER);
            if (!host)
                continue;
            if (host->kind != TILE_HOST_CONSTANT) {
                extent->kind = TILE_EXTENT_CHECKED;
                extent->check = host;
                continue;
            }
            extent->kind = TILE_EXTENT_STATIC;
            extent->value = host->value;
            if (host->value < 0)
                tile_error(e->module, TILE_T206, ast->where,
                           "%s: axis %u: expected an extent of 0 or more, got %lld", p->name, axis,
                           (long long)host->value);
        }
    }
}

// Returns the values of the kernel's auto() constants, as in ": BM=64, BN=128, of auto()", or "".
static const char *candidates_text(struct tile_elaborator *e)
{
    const struct tile_kernel *kernel = e->b.kernel;
    const char *text = NULL;
    char value[64];

    for (uint32_t i = 0; i < kernel->constant_count; i++) {
        const struct tile_constant *c = &kernel->constant[i];
        if (!c->chosen || c->dtype != CUC_I64)
            continue;
        tile_wide_text(value, c->i);
        text = cuc__arena_print(e->module->arena, "%s%s%s=%s", text ? text : "", text ? ", " : ": ",
                                c->name, value);
    }
    text = text ? cuc__arena_print(e->module->arena, "%s of auto()", text) : "";
    return text ? text : "";
}

void tile_elaborate_launch(struct tile_elaborator *e)
{
    const struct tile_kernel_ast *ast = e->kernel;
    struct tile_kernel *kernel = e->b.kernel;

    elaborate_extents(e);
    kernel->fact = tile_take(e->module, ast->facts * sizeof(*kernel->fact));
    for (uint32_t i = 0; kernel->fact && i < ast->facts; i++) {
        const struct tile_host_expression *holds =
            tile_elaborate_host(e, ast->fact[i], TILE_HOST_CONDITION);
        const char *text = holds ? tile_ast_text(e, ast->fact[i]) : NULL;
        if (holds && holds->kind == TILE_HOST_CONSTANT && !holds->value)
            tile_error(e->module, TILE_T704, ast->fact[i]->where, "where: %s does not hold%s", text,
                       candidates_text(e));
        else if (holds && holds->kind != TILE_HOST_CONSTANT)
            kernel->fact[kernel->fact_count++] =
                (struct tile_fact){ holds, text, ast->fact[i]->where };
    }
    if (ast->grids > 3)
        tile_error(e->module, TILE_T702, ast->grid[3]->where,
                   "grid: expected 1 to 3 expressions, got %u", ast->grids);
    for (uint32_t i = 0; i < ast->grids && i < 3; i++) {
        const struct tile_host_expression *x =
            tile_elaborate_host(e, ast->grid[i], TILE_HOST_INTEGER);
        kernel->grid[kernel->grid_rank++] = x;
        if (x && x->kind == TILE_HOST_CONSTANT && (x->value < 0 || x->value > tile_grid_limit(i)))
            tile_error(e->module, TILE_T703, ast->grid[i]->where,
                       "grid: axis %u: expected 0 to %lld, got %lld", i,
                       (long long)tile_grid_limit(i), (long long)x->value);
    }
}

bool tile_elaborate_kernel(struct tile_elaborator *e, const struct tile_kernel_ast *ast)
{
    struct tile_kernel *kernel = tile_kernel_create(e->module, ast->name);

    if (!kernel)
        return false;
    if (ast->name && !tile_names_take(&e->kernels, e->module, ast->name))
        tile_error(e->module, TILE_T502, ast->where, "kernel: there are two of the name %s",
                   ast->name);
    kernel->where = ast->where;
    e->kernel = ast;
    tile_unbind(e, 0);
    e->frame = 0;
    e->loop = NULL;
    e->lost = NULL;
    e->b = (struct tile_builder){ e->module, kernel, &kernel->body, ast->where, NULL };
    return true;
}

static void elaborate_kernel(struct tile_elaborator *e, const struct tile_kernel_ast *ast)
{
    if (!tile_elaborate_kernel(e, ast))
        return;
    elaborate_constants(e);
    elaborate_parameters(e);
    tile_elaborate_launch(e);
    for (uint32_t i = 0; i < e->count; i++) { // only scalar arguments may be rebound
        const struct tile_value *value = e->binding[i].what.operand.value;
        e->binding[i].fixed = !value || value->op || value->type.tensor;
    }
    bool left = tile_elaborate_statements(e, ast->body);
    e->b.block = &e->b.kernel->body;
    if (!left)
        tile_build_return(&e->b);
    if (e->module->diagnostics->errors || e->module->diagnostics->out_of_memory)
        return;
    tile_list_uses(e->b.kernel);
    tile_drop_yields(e->b.kernel);
}

static void check_functions(struct tile_elaborator *e)
{
    struct tile_names parameters = { 0 }; // `value` is the last parameter with that name

    for (struct tile_function_ast *fn = e->file->function; fn; fn = fn->next) {
        bool dtype = fn->name && cuc_dtype_from_name(fn->name) != CUC_DTYPE_UNKNOWN;
        if (fn->name && (dtype || tile_is_builtin(fn->name)))
            tile_error(e->module, TILE_T502, fn->where, "fn: %s is a %s of the language", fn->name,
                       dtype ? "dtype" : "call");
        for (uint32_t i = 0; i < fn->parameters; i++) {
            uint32_t known = fn->parameter[i]
                                 ? tile_names_add(&parameters, e->module, fn->parameter[i])
                                 : UINT32_MAX;
            if (known == UINT32_MAX)
                continue;
            if (parameters.name[known].value == fn)
                tile_error(e->module, TILE_T502, fn->where,
                           "%s: two of its parameters have the name %s", fn->name,
                           fn->parameter[i]);
            parameters.name[known].value = fn;
        }
        if (fn->name && tile_find_function(e, fn->name) != fn)
            tile_error(e->module, TILE_T502, fn->where, "fn: there are two of the name %s",
                       fn->name);
    }
}

// Lists the names of the kernel's constants without repetition, as in "BM, BN". NULL if there are
// none.
static const char *constants_text(struct tile_elaborator *e)
{
    const char *text = NULL;

    for (const struct tile_kernel *k = e->module->first; k; k = k->next)
        for (uint32_t i = 0; i < k->constant_count; i++) {
            bool seen = !k->constant[i].name;
            for (const struct tile_kernel *other = e->module->first; other && !seen;
                 other = other == k ? NULL : other->next)
                for (uint32_t j = 0; j < (other == k ? i : other->constant_count) && !seen; j++)
                    seen = other->constant[j].name &&
                           strcmp(other->constant[j].name, k->constant[i].name) == 0;
            if (!seen)
                text = cuc__arena_print(e->module->arena, "%s%s%s", text ? text : "",
                                        text ? ", " : "", k->constant[i].name);
        }
    return text;
}

// Reports settings that apply to nothing, and settings that set a constant twice.
static void check_settings(struct tile_elaborator *e)
{
    struct tile_location where = { .file = e->module->file };

    for (uint32_t i = 0; i < e->settings; i++) {
        const char *setting = e->setting[i], *best = NULL;
        size_t length = strcspn(setting, "=");
        bool twice = false;
        for (uint32_t j = 0; j < i; j++)
            twice |= strncmp(setting, e->setting[j], length) == 0 && e->setting[j][length] == '=';
        if (twice)
            tile_error(e->module, TILE_T506, where, "setting: %s: that constant is set already",
                       setting);
        if (e->setting_used[i] || twice)
            continue;
        const char *dot = memchr(setting, '.', length);
        const char *name = cuc__arena_copy(e->module->arena, dot ? dot + 1 : setting,
                                           length - (dot ? (size_t)(dot + 1 - setting) : 0));
        for (const struct tile_kernel *k = e->module->first; name && k; k = k->next)
            for (uint32_t c = 0; c < k->constant_count; c++)
                best = tile_nearer(name, best, k->constant[c].name);
        const char *all = constants_text(e);
        if (setting[length] != '=')
            tile_error(e->module, TILE_T506, where, "setting: %s: expected NAME=VALUE", setting);
        else if (best)
            tile_error(e->module, TILE_T506, where,
                       "setting: %s: no kernel has that constant: did you mean %s?", setting, best);
        else
            tile_error(e->module, TILE_T506, where,
                       "setting: %s: no kernel has that constant: expected %s%s", setting,
                       all ? "one of " : "none", all ? all : "");
    }
}

struct tile_module *tile_parse_kernel(struct tile_budget *budget, const char *file,
                                      const char *text, size_t bytes, const char *const *setting,
                                      uint32_t settings, const char *only)
{
    struct tile_module *module = tile_module_create_within(budget, file, text, bytes);
    struct tile_elaborator e = { .module = module, .setting = setting, .settings = settings };

    if (!module)
        return NULL;
    e.setting_used = tile_take(module, settings);
    e.file = e.setting_used ? tile_parse_text(module) : NULL;
    if (!e.file)
        return module;
    check_functions(&e);
    const struct tile_kernel_ast *ast = module->diagnostics->out_of_memory ? NULL : e.file->kernel;
    for (; ast; ast = ast->next)
        if (!only || (ast->name && strcmp(ast->name, only) == 0))
            elaborate_kernel(&e, ast);
    if (!only && !module->diagnostics->out_of_memory) {
        tile_check_uncalled(&e);
        check_settings(&e);
    }
    if (module->diagnostics->out_of_memory && !tile_budget_ended(budget))
        tile_error(module, TILE_T009, (struct tile_location){ .file = module->file },
                   "memory: there is no host memory for the program");
    return module;
}

struct tile_module *tile_parse(const char *file, const char *text, size_t bytes,
                               const char *const *setting, uint32_t settings)
{
    return tile_parse_kernel(NULL, file, text, bytes, setting, settings, NULL);
}
