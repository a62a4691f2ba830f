// Returns the names of the constants, from the lists in bench.h.
#include "base/array.h"
#include "fail.h"

#include <string.h>

struct name {
    int64_t value;
    const char *text;
};

#define ROW(constant, value, text) { constant, text },
static const struct name modes[] = { CUC_BENCH_MODE_LIST(ROW) };
static const struct name kinds[] = { CUC_BENCH_KIND_LIST(ROW) };
static const struct name outcomes[] = { CUC_BENCH_OUTCOME_LIST(ROW) };
static const struct name stops[] = { CUC_BENCH_STOP_LIST(ROW) };
static const struct name verdicts[] = { CUC_BENCH_VERDICT_LIST(ROW) };
#undef ROW

static const char *find(const struct name *names, size_t count, int64_t value)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].value == value)
            return names[i].text;
    return "unknown";
}

const char *cuc_bench_mode_name(uint32_t mode)
{
    return find(modes, CUC_LENGTH(modes), mode);
}

uint32_t cuc_bench_mode_from_name(const char *name)
{
    for (size_t i = 0; name && i < CUC_LENGTH(modes); i++)
        if (strcmp(modes[i].text, name) == 0)
            return (uint32_t)modes[i].value;
    return 0;
}

const char *cuc_bench_kind_name(int32_t kind)
{
    return find(kinds, CUC_LENGTH(kinds), kind);
}

const char *cuc_bench_outcome_name(int32_t outcome)
{
    return find(outcomes, CUC_LENGTH(outcomes), outcome);
}

const char *cuc_bench_stop_name(int32_t stop)
{
    return find(stops, CUC_LENGTH(stops), stop);
}

const char *cuc_bench_verdict_name(int32_t verdict)
{
    return find(verdicts, CUC_LENGTH(verdicts), verdict);
}
