// Tile programs: src/tile compiles them to PTX, which nvJitLink or the driver assembles to a cubin.
#include "base/array.h"
#include "base/options.h"
#include "program.h"

#include "driver/toolkit.h"
#include "linker.h"
#include "code/object.h"
#include "tile/compile/compile.h"
#include "tile/ir/budget.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_BYTES = 512 };

// clang-format off
#define SWITCH(field)       CUC__SWITCH(cuc_program_options, field, NULL, NULL, 0, -1)
#define NUMBER(field)       CUC__NUMBER(cuc_program_options, field, NULL, 0, -1)
#define TEXT(field)         CUC__TEXT(cuc_program_options, field, NULL)
#define TEXTS(field, count) CUC__TEXTS(cuc_program_options, field, count, NULL)
static const cuc__option rows[] = { // options for tile programs only
    TEXTS(constants, constant_count),
    NUMBER(warps),
    SWITCH(remarks),
    SWITCH(require_tma),
    SWITCH(require_tensor_core),
    NUMBER(stages),
    NUMBER(cluster),
    NUMBER(split),
    NUMBER(raster),
    TEXTS(dimensions, dimension_count),
    TEXT(tuned),
    CUC__AMOUNT(cuc_program_options, budget_operations),
    CUC__AMOUNT(cuc_program_options, budget_ptx_bytes),
    CUC__AMOUNT(cuc_program_options, budget_memory_bytes),
    CUC__AMOUNT(cuc_program_options, budget_seconds),
    CUC__CALL(cuc_program_options, cancel),
    CUC__CALL(cuc_program_options, cancel_user),
};
// clang-format on

cuc_status cuc__program_refuse_tile_options(const cuc_program_options *o, const char *language,
                                            const char *function)
{
    for (size_t i = 0; i < CUC_LENGTH(rows); i++)
        if (cuc__option_is_set(&rows[i], o))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "%s is an option of tile programs, not of %s: leave it unset",
                             rows[i].field, language);
    return CUC_OK;
}

static cuc_status read_switches(struct cuc__program_tile *t, const cuc_program_options *o,
                                const char *function)
{
    const struct {
        const char *field;
        int32_t value;
    } switches[] = {
        { "fma", o->fma },
        { "lineinfo", o->lineinfo },
        { "remarks", o->remarks },
        { "require_tma", o->require_tma },
        { "require_tensor_core", o->require_tensor_core },
    };

    for (size_t i = 0; i < CUC_LENGTH(switches); i++) {
        cuc_status st = cuc__check_switch(switches[i].field, switches[i].value, function);
        if (st < 0)
            return st;
    }
    t->remarks = o->remarks == CUC_ON;
    t->target.contract = o->fma != CUC_OFF;
    t->target.lineinfo = o->lineinfo == CUC_ON;
    t->target.require_tma = o->require_tma == CUC_ON;
    t->target.require_tensor_core = o->require_tensor_core == CUC_ON;
    if (o->warps < 0 || o->warps > 32 || (o->warps & (o->warps - 1)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "warps is %d, expected a power of two from 1 to 32, or 0", o->warps);
    t->target.warps = (uint32_t)o->warps;
    if (o->stages < 0 || o->stages == 1 || o->stages > 24)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "stages is %d, expected 2 to 24, or 0", o->stages);
    if (o->cluster < 0 || o->cluster > 8 || (o->cluster & (o->cluster - 1)))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "cluster is %d, expected 1, 2, 4, 8 or 0", o->cluster);
    t->target.stages = (uint32_t)o->stages;
    t->target.cluster = (uint32_t)o->cluster;
    if (o->split < 0 || o->split > TILE_MOST_PARTS)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "split is %d, expected 1 to %d, or 0", o->split, TILE_MOST_PARTS);
    t->target.split = (uint32_t)o->split;
    if (o->raster < 0 || o->raster > 64)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "raster is %d, expected 1 to 64, or 0", o->raster);
    t->target.raster = (uint32_t)o->raster;
    if (!(o->budget_seconds >= 0))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "budget_seconds is %g, expected a number above 0, or 0 for any",
                         o->budget_seconds);
    t->limits = (struct tile_limits){ .operations = o->budget_operations,
                                      .ptx_bytes = o->budget_ptx_bytes,
                                      .memory_bytes = o->budget_memory_bytes,
                                      .seconds = o->budget_seconds,
                                      .cancel = o->cancel,
                                      .user = o->cancel_user };
    return CUC_OK;
}

