#include "gpu.h"

#include "bench_kernels.h" // the sources of kernels.cu and philox.h

#include <cucore/copy.h>
#include <cucore/object.h>
#include <cucore/program.h>
#include <cucore/system.h>

enum { WORDS_BYTES = 8 };

cuc_status cuc__bench_gpu_init(struct cuc__bench_gpu *g, cuc_device *device)
{
    cuc_event_options timing = CUC_EVENT_OPTIONS_INIT;
    int32_t l2 = 0;
    cuc_status st;

    *g = (struct cuc__bench_gpu){ .device = device };
    timing.flags = CUC_EVENT_TIMING;
    g->simulated = cuc_driver_is_simulated();
    if ((st = cuc_device_get_attribute(&l2, device, CUC_DEVICE_L2_CACHE_SIZE)) < 0 ||
        (st = cuc_stream_create(&g->stream, device, NULL)) < 0 ||
        (st = cuc_event_create(&g->start, device, &timing)) < 0 ||
        (st = cuc_event_create(&g->stop, device, &timing)) < 0)
        cuc__bench_gpu_release(g);
    g->l2_bytes = l2 > 0 ? (uint64_t)l2 : 0;
    return st;
}

static cuc_status compile(cuc_object **out, cuc_device *device)
{
    const cuc_program_header header = { "philox.h", philox_h, 0 };
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program;

    options.name = "cucore_bench.cu";
    options.arch = cuc_device_arch(device);
    options.fma = CUC_OFF; // no FMA: the host computes the same numbers with two roundings
    options.headers = &header;
    options.header_count = 1;
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_CUDA, kernels_cu, 0, &options);
    if (st < 0)
        return st;
    st = cuc_program_compile(out, program, CUC_CODE_CUBIN);
    cuc_program_release(program);
    return st;
}

static cuc_status make_memory(struct cuc__bench_gpu *g)
{
    // A simulated device has no cache to flush.
    uint64_t flush = g->flush_bytes ? g->flush_bytes : g->simulated ? 65536 : 3 * g->l2_bytes;
    cuc_memory_resource *pinned;
    void *host = NULL;
    cuc_status st = cuc_memory_synchronous_create(&pinned, g->device, CUC_MEMORY_PINNED);

    if (st < 0)
        return st;
    st = cuc_buffer_create(&g->words, g->stream, pinned, WORDS_BYTES);
    cuc_memory_resource_release(pinned);
    if (st < 0 || (st = cuc_buffer_get_host_pointer(&host, g->words)) < 0 ||
        (st = cuc_buffer_create(&g->flushed, g->stream, NULL, (flush + 15) / 16 * 16)) < 0)
        return st;
    st = cuc_buffer_fill(g->stream, g->flushed, 0, 0, 4, cuc_buffer_bytes(g->flushed));
    g->host_words = st < 0 ? NULL : host;
    return st;
}

static cuc_status make_kernels(struct cuc__bench_gpu *g)
{
    cuc_object *object;
    cuc_status st = compile(&object, g->device);

    if (st < 0)
        return st;
    (void)((st = cuc_object_get_kernel(&g->fill, object, "cucore_bench_fill")) < 0 ||
           (st = cuc_object_get_kernel(&g->flush, object, "cucore_bench_flush")) < 0 ||
           (st = cuc_object_get_kernel(&g->block, object, "cucore_bench_block")) < 0);
    cuc_object_release(object);
    return st;
}

static void drop_kernels(struct cuc__bench_gpu *g)
{
    cuc_buffer_release(g->words);
    cuc_buffer_release(g->flushed);
    cuc_kernel_release(g->block);
    cuc_kernel_release(g->flush);
    cuc_kernel_release(g->fill);
    g->words = g->flushed = NULL;
    g->block = g->flush = g->fill = NULL;
    g->host_words = NULL;
}

cuc_status cuc__bench_gpu_kernels(struct cuc__bench_gpu *g)
{
    cuc_status st;

    if (g->host_words)
        return CUC_OK;
    if ((st = make_kernels(g)) < 0 || (st = make_memory(g)) < 0)
        drop_kernels(g);
    return st;
}

void cuc__bench_gpu_release(struct cuc__bench_gpu *g)
{
    drop_kernels(g);
    cuc_event_release(g->stop);
    cuc_event_release(g->start);
    cuc_stream_release(g->stream);
    *g = (struct cuc__bench_gpu){ 0 };
}

uint32_t cuc__bench_grid(const struct cuc__bench_gpu *g, uint64_t work, uint32_t block)
{
    int32_t sms = 1;
    uint64_t needed = (work + block - 1) / block;

    (void)cuc_device_get_attribute(&sms, g->device, CUC_DEVICE_MULTIPROCESSOR_COUNT);
    // Eight blocks of 256 threads fill a multiprocessor. On a simulated device more threads only
    // cost time.
    uint64_t most = g->simulated ? 4 : (uint64_t)sms * 8;
    return (uint32_t)(needed < most ? (needed ? needed : 1) : most);
}
