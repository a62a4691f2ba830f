// Searches the candidates of auto(). See choose.h.
#include "choose.h"

#include "base/arena.h"
#include "tile/ir/budget.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIED = 512, MOST_CHOSEN = 16, TEXT_BYTES = 512 };

// The constants of a kernel that the host has not set, with the current candidate of each.
struct search {
    const struct tile_choosing *how;
    const struct tile_kernel *kernel; // from the module that was parsed first
    const struct tile_constant *constant[MOST_CHOSEN];
    uint32_t count, at[MOST_CHOSEN], best[MOST_CHOSEN];
    uint32_t tried;
    double predicted[MOST_TRIED]; // times of the combinations in order of trial; 0: excluded
    double seconds;               // predicted time of the best combination; 0: none can be launched
    bool no_memory;
    void (*visit)(void *user, const char *choice, double seconds); // NULL: no observer
    void *user;
    char why[TEXT_BYTES - 64];
};

// Returns the value that the host set for a constant; NULL if it set none.
static const char *value_set(const struct tile_choosing *how, const char *kernel, const char *name)
{
    const char *value = NULL;

    for (uint32_t i = 0; i < how->settings; i++) {
        const char *setting = how->setting[i];
        size_t own = strlen(kernel), length = strlen(name);
        if (strncmp(setting, kernel, own) == 0 && setting[own] == '.')
            setting += own + 1;
        if (strncmp(setting, name, length) == 0 && setting[length] == '=')
            value = setting + length + 1;
    }
    return value;
}

static const char *value_text(char text[64], const struct tile_constant *c, uint32_t candidate)
{
    const struct tile_candidate *x = &c->candidate[candidate];

    if (c->dtype == CUC_F64)
        snprintf(text, 64, "%.17g", x->f);
    else if (c->dtype == CUC_BOOL)
        snprintf(text, 64, "%s", x->i ? "true" : "false");
    else if (c->dtype == CUC_DTYPE_UNKNOWN)
        snprintf(text, 64, "%s", cuc_dtype_name((cuc_dtype)x->i));
    else
        tile_wide_text(text, x->i);
    return text;
}

// Lists all settings in the module's arena: the host's settings and the current candidates.
static const char *const *settings_of(const struct search *s, const uint32_t *at, uint32_t *count)
{
    struct tile_module *module = s->kernel->module;
    const char **list = tile_take(module, (s->how->settings + s->count) * sizeof(*list));
    char value[64];

    *count = 0;
    for (uint32_t i = 0; list && i < s->how->settings; i++)
        list[(*count)++] = s->how->setting[i];
    for (uint32_t i = 0; list && i < s->count; i++) {
        const char *setting = cuc__arena_print(module->arena, "%s.%s=%s", s->kernel->name,
                                               s->constant[i]->name,
                                               value_text(value, s->constant[i], at[i]));
        if (!setting)
            return NULL;
        list[(*count)++] = setting;
    }
    return list;
}

// Writes the current choice, such as "BM=128 BN=256".
static void choice_text(const struct search *s, const uint32_t *at, char *text, size_t capacity)
{
    size_t length = 0;
    char value[64];

    *text = 0;
    for (uint32_t i = 0; i < s->count && length < capacity; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s%s=%s", i ? " " : "",
                                   s->constant[i]->name, value_text(value, s->constant[i], at[i]));
}

// Tries the current candidates. Returns false if no time can be predicted for this kernel with any
// candidates.
static bool try(struct search *s)
{
    const struct tile_choosing *how = s->how;
    uint32_t settings;
    const char *const *setting = settings_of(s, s->at, &settings);
    struct tile_module *module = setting ? tile_parse_kernel(how->budget, how->file, how->text,
                                                             how->bytes, setting, settings,
                                                             s->kernel->name)
                                         : NULL;
    double seconds = 0;
    bool known = false;

    if (module && !module->diagnostics->errors && module->first)
        known = tile_estimate(&seconds, module->first, how, s->why, sizeof(s->why));
    else if (module)
        known = true; // another candidate may avoid this error
    if (!module || module->diagnostics->out_of_memory) {
        s->no_memory = true;
        tile_module_free(module);
        return false;
    }
    if (seconds > 0 && s->visit) {
        char choice[TEXT_BYTES];
        choice_text(s, s->at, choice, sizeof(choice));
        s->visit(s->user, choice, seconds);
    }
    s->predicted[s->tried] = seconds;
    tile_module_free(module);
    return known;
}

// Advances to the next combination. The candidates of the last constant vary fastest.
static bool next(struct search *s)
{
    for (uint32_t i = s->count; i-- > 0;) {
        if (++s->at[i] < s->constant[i]->candidates)
            return true;
        s->at[i] = 0;
    }
    return false;
}