static cuc_status copy_texts(cuc__flags *to, const char *const *texts, size_t count,
                             const char *field, const char *function)
{
    if (count && !texts)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is NULL, with a count of %zu",
                         field, count);
    for (size_t i = 0; i < count; i++) {
        if (!texts[i] || !*texts[i])
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s[%zu] is %s", field, i,
                             texts[i] ? "empty" : "NULL");
        cuc__flags_add(to, texts[i], "");
    }
    return to->no_memory
               ? cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a program")
               : CUC_OK;
}

static cuc_status check_dimensions(const cuc__flags *list, const char *function)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *equals = strchr(list->at[i], '=');
        char *end = NULL;
        errno = 0;
        if (equals && equals != list->at[i] && strtoll(equals + 1, &end, 0) >= 0 &&
            end != equals + 1 && !*end && errno != ERANGE)
            continue;
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "dimensions[%zu] is \"%s\", expected NAME=EXTENT", i, list->at[i]);
    }
    return CUC_OK;
}

// Reads the target. An architecture without a suffix gets only the features that all devices of
// that number have; a detected device gets all of its features.
static cuc_status read_arch(struct cuc__program_tile *t, const char *text, const char *function)
{
    struct tile_target machine;
    cuc__arch arch;
    char why[160];
    cuc_status st = cuc__arch_read(&arch, text, function);

    if (st < 0)
        return st;
    if (!tile_target_of(&machine, arch.number, arch.suffix == 'a', why, sizeof(why)))
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function, "arch is \"%s\": %s", arch.text, why);
    if (!text && tile_has(&machine, TILE_HAS_SPECIFIC)) {
        machine.specific = true;
        arch.suffix = 'a';
        snprintf(arch.text, sizeof(arch.text), "sm_%da", arch.number);
    }
    t->target.sm = machine.sm;
    t->target.specific = machine.specific;
    t->target.shared_limit = machine.shared_limit;
    t->target.shared_align = machine.shared_align;
    t->target.most_blocks = machine.most_blocks;
    t->target.features = machine.features;
    t->arch = arch;
    t->of_device = !text;
    return CUC_OK;
}

cuc_status cuc__program_read_arch(cuc_program *p, const char *function)
{
    return p->tile.arch.number ? CUC_OK : read_arch(&p->tile, NULL, function);
}

cuc_status cuc__program_init_tile(cuc_program *p, const cuc_program_options *o,
                                  const char *function)
{
    struct cuc__program_tile *t = &p->tile;
    cuc_linker_options *to = &t->assemble;
    cuc_status st;

    cuc_linker_options_init(to, sizeof(*to));
    if ((st = cuc__program_translate(to, o, p->source_kind, function)) < 0 ||
        (st = read_switches(t, o, function)) < 0 ||
        (st = copy_texts(&t->constants, o->constants, o->constant_count, "constants", function)) <
            0 ||
        (st = copy_texts(&t->dimensions, o->dimensions, o->dimension_count, "dimensions",
                         function)) < 0 ||
        (st = copy_texts(&t->ptxas_options, o->ptxas_options, o->ptxas_option_count,
                         "ptxas_options", function)) < 0 ||
        (st = copy_texts(&t->further, o->extra_options, o->extra_option_count, "extra_options",
                         function)) < 0)
        return st;
    if ((st = check_dimensions(&t->dimensions, function)) < 0)
        return st;
    if (o->tuned && !(t->tuned = strdup(o->tuned)))
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a program");
    for (size_t i = 0; i < t->constants.count; i++)
        if (!strchr(t->constants.at[i], '=') || *t->constants.at[i] == '=')
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "constants[%zu] is \"%s\", expected NAME=VALUE", i,
                             t->constants.at[i]);
    to->name = p->name;
    to->cache = cuc_cache_none(); // the program's own cache entry has the cubin
    to->ptxas_options = (const char *const *)t->ptxas_options.at;
    to->extra_options = (const char *const *)t->further.at;
    return o->arch ? read_arch(t, o->arch, function) : CUC_OK;
}

// Fails for a module with errors. The message has the first error; the log has all errors, with
// their source lines.
cuc_status cuc__program_fail_tile(cuc_program *p, struct tile_module *module, const char *function)
{
    const struct tile_diagnostics *d = module->diagnostics;
    const char *text, *symbol = "";
    int code = 0;
    char more[32] = "";

    tile_budget_report(module);
    text = tile_diagnostics_text(module, p->tile.remarks);
    if (d->out_of_memory)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory to compile %s",
                         p->name);
    cuc__program_add_log(p, text);
    for (const struct tile_diagnostic *one = d->first; one && !*symbol; one = one->next)
        if (one->severity == TILE_ERROR) {
            symbol = tile_code_name(one->code);
            code = tile_code_number(one->code);
        }
    text = tile_diagnostics_text(module, false);
    if (d->errors > 1)
        snprintf(more, sizeof(more), " (%u errors)", d->errors);
    return cuc__fail_library(CUC_ERROR_COMPILE, CUC_LIBRARY_TILE, code, symbol, function, "",
                             "The log has all errors, with the lines they are in.", p->log,
                             "%.*s%s", (int)strcspn(text, "\n"), text, more);
}

