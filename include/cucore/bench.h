/**
 * @file
 * Benchmarks: reliable timings of kernels, C functions and anything else that can be called.
 *
 * This is a separate library, libcucore-bench (pkg-config cucore-bench). cucore.h does not include
 * this header.
 *
 * A *case* has a name in a suite, axes, and a setup function. One combination of axis values is a
 * *point*. The harness calls setup with the point's *state*; setup creates inputs and adds
 * *subjects*, the things to time. One subject may be the *peer*, with which the others are
 * compared. The harness checks every subject before it times it. It times the subjects of a point
 * alternately, sample by sample, in random order. A *session* (cuc_bench) holds cases, options and
 * results.
 *
 * All callbacks are plain functions with a `void *data`, so that other languages can supply their
 * own. They run on the thread that called cuc_bench_run().
 */
#ifndef CUCORE_BENCH_H
#define CUCORE_BENCH_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/error.h> /* cuc_error_set(), with which callbacks report why they fail */
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * A session: options, cases, peaks and results.
 *
 * Threads: any thread, one call at a time on the same session.
 */
typedef struct cuc_bench cuc_bench;

/** A point during setup; valid until its setup function returns. */
typedef struct cuc_bench_state cuc_bench_state;

/** An array of a point, in several copies ("sets"); valid until the point is complete. */
typedef struct cuc_bench_input cuc_bench_input;

/** Timing modes: X(constant, bit, name). */
// clang-format off
#define CUC_BENCH_MODE_LIST(X) \
    X(CUC_BENCH_COLD,  1, "cold")  /* GPU time of one run; L2 flushed, all enqueued beforehand */ \
    X(CUC_BENCH_HOT,   2, "hot")   /* GPU time of a run in a batch of back-to-back runs */ \
    X(CUC_BENCH_GRAPH, 4, "graph") /* GPU time of a run when a captured batch is replayed */ \
    X(CUC_BENCH_CPU,   8, "cpu")   /* host time of the call; excludes waiting for the GPU */
// clang-format on

/** Kinds of subject: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_KIND_LIST(X) \
    X(CUC_BENCH_KIND_GPU,     0, "gpu")     /* run() enqueues on the stream */ \
    X(CUC_BENCH_KIND_CPU,     1, "cpu")     /* run() does the work and returns when it is done */ \
    X(CUC_BENCH_KIND_FOREIGN, 2, "foreign") /* sample() times it, for example in another process */
// clang-format on

/** Outcomes of a subject: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_OUTCOME_LIST(X) \
    X(CUC_BENCH_MEASURED, 0, "measured") \
    X(CUC_BENCH_SKIPPED,  1, "skipped") /* cannot be measured here, which is not a failure */ \
    X(CUC_BENCH_FAILED,   2, "failed")  /* an error or a failed check */
// clang-format on

/** Reasons to stop sampling: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_STOP_LIST(X) \
    X(CUC_BENCH_STOP_NONE,        0, "none")        /* nothing was measured */ \
    X(CUC_BENCH_STOP_CONFIDENCE,  1, "confidence")  /* median known to the target precision */ \
    X(CUC_BENCH_STOP_ENTROPY,     2, "entropy")     /* more samples add no information */ \
    X(CUC_BENCH_STOP_MAX_SAMPLES, 3, "max_samples") \
    X(CUC_BENCH_STOP_MAX_SECONDS, 4, "max_seconds") \
    X(CUC_BENCH_STOP_CANCELLED,   5, "cancelled")   /* by the progress callback */
// clang-format on

/** Verdicts of a comparison with the peer: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_VERDICT_LIST(X) \
    X(CUC_BENCH_NO_VERDICT, 0, "")       /* there is no peer, or nothing was measured */ \
    X(CUC_BENCH_SAME,       1, "SAME")   /* the ratio's interval is within same_within of 1 */ \
    X(CUC_BENCH_FASTER,     2, "FASTER") /* interval below 1 by more than the noise floor */ \
    X(CUC_BENCH_SLOWER,     3, "SLOWER") /* interval above 1 by more than the noise floor */ \
    X(CUC_BENCH_UNSURE,     4, "UNSURE") /* none of these, fewer than 6 pairs, or too many samples
                                            discarded: take more or quieter samples */
// clang-format on

enum {
#define CUC__BENCH_ENUM(name, value, text) name = value,
    CUC_BENCH_MODE_LIST(CUC__BENCH_ENUM) CUC_BENCH_KIND_LIST(CUC__BENCH_ENUM)
        CUC_BENCH_OUTCOME_LIST(CUC__BENCH_ENUM) CUC_BENCH_STOP_LIST(CUC__BENCH_ENUM)
            CUC_BENCH_VERDICT_LIST(CUC__BENCH_ENUM)
#undef CUC__BENCH_ENUM
};

/**
 * The name of a mode, such as "cold".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param mode one CUC_BENCH_ mode bit
 * @return static storage; "unknown" for any other value; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_bench_mode_name(uint32_t mode);

/**
 * The mode with a given name.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param name as cuc_bench_mode_name() returns it; NULL matches no mode
 * @return the bit, or 0
 * @since 0.1
 */
CUC_API uint32_t cuc_bench_mode_from_name(const char *name);

