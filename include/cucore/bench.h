/**
 * @file
 * Benchmarks: figures that can be believed, of kernels, C functions and whatever can be called.
 *
 * A library of its own, libcucore-bench (pkg-config cucore-bench); cucore.h does not include it.
 *
 * A *case* has a name in a suite, axes, and a setup function. One combination of axis values is a
 * *point*: setup is called with its *state*, makes inputs, and adds *subjects*, each something to
 * time; one of them may be the *peer* that the others are compared with. Every subject is checked
 * before it is timed, and the subjects of a point are timed in turns, sample by sample, in random
 * order. A *session* (cuc_bench) holds cases, options and results.
 *
 * All callbacks are plain functions with a `void *data`, so that other languages can give theirs.
 * They are called on the thread that called cuc_bench_run().
 */
#ifndef CUCORE_BENCH_H
#define CUCORE_BENCH_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/error.h> /* cuc_error_set(), by which callbacks say why they fail */
#include <cucore/stream.h>

CUC_BEGIN_DECLS

/**
 * A session: options, cases, peaks and results.
 *
 * Threads: any thread, one call at a time on the same session.
 */
typedef struct cuc_bench cuc_bench;

/** A point while it is set up; valid until its setup function returns. */
typedef struct cuc_bench_state cuc_bench_state;

/** An array of a point, in several sets; valid until the point is done. */
typedef struct cuc_bench_input cuc_bench_input;

/** How subjects are timed: X(constant, bit, name). */
// clang-format off
#define CUC_BENCH_MODE_LIST(X) \
    X(CUC_BENCH_COLD,  1, "cold")  /* GPU time of one run; L2 flushed, all enqueued beforehand */ \
    X(CUC_BENCH_HOT,   2, "hot")   /* GPU time a run, of a batch back to back */ \
    X(CUC_BENCH_GRAPH, 4, "graph") /* GPU time a run, of a captured batch that is replayed */ \
    X(CUC_BENCH_CPU,   8, "cpu")   /* time of the call on the host; waits for the GPU apart */
// clang-format on

/** What a subject is: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_KIND_LIST(X) \
    X(CUC_BENCH_KIND_GPU,     0, "gpu")     /* run() enqueues on the stream */ \
    X(CUC_BENCH_KIND_CPU,     1, "cpu")     /* run() does the work and returns when it is done */ \
    X(CUC_BENCH_KIND_FOREIGN, 2, "foreign") /* sample() has it timed elsewhere: a child process */
// clang-format on

/** What became of a subject: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_OUTCOME_LIST(X) \
    X(CUC_BENCH_MEASURED, 0, "measured") \
    X(CUC_BENCH_SKIPPED,  1, "skipped") /* it cannot be measured here, which is no failure */ \
    X(CUC_BENCH_FAILED,   2, "failed")  /* an error, or a check that did not pass */
// clang-format on

/** Why no more samples were taken: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_STOP_LIST(X) \
    X(CUC_BENCH_STOP_NONE,        0, "none")        /* nothing was measured */ \
    X(CUC_BENCH_STOP_CONFIDENCE,  1, "confidence")  /* the median is known to the target */ \
    X(CUC_BENCH_STOP_ENTROPY,     2, "entropy")     /* more samples tell nothing new */ \
    X(CUC_BENCH_STOP_MAX_SAMPLES, 3, "max_samples") \
    X(CUC_BENCH_STOP_MAX_SECONDS, 4, "max_seconds") \
    X(CUC_BENCH_STOP_CANCELLED,   5, "cancelled")   /* the progress callback said so */
// clang-format on

/** A subject against its peer: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_VERDICT_LIST(X) \
    X(CUC_BENCH_NO_VERDICT, 0, "")       /* there is no peer, or nothing was measured */ \
    X(CUC_BENCH_SAME,       1, "SAME")   /* the ratio's interval lies within same_within of 1 */ \
    X(CUC_BENCH_FASTER,     2, "FASTER") /* wholly below 1, by more than the noise floor */ \
    X(CUC_BENCH_SLOWER,     3, "SLOWER") /* wholly above 1, by more than the noise floor */ \
    X(CUC_BENCH_UNSURE,     4, "UNSURE") /* none of these, fewer than 6 pairs, or one of the two was
                                            disturbed: more or quieter samples are needed */
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
 * The mode of a name.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param name as cuc_bench_mode_name() gives it; NULL is no mode
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
 * @param outcome CUC_BENCH_MEASURED and the like
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
 * @param verdict CUC_BENCH_SAME and the like
 * @return static storage; "" for CUC_BENCH_NO_VERDICT, "unknown" for any other value; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_bench_verdict_name(int32_t verdict);