// Returns the i-th name in a kernel for which the program's dimensions may give a value: a
// dimension or an integer parameter. Returns "" for any other parameter, and NULL after the last
// one.
static const char *dimension_name(const struct tile_kernel *k, uint32_t i)
{
    if (i < k->dimension_count)
        return k->dimension[i].name;
    if ((i -= k->dimension_count) >= k->parameter_count)
        return NULL;
    const struct tile_type *type = &k->parameter[i].value->type;
    return type->tensor || !tile_is_integer(type->dtype) ? "" : k->parameter[i].name;
}

// Returns true if a kernel before `end` has the name; if `end` is NULL, considers all kernels of
// the module.
static bool has_dimension(const struct tile_module *module, const struct tile_kernel *end,
                          const char *name, size_t length)
{
    const char *known;

    for (const struct tile_kernel *k = module->first; k && k != end; k = k->next)
        for (uint32_t i = 0; (known = dimension_name(k, i)) != NULL; i++)
            if (strlen(known) == length && strncmp(known, name, length) == 0)
                return true;
    return false;
}

static cuc_status refuse_unknown_dimensions(const struct cuc__program_tile *t,
                                            const struct tile_module *module, const char *function)
{
    char names[NAMES_BYTES] = "";
    const char *name;
    size_t used = 0, i = 0;

    while (i < t->dimensions.count &&
           has_dimension(module, NULL, t->dimensions.at[i], strcspn(t->dimensions.at[i], "=")))
        i++;
    if (i == t->dimensions.count)
        return CUC_OK;
    for (const struct tile_kernel *k = module->first; k; k = k->next)
        for (uint32_t n = 0; (name = dimension_name(k, n)) != NULL; n++)
            if (*name && used < sizeof(names) && !has_dimension(module, k, name, strlen(name)))
                used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
                                         used ? ", " : "", name);
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "dimensions[%zu] is \"%s\", and no kernel of %s has that dimension or integer "
                     "argument: %s%s",
                     i, t->dimensions.at[i], module->file,
                     *names ? "expected one of " : "it has none", names);
}

// Parses the program with the constants chosen for it. Fails if the source has errors. `*target`
// receives the options that the user and the tuning records ask for. `*tries` asks for a choice
// that compiles (cuc__program_choose()), and receives false if there is nothing to choose.
static cuc_status parse(struct tile_module **out, struct tile_target *target, cuc_program *p,
                        struct tile_budget *budget, bool *tries, const char *function)
{
    struct cuc__program_choice choice = { .constants = { .count = 0 } };
    cuc_status st = cuc__program_choose(&choice, p, budget, *tries, function);
    struct tile_module *module = NULL;

    if (st >= 0)
        module = tile_parse_kernel(budget, p->name, p->text, p->bytes,
                                   (const char *const *)choice.constants.at,
                                   (uint32_t)choice.constants.count, NULL);
    if (module)
        cuc__program_report_choice(&choice, module);
    *target = choice.target;
    *tries = choice.kernels.count != 0;
    cuc__program_drop_choice(&choice);
    if (st < 0)
        return st;
    if (!module)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory to compile %s",
                         p->name);
    tile_expect_kernel(module);
    if (module->diagnostics->errors || module->diagnostics->out_of_memory)
        st = cuc__program_fail_tile(p, module, function);
    else
        st = refuse_unknown_dimensions(&p->tile, module, function);
    if (st < 0)
        tile_module_free(module);
    else
        *out = module;
    return st;
}

static cuc_status open_tile(struct tile_module **out, struct tile_target *target, cuc_program *p,
                            struct tile_budget *budget, const char *function)
{
    if (p->source_kind != CUC_SOURCE_TILE)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is not a tile program (CUC_SOURCE_TILE)", p->name);
    free(p->log);
    p->log = NULL;
    return parse(out, target, p, budget, &(bool){ true }, function);
}

cuc_status cuc__program_open_tile(struct tile_module **out, cuc_program *p,
                                  struct tile_budget *budget, const char *function)
{
    struct tile_target target;

    return open_tile(out, &target, p, budget, function);
}

