// Chooses the candidates of auto() in tile programs for the dimensions with which the program was
// created: from tuning records if there are any, otherwise by the cost model.
#include <cucore/tile.h>

#include "base/array.h"
#include "device/device.h"
#include "base/options.h"
#include "program.h"
#include "tile/ir/budget.h"
#include "tile/compile/choose.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tuned.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 512 };

static void add_constant(void *user, const char *setting)
{
    struct cuc__program_choice *c = user;

    cuc__flags_add(&c->constants, setting, "");
}

static void add_text(void *user, const char *kernel, const char *text)
{
    struct cuc__program_choice *c = user;

    cuc__flags_add(&c->kernels, kernel, "");
    cuc__flags_add(&c->texts, text, "");
}

// Sets a target option that the program's options leave at the default.
static void set_option(void *user, const char *name, int32_t value)
{
    struct cuc__program_choice *c = user;
    const struct {
        const char *name;
        uint32_t *field;
        int32_t least, most;
        bool powers; // accepts only powers of two
    } fields[] = {
        { "stages", &c->target.stages, 2, 24, false },
        { "cluster", &c->target.cluster, 1, 8, true },
        { "split", &c->target.split, 1, 8, false },
        { "raster", &c->target.raster, 1, 64, false },
        { "warps", &c->target.warps, 1, 32, true },
    };
    bool power = value > 0 && !(value & (value - 1));

    for (size_t i = 0; i < CUC_LENGTH(fields); i++)
        if (strcmp(fields[i].name, name) == 0 && !*fields[i].field && value >= fields[i].least &&
            value <= fields[i].most && (power || !fields[i].powers))
            *fields[i].field = (uint32_t)value;
}

// ---- Records

static cuc_device *device_of(const struct cuc__program_tile *t)
{
    cuc_device *device = NULL;

    return t->of_device && cuc_device_get_current(&device) >= 0 ? device : NULL;
}

static bool recall(void *user, const char *kernel, const char *constants, const char *dimensions,
                   char *choice, size_t capacity)
{
    struct cuc__program_choice *c = user;
    const cuc_program *p = c->program;
    char program[17], toolkit[16], found[CUC__TUNED_CHOICE];
    cuc_tuned_record key = { .struct_size = sizeof(key),
                             .program = program,
                             .kernel = kernel,
                             .constants = constants,
                             .dimensions = dimensions };
    cuc_device *device = device_of(&p->tile);
    int got;

    if (!device || cuc_tuned_program(program, p->text, p->bytes) < 0)
        return false;
    cuc__tuned_device(&key, toolkit, device);
    got = cuc__tuned_find(found, p->tile.tuned, &key, c->function);
    if (got < 0)
        c->status = got;
    if (got <= 0 || strlen(found) >= capacity)
        return false;
    strcpy(choice, found);
    return true;
}

static void add_field(void *user, const char *text)
{
    cuc__key_add_text(user, text);
}

void cuc__program_add_records(cuc__key_maker *key, const cuc_program *p, const char *function)
{
    char program[17], toolkit[16];
    cuc_tuned_record record = { .struct_size = sizeof(record), .program = program };
    cuc_device *device = device_of(&p->tile);

    if (!device || cuc_tuned_program(program, p->text, p->bytes) < 0) {
        cuc__key_refuse(key, "the current device is not known");
        return;
    }
    cuc__tuned_device(&record, toolkit, device);
    cuc__key_add_text(key, record.gpu);
    cuc__key_add_number(key, (uint64_t)device->limits.multiprocessors);
    if (cuc__tuned_visit(p->tile.tuned, &record, add_field, key, function) < 0)
        cuc__key_refuse(key, "the records of the device cannot be read");
}

// ---- The whole choice

static struct tile_choosing choosing_of(const cuc_program *p, const struct tile_target *target,
                                        struct tile_budget *budget)
{
    const struct cuc__program_tile *t = &p->tile;
    cuc_device *device = device_of(t);

    return (struct tile_choosing){
        .file = p->name,
        .text = p->text,
        .bytes = p->bytes,
        .setting = (const char *const *)t->constants.at,
        .settings = (uint32_t)t->constants.count,
        .dimension = (const char *const *)t->dimensions.at,
        .dimensions = (uint32_t)t->dimensions.count,
        .target = target,
        .budget = budget,
        .multiprocessors = device ? device->limits.multiprocessors : 0,
    };
}

cuc_status cuc__program_choose(struct cuc__program_choice *out, const cuc_program *p,
                               struct tile_budget *budget, bool tries, const char *function)
{
    const struct cuc__program_tile *t = &p->tile;

