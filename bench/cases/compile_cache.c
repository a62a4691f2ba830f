#include "compile_cache.h"

#include "base/array.h"
#include "bench_case_kernels.h"

#include <cucore/algorithm.h>
#include <cucore/cache.h>
#include <cucore/error.h>
#include <cucore/find.h>
#include <cucore/gemm.h>
#include <cucore/linker.h>
#include <cucore/program.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// RECALLED is a cache miss, but an earlier source has stored the list of included files.
enum way { NONE, MISS, RECALLED, HIT, WAYS };

struct point;

// One way to do the work, and the result of its last run.
struct subject {
    struct point *point;
    cuc_cache *cache;
    enum way way;
    cuc_object *object;
    cuc_gemm_plan *plan;
    cuc_algorithm *algorithm;
};

struct point {
    cuc_status (*run)(struct subject *s);
    bool includes;
    cuc_device *device;
    char arch[32];
    cuc_object *ptx; // the PTX to link
    uint64_t number; // number of compilations so far
    char folder[48]; // of the caches
    struct subject subjects[WAYS];
};

// ---- The work

static cuc_status compile(struct subject *s, int32_t language, const char *text, int32_t target)
{
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    struct point *p = s->point;
    cuc_program *program;
    char *numbered = NULL;

    options.arch = p->arch;
    options.cache = s->cache;
    options.no_cache = language == CUC_SOURCE_CUDA ? CUC_DEFAULT : CUC_ON; // no nvJitLink cache
    if (language == CUC_SOURCE_CUDA &&
        asprintf(&numbered, "%s// %llu\n", text,
                 s->way == HIT ? 0 : (unsigned long long)++p->number) < 0)
        return bench_no_memory("a source");
    cuc_status st = cuc_program_create(&program, language, numbered ? numbered : text, 0, &options);
    free(numbered);
    if (st < 0)
        return st;
    st = cuc_program_compile(&s->object, program, target);
    cuc_program_release(program);
    return st;
}

static cuc_status run_cuda(struct subject *s)
{
    return compile(s, CUC_SOURCE_CUDA, saxpy_cu, CUC_CODE_CUBIN);
}

static cuc_status run_cuda_fp16(struct subject *s)
{
    static const char text[] = "#include <cuda_fp16.h>\n"
                               "extern \"C\" __global__ void twice(__half *x)\n"
                               "{\n"
                               "    x[threadIdx.x] = __hmul(x[threadIdx.x], __float2half(2));\n"
                               "}\n";

    return compile(s, CUC_SOURCE_CUDA, text, CUC_CODE_CUBIN);
}

static cuc_status run_cuda_cub(struct subject *s)
{
    static const char text[] = "#include <cub/block/block_reduce.cuh>\n"
                               "extern \"C\" __global__ void sum(float *x)\n"
                               "{\n"
                               "    using reduce = cub::BlockReduce<float, 128>;\n"
                               "    __shared__ typename reduce::TempStorage storage;\n"
                               "    float all = reduce(storage).Sum(x[threadIdx.x]);\n"
                               "    if (threadIdx.x == 0)\n"
                               "        x[0] = all;\n"
                               "}\n";

    return compile(s, CUC_SOURCE_CUDA, text, CUC_CODE_CUBIN);
}

static cuc_status run_tile(struct subject *s)
{
    return compile(s, CUC_SOURCE_TILE, vadd_tile, CUC_CODE_PTX);
}

static cuc_status run_tile_cubin(struct subject *s)
{
    return compile(s, CUC_SOURCE_TILE, vadd_tile, CUC_CODE_CUBIN);
}

static cuc_status run_link(struct subject *s)
{
    cuc_linker_options options = CUC_LINKER_OPTIONS_INIT;
    cuc_linker *linker;

    options.arch = s->point->arch;
    options.backend = CUC_LINKER_NVJITLINK;
    options.no_cache = CUC_ON;
    options.cache = s->cache;
    cuc_status st = cuc_linker_create(&linker, &options);
    if (st < 0)
        return st;
    st = cuc_linker_add(linker, s->point->ptx);
    if (st >= 0)
        st = cuc_linker_link(&s->object, linker, CUC_CODE_CUBIN);
    cuc_linker_release(linker);
    return st;
}