static void report(const struct search *s)
{
    char text[2 * TEXT_BYTES], choice[TEXT_BYTES];

    choice_text(s, s->best, choice, sizeof(choice));
    if (s->seconds > 0)
        snprintf(text, sizeof(text), "%s of auto() by the model, which thinks of %.3g us", choice,
                 1e6 * s->seconds);
    else
        snprintf(text, sizeof(text), "%s, the first of auto() everywhere: %s", choice, s->why);
    s->how->report(s->how->user, s->kernel->name, text);
}

static void begin(struct search *s, const struct tile_choosing *how,
                  const struct tile_kernel *kernel)
{
    *s = (struct search){ .how = how, .kernel = kernel };
    for (uint32_t i = 0; i < kernel->constant_count && s->count < MOST_CHOSEN; i++)
        if (kernel->constant[i].candidates > 1 &&
            !value_set(how, kernel->name, kernel->constant[i].name))
            s->constant[s->count++] = &kernel->constant[i];
}

// Tries combinations until `operations` of the budget are spent.
static void try_all(struct search *s, uint64_t operations)
{
    const struct tile_budget *budget = s->how->budget;

    while (s->tried < MOST_TRIED && try(s)) {
        s->tried++;
        if (!next(s) || (budget && budget->operations > operations))
            break;
    }
}

// Finds the combination with the shortest predicted time. Returns its number.
static uint32_t find_best(struct search *s)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < s->tried; i++)
        if (s->predicted[i] > 0 &&
            (s->predicted[best] <= 0 || s->predicted[i] < s->predicted[best]))
            best = i;
    s->seconds = s->tried ? s->predicted[best] : 0;
    for (uint32_t i = s->count, number = best; i-- > 0; number /= s->constant[i]->candidates)
        s->best[i] = number % s->constant[i]->candidates;
    return best;
}

// Compiles the kernel with the best combination, in a copy of the budget. Returns false if the
// compiler refuses it.
static bool is_compiled(struct search *s)
{
    const struct tile_choosing *how = s->how;
    struct tile_budget own, *budget = how->budget ? &own : NULL;
    struct tile_compiled compiled;
    uint32_t settings;
    const char *const *setting = settings_of(s, s->best, &settings);

    if (budget)
        own = *how->budget;
    struct tile_module *module = setting
                                     ? tile_parse_kernel(budget, how->file, how->text, how->bytes,
                                                         setting, settings, s->kernel->name)
                                     : NULL;
    bool good = module && tile_compile(module, how->target, &compiled);
    bool ended = tile_budget_ended(budget);
    s->no_memory = !ended && (!module || module->diagnostics->out_of_memory);
    tile_module_free(module);
    if (ended && (own.ended == TILE_T804 || own.ended == TILE_T805)) {
        *how->budget = own; // no other combination would compile either
        return true;
    }
    return good || s->no_memory;
}

// Finds the best combination that compiles, among the first few. If none does, keeps the best one,
// and its compilation reports the reason.
static void find_best_compiled(struct search *s)
{
    enum { MOST_TRIALS = 4 }; // each may take as long as the budget allows
    uint32_t first = find_best(s), best = first, trials = 0;
    double seconds = s->seconds;
    bool good = false;

    while (s->seconds > 0 && trials++ < MOST_TRIALS && !(good = is_compiled(s))) {
        s->predicted[best] = 0;
        best = find_best(s);
    }
    if (good)
        return;
    if (s->tried)
        s->predicted[first] = seconds;
    (void)find_best(s);
}

// ---- Records

bool tile_record_key(const struct tile_choosing *how, const struct tile_kernel *kernel,
                     char *constants, char *dimensions, size_t capacity)
{
    size_t at = 0;

    *constants = *dimensions = 0;
    for (uint32_t i = 0; i < kernel->constant_count && at < capacity; i++) {
        const char *name = kernel->constant[i].name;
        const char *value = value_set(how, kernel->name, name);
        if (value)
            at += (size_t)snprintf(constants + at, capacity - at, "%s%s=%s", at ? " " : "", name,
                                   value);
    }
    if (at >= capacity)
        return false;
    at = 0;
    for (uint32_t i = 0; i < kernel->dimension_count + kernel->parameter_count && at < capacity;
         i++) {
        const struct tile_parameter *p = &kernel->parameter[i - kernel->dimension_count];
        bool dimension = i < kernel->dimension_count;
        const char *name = dimension ? kernel->dimension[i].name : p->name;
        if (!dimension && p->value->type.tensor)
            continue;
        for (uint32_t d = 0; d < how->dimensions && at < capacity; d++)
            if (strncmp(how->dimension[d], name, strlen(name)) == 0 &&
                how->dimension[d][strlen(name)] == '=')
                at += (size_t)snprintf(dimensions + at, capacity - at, "%s%s", at ? " " : "",
                                       how->dimension[d]);
    }
    return at < capacity;
}