    out->program = p;
    out->function = function;
    out->target = t->target;
    for (size_t i = 0; i < t->constants.count; i++)
        cuc__flags_add(&out->constants, t->constants.at[i], "");
    bool good = !out->constants.no_memory;
    if (good && t->dimensions.count && t->arch.number) {
        struct tile_choosing how = choosing_of(p, &t->target, budget);
        how.tries = tries;
        how.recall = recall;
        how.choose = add_constant;
        how.option = set_option;
        how.report = add_text;
        how.user = out;
        // Compilation reports an exceeded budget.
        good = tile_choose(&how) || tile_budget_ended(budget);
    }
    if (out->status < 0)
        return out->status;
    return good && !out->constants.no_memory && !out->kernels.no_memory && !out->texts.no_memory
               ? CUC_OK
               : cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory to compile %s",
                           p->name);
}

void cuc__program_report_choice(const struct cuc__program_choice *c, struct tile_module *module)
{
    for (const struct tile_kernel *k = module->first; k; k = k->next)
        for (size_t i = 0; i < c->kernels.count && i < c->texts.count; i++)
            if (k->name && strcmp(c->kernels.at[i], k->name) == 0) {
                tile_remark(module, k->where, "kernel: %s: %s", k->name, c->texts.at[i]);
                tile_show_with_errors(module);
            }
}

void cuc__program_note_grids(const cuc_program *p, const struct tile_target *target,
                             struct tile_module *module)
{
    struct tile_choosing how = choosing_of(p, target, NULL);

    for (struct tile_kernel *k = module->first; k && how.dimensions; k = k->next)
        tile_note_grid(k, &how);
}

void cuc__program_remark_grids(const cuc_program *p, const struct tile_target *target,
                               struct tile_module *module)
{
    struct tile_choosing how = choosing_of(p, target, NULL);

    for (const struct tile_kernel *k = module->first; k && how.dimensions; k = k->next)
        tile_remark_grid(k, &how);
}

void cuc__program_drop_choice(struct cuc__program_choice *c)
{
    cuc__flags_free(&c->constants);
    cuc__flags_free(&c->kernels);
    cuc__flags_free(&c->texts);
}

// ---- For tuners

// Returns a kernel of the program, in a module that the caller frees.
static cuc_status open_kernel(struct tile_module **out, const struct tile_kernel **kernel,
                              cuc_program *p, struct tile_budget *budget, const char *name,
                              const char *function)
{
    struct tile_module *module = NULL;
    cuc_status st = cuc__program_open_tile(&module, p, budget, function);

    if (st >= 0)
        st = cuc__program_read_arch(p, function);
    if (st >= 0)
        st = cuc__tile_kernel_named(kernel, module, name, function);
    if (st < 0) {
        tile_module_free(module);
        return st;
    }
    *out = module;
    return CUC_OK;
}

cuc_status cuc_tile_visit_candidates(cuc_program *program, const char *kernel,
                                     cuc_tuned_visit visit, void *user)
{
    struct tile_budget budget;
    struct tile_module *module;
    const struct tile_kernel *k;
    cuc_status st;

    CUC_CHECK(program, PROGRAM);
    CUC_CHECK_NOT_NULL(visit);
    tile_budget_open(&budget, &program->tile.limits);
    if ((st = open_kernel(&module, &k, program, &budget, kernel, __func__)) < 0)
        return st;
    struct tile_choosing how = choosing_of(program, &program->tile.target, &budget);
    if (!tile_visit_candidates(&how, k, visit, user)) {
        module->diagnostics->out_of_memory = true;
        st = cuc__program_fail_tile(program, module, __func__);
    }
    tile_module_free(module);
    return st;
}

cuc_status cuc_tile_get_record(cuc_tuned_record *out, cuc_program *program, const char *kernel)
{
    char constants[TEXT_BYTES], dimensions[TEXT_BYTES], sum[17];
    struct tile_budget budget;
    struct tile_module *module;
    const struct tile_kernel *k;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(program, PROGRAM);
    tile_budget_open(&budget, &program->tile.limits);
    if ((st = open_kernel(&module, &k, program, &budget, kernel, __func__)) < 0)
        return st;
    struct cuc__program_tile *t = &program->tile;
    struct tile_choosing how = choosing_of(program, &t->target, NULL);
    const char *texts[] = { sum, constants, dimensions };
    bool fits = tile_record_key(&how, k, constants, dimensions, TEXT_BYTES);
    tile_module_free(module);
    if (!fits)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "constants and dimensions take more than %d bytes", TEXT_BYTES);
    (void)cuc_tuned_program(sum, program->text, program->bytes);
    for (size_t i = 0; i < CUC_LENGTH(texts); i++) {
        free(t->record[i]);
        if (!(t->record[i] = strdup(texts[i])))
            return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a record");
    }
    const cuc_tuned_record record = { .struct_size = sizeof(record),
                                      .program = t->record[0],
                                      .constants = t->record[1],
                                      .dimensions = t->record[2] };
    return CUC_WRITE_STRUCT(out, &record, cuc_tuned_record);
}