/**
 * The name of a kind of subject, such as "gpu".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param kind a CUC_BENCH_KIND_ constant
 * @return static storage; "unknown" for any other value; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_bench_kind_name(int32_t kind);

/**
 * The name of an outcome, such as "measured".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param outcome CUC_BENCH_MEASURED, _SKIPPED or _FAILED
 * @return static storage; "unknown" for any other value; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_bench_outcome_name(int32_t outcome);

/**
 * The name of a reason to stop, such as "confidence".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param stop a CUC_BENCH_STOP_ constant
 * @return static storage; "unknown" for any other value; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_bench_stop_name(int32_t stop);

/**
 * The name of a verdict, such as "SAME".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param verdict CUC_BENCH_NO_VERDICT, _SAME, _FASTER, _SLOWER or _UNSURE
 * @return static storage; "" for CUC_BENCH_NO_VERDICT, "unknown" for any other value; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_bench_verdict_name(int32_t verdict);

/* ---- Statistics ------------------------------------------------------------------------- */

/** Statistics of a series of samples. */
typedef struct cuc_bench_summary {
    size_t struct_size; /**< sizeof(cuc_bench_summary), set by the caller */
    uint64_t count;
    double median;
    double q1; /**< lower quartile */
    double q3; /**< upper quartile */
    double min;
    double max;
    double mean;
    double ci_low;  /**< 95 % confidence interval of the median, from order statistics */
    double ci_high; /**< with fewer than 6 samples, the interval is [min, max] */
    double noise;   /**< (q3 - q1) / median */
} cuc_bench_summary;