static cuc_status run_plan(struct subject *s)
{
    return cuc_gemm_plan_create(&s->plan, s->point->device,
                                CUC_GEMM_OPTIONS(.dtype = CUC_BF16, .m = 4096, .n = 4096, .k = 4096,
                                                 .tuned = "", .cache = s->cache));
}

static cuc_status create_algorithm(struct subject *s, int32_t kind, const char *fn)
{
    static const char *const in[] = { "x: f32" }, *const out[] = { "y: f32" };

    return cuc_algorithm_create(&s->algorithm, s->point->device,
                                CUC_ALGORITHM_OPTIONS(.kind = kind, .inputs = in, .input_count = 1,
                                                      .outputs = out, .output_count = 1, .fn = fn,
                                                      .cache = s->cache));
}

static cuc_status run_sum(struct subject *s)
{
    return create_algorithm(s, CUC_ALGORITHM_REDUCE, "sum");
}

static cuc_status run_scan(struct subject *s)
{
    return create_algorithm(s, CUC_ALGORITHM_SCAN, "sum");
}

static cuc_status run_sort(struct subject *s)
{
    return create_algorithm(s, CUC_ALGORITHM_SORT, NULL);
}

static const struct work {
    const char *name;
    cuc_status (*run)(struct subject *s);
    bool includes; // may reuse a stored list of included files
    bool needs_device;
    const char *headers; // name of the headers that the work needs; NULL: none
} works[] = {
    { "cuda", run_cuda, false, false, NULL },
    { "cuda_fp16", run_cuda_fp16, true, false, "cuda" },
    { "cuda_cub", run_cuda_cub, true, false, "cccl" },
    { "tile", run_tile, false, false, NULL },
    { "tile_cubin", run_tile_cubin, false, false, NULL },
    { "link", run_link, false, false, NULL },
    { "plan", run_plan, false, true, NULL },
    { "sum", run_sum, false, true, NULL },
    { "scan", run_scan, false, true, NULL },
    { "sort", run_sort, false, true, NULL },
};

// ---- Runs

static void drop_result(struct subject *s)
{
    cuc_object_release(s->object);
    cuc_gemm_plan_release(s->plan);
    cuc_algorithm_release(s->algorithm);
    s->object = NULL;
    s->plan = NULL;
    s->algorithm = NULL;
}

static cuc_status prepare(void *data, cuc_stream *stream, uint64_t set)
{
    struct subject *s = data;

    (void)stream;
    (void)set;
    drop_result(s);
    return s->way == MISS ? cuc_cache_clear(s->cache) : CUC_OK;
}

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    struct subject *s = data;

    (void)stream;
    (void)set;
    return s->point->run(s);
}

static bool same_code(const cuc_object *a, const cuc_object *b)
{
    const void *code[2];
    size_t bytes[2];

    return cuc_object_kind(a) == cuc_object_kind(b) &&
           cuc_object_get_code(&code[0], &bytes[0], a) >= 0 &&
           cuc_object_get_code(&code[1], &bytes[1], b) >= 0 && bytes[0] == bytes[1] &&
           memcmp(code[0], code[1], bytes[0]) == 0;
}

// Checks that the cache behaved as the subject's name says, and that the code equals the code of
// the subject without a cache.
static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    struct subject *s = data, *none = &s->point->subjects[NONE];
    cuc_cache_info before = CUC_CACHE_INFO_INIT, after = CUC_CACHE_INFO_INIT;
    cuc_status st;

    if ((st = cuc_cache_get_info(&before, s->cache)) < 0 || (st = prepare(s, stream, 0)) < 0 ||
        (st = run(s, stream, 0)) < 0 || (st = cuc_cache_get_info(&after, s->cache)) < 0)
        return st;
    if (!none->object && !none->plan && !none->algorithm && (st = run(none, stream, 0)) < 0)
        return st;
    bool hit = after.hits > before.hits, miss = after.misses > before.misses;
    if (hit != (s->way == HIT) || miss != (s->way == MISS || s->way == RECALLED)) {
        snprintf(why, why_size, "the cache has %s hits and %s misses", hit ? "more" : "no more",
                 miss ? "more" : "no more");
        return 1;
    }
    if (s->object && !same_code(s->object, none->object)) {
        snprintf(why, why_size, "the code differs from that without a cache");
        return 1;
    }
    return CUC_OK;
}