// Returns the index of the free constant whose candidates include a setting such as "BM=128";
// s->count if there is none.
static uint32_t constant_of(const struct search *s, const char *setting, size_t name)
{
    char value[64];

    for (uint32_t i = 0; i < s->count; i++) {
        const struct tile_constant *c = s->constant[i];
        if (strncmp(c->name, setting, name) != 0 || c->name[name])
            continue;
        for (uint32_t k = 0; k < c->candidates; k++)
            if (strcmp(setting + name + 1, value_text(value, c, k)) == 0)
                return i;
    }
    return s->count;
}

// Applies a record. Checks all of it first, since the file may contain anything.
static bool take_record(const struct search *s, const char *choice, bool checks)
{
    char setting[TEXT_BYTES], whole[2 * TEXT_BYTES];
    bool taken[MOST_CHOSEN] = { false };

    while (*(choice += strspn(choice, " "))) {
        bool option = *choice == ':';
        choice += option;
        size_t length = strcspn(choice, " "), name = strcspn(choice, "=");
        if (name >= length || length >= 64)
            return false;
        snprintf(setting, sizeof(setting), "%.*s", (int)length, choice);
        choice += length;
        if (!option) {
            uint32_t i = constant_of(s, setting, name);
            if (i == s->count || taken[i])
                return false;
            taken[i] = true;
            snprintf(whole, sizeof(whole), "%s.%s", s->kernel->name, setting);
            if (!checks)
                s->how->choose(s->how->user, whole);
        } else if (!checks) {
            setting[name] = 0;
            s->how->option(s->how->user, setting, (int32_t)strtol(setting + name + 1, NULL, 10));
        }
    }
    return true;
}

static bool recall(const struct search *s)
{
    char constants[TEXT_BYTES], dimensions[TEXT_BYTES], choice[TEXT_BYTES];
    char text[TEXT_BYTES + 64];

    if (!s->how->recall || !tile_record_key(s->how, s->kernel, constants, dimensions, TEXT_BYTES) ||
        !s->how->recall(s->how->user, s->kernel->name, constants, dimensions, choice,
                        sizeof(choice)) ||
        !take_record(s, choice, true))
        return false;
    (void)take_record(s, choice, false);
    snprintf(text, sizeof(text), "%s as was measured", choice);
    s->how->report(s->how->user, s->kernel->name, text);
    return true;
}

// ---- The whole search

static bool choose(const struct tile_choosing *how, const struct tile_kernel *kernel)
{
    struct search s;
    uint32_t settings;

    begin(&s, how, kernel);
    if (recall(&s) || !s.count)
        return true;
    // Reserve half of the remaining budget for the compilation. If the search runs out of its half,
    // use the best combination so far.
    const struct tile_budget *b = how->budget;
    uint64_t left = b && b->limits.operations > b->operations ? b->limits.operations - b->operations
                                                              : 0;
    try_all(&s, b ? b->operations + left / 2 : 0);
    if (!s.no_memory && how->tries)
        find_best_compiled(&s);
    else
        (void)find_best(&s);
    if (s.no_memory)
        return false;
    report(&s);
    if (s.seconds <= 0)
        return true;
    const char *const *setting = settings_of(&s, s.best, &settings);
    for (uint32_t i = how->settings; setting && i < settings; i++)
        how->choose(how->user, setting[i]);
    return setting;
}

bool tile_visit_candidates(const struct tile_choosing *how, const struct tile_kernel *kernel,
                           void (*visit)(void *user, const char *choice, double seconds),
                           void *user)
{
    struct search s;

    begin(&s, how, kernel);
    s.visit = visit;
    s.user = user;
    try_all(&s, UINT64_MAX);
    return !s.no_memory;
}

// True if other candidates may avoid every error, that is, if all errors report facts that do not
// hold for the first candidates.
static bool can_avoid_errors(const struct tile_module *module)
{
    for (const struct tile_diagnostic *d = module->diagnostics->first; d; d = d->next)
        if (d->severity == TILE_ERROR && d->code != TILE_T704)
            return false;
    return true;
}

bool tile_choose(const struct tile_choosing *how)
{
    struct tile_module *module = tile_parse_kernel(how->budget, how->file, how->text, how->bytes,
                                                   how->setting, how->settings, NULL);
    bool good = module && !module->diagnostics->out_of_memory;

    // In a module with other errors there is nothing to choose. The compilation reports these
    // errors.
    for (const struct tile_kernel *k = module && can_avoid_errors(module) ? module->first : NULL;
         k && good; k = k->next)
        good = choose(how, k);
    tile_module_free(module);
    return good;
}