cuc_status cuc__tile_kernel_named(const struct tile_kernel **out, const struct tile_module *module,
                                  const char *name, const char *function)
{
    char names[NAMES_BYTES] = "";
    size_t used = 0;

    for (const struct tile_kernel *k = module->first; k; k = k->next) {
        if (name ? strcmp(k->name, name) == 0 : module->first == module->last) {
            *out = k;
            return CUC_OK;
        }
        if (used < sizeof(names))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
                                     k->name);
    }
    return name ? cuc__fail(CUC_ERROR_NOT_FOUND, function,
                            "no kernel \"%.256s\" in %s, which has %s", name, module->file, names)
                : cuc__fail(CUC_ERROR_NOT_FOUND, function, "%s has several kernels: name one of %s",
                            module->file, names);
}

cuc_status cuc__program_lay_out_tile(struct tile_module **out, cuc_program *p,
                                     struct tile_budget *budget, const char *function)
{
    struct tile_target target;
    cuc_status st;

    if ((p->source_kind == CUC_SOURCE_TILE && (st = cuc__program_read_arch(p, function)) < 0) ||
        (st = open_tile(out, &target, p, budget, function)) < 0)
        return st;
    if (tile_lay_out(*out, &target))
        return CUC_OK;
    st = cuc__program_fail_tile(p, *out, function);
    tile_module_free(*out);
    return st;
}

static cuc_status assemble(cuc_object **out, cuc_program *p, const struct tile_compiled *compiled,
                           const char *function)
{
    struct cuc__program_tile *t = &p->tile;
    cuc_status st;

    if (!t->arch.real)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "target is CUC_CODE_CUBIN, but arch is \"%s\", which no machine runs: "
                         "create the program with \"sm_%s\", or compile to CUC_CODE_PTX",
                         t->arch.text, strchr(t->arch.text, '_') + 1);
    t->assemble.arch = t->arch.text;
    if (!p->linker && (st = cuc_linker_create(&p->linker, &t->assemble)) < 0)
        return cuc__pass_failure(st, function);
    p->linker->for_program = true;
    cuc__linker_drop_inputs(p->linker);
    st = cuc_linker_add_data(p->linker, CUC_CODE_PTX, compiled->ptx, compiled->ptx_bytes, p->name);
    return st < 0 ? cuc__pass_failure(st, function) : cuc__program_assemble(out, p, function);
}

// Compiles the program with the model's choice or, if the compiler refuses that, with the best
// choice that it accepts.
static cuc_status compile(struct tile_module **out, struct tile_target *machine,
                          struct tile_compiled *compiled, cuc_program *p,
                          struct tile_budget *budget, const char *function)
{
    struct tile_module *module;
    cuc_status st;

    for (bool tries = false, chosen;; tries = true) {
        chosen = tries;
        tile_budget_open(budget, &p->tile.limits);
        if ((st = parse(&module, machine, p, budget, &chosen, function)) < 0)
            return st;
        if (p->tile.remarks)
            cuc__program_note_grids(p, machine, module);
        if (tile_compile(module, machine, compiled)) {
            *out = module;
            return CUC_OK;
        }
        if (tries || !chosen || module->diagnostics->out_of_memory || budget->ended == TILE_T804 ||
            budget->ended == TILE_T805)
            break;
        tile_module_free(module);
    }
    st = cuc__program_fail_tile(p, module, function);
    tile_module_free(module);
    return st;
}

cuc_status cuc__program_run_tile(cuc_object **out, cuc_program *p, int32_t target,
                                 const char *function)
{
    struct cuc__program_tile *t = &p->tile;
    struct tile_compiled compiled = { .ptx = NULL };
    struct tile_module *module = NULL;
    struct tile_budget budget;
    struct tile_target machine;
    cuc_status st;

    if (target == CUC_CODE_LTOIR)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "target is CUC_CODE_LTOIR, but %s is a tile program, which compiles to "
                         "CUC_CODE_PTX and CUC_CODE_CUBIN",
                         p->name);
    if ((st = cuc__program_read_arch(p, function)) < 0)
        return st;
    if ((st = compile(&module, &machine, &compiled, p, &budget, function)) < 0)
        return st;
    if (t->remarks)
        cuc__program_remark_grids(p, &machine, module);
    cuc__program_add_log(p, tile_diagnostics_text(module, t->remarks));
    st = target == CUC_CODE_PTX
             ? cuc__object_create(out, CUC_CODE_PTX, compiled.ptx, compiled.ptx_bytes, NULL, 0,
                                  p->name, NULL, 0, p->log, function)
             : assemble(out, p, &compiled, function);
    tile_module_free(module);
    return st;
}

void cuc__program_release_tile(struct cuc__program_tile *t)
{
    cuc__flags_free(&t->constants);
    cuc__flags_free(&t->dimensions);
    free(t->tuned);
    for (size_t i = 0; i < CUC_LENGTH(t->record); i++)
        free(t->record[i]);
    cuc__flags_free(&t->ptxas_options);
    cuc__flags_free(&t->further);
    free(t->ir);
    free(t->machine);
}
