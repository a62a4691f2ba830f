#include "known_options.h"

#include "base/array.h"

#include <string.h>

// Names without leading hyphens. An equals sign and a value may follow. The value of an option in
// `for_ptxas` is itself an option of ptxas. The lists omit options that change where NVRTC finds
// files, because includes.c takes the folders from other fields.
// clang-format off
static const char *const of_nvrtc[] = {
    "relocatable-device-code", "rdc", "extensible-whole-program", "ewp",
    "device-debug", "G", "generate-line-info", "lineinfo", "dopt", "Ofast-compile", "Ofc",
    "maxrregcount", "ftz", "prec-sqrt", "prec-div", "fmad", "use_fast_math",
    "extra-device-vectorization", "modify-stack-limit", "dlink-time-opt", "dlto", "gen-opt-lto",
    "device-stack-protector", "jump-table-density", "jtd", "split-compile",
    "std", "builtin-move-forward", "builtin-initializer-list", "disable-warnings", "w",
    "restrict", "device-as-default-execution-space", "default-device", "device-int128",
    "device-float128", "optimization-info", "opt-info", "display-error-number", "err-no",
    "no-display-error-number", "no-err-no", "diag-error", "diag-suppress", "diag-warn",
    "brief-diagnostics", "frandom-seed", "version-ident", "minimal", "no-cache", "numba-debug",
};
static const char *const of_nvjitlink[] = {
    "maxrregcount", "verbose", "lto", "g", "lineinfo", "ftz", "prec-div", "prec-sqrt", "fma",
    "kernels-used", "variables-used", "optimize-unused-variables", "split-compile",
    "split-compile-extended", "jump-table-density", "no-cache", "device-stack-protector",
    "numba-debug",
};
static const char *const of_ptxas[] = {
    "allow-expensive-optimizations", "compile-only", "c", "def-load-cache", "dlcm",
    "def-store-cache", "dscm", "device-debug", "g", "device-function-maxrregcount",
    "func-maxrregcount", "device-stack-protector", "disable-optimizer-constants",
    "disable-optimizer-consts", "disable-warnings", "w", "dont-merge-basicblocks", "no-bb-merge",
    "extensible-whole-program", "ewp", "fmad", "force-load-cache", "flcm", "force-store-cache",
    "fscm", "generate-line-info", "lineinfo", "make-errors-visible-at-exit", "maxrregcount",
    "minnctapersm", "Ofast-compile", "Ofc", "optimize-float-atomics", "opt-fp-atomics",
    "override-directive-values", "position-independent-code", "pic", "preserve-relocs",
    "register-usage-level", "regUsageLevel", "return-at-end", "ret-end", "sp-bounds-check",
    "split-compile", "suppress-debug-info", "suppress-double-demote-warning",
    "suppress-sparse-mma-advisory-info", "suppress-stack-size-warning", "verbose", "v",
    "warn-on-double-precision-use", "warn-double-usage", "warn-on-local-memory-usage",
    "warn-lmem-usage", "warn-on-spills", "warn-spills", "warning-as-error", "Werror",
};
static const char *const levels[] = { "O", "opt-level" }; // a digit may also follow directly
static const char *const for_ptxas[] = { "ptxas-options", "Xptxas" };
// clang-format on

static bool is_one_of(const char *name, size_t bytes, const char *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(list[i]) == bytes && memcmp(list[i], name, bytes) == 0)
            return true;
    return false;
}

static bool is_known(enum cuc__compiler compiler, const char *option)
{
    static const char value_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_.:+-$";
    static const struct {
        const char *const *at;
        int count;
    } lists[] = {
        [CUC__COMPILER_NVRTC] = { of_nvrtc, CUC_LENGTH(of_nvrtc) },
        [CUC__COMPILER_NVJITLINK] = { of_nvjitlink, CUC_LENGTH(of_nvjitlink) },
        [CUC__COMPILER_PTXAS] = { of_ptxas, CUC_LENGTH(of_ptxas) },
    };
    size_t hyphens = strspn(option, "-");
    const char *name = option + hyphens, *value = strchr(name, '=');
    size_t bytes = value ? (size_t)(value - name) : strlen(name);

    if (hyphens != 1 && hyphens != 2)
        return false;
    if (compiler != CUC__COMPILER_PTXAS && value &&
        is_one_of(name, bytes, for_ptxas, CUC_LENGTH(for_ptxas)))
        return is_known(CUC__COMPILER_PTXAS, value + 1);
    if (value && value[1 + strspn(value + 1, value_bytes)])
        return false; // a list, a path or quotes
    if (compiler != CUC__COMPILER_NVRTC &&
        (is_one_of(name, bytes, levels, CUC_LENGTH(levels)) ||
         (bytes == 2 && *name == 'O' && name[1] >= '0' && name[1] <= '9')))
        return true;
    return is_one_of(name, bytes, lists[compiler].at, lists[compiler].count);
}

const char *cuc__unknown_option(enum cuc__compiler compiler, const char *const *options,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_known(compiler, options[i]))
            return options[i];
    return NULL;
}