/* ---- Statistics ------------------------------------------------------------------------- */

/** What is said of a row of samples. */
typedef struct cuc_bench_summary {
    size_t struct_size; /**< sizeof(cuc_bench_summary), set by the caller */
    uint64_t count;
    double median;
    double q1; /**< lower quartile */
    double q3; /**< upper quartile */
    double min;
    double max;
    double mean;
    double ci_low;  /**< the median's 95 % confidence interval, by order statistics */
    double ci_high; /**< with fewer than 6 samples the interval is from min to max */
    double noise;   /**< (q3 - q1) / median */
} cuc_bench_summary;

/** Initial value of a cuc_bench_summary variable. */
#define CUC_BENCH_SUMMARY_INIT                                  \
    {                                                           \
        sizeof(cuc_bench_summary), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Quartiles, extremes, mean and the median's confidence interval.
 *
 * @shape  `values`: [count], in any order
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out    filled up to its struct_size
 * @param      values read only; those that are not a number are left out
 * @param      count  1 or more
 * @retval CUC_OK                     filled
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is unknown, or no value is
 *                                    a number
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_summarise(cuc_bench_summary *out, const double *values, size_t count);

/** A subject against its peer. */
typedef struct cuc_bench_comparison {
    size_t struct_size; /**< sizeof(cuc_bench_comparison), set by the caller */
    double ratio;       /**< subject / peer, of times: below 1 the subject is faster */
    double low;         /**< the ratio's 95 % confidence interval */
    double high;
    int32_t verdict;  /**< CUC_BENCH_SAME and the like */
    int32_t reserved; /**< 0 */
} cuc_bench_comparison;

/** Initial value of a cuc_bench_comparison variable. */
#define CUC_BENCH_COMPARISON_INIT                   \
    {                                               \
        sizeof(cuc_bench_comparison), 0, 0, 0, 0, 0 \
    }

/** From which difference on a verdict is given; zero is the default of every field. */
typedef struct cuc_bench_thresholds {
    size_t struct_size; /**< sizeof(cuc_bench_thresholds); the initialisers set it */
    double same_within; /**< 0: 0.01; SAME when the interval is within 1 -+ this */
    double noise_floor; /**< 0: 0.005; no FASTER or SLOWER for a ratio nearer to 1 than this */
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
 * @param caller_size sizeof(cuc_bench_thresholds) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_bench_thresholds_init(cuc_bench_thresholds *thresholds, size_t caller_size);

/**
 * Compare samples that were taken in turns: by the ratio within each pair, so that what both
 * suffered, such as a clock that drifts, falls out.
 *
 * @shape  `subject` and `peer`: [count] times; those at one index were taken side by side
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out        the median of the ratios, its interval by order statistics, the verdict
 * @param      subject    read only; a pair with a value that is not a number above 0 is left out
 * @param      peer       read only
 * @param      count      of pairs
 * @param      thresholds NULL is every default
 * @retval CUC_OK                     filled
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a struct_size is unknown, or no pair is
 *                                    left
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_compare_pairs(cuc_bench_comparison *out, const double *subject,
                                           const double *peer, size_t count,
                                           const cuc_bench_thresholds *thresholds);

/**
 * Compare two runs that were not taken in turns: by their medians and intervals.
 *
 * The interval of the ratio takes those of both in quadrature. A summary of fewer than 6 samples has
 * no interval, so the verdict is CUC_BENCH_UNSURE; a count of 0 is not known, and is believed.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out        the ratio of the medians, its interval, the verdict
 * @param      subject    count, median, ci_low and ci_high are read
 * @param      peer       likewise
 * @param      thresholds NULL is every default
 * @retval CUC_OK                     filled
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a struct_size is unknown, or a median
 *                                    is not above 0
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_compare_summaries(cuc_bench_comparison *out,
                                               const cuc_bench_summary *subject,
                                               const cuc_bench_summary *peer,
                                               const cuc_bench_thresholds *thresholds);

/* ---- Cases ------------------------------------------------------------------------------ */

/** What the values of an axis are: X(constant, value, name). */
// clang-format off
#define CUC_BENCH_AXIS_LIST(X) \
    X(CUC_BENCH_AXIS_INT,    0, "int")   /* whole numbers: "1,8,100:500:100" */ \
    X(CUC_BENCH_AXIS_POW2,   1, "pow2")  /* exponents of 2: "10:28:2"; from 64 on powers: "1024" */ \
    X(CUC_BENCH_AXIS_DTYPE,  2, "dtype") /* element types: "f32,bf16" */ \
    X(CUC_BENCH_AXIS_STRING, 3, "string") /* words without a comma: "nt,nn" */
// clang-format on

enum {
#define CUC__BENCH_AXIS_ENUM(name, value, text) name = value,
    CUC_BENCH_AXIS_LIST(CUC__BENCH_AXIS_ENUM)
#undef CUC__BENCH_AXIS_ENUM
};

/** An axis of a case. Values are text: a list with commas; numbers also as first:last[:step]. */
typedef struct cuc_bench_axis {
    const char *name;   /**< a word, "n" */
    const char *values; /**< all of them, in order */
    const char *quick;  /**< those of a quick session; NULL: all */
    int32_t kind;       /**< a CUC_BENCH_AXIS_ constant */
    int32_t reserved;   /**< 0 */
} cuc_bench_axis;

/**
 * Called for each point: makes what the subjects need and adds them to the state.
 *
 * A negative status fails the point, with the thread's last error as the reason. Whatever setup
 * makes goes to cuc_bench_state_defer(), which also frees it when setup fails half way.
 */
typedef cuc_status (*cuc_bench_setup)(cuc_bench_state *state, void *data);

/** Flags of cuc_bench_case. */
enum {
    /** The points need no device: they are set up on machines without one too. */
    CUC_BENCH_CASE_NO_DEVICE = 1 << 0,
};

/** A case, as cuc_bench_add_case() takes it and cuc_bench_get_case() gives it. */
typedef struct cuc_bench_case {
    size_t struct_size;         /**< sizeof(cuc_bench_case); the initialisers set it */
    const char *suite;          /**< a word: "memory" */
    const char *name;           /**< a word: "copy" */
    const char *about;          /**< a line for people; NULL is none */
    const cuc_bench_axis *axes; /**< [axis_count]; the last one varies fastest */
    size_t axis_count;
    cuc_bench_setup setup;
    void *data;     /**< handed to setup */
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
 * @param caller_size sizeof(cuc_bench_case) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_bench_case_init(cuc_bench_case *bench_case, size_t caller_size);

/* ---- Sessions --------------------------------------------------------------------------- */

typedef struct cuc_bench_result cuc_bench_result;

/** What a progress callback is told of. */
enum {
    CUC_BENCH_PROGRESS_POINT = 0,   /**< a point begins */
    CUC_BENCH_PROGRESS_SAMPLES = 1, /**< samples are being taken; ten times a second at most */
    CUC_BENCH_PROGRESS_RESULT = 2,  /**< there is a result */
};

/** Where a run is. Pointers are valid during the callback. */
typedef struct cuc_bench_progress {
    size_t struct_size; /**< sizeof(cuc_bench_progress) of the library */
    size_t point;       /**< from 0 */
    size_t point_count; /**< of this run */
    const char *suite;
    const char *name;               /**< of the case */
    const char *axes;               /**< "n=1024 dtype=f32"; "" without axes */
    const char *subject;            /**< SAMPLES: the first one; else NULL */
    const cuc_bench_result *result; /**< RESULT only, else NULL */
    uint64_t samples;               /**< SAMPLES: rounds so far */
    double median_s;                /**< SAMPLES: of the first subject so far */
    uint32_t mode;                  /**< SAMPLES: a CUC_BENCH_ mode bit; else 0 */
    int32_t event;                  /**< a CUC_BENCH_PROGRESS_ constant */
} cuc_bench_progress;

/**
 * Flags of cuc_bench_options.
 */
enum {
    CUC_BENCH_QUICK = 1 << 0,        /**< short axes, and less time and samples by default */
    CUC_BENCH_KEEP_SAMPLES = 1 << 1, /**< the JSON gets every sample */
    CUC_BENCH_NO_ENTROPY = 1 << 2,   /**< stop by the confidence interval alone, or the limits */
    CUC_BENCH_NO_DEVICE = 1 << 3,    /**< use no device even if there is one */
};

/** Options of cuc_bench_create(); zero is the default of every field. */
typedef struct cuc_bench_options {
    size_t struct_size;   /**< sizeof(cuc_bench_options); the initialisers set it */
    cuc_device *device;   /**< NULL: device 0; without a driver or a device: none, CPU work only */
    uint64_t seed;        /**< of inputs and of the order; 0 is a seed like any other */
    uint64_t min_samples; /**< 0: 20, quick 10 */
    uint64_t max_samples; /**< 0: 10000, quick 1000 */
    double min_seconds; /**< of sampling, however sure the median is by then; 0: 0.1, quick 0.02 */
    /** For a point in a mode, flushes and the like included; 0: 3, quick 0.3. min_samples are taken
     *  all the same, unless they take ten times as long. */
    double max_seconds;
    double target;          /**< relative half width of the median's interval; 0: 0.005 */
    double throttle_below;  /**< a sample below this share of the median clock is thrown away;
                                 0: 0.75 */
    double same_within;     /**< as in cuc_bench_thresholds */
    double noise_floor;     /**< as in cuc_bench_thresholds */
    double block_timeout_s; /**< how long run() may take to enqueue; 0: 5 */
    uint64_t flush_bytes;   /**< read to flush L2; 0: three times L2 (simulated: 64 KiB) */
    uint64_t max_set_bytes; /**< of the sets of one input together; 0: an eighth of what is free */
    uint32_t modes;         /**< CUC_BENCH_ mode bits to keep of each case's; 0: all */
    uint32_t flags;         /**< CUC_BENCH_QUICK and the like */
    const char *command;    /**< for the JSON; NULL: left out */
    const char *commit;     /**< for the JSON; NULL: left out */
    /** Called as the run goes on; not 0 ends it after the sample under way. NULL: nobody. */
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
 * @param caller_size sizeof(cuc_bench_options) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_bench_options_init(cuc_bench_options *options, size_t caller_size);

/**
 * Make a session without cases.
 *
 * @thread any thread
 * @capture may spoil a capture in global mode
 * @param[out] out     to be released
 * @param      options NULL is every default; copied
 * @retval CUC_OK                     made; that there is no device is no failure, see
 *                                    cuc_bench_device_reason()
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, an option is not known or out of its range
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused a stream or an event of the device
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_create(cuc_bench **out, const cuc_bench_options *options);

/**
 * End a session. Its results go with it.
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
 * Why a session has no device.
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
 * @param bench_case copied, texts and axes included
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument, a name, the setup function or an axis's values
 *                                    are NULL or not what they should be, or there is a case of
 *                                    that name in the suite; the message says which
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_add_case(cuc_bench *bench, const cuc_bench_case *bench_case);

/**
 * How many cases a session has.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_bench_case_count(const cuc_bench *bench);

/**
 * One case.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out   filled up to its struct_size; what it points to lives as long as the session
 * @param      bench the session
 * @param      index below cuc_bench_case_count(); in the order in which they were added
 * @retval CUC_OK                     filled
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is unknown, or index is
 *                                    past the end
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_case(cuc_bench_case *out, const cuc_bench *bench, size_t index);

/** Which points of the cases; zero is all of them. */
typedef struct cuc_bench_selection {
    size_t struct_size;        /**< sizeof(cuc_bench_selection); the initialisers set it */
    const char *const *suites; /**< [suite_count] names; each must have a case */
    size_t suite_count;        /**< 0: every suite */
    const char *filter;        /**< a POSIX extended regular expression, searched for in
                                    "suite/case"; NULL: every case */
    const char *const *axes;   /**< [axis_count] "name=values": instead of the axis's own values,
                                    in cases that have such an axis; one at least must */
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
 * @param caller_size sizeof(cuc_bench_selection) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_bench_selection_init(cuc_bench_selection *selection, size_t caller_size);

/**
 * Called by cuc_bench_visit() for each point.
 *
 * @param data       as given
 * @param index      of the case
 * @param bench_case the case
 * @param axes       "n=1024 dtype=f32"; "" without axes
 * @return 0 to go on, anything else to stop
 */
typedef int32_t (*cuc_bench_visitor)(void *data, size_t index, const cuc_bench_case *bench_case,
                                     const char *axes);

/**
 * Go through the selected points, case by case, without running them.
 *
 * @thread one call at a time on the same session
 * @capture makes no driver call
 * @param[out] count     how many were visited; may be NULL
 * @param      bench     the session
 * @param      selection NULL is every point
 * @param      visitor   NULL only counts
 * @param      data      handed to visitor
 * @retval CUC_OK                     visited; a case may be left with no point
 * @retval CUC_ERROR_NOT_FOUND        no case has such a suite, name or axis
 * @retval CUC_ERROR_INVALID_ARGUMENT bench is NULL, the expression or an axis's values are not
 *                                    valid
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_visit(size_t *count, cuc_bench *bench,
                                   const cuc_bench_selection *selection, cuc_bench_visitor visitor,
                                   void *data);

/**
 * Run the selected points, and add their results to those that the session has.
 *
 * The harness's own kernels are compiled when a point first needs them: they take NVRTC.
 *
 * What fails in a point is a result of that point, and the run goes on; what spoils the device's
 * context fails the points after it too.
 *
 * @order  blocks until all is done
 * @thread one call at a time on the same session; the callbacks are called on this thread
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param bench     the session
 * @param selection NULL is every point
 * @retval CUC_OK                     run; the results say how it went
 * @retval CUC_ERROR_NOT_FOUND        no case has such a suite, name or axis
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_bench_visit()
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory; the results so far are kept
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_run(cuc_bench *bench, const cuc_bench_selection *selection);

/* ---- Points while they are set up ------------------------------------------------------- */

/**
 * The value of an axis, of integers or powers of two.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return the value; for no such axis 0, and the point fails with a message that says so
 * @since 0.1
 */
CUC_API int64_t cuc_bench_state_int(cuc_bench_state *state, const char *axis);

/**
 * The value of an axis of element types.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return the type; for no such axis CUC_DTYPE_UNKNOWN, and the point fails
 * @since 0.1
 */
CUC_API cuc_dtype cuc_bench_state_dtype(cuc_bench_state *state, const char *axis);

/**
 * The value of an axis as text, of any kind.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return lives as long as the state; for no such axis "", and the point fails
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
 * The stream that subjects are run on, for work of the setup too.
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
 * Whether the session is a quick one.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @return 1 or 0
 * @since 0.1
 */
CUC_API int32_t cuc_bench_state_is_quick(const cuc_bench_state *state);

/**
 * Say that the point cannot be measured here, and why. Subjects added before are dropped.
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
 * Say that a subject cannot be measured here, and why: a result that is skipped, in place of it.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state   the point
 * @param subject its name, copied: "cublaslt"
 * @param reason  copied: "libcublasLt.so.13 is not there"
 * @retval CUC_OK                     noted
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_skip_subject(cuc_bench_state *state, const char *subject,
                                                const char *reason);

/**
 * Have something freed when the point is done: in the reverse order of these calls, once the
 * stream is idle.
 *
 * When the call fails, it has called `drop` already.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state  the point
 * @param drop   called once with object; NULL does nothing
 * @param object handed to drop
 * @retval CUC_OK                     kept
 * @retval CUC_ERROR_INVALID_ARGUMENT state is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_defer(cuc_bench_state *state, void (*drop)(void *object),
                                         void *object);

/** What one run of a point's subjects does; zero is not known, and no figure is derived. */
typedef struct cuc_bench_work {
    size_t struct_size; /**< sizeof(cuc_bench_work); the initialisers set it */
    double bytes;       /**< read and written, at least */
    double flop;        /**< floating-point operations; a multiply-add is two */
    double items;       /**< of whatever is counted */
    const char *item;   /**< what is counted, in the plural: "instructions"; NULL: "items" */
    const char *peak;   /**< what the rate is a share of, as cuc_bench_get_peak() knows it;
                             NULL: "copy" when there are bytes and no flop, else none */
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
 * @param caller_size sizeof(cuc_bench_work) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_bench_work_init(cuc_bench_work *work, size_t caller_size);

/**
 * Say what one run does, for throughput and shares of a peak.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state the point
 * @param work  copied, texts included
 * @retval CUC_OK                     kept
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or a number is negative
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_set_work(cuc_bench_state *state, const cuc_bench_work *work);

/* ---- Inputs ----------------------------------------------------------------------------- */

/** How the elements of an input are made: X(constant, value, name). */
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
    CUC_BENCH_INPUT_HOST = 1 << 0, /**< ordinary memory of the host, for CPU subjects */
    /** What subjects write: before each of them is checked, every bit of set 0 is 1, which is NaN,
     *  so that no subject passes by what another one has left. */
    CUC_BENCH_INPUT_RESULT = 1 << 1,
};

/** What an input is; zero is the default of every field except count and dtype. */
typedef struct cuc_bench_input_options {
    size_t struct_size; /**< sizeof(cuc_bench_input_options); the initialisers set it */
    uint64_t count;     /**< elements of a set */
    double low;         /**< as `fill` reads it */
    double high;        /**< as `fill` reads it */
    cuc_dtype dtype;    /**< of the elements; a complex one is two numbers */
    int32_t fill;       /**< CUC_BENCH_UNIFORM and the like */
    uint32_t sets;      /**< 0: so many that they exceed L2 twice, up to 32; simulated 2, host 1 */
    uint32_t flags;     /**< CUC_BENCH_INPUT_HOST and the like */
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
 * @param caller_size sizeof(cuc_bench_input_options) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_bench_input_options_init(cuc_bench_input_options *options, size_t caller_size);

/**
 * Make an input, or an output: an array in several sets, which runs use in turn.
 *
 * It is filled on the device, by philox with the session's seed: the same seed gives the same
 * bytes on every machine. See cuc_bench_generate().
 *
 * @order  filled in the order of the state's stream
 * @thread in the setup function
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] out     borrowed; freed when the point is done
 * @param      state   the point
 * @param      options what to make
 * @retval CUC_OK                         created
 * @retval CUC_ERROR_INVALID_ARGUMENT     an argument is NULL, an option is not known, count is 0,
 *                                        dtype is not known or cannot be filled that way
 * @retval CUC_ERROR_NOT_SUPPORTED        there is no device, and CUC_BENCH_INPUT_HOST is not set
 * @retval CUC_ERROR_OUT_OF_MEMORY        no host memory
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY not even one set fits
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_add_input(cuc_bench_input **out, cuc_bench_state *state,
                                             const cuc_bench_input_options *options);

/**
 * How many sets an input has.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or more; 0 for NULL
 * @since 0.1
 */
CUC_API uint64_t cuc_bench_input_sets(const cuc_bench_input *input);

/**
 * The bytes of one set.
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
 * @param set   any number: counted modulo the number of sets
 * @return 0 for NULL and for an input of the host
 * @since 0.1
 */
CUC_API cuc_device_ptr cuc_bench_input_ptr(const cuc_bench_input *input, uint64_t set);

/**
 * The address of one set, for the host.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param input the input
 * @param set   any number: counted modulo the number of sets
 * @return NULL for NULL and for an input that is not CUC_BENCH_INPUT_HOST
 * @since 0.1
 */
CUC_API void *cuc_bench_input_host(const cuc_bench_input *input, uint64_t set);

/**
 * Copy one set to the host, for a check to look at, and wait for it.
 *
 * @order  after what is on the session's stream; blocks until copied
 * @thread one call at a time on the same session
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] to    cuc_bench_input_bytes() bytes
 * @param      input the input
 * @param      set   any number: counted modulo the number of sets
 * @retval CUC_OK                     copied
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_CONTEXT_LOST     work before it failed; also CUC_ERROR_DRIVER
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_input_read(void *to, const cuc_bench_input *input, uint64_t set);

/**
 * Make on the host what an input holds, without a device.
 *
 * Number i (a complex element has two) is made of philox4x32-10 with the seed as key and the
 * counter (low and high half of i, set, index). 16-bit and 8-bit floats are the f32 number rounded
 * to nearest even; what is beyond their range is their largest number.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] to      count elements of dtype
 * @param      options sets and flags are not read
 * @param      seed    of the session
 * @param      index   which input of its point, from 0
 * @param      set     which set, from 0
 * @retval CUC_OK                     made; CUC_BENCH_NONE leaves `to` alone
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_bench_state_add_input()
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_generate(void *to, const cuc_bench_input_options *options,
                                      uint64_t seed, uint32_t index, uint32_t set);

/* ---- Subjects --------------------------------------------------------------------------- */

/** Flags of cuc_bench_subject. */
enum {
    /** What the other subjects of the point are compared with; one of a point. */
    CUC_BENCH_PEER = 1 << 0,
    /** run() waits for the stream itself: it is timed without holding the stream back, and the
     *  time has whatever gaps that makes. Not in graph mode. */
    CUC_BENCH_SYNCHRONISES = 1 << 1,
    /** run() cannot be captured: no graph mode for this subject. */
    CUC_BENCH_NO_CAPTURE = 1 << 2,
};

/** A quantity other than time that a subject comes with: registers a thread, bytes resident. */
typedef struct cuc_bench_figure {
    const char *name; /**< a word with its unit where it has one: "resident_bytes" */
    double value;     /**< finite */
} cuc_bench_figure;

/**
 * Something to time. All callbacks return CUC_OK or a negative status; on a failure the thread's
 * last error is the reason (cuc_error_set() sets it).
 */
typedef struct cuc_bench_subject {
    size_t struct_size; /**< sizeof(cuc_bench_subject); the initialisers set it */
    const char *name;   /**< a word, one of its kind in the point: "cucore" */
    void *data;         /**< handed to the callbacks */
    /**
     * Do the work once, with the set of inputs of this number (which grows; inputs count it
     * modulo their sets). GPU: enqueue on the stream and return without waiting, also on other
     * streams that are joined again. CPU: `stream` is NULL without a device.
     */
    cuc_status (*run)(void *data, cuc_stream *stream, uint64_t set);
    /**
     * Compare with a reference what run() with set 0 has left; it is done by now. Write what is
     * wrong to `why` and return 1, a normal outcome; 0: all is right; negative: cannot be checked.
     * Subjects that write to one array share it: make it with CUC_BENCH_INPUT_RESULT, else a subject
     * that does nothing finds there what the one before it wrote.
     */
    cuc_status (*check)(void *data, cuc_stream *stream, char *why, size_t why_size);
    /** Before each sample and outside of its time, such as to put back what run() changes; NULL. */
    cuc_status (*prepare)(void *data, cuc_stream *stream, uint64_t set);
    /** FOREIGN, instead of run(): take one sample and write its seconds. It waits until done. */
    cuc_status (*sample)(void *data, uint64_t set, double *seconds);
    /** Without check(): the reason why there is nothing to check: "launches an empty kernel". */
    const char *unchecked;
    double limit; /**< the largest ratio to the peer that passes, for the JSON; 0: none */
    /** Runs in a sample of the hot, graph and cpu modes, whose time is divided by it; 0: so many
     *  that a sample takes long enough to be measured. 1 for what cannot be done twice. */
    uint32_t batch;
    uint32_t
        modes; /**< CUC_BENCH_ mode bits; 0: those of the case that suit the kind; FOREIGN: cold */
    int32_t kind;                    /**< a CUC_BENCH_KIND_ constant */
    uint32_t flags;                  /**< CUC_BENCH_PEER and the like */
    const cuc_bench_figure *figures; /**< [figure_count] what else is told of it; NULL: nothing */
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
 * @param caller_size sizeof(cuc_bench_subject) in the code that calls
 * @since 0.1
 */
CUC_API void cuc_bench_subject_init(cuc_bench_subject *subject, size_t caller_size);

/**
 * Add a subject to a point.
 *
 * @thread in the setup function
 * @capture makes no driver call
 * @param state   the point
 * @param subject copied, texts and figures included
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument or the name is NULL, the name is taken, run() or
 *                                    sample() is not there or not of that kind, there is a second
 *                                    peer, neither check() nor a reason why there is nothing to
 *                                    check, or both, or a figure without a name or finite value
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_state_add_subject(cuc_bench_state *state,
                                               const cuc_bench_subject *subject);

/* ---- Peaks ------------------------------------------------------------------------------ */

/** What a peak is counted in. */
enum {
    CUC_BENCH_PER_BYTES = 0, /**< bytes a second */
    CUC_BENCH_PER_FLOP = 1,  /**< floating-point operations a second */
    CUC_BENCH_PER_ITEMS = 2, /**< whatever is counted, a second */
};

/** The most that a device can do of something. */
typedef struct cuc_bench_peak {
    size_t struct_size; /**< sizeof(cuc_bench_peak), set by the caller */
    const char *name;   /**< as it was asked for */
    const char *source; /**< "measured", "datasheet: NVIDIA H200", or as it was set */
    double value;       /**< a second */
    int32_t per;        /**< a CUC_BENCH_PER_ constant */
    int32_t reserved;   /**< 0 */
} cuc_bench_peak;

/** Initial value of a cuc_bench_peak variable. */
#define CUC_BENCH_PEAK_INIT                   \
    {                                         \
        sizeof(cuc_bench_peak), 0, 0, 0, 0, 0 \
    }

/**
 * A peak of the session's device.
 *
 * "copy" is measured, at the first need: bytes read and written by a copy of memory that holds random
 * bits. From the vendor's data sheets, by the device's name: "memory", and dense arithmetic as "f64",
 * "f32", "tf32", "f16", "bf16", "e4m3" (all 8-bit floats), "i8"; a part of a device (MIG) has none of
 * these. Others are there after cuc_bench_set_peak(). A simulated device has none.
 *
 * @order  measuring blocks for some milliseconds
 * @thread one call at a time on the same session
 * @capture not on a captured stream; may spoil a capture in global mode
 * @param[out] out   filled up to its struct_size; texts live as long as the session
 * @param      bench the session
 * @param      name  of the peak
 * @retval CUC_OK                     known
 * @retval CUC_ERROR_NOT_FOUND        not known for this device
 * @retval CUC_ERROR_NOT_SUPPORTED    there is no device, or it is simulated
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL or struct_size is unknown
 * @retval CUC_ERROR_DRIVER           the copy failed; also CUC_ERROR_CONTEXT_LOST
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_peak(cuc_bench_peak *out, cuc_bench *bench, const char *name);

/**
 * Set a peak, such as what a library reached: later points may name it. On a simulated device it
 * is kept, and no share comes of it.
 *
 * @thread one call at a time on the same session
 * @capture makes no driver call
 * @param bench the session
 * @param peak  copied; it takes the place of one of that name
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument, the name or the source is NULL, or value is not
 *                                    above 0
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_set_peak(cuc_bench *bench, const cuc_bench_peak *peak);

/* ---- Results ---------------------------------------------------------------------------- */

/**
 * What became of a subject in a mode. A number that was not measured is NaN, a text NULL.
 *
 * Times are seconds of one run. A point that was skipped or failed as a whole has one result,
 * without a subject.
 */
struct cuc_bench_result {
    size_t struct_size; /**< sizeof(cuc_bench_result), set by the caller */
    const char *suite;
    const char *name;    /**< of the case */
    const char *axes;    /**< "n=1024 dtype=f32"; "" without axes */
    const char *subject; /**< NULL: the whole point */
    const char *peer;    /**< whom it was compared with; NULL for the peer itself */
    const char *reason;  /**< why it was skipped or failed; NULL when measured */
    const char *checked; /**< "passed", or "nothing to check: " and why; NULL: not reached */
    double median_s;
    double q1_s;
    double q3_s;
    double min_s;
    double mean_s;
    double ci_low_s;
    double ci_high_s;
    double noise;        /**< (q3 - q1) / median */
    double cpu_median_s; /**< GPU subjects: of the call of run() */
    double bytes;
    double flop;
    double items;
    double bytes_per_s;
    double flop_per_s;
    double items_per_s;
    double peak;  /**< a second, in bytes, flop or items as the peak counts */
    double share; /**< of the peak, 0 to 1 and more; never of a simulated device */
    double ratio; /**< to the peer: below 1 is faster */
    double ratio_low;
    double ratio_high;
    double limit;     /**< the largest ratio that passes; NaN: none */
    double sm_mhz;    /**< median clock while it was measured */
    const char *item; /**< what items are, "instructions" */
    const char *peak_name;
    const char *peak_source;
    const double *samples_s; /**< [samples + discarded] in the order taken; NaN: thrown away */
    uint64_t samples;        /**< that the figures are of */
    uint64_t discarded;      /**< thrown away because the clock was low */
    uint64_t batch;          /**< runs a sample */
    uint32_t mode;           /**< a CUC_BENCH_ mode bit; 0: not reached */
    int32_t kind;            /**< a CUC_BENCH_KIND_ constant */
    int32_t outcome;         /**< CUC_BENCH_MEASURED and the like */
    int32_t stopped;         /**< a CUC_BENCH_STOP_ constant */
    int32_t verdict;         /**< CUC_BENCH_SAME and the like */
    int32_t disturbed;       /**< 1: more than a third was thrown away: do not believe it */
    const cuc_bench_figure *figures; /**< [figure_count] the subject's */
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
 * How many results a session has.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_bench_result_count(const cuc_bench *bench);

/**
 * One result.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out   filled up to its struct_size; what it points to lives as long as the session
 * @param      bench the session
 * @param      index below cuc_bench_result_count(); in the order in which they came
 * @retval CUC_OK                     filled
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is unknown, or index is
 *                                    past the end
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_result(cuc_bench_result *out, const cuc_bench *bench,
                                        size_t index);

/**
 * Machine, settings and results as JSON, of the schema "cucore-bench/1".
 *
 * The schema is installed as share/cucore/bench-schema.json. From a progress callback it is what
 * there is by then, with "unfinished": true, which what was cancelled has too.
 *
 * @thread one call at a time on the same session
 * @capture safe: not restricted by the driver
 * @param[out] out   valid until the next call, or the session's end
 * @param[out] bytes its length without the final zero; may be NULL
 * @param      bench the session
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_get_json(const char **out, size_t *bytes, cuc_bench *bench);

/**
 * Write that JSON to a file, which is replaced as cuc_object_save() does. From a progress callback it keeps what a process that is killed would lose.
 *
 * @thread one call at a time on the same session
 * @capture safe: not restricted by the driver
 * @param bench the session
 * @param path  of the file
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_IO               the file cannot be written; what was there is untouched
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_bench_write_json(cuc_bench *bench, const char *path);

CUC_END_DECLS

#endif