// ---- Set-up

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static void drop_point(void *data)
{
    struct point *p = data;

    for (int i = 0; i < WAYS; i++) {
        drop_result(&p->subjects[i]);
        cuc_cache_release(p->subjects[i].cache);
    }
    cuc_object_release(p->ptx);
    if (*p->folder)
        (void)nftw(p->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(p);
}

static cuc_status open_caches(struct point *p)
{
    char path[64];
    cuc_status st = CUC_OK;

    strcpy(p->folder, "/tmp/cucore-bench-cache-XXXXXX");
    if (!mkdtemp(p->folder)) {
        *p->folder = '\0';
        return bench_fail(CUC_ERROR_IO, "no folder can be made in /tmp");
    }
    p->subjects[NONE].cache = cuc_cache_none();
    for (int way = MISS; way <= HIT && st >= 0; way++) {
        snprintf(path, sizeof(path), "%s/%d", p->folder, way);
        st = cuc_cache_open(&p->subjects[way].cache, CUC_CACHE_OPTIONS(.dir = path));
    }
    return st;
}

static cuc_status add_subjects(cuc_bench_state *state, struct point *p)
{
    static const char *const names[WAYS] = {
        [NONE] = "none", [MISS] = "miss", [RECALLED] = "recalled", [HIT] = "hit"
    };
    cuc_status st = CUC_OK;

    for (int way = NONE; way < WAYS && st >= 0; way++) {
        struct subject *s = &p->subjects[way];
        cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
        if (way == RECALLED && !p->includes)
            continue;
        s->point = p;
        s->way = (enum way)way;
        if ((st = run(s, NULL, 0)) < 0) // loads the compilers, and stores the result for later runs
            return st == CUC_ERROR_NOT_FOUND ? cuc_bench_state_skip(state, cuc_error_message())
                                             : st;
        subject.name = names[way];
        subject.kind = CUC_BENCH_KIND_CPU;
        subject.data = s;
        subject.run = run;
        subject.prepare = prepare;
        subject.check = check;
        subject.batch = 1;
        subject.flags = way == NONE ? CUC_BENCH_PEER : 0;
        st = cuc_bench_state_add_subject(state, &subject);
    }
    return st;
}

cuc_status bench_set_up_cache(cuc_bench_state *state, void *data)
{
    const char *name = cuc_bench_state_text(state, "work");
    const struct work *work = NULL;
    cuc_status st;

    (void)data;
    for (size_t i = 0; i < CUC_LENGTH(works); i++)
        if (strcmp(works[i].name, name) == 0)
            work = &works[i];
    if (!work)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "work is %s: cuda, cuda_fp16, cuda_cub, tile, tile_cubin, link, plan, "
                          "sum, scan and sort are known",
                          name);
    cuc_found *found = NULL;
    if (work->headers && cuc_find_header_dir(&found, work->headers) < 0)
        return cuc_bench_state_skip(state, cuc_error_message());
    cuc_found_release(found);
    struct point *p = calloc(1, sizeof(*p));
    if (!p)
        return bench_no_memory("a point");
    if ((st = cuc_bench_state_defer(state, drop_point, p)) < 0)
        return st;
    p->run = work->run;
    p->includes = work->includes;
    p->device = cuc_bench_state_device(state);
    if (work->needs_device && !p->device)
        return cuc_bench_state_skip(state, "there is no device");
    snprintf(p->arch, sizeof(p->arch), "%s", p->device ? cuc_device_arch(p->device) : "sm_90");
    if ((st = open_caches(p)) < 0)
        return st;
    if (work->run == run_link) {
        struct subject first = { .point = p, .cache = cuc_cache_none() };
        if ((st = run_tile(&first)) < 0)
            return st;
        p->ptx = first.object;
    }
    return add_subjects(state, p);
}