/** Initial value of a cuc_bench_summary variable. */
#define CUC_BENCH_SUMMARY_INIT                                  \
    {                                                           \
        sizeof(cuc_bench_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Compute quartiles, extremes, mean and the confidence interval of the median.
 *
 * @shape  `values`: [count], in any order
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    filled up to its struct_size
 * @param      values read only; NaN values are ignored
 * @param      count  1 or more
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is unknown, or every value is
 *                                    NaN
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_summarise(cuc_bench_summary *out, const double *values, size_t count);

/** Comparison of a subject with its peer. */
typedef struct cuc_bench_comparison {
    size_t struct_size; /**< sizeof(cuc_bench_comparison), set by the caller */
    double ratio;       /**< subject's time / peer's time; below 1, the subject is faster */
    double low;         /**< 95 % confidence interval of the ratio */
    double high;
    int32_t verdict;  /**< a CUC_BENCH_ verdict */
    int32_t reserved; /**< 0 */
} cuc_bench_comparison;

/** Initial value of a cuc_bench_comparison variable. */
#define CUC_BENCH_COMPARISON_INIT                   \
    {                                               \
        sizeof(cuc_bench_comparison), 0, 0, 0, 0, 0 \
    }

/** The differences that decide a verdict. Zero selects the default of every field. */
typedef struct cuc_bench_thresholds {
    size_t struct_size; /**< sizeof(cuc_bench_thresholds); the initializers set it */
    double same_within; /**< SAME if the whole interval is at most this far from 1; 0: 0.01 */
    double noise_floor; /**< a ratio nearer to 1 than this is neither FASTER nor SLOWER; 0: 0.005 */
} cuc_bench_thresholds;

/** Initial value of a cuc_bench_thresholds variable. */
#define CUC_BENCH_THRESHOLDS_INIT          \
    {                                      \
        sizeof(cuc_bench_thresholds), 0, 0 \
    }

#ifndef __cplusplus
/** Thresholds written at the call site, in C. */
#define CUC_BENCH_THRESHOLDS(...) \
    (&(cuc_bench_thresholds){ .struct_size = sizeof(cuc_bench_thresholds), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_bench_thresholds and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param thresholds  NULL does nothing
 * @param caller_size sizeof(cuc_bench_thresholds) in the calling code
 * @since 0.1
 */
CUC_API void cuc_bench_thresholds_init(cuc_bench_thresholds *thresholds, size_t caller_size);

/**
 * Compare samples that were taken alternately. The comparison uses the ratio within each pair, so
 * that effects on both samples, such as a drifting clock, cancel.
 *
 * @shape  `subject` and `peer`: [count] times; the two at the same index were taken together
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out        the median of the ratios, its interval by order statistics, the verdict
 * @param      subject    read only; a pair with a value of 0 or less is ignored
 * @param      peer       read only
 * @param      count      number of pairs
 * @param      thresholds NULL selects all defaults
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a struct_size is unknown, or no pair is
 *                                    left
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_compare_pairs(cuc_bench_comparison *out, const double *subject,
                                           const double *peer, size_t count,
                                           const cuc_bench_thresholds *thresholds);

/**
 * Compare two runs that were not taken alternately, by their medians and intervals.
 *
 * The relative widths of both intervals are combined in quadrature. A summary of fewer than 6
 * samples has no interval, so the verdict is CUC_BENCH_UNSURE. A count of 0 means that the count is
 * unknown; the interval is then trusted.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out        the ratio of the medians, its interval, the verdict
 * @param      subject    count, median, ci_low and ci_high are read
 * @param      peer       the same fields are read
 * @param      thresholds NULL selects all defaults
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a struct_size is unknown, or a median is
 *                                    not above 0
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_compare_summaries(cuc_bench_comparison *out,
                                               const cuc_bench_summary *subject,
                                               const cuc_bench_summary *peer,
                                               const cuc_bench_thresholds *thresholds);

/* ---- Cases ------------------------------------------------------------------------------ */

/** Types of an axis's values: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_AXIS_LIST(X) \
    X(CUC_BENCH_AXIS_INT,    0, "int")   /* whole numbers: "1,8,100:500:100" */ \
    X(CUC_BENCH_AXIS_POW2,   1, "pow2")  /* exponents of 2, or powers from 64 up: "10:28:2" */ \
    X(CUC_BENCH_AXIS_DTYPE,  2, "dtype") /* element types: "f32,bf16" */ \
    X(CUC_BENCH_AXIS_STRING, 3, "string") /* words without a comma: "nt,nn" */
// clang-format on

enum {
#define CUC__BENCH_AXIS_ENUM(name, value, text) name = value,
    CUC_BENCH_AXIS_LIST(CUC__BENCH_AXIS_ENUM)
#undef CUC__BENCH_AXIS_ENUM
};

/**
 * An axis of a case. Its values are one string, a comma-separated list. A number may also be a
 * range, first:last[:step].
 */
typedef struct cuc_bench_axis {
    const char *name;   /**< an identifier, "n" */
    const char *values; /**< all values in order */
    const char *quick;  /**< values in a quick session; NULL: all */
    int32_t kind;       /**< a CUC_BENCH_AXIS_ constant */
    int32_t reserved;   /**< 0 */
} cuc_bench_axis;

/**
 * Sets up a point: creates what the subjects need and adds them to the state.
 *
 * If setup returns a negative status, the point fails, with the thread's last error as the reason.
 * Pass everything that setup creates to cuc_bench_state_defer(), so that it is also freed if setup
 * fails halfway.
 */
typedef cuc_status (*cuc_bench_setup)(cuc_bench_state *state, void *data);

/** Flags of cuc_bench_case. */
enum {
    /** The points need no device, so they also run on machines without one. */
    CUC_BENCH_CASE_NO_DEVICE = 1 << 0,
    /** The points are drawn from a distribution. The JSON summarizes how each subject compares with
     * its peer over all points: by geometric mean, 5th percentile and worst points. */
    CUC_BENCH_CASE_DISTRIBUTION = 1 << 1,
};

/** A case, for cuc_bench_add_case() and from cuc_bench_get_case(). */
typedef struct cuc_bench_case {
    size_t struct_size;         /**< sizeof(cuc_bench_case); the initializers set it */
    const char *suite;          /**< an identifier: "memory" */
    const char *name;           /**< an identifier: "copy" */
    const char *about;          /**< one line of description; NULL: none */
    const cuc_bench_axis *axes; /**< [axis_count]; the last one varies fastest */
    size_t axis_count;
    cuc_bench_setup setup;
    void *data;     /**< passed to setup */
    uint32_t modes; /**< CUC_BENCH_ mode bits; 0: cold for GPU subjects, cpu for CPU subjects */
    uint32_t flags; /**< CUC_BENCH_CASE_ bits */
} cuc_bench_case;

/** Initial value of a cuc_bench_case variable. */
#define CUC_BENCH_CASE_INIT                               \
    {                                                     \
        sizeof(cuc_bench_case), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** A case written at the call site, in C. */
#define CUC_BENCH_CASE(...) \
    (&(cuc_bench_case){ .struct_size = sizeof(cuc_bench_case), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_bench_case and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param bench_case  NULL does nothing
 * @param caller_size sizeof(cuc_bench_case) in the calling code
 * @since 0.1
 */
CUC_API void cuc_bench_case_init(cuc_bench_case *bench_case, size_t caller_size);

/* ---- Sessions --------------------------------------------------------------------------- */

typedef struct cuc_bench_result cuc_bench_result;

/** Events of a progress callback. */
enum {
    CUC_BENCH_PROGRESS_POINT = 0,   /**< a point begins */
    CUC_BENCH_PROGRESS_SAMPLES = 1, /**< samples are being taken; this event occurs at most ten
                                         times a second */
    CUC_BENCH_PROGRESS_RESULT = 2,  /**< a result is available */
};

/** Progress of a run. Pointers are valid during the callback. */
typedef struct cuc_bench_progress {
    size_t struct_size; /**< sizeof(cuc_bench_progress) in the library */
    size_t point;       /**< from 0 */
    size_t point_count; /**< of this run */
    const char *suite;
    const char *name;               /**< of the case */
    const char *axes;               /**< "n=1024 dtype=f32"; "" without axes */
    const char *subject;            /**< SAMPLES: the first subject; else NULL */
    const cuc_bench_result *result; /**< RESULT: the result; else NULL */
    uint64_t samples;               /**< SAMPLES: rounds so far */
    double median_s;                /**< SAMPLES: the first subject's median so far */
    uint32_t mode;                  /**< SAMPLES: a CUC_BENCH_ mode bit; else 0 */
    int32_t event;                  /**< a CUC_BENCH_PROGRESS_ constant */
} cuc_bench_progress;

/**
 * Flags of cuc_bench_options.
 */
enum {
    CUC_BENCH_QUICK = 1 << 0,        /**< use the short axes and, by default, less time and fewer
                                          samples */
    CUC_BENCH_KEEP_SAMPLES = 1 << 1, /**< include every sample in the JSON */
    CUC_BENCH_NO_ENTROPY = 1 << 2,   /**< stop only by the confidence interval or the limits */
    CUC_BENCH_NO_DEVICE = 1 << 3,    /**< use no device even if there is one */
};

/** Options of cuc_bench_create(). Zero selects the default of every field. */
typedef struct cuc_bench_options {
    size_t struct_size;   /**< sizeof(cuc_bench_options); the initializers set it */
    cuc_device *device;   /**< NULL: device 0 or, without a driver or a device, none; then only CPU
                               subjects run */
    uint64_t seed;        /**< seed of the inputs and of the random order; 0 is a valid seed */
    uint64_t min_samples; /**< 0: 20, quick 10 */
    uint64_t max_samples; /**< 0: 10000, quick 1000 */
    double min_seconds;   /**< minimum sampling time, even if the median is known; 0: 0.1, or 0.02
                               if quick */
    /** Time limit for a point in one mode, including flushes; 0: 3, or 0.3 if quick. min_samples
     * are taken even if that takes longer, up to ten times the limit. */
    double max_seconds;
    double target;          /**< target for the relative half width of the median's interval; 0:
                                 0.005 */
    double throttle_below;  /**< discard a sample whose clock is below this fraction of the median;
                                 0: 0.75 */
    double same_within;     /**< as in cuc_bench_thresholds */
    double noise_floor;     /**< as in cuc_bench_thresholds */
    double block_timeout_s; /**< time limit for run() to enqueue; 0: 5 */
    uint64_t flush_bytes;   /**< bytes read to flush L2; 0: three times the size of L2, or 64 KiB on
                                 a simulated device */
    uint64_t max_set_bytes; /**< limit for all sets of one input together; 0: an eighth of the free
                                 memory */
    uint32_t modes;         /**< CUC_BENCH_ mode bits that restrict every case's modes; 0: all */
    uint32_t flags;         /**< CUC_BENCH_QUICK and other session flags */
    const char *command;    /**< for the JSON; NULL: omitted */
    const char *commit;     /**< for the JSON; NULL: omitted */
    /** Called during the run. A nonzero result ends the run after the current sample. NULL:
     * none. */
    int32_t (*progress)(void *data, const cuc_bench_progress *progress);
    void *progress_data;
} cuc_bench_options;

/** Initial value of a cuc_bench_options variable. */
#define CUC_BENCH_OPTIONS_INIT                                                             \
    {                                                                                      \
        sizeof(cuc_bench_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_BENCH_OPTIONS(.flags = CUC_BENCH_QUICK). */
#define CUC_BENCH_OPTIONS(...) \
    (&(cuc_bench_options){ .struct_size = sizeof(cuc_bench_options), __VA_ARGS__ })
#endif

/**
 * Zero options and write their size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     NULL does nothing
 * @param caller_size sizeof(cuc_bench_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_bench_options_init(cuc_bench_options *options, size_t caller_size);

/**
 * Create a session without cases.
 *
 * @thread any thread
 * @capture may spoil a capture in global mode
 * @param[out] out     the session, to be released
 * @param      options NULL selects all defaults; copied
 * @retval CUC_OK                     created; a missing device is not a failure, see
 *                                    cuc_bench_device_reason()
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or an option is unknown or out of range
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused a stream or an event of the device
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_create(cuc_bench **out, const cuc_bench_options *options);

/**
 * Release a session and its results.
 *
 * @thread any thread
 * @capture may spoil a capture in global mode
 * @param bench NULL does nothing
 * @since 0.1
 */
CUC_API void cuc_bench_release(cuc_bench *bench);

/**
 * The device of a session.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for none, and for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_bench_device(const cuc_bench *bench);

/**
 * The reason why a session has no device.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return "" when it has one; lives as long as the session
 * @since 0.1
 */
CUC_API const char *cuc_bench_device_reason(const cuc_bench *bench);

/**
 * Add a case.
 *
 * @thread one call at a time on the same session
 * @capture makes no driver call
 * @param bench      the session
 * @param bench_case copied, with its strings and axes
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument, a name, the setup function or an axis's values
 *                                    are NULL or not valid, or the suite already has a case of that
 *                                    name; the message says which
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_add_case(cuc_bench *bench, const cuc_bench_case *bench_case);

/**
 * The number of cases of a session.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_bench_case_count(const cuc_bench *bench);

/**
 * Read one case.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out   filled up to its struct_size; what it points to lives as long as the session
 * @param      bench the session
 * @param      index below cuc_bench_case_count(); in the order of addition
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is unknown, or index is past
 *                                    the end
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_case(cuc_bench_case *out, const cuc_bench *bench, size_t index);

/** A selection of points. A zeroed struct selects all points. */
typedef struct cuc_bench_selection {
    size_t struct_size;        /**< sizeof(cuc_bench_selection); the initializers set it */
    const char *const *suites; /**< [suite_count] names; each must have a case */
    size_t suite_count;        /**< 0: every suite */
    const char *filter;        /**< a POSIX extended regular expression to search for in
                                    "suite/case"; NULL: every case */
    const char *const *axes;   /**< [axis_count] "name=values": replaces the values of an axis in
                                    the cases that have it; at least one case must */
    size_t axis_count;
} cuc_bench_selection;

/** Initial value of a cuc_bench_selection variable. */
#define CUC_BENCH_SELECTION_INIT                   \
    {                                              \
        sizeof(cuc_bench_selection), 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** A selection written at the call site, in C: CUC_BENCH_SELECTION(.filter = "copy"). */
#define CUC_BENCH_SELECTION(...) \
    (&(cuc_bench_selection){ .struct_size = sizeof(cuc_bench_selection), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_bench_selection and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param selection   NULL does nothing
 * @param caller_size sizeof(cuc_bench_selection) in the calling code
 * @since 0.1
 */
CUC_API void cuc_bench_selection_init(cuc_bench_selection *selection, size_t caller_size);

/**
 * Called by cuc_bench_visit() for each point.
 *
 * @param data       the caller's pointer
 * @param index      index of the case
 * @param bench_case the case
 * @param axes       "n=1024 dtype=f32"; "" without axes
 * @return 0 to continue, any other value to stop
 */
typedef int32_t (*cuc_bench_visitor)(void *data, size_t index, const cuc_bench_case *bench_case,
                                     const char *axes);

/**
 * Enumerate the selected points, case by case, without running them.
 *
 * @thread one call at a time on the same session
 * @capture makes no driver call
 * @param[out] count     number of visited points; may be NULL
 * @param      bench     the session
 * @param      selection NULL is every point
 * @param      visitor   NULL only counts
 * @param      data      passed to visitor
 * @retval CUC_OK                     visited; a case may have no points
 * @retval CUC_ERROR_NOT_FOUND        no case has such a suite, name or axis
 * @retval CUC_ERROR_INVALID_ARGUMENT bench is NULL, or the expression or an axis's values are not
 *                                    valid
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_visit(size_t *count, cuc_bench *bench,
                                   const cuc_bench_selection *selection, cuc_bench_visitor visitor,
                                   void *data);

/**
 * Run the selected points and append their results to those of the session.
 *
 * The harness compiles its own kernels with NVRTC when a point first needs them.
 *
 * If a point fails, its result reports the failure, and the run continues. A failure that destroys
 * the device's context also fails the later points.
 *
 * @order  blocks until the run is complete
 * @thread one call at a time on the same session; the callbacks are called on this thread
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param bench     the session
 * @param selection NULL is every point
 * @retval CUC_OK                     run; the results report failures
 * @retval CUC_ERROR_NOT_FOUND        no case has such a suite, name or axis
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_bench_visit()
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory; the results so far are kept
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_run(cuc_bench *bench, const cuc_bench_selection *selection);

/* ---- Points while they are set up ------------------------------------------------------- */

/**
 * The value of an integer or power-of-two axis.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return the value; 0 for an unknown axis, which also fails the point with a message
 * @since 0.1
 */
CUC_API int64_t cuc_bench_state_int(cuc_bench_state *state, const char *axis);

/**
 * The value of an axis of element types.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return the type; CUC_DTYPE_UNKNOWN for an unknown axis, which also fails the point
 * @since 0.1
 */
CUC_API cuc_dtype cuc_bench_state_dtype(cuc_bench_state *state, const char *axis);

/**
 * The value of any axis as a string.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return lives as long as the state; "" for an unknown axis, which also fails the point
 * @since 0.1
 */
CUC_API const char *cuc_bench_state_text(cuc_bench_state *state, const char *axis);

/**
 * The device of the session.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL only in a case with CUC_BENCH_CASE_NO_DEVICE
 * @since 0.1
 */
CUC_API cuc_device *cuc_bench_state_device(const cuc_bench_state *state);

/**
 * The stream that subjects run on; setup may use it too.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return borrowed; it lives as long as the session. NULL only without a device
 * @since 0.1
 */
CUC_API cuc_stream *cuc_bench_state_stream(const cuc_bench_state *state);

/**
 * The session.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return borrowed
 * @since 0.1
 */
CUC_API cuc_bench *cuc_bench_state_bench(const cuc_bench_state *state);

/**
 * The session's seed.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @since 0.1
 */
CUC_API uint64_t cuc_bench_state_seed(const cuc_bench_state *state);

/**
 * Check whether the session is a quick one.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return 1 or 0
 * @since 0.1
 */
CUC_API int32_t cuc_bench_state_is_quick(const cuc_bench_state *state);

/**
 * Skip the point, which cannot be measured here. Drops the subjects added before.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state  the point
 * @param reason copied: "the device has no clusters"
 * @return CUC_OK, for setup to return
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_skip(cuc_bench_state *state, const char *reason);

/**
 * Skip a subject, which cannot be measured here. Its result is "skipped".
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state   the point
 * @param subject its name, copied: "cublaslt"
 * @param reason  copied: "libcublasLt.so.13 is not there"
 * @retval CUC_OK                     recorded
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_skip_subject(cuc_bench_state *state, const char *subject,
                                                const char *reason);

/**
 * Schedule an object to be freed when the point is complete and the stream is idle. Objects are
 * freed in the reverse order of these calls.
 *
 * If the call fails, it has already called `drop`.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state  the point
 * @param drop   called once with object; NULL does nothing
 * @param object passed to drop
 * @retval CUC_OK                     recorded
 * @retval CUC_ERROR_INVALID_ARGUMENT state is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_defer(cuc_bench_state *state, void (*drop)(void *object),
                                         void *object);

/** The work of one run of a point's subjects. Zero means unknown; no figure is derived from it. */
typedef struct cuc_bench_work {
    size_t struct_size; /**< sizeof(cuc_bench_work); the initializers set it */
    double bytes;       /**< minimum number of bytes read and written */
    double flop;        /**< floating-point operations; a multiply-add counts as two */
    double items;       /**< number of items, of any kind */
    const char *item;   /**< plural name of the items, such as "instructions"; NULL: "items" */
    const char *peak;   /**< the peak to compare with, as for cuc_bench_get_peak(); NULL: "copy" if
                             there are bytes but no flop, else none */
} cuc_bench_work;

/** Initial value of a cuc_bench_work variable. */
#define CUC_BENCH_WORK_INIT                   \
    {                                         \
        sizeof(cuc_bench_work), 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Work written at the call site, in C: CUC_BENCH_WORK(.bytes = 12.0 * n, .flop = 2.0 * n). */
#define CUC_BENCH_WORK(...) \
    (&(cuc_bench_work){ .struct_size = sizeof(cuc_bench_work), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_bench_work and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param work        NULL does nothing
 * @param caller_size sizeof(cuc_bench_work) in the calling code
 * @since 0.1
 */
CUC_API void cuc_bench_work_init(cuc_bench_work *work, size_t caller_size);

/**
 * Set the work of one run, for throughput and fractions of a peak.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state the point
 * @param work  copied, with its strings
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or a number is negative
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_set_work(cuc_bench_state *state, const cuc_bench_work *work);

/* ---- Inputs ----------------------------------------------------------------------------- */

/** Generators of an input's elements: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_FILL_LIST(X) \
    X(CUC_BENCH_UNIFORM,  0, "uniform")  /* low <= x < high; both 0: -1 to 1, integers: all bits */ \
    X(CUC_BENCH_NORMAL,   1, "normal")   /* mean low, deviation high; both 0: 0 and 1; floats only */ \
    X(CUC_BENCH_INTEGERS, 2, "integers") /* whole numbers, low <= x <= high; both 0: -4 to 4 */ \
    X(CUC_BENCH_ZEROS,    3, "zeros")    /* every byte 0 */ \
    X(CUC_BENCH_NONE,     4, "none")     /* left as it was allocated */
// clang-format on

enum {
#define CUC__BENCH_FILL_ENUM(name, value, text) name = value,
    CUC_BENCH_FILL_LIST(CUC__BENCH_FILL_ENUM)
#undef CUC__BENCH_FILL_ENUM
};

/** Flags of cuc_bench_input_options. */
enum {
    CUC_BENCH_INPUT_HOST = 1 << 0, /**< pageable host memory, for CPU subjects */
    /** Subjects write it. Before each subject is checked, all bits of set 0 are set to 1, which
     * makes floats NaN, so that no subject passes with another one's results. */
    CUC_BENCH_INPUT_RESULT = 1 << 1,
};

/** Description of an input. Zero selects the default of every field except count and dtype. */
typedef struct cuc_bench_input_options {
    size_t struct_size; /**< sizeof(cuc_bench_input_options); the initializers set it */
    uint64_t count;     /**< elements of one set */
    double low;         /**< meaning depends on `fill` */
    double high;        /**< meaning depends on `fill` */
    cuc_dtype dtype;    /**< element type; a complex element is two numbers */
    int32_t fill;       /**< a generator, such as CUC_BENCH_UNIFORM */
    uint32_t sets;      /**< number of copies; 0: as many as exceed twice the size of L2, at most
                             32; 2 on a simulated device; 1 in host memory */
    uint32_t flags;     /**< CUC_BENCH_INPUT_ bits */
} cuc_bench_input_options;

/** Initial value of a cuc_bench_input_options variable. */
#define CUC_BENCH_INPUT_OPTIONS_INIT                         \
    {                                                        \
        sizeof(cuc_bench_input_options), 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_BENCH_INPUT(.count = n, .dtype = CUC_F32). */
#define CUC_BENCH_INPUT(...) \
    (&(cuc_bench_input_options){ .struct_size = sizeof(cuc_bench_input_options), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_bench_input_options and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     NULL does nothing
 * @param caller_size sizeof(cuc_bench_input_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_bench_input_options_init(cuc_bench_input_options *options, size_t caller_size);

/**
 * Create an input or output: an array in several copies, called sets. Runs use the sets in turn.
 *
 * The device fills it by philox with the session's seed, so the same seed gives the same bytes on
 * every machine. See cuc_bench_generate().
 *
 * @order  filled in the order of the state's stream
 * @thread in the setup function
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] out     borrowed; freed when the point is complete
 * @param      state   the point
 * @param      options describes the input
 * @retval CUC_OK                         created
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL, an option is unknown, count is 0, or
 *                                        dtype is unknown or cannot be filled that way
 * @retval CUC_ERROR_NOT_SUPPORTED        there is no device, and CUC_BENCH_INPUT_HOST is not set
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY not even one set fits
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_add_input(cuc_bench_input **out, cuc_bench_state *state,
                                             const cuc_bench_input_options *options);

/**
 * The number of sets of an input.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or more; 0 for NULL
 * @since 0.1
 */
CUC_API uint64_t cuc_bench_input_sets(const cuc_bench_input *input);

/**
 * The size of one set in bytes.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API uint64_t cuc_bench_input_bytes(const cuc_bench_input *input);

/**
 * The address of one set, for kernels.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param input the input
 * @param set   any number; taken modulo the number of sets
 * @return 0 for NULL and for a host input
 * @since 0.1
 */
CUC_API cuc_device_ptr cuc_bench_input_ptr(const cuc_bench_input *input, uint64_t set);

/**
 * The address of one set, for the host.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param input the input
 * @param set   any number; taken modulo the number of sets
 * @return NULL for NULL and for an input without CUC_BENCH_INPUT_HOST
 * @since 0.1
 */
CUC_API void *cuc_bench_input_host(const cuc_bench_input *input, uint64_t set);

/**
 * Copy one set to the host, for a check, and wait for the copy.
 *
 * @order  after the work on the session's stream; blocks until copied
 * @thread one call at a time on the same session
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] to    cuc_bench_input_bytes() bytes
 * @param      input the input
 * @param      set   any number; taken modulo the number of sets
 * @retval CUC_OK                     copied
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_CONTEXT_LOST     work before it failed; also CUC_ERROR_DRIVER
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_input_read(void *to, const cuc_bench_input *input, uint64_t set);

/**
 * Generate an input's contents on the host, without a device.
 *
 * Number i comes from philox4x32-10 with the seed as key and the counter (low and high half of i,
 * set, index). A complex element has two numbers. A 16-bit or 8-bit float is the f32 number rounded
 * to nearest even; a number out of range becomes the largest float.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] to      count elements of dtype
 * @param      options sets and flags are ignored
 * @param      seed    the session's seed
 * @param      index   index of the input in its point, from 0
 * @param      set     index of the set, from 0
 * @retval CUC_OK                     written; CUC_BENCH_NONE leaves `to` unchanged
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_bench_state_add_input()
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_generate(void *to, const cuc_bench_input_options *options,
                                      uint64_t seed, uint32_t index, uint32_t set);

/* ---- Subjects --------------------------------------------------------------------------- */

/** Flags of cuc_bench_subject. */
enum {
    /** The subject with which the others are compared; at most one per point. */
    CUC_BENCH_PEER = 1 << 0,
    /** run() itself waits for the stream. The harness therefore cannot block the stream until
     * everything is enqueued, so the time includes gaps between operations. Not possible in graph
     * mode. */
    CUC_BENCH_SYNCHRONISES = 1 << 1,
    /** run() cannot be captured, so graph mode skips this subject. */
    CUC_BENCH_NO_CAPTURE = 1 << 2,
};

/** A quantity of a subject other than time, such as registers per thread or resident bytes. */
typedef struct cuc_bench_figure {
    const char *name; /**< an identifier that includes any unit, such as "resident_bytes" */
    double value;     /**< finite */
} cuc_bench_figure;

/**
 * Something to time. Every callback returns CUC_OK or a negative status. After a failure, the
 * thread's last error is the reason; set it with cuc_error_set().
 */
typedef struct cuc_bench_subject {
    size_t struct_size; /**< sizeof(cuc_bench_subject); the initializers set it */
    const char *name;   /**< an identifier, unique in the point: "cucore" */
    void *data;         /**< passed to the callbacks */
    /** Do the work once, on set number `set` of each input. The number increases from run to run,
     * and an input takes it modulo its number of sets. A GPU subject enqueues on the stream and
     * returns without waiting; it may use other streams if it joins them to this one again. For a
     * CPU subject, `stream` is NULL without a device. */
    cuc_status (*run)(void *data, cuc_stream *stream, uint64_t set);
    /** Compare the completed result of run() on set 0 with a reference. Return 0 if it is correct,
     * 1 (a normal outcome) if not, with the difference in `why`, and a negative status if it cannot
     * be checked. Subjects that write to the same array should create it with
     * CUC_BENCH_INPUT_RESULT. Otherwise a subject that does nothing would pass with the previous
     * subject's result. */
    cuc_status (*check)(void *data, cuc_stream *stream, char *why, size_t why_size);
    /** Called before each sample and not timed, for example to restore what run() changes; may be
     * NULL. */
    cuc_status (*prepare)(void *data, cuc_stream *stream, uint64_t set);
    /** For a FOREIGN subject, instead of run(): take one sample, wait for it, and write its
     * seconds. */
    cuc_status (*sample)(void *data, uint64_t set, double *seconds);
    /** The reason for having no check(), such as "launches an empty kernel". */
    const char *unchecked;
    double limit; /**< largest ratio to the peer that passes, for the JSON; 0: none */
    /** Number of runs in a sample of the hot, graph and cpu modes; the sample's time is divided by
     * it. 0: enough runs for a measurable sample. Use 1 for work that cannot be repeated. */
    uint32_t batch;
    uint32_t
        modes; /**< CUC_BENCH_ mode bits; 0: the case's modes that suit the kind; FOREIGN: cold */
    int32_t kind;                    /**< a CUC_BENCH_KIND_ constant */
    uint32_t flags;                  /**< CUC_BENCH_PEER and other subject flags */
    const cuc_bench_figure *figures; /**< [figure_count] figures other than time; NULL: none */
    size_t figure_count;
} cuc_bench_subject;

/** Initial value of a cuc_bench_subject variable. */
#define CUC_BENCH_SUBJECT_INIT                                              \
    {                                                                       \
        sizeof(cuc_bench_subject), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** A subject written at the call site, in C. */
#define CUC_BENCH_SUBJECT(...) \
    (&(cuc_bench_subject){ .struct_size = sizeof(cuc_bench_subject), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_bench_subject and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param subject     NULL does nothing
 * @param caller_size sizeof(cuc_bench_subject) in the calling code
 * @since 0.1
 */
CUC_API void cuc_bench_subject_init(cuc_bench_subject *subject, size_t caller_size);

/**
 * Add a subject to a point.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state   the point
 * @param subject copied, with its strings and figures
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument or the name is NULL, the name is used already,
 *                                    run() or sample() is missing or does not suit the kind, there
 *                                    is a second peer, check and unchecked are both given or both
 *                                    missing, or a figure has no name or no finite value
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_add_subject(cuc_bench_state *state,
                                               const cuc_bench_subject *subject);

/* ---- Peaks ------------------------------------------------------------------------------ */

/** Unit of a peak. */
enum {
    CUC_BENCH_PER_BYTES = 0, /**< bytes a second */
    CUC_BENCH_PER_FLOP = 1,  /**< floating-point operations a second */
    CUC_BENCH_PER_ITEMS = 2, /**< items a second, of any kind */
};

/** Maximum rate of a device. */
typedef struct cuc_bench_peak {
    size_t struct_size; /**< sizeof(cuc_bench_peak), set by the caller */
    const char *name;   /**< as requested */
    const char *source; /**< "measured", "datasheet: NVIDIA H200", or as set */
    double value;       /**< units a second */
    int32_t per;        /**< a CUC_BENCH_PER_ constant */
    int32_t reserved;   /**< 0 */
} cuc_bench_peak;

/** Initial value of a cuc_bench_peak variable. */
#define CUC_BENCH_PEAK_INIT                   \
    {                                         \
        sizeof(cuc_bench_peak), 0, 0, 0, 0, 0 \
    }

/**
 * Read a peak of the session's device.
 *
 * The peak "copy" is measured at its first use. It counts the bytes that a copy of random bits
 * reads and writes. The other known peaks come from the data sheet of the device with this name:
 * "memory", and the rates of dense arithmetic, "f64", "f32", "tf32", "f16", "bf16", "e4m3" (all
 * 8-bit floats) and "i8". A MIG instance has no data sheet. cuc_bench_set_peak() adds further
 * peaks. A simulated device has no peak.
 *
 * @order  measuring blocks for some milliseconds
 * @thread one call at a time on the same session
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] out   filled up to its struct_size; strings live as long as the session
 * @param      bench the session
 * @param      name  name of the peak
 * @retval CUC_OK                     known
 * @retval CUC_ERROR_NOT_FOUND        unknown for this device
 * @retval CUC_ERROR_NOT_SUPPORTED    there is no device, or it is simulated
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL or struct_size is unknown
 * @retval CUC_ERROR_DRIVER           the copy failed; also CUC_ERROR_CONTEXT_LOST
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_peak(cuc_bench_peak *out, cuc_bench *bench, const char *name);

/**
 * Set a peak, such as the rate that a library reached. Later points may name it. On a simulated
 * device the peak is stored, but yields no fraction.
 *
 * @thread one call at a time on the same session
 * @capture makes no driver call
 * @param bench the session
 * @param peak  copied; replaces a peak of the same name
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument, the name or the source is NULL, or value is 0 or
 *                                    less
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_set_peak(cuc_bench *bench, const cuc_bench_peak *peak);

/* ---- Results ---------------------------------------------------------------------------- */

/**
 * The result of a subject in one mode. If something was not measured, its number is NaN and its
 * string is NULL.
 *
 * Times are in seconds and cover one run. A point that is skipped or fails as a whole has a single
 * result, without a subject.
 */
struct cuc_bench_result {
    size_t struct_size; /**< sizeof(cuc_bench_result), set by the caller */
    const char *suite;
    const char *name;    /**< of the case */
    const char *axes;    /**< "n=1024 dtype=f32"; "" without axes */
    const char *subject; /**< NULL: the whole point */
    const char *peer;    /**< the peer it was compared with; NULL for the peer itself */
    const char *reason;  /**< why it was skipped or failed; NULL if measured */
    const char *checked; /**< "passed", or "nothing to check: " and the reason; NULL if never
                              checked */
    double median_s;
    double q1_s;
    double q3_s;
    double min_s;
    double mean_s;
    double ci_low_s;
    double ci_high_s;
    double noise;        /**< (q3 - q1) / median */
    double cpu_median_s; /**< host time of the run() call of a GPU subject */
    double bytes;
    double flop;
    double items;
    double bytes_per_s;
    double flop_per_s;
    double items_per_s;
    double peak;  /**< the peak, in its own unit: bytes, flop or items per second */
    double share; /**< fraction of the peak, from 0 up; NaN for a simulated device */
    double ratio; /**< time divided by the peer's: below 1 is faster */
    double ratio_low;
    double ratio_high;
    double limit;     /**< largest passing ratio; NaN: none */
    double sm_mhz;    /**< median clock during the measurement */
    const char *item; /**< name of the items, "instructions" */
    const char *peak_name;
    const char *peak_source;
    const double *samples_s; /**< [samples + discarded] in the order taken; a discarded one is
                                  NaN */
    uint64_t samples;        /**< number of samples that the figures come from */
    uint64_t discarded;      /**< discarded because the clock was low */
    uint64_t batch;          /**< runs in a sample */
    uint32_t mode;           /**< a CUC_BENCH_ mode bit; 0 if no mode was reached */
    int32_t kind;            /**< a CUC_BENCH_KIND_ constant */
    int32_t outcome;         /**< a CUC_BENCH_ outcome */
    int32_t stopped;         /**< a CUC_BENCH_STOP_ constant */
    int32_t verdict;         /**< a CUC_BENCH_ verdict */
    int32_t disturbed;       /**< 1 if more than a third was discarded, so the result is
                                  unreliable */
    const cuc_bench_figure *figures; /**< [figure_count] the subject's figures */
    size_t figure_count;
};

/** Initial value of a cuc_bench_result variable. */
#ifdef __cplusplus
#define CUC_BENCH_RESULT_INIT (cuc__bench_result_default())
static inline cuc_bench_result cuc__bench_result_default(void)
{
    cuc_bench_result result = cuc_bench_result();
    result.struct_size = sizeof(result);
    return result;
}
#else
#define CUC_BENCH_RESULT_INIT                   \
    {                                           \
        .struct_size = sizeof(cuc_bench_result) \
    }
#endif

/**
 * The number of results of a session.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_bench_result_count(const cuc_bench *bench);

/**
 * Read one result.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out   filled up to its struct_size; what it points to lives as long as the session
 * @param      bench the session
 * @param      index below cuc_bench_result_count(); in the order of completion
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is unknown, or index is past
 *                                    the end
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_result(cuc_bench_result *out, const cuc_bench *bench,
                                        size_t index);

/**
 * Write the machine, settings and results as JSON in the schema "cucore-bench/1".
 *
 * The schema is installed as share/cucore/bench-schema.json. If this is called from a progress
 * callback or after a cancelled run, the JSON has the results so far and "unfinished": true.
 *
 * @thread one call at a time on the same session
 * @capture safe: not restricted by the driver
 * @param[out] out   valid until the next call, or until the session is released
 * @param[out] bytes its length without the final zero; may be NULL
 * @param      bench the session
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_json(const char **out, size_t *bytes, cuc_bench *bench);

/**
 * Write the JSON of cuc_bench_get_json() to a file, and replace the file as cuc_object_save() does.
 * A call from a progress callback saves results that would be lost if the process were killed.
 *
 * @thread one call at a time on the same session
 * @capture safe: not restricted by the driver
 * @param bench the session
 * @param path  the file
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_IO               the file cannot be written; its old contents are unchanged
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_write_json(cuc_bench *bench, const char *path);

CUC_END_DECLS

#endif
