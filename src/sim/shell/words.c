// Stream-ordered waits for the value of a word in memory, and writes of a word.
#include "shell.h"

static CUresult word(CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags,
                     unsigned bytes, enum op op)
{
    unsigned known = op == OP_WAIT_VALUE ? 3u | (unsigned)CU_STREAM_WAIT_VALUE_FLUSH
                                         : (unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER;
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (code)
        return code;
    if (flags & ~known || address % bytes)
        return CUDA_ERROR_INVALID_VALUE;
    const struct allocation *a = sim_find(address);
    if (!a || a->freeing || address + bytes > a->base + a->bytes)
        return CUDA_ERROR_INVALID_VALUE;
    if (a->pool) { // as on an H200
        sim_warn("cuStream%sValue%u: 0x%llx is memory of a pool, take some of cuMemAlloc or "
                 "cuMemHostAlloc",
                 op == OP_WAIT_VALUE ? "Wait" : "Write", 8 * bytes, (unsigned long long)address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (op == OP_WAIT_VALUE && flags & (unsigned)CU_STREAM_WAIT_VALUE_FLUSH &&
        !sim_attribute(s->head.context->device, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES))
        return CUDA_ERROR_NOT_SUPPORTED;
    return sim_submit(
        s, &(struct work){
               .op = op,
               .word = { .address = address, .value = value, .flags = flags, .bytes = bytes } });
}

CUresult sim_cuStreamWaitValue32(CUstream stream, CUdeviceptr address, uint32_t value,
                                 unsigned flags)
{
    return word(stream, address, value, flags, 4, OP_WAIT_VALUE);
}

CUresult sim_cuStreamWaitValue64(CUstream stream, CUdeviceptr address, uint64_t value,
                                 unsigned flags)
{
    return word(stream, address, value, flags, 8, OP_WAIT_VALUE);
}

CUresult sim_cuStreamWriteValue32(CUstream stream, CUdeviceptr address, uint32_t value,
                                  unsigned flags)
{
    return word(stream, address, value, flags, 4, OP_WRITE_VALUE);
}

CUresult sim_cuStreamWriteValue64(CUstream stream, CUdeviceptr address, uint64_t value,
                                  unsigned flags)
{
    return word(stream, address, value, flags, 8, OP_WRITE_VALUE);
}

CUresult sim_cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams *batch,
                                unsigned flags)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code && (!batch || !count || count > 256 || flags))
        code = CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && !code; i++) {
        const CUstreamBatchMemOpParams *p = &batch[i];
        switch (p->operation) {
        case CU_STREAM_MEM_OP_WAIT_VALUE_32:
            code = word(stream, p->waitValue.address, p->waitValue.value, p->waitValue.flags, 4,
                        OP_WAIT_VALUE);
            break;
        case CU_STREAM_MEM_OP_WAIT_VALUE_64:
            code = word(stream, p->waitValue.address, p->waitValue.value64, p->waitValue.flags, 8,
                        OP_WAIT_VALUE);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_32:
            code = word(stream, p->writeValue.address, p->writeValue.value, p->writeValue.flags, 4,
                        OP_WRITE_VALUE);
            break;
        case CU_STREAM_MEM_OP_WRITE_VALUE_64:
            code = word(stream, p->writeValue.address, p->writeValue.value64, p->writeValue.flags,
                        8, OP_WRITE_VALUE);
            break;
        case CU_STREAM_MEM_OP_BARRIER:
            code = sim_submit(s, &(struct work){ .op = OP_NOTHING });
            break;
        default:
            code = CUDA_ERROR_INVALID_VALUE;
        }
    }
    return code;
}
