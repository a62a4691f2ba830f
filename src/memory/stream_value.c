#include "resource.h"
#include "device/stream.h"
#include "base/options.h"

// Checks an address. Waits and writes need a nonzero address that is a multiple of the word size, 4
// or 8 bytes.
static cuc_status check_word(cuc_device_ptr address, uint32_t bytes, const char *function)
{
    if (bytes != 4 && bytes != 8)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "bytes is %u, expected 4 or 8",
                         bytes);
    if (!address || address % bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "address is 0x%llx, expected a multiple of %u that is not 0",
                         (unsigned long long)address, bytes);
    return CUC_OK;
}

// Adds the reason to a failure, because the driver's code does not say why it refuses an address.
static void note_pool(cuc_device_ptr address, CUresult r)
{
    CUmemoryPool pool = NULL;

    if (r == CUDA_ERROR_INVALID_VALUE &&
        !cuc__cu.cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, address) && pool)
        cuc__error_note("the address is in a memory pool, where streams cannot wait for or write "
                        "values: allocate it with cuc_memory_synchronous_create()");
}

cuc_status cuc_stream_wait_value(cuc_stream *stream, cuc_device_ptr address, uint64_t value,
                                 uint32_t bytes, uint32_t compare)
{
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = check_word(address, bytes, __func__);
    if (st < 0)
        return st;
    if ((compare & ~(uint32_t)CUC_WAIT_FLUSH) > CUC_WAIT_NOR)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "compare is 0x%x, expected CUC_WAIT_GEQ, EQ, AND or NOR, with or without "
                        "CUC_WAIT_FLUSH",
                        compare);
    if ((st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    CUresult r =
        bytes == 4 ? cuc__cu.cuStreamWaitValue32(stream->handle, address, (uint32_t)value, compare)
                   : cuc__cu.cuStreamWaitValue64(stream->handle, address, value, compare);
    if (r) {
        st = CUC_FAIL_CU(stream->context, r,
                         bytes == 4 ? "cuStreamWaitValue32" : "cuStreamWaitValue64",
                         "waiting for the %u bytes at 0x%llx", bytes, (unsigned long long)address);
        note_pool(address, r);
    }
    return CUC_LEAVE(stream->context, pushed, st);
}

cuc_status cuc_stream_write_value(cuc_stream *stream, cuc_device_ptr address, uint64_t value,
                                  uint32_t bytes, uint32_t flags)
{
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = check_word(address, bytes, __func__);
    if (st < 0 ||
        (st = cuc__check_bits("flags", flags, CUC_WRITE_NO_MEMORY_BARRIER, 0,
                              "CUC_WRITE_NO_MEMORY_BARRIER (0x1) or 0", __func__)) < 0 ||
        (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    // The current version of these calls refuses the driver's NO_MEMORY_BARRIER flag. Without the
    // flag there is always a barrier, which is correct, because the flag only permits omitting it.
    const unsigned none = CU_STREAM_WRITE_VALUE_DEFAULT;
    CUresult r = bytes == 4
                     ? cuc__cu.cuStreamWriteValue32(stream->handle, address, (uint32_t)value, none)
                     : cuc__cu.cuStreamWriteValue64(stream->handle, address, value, none);
    if (r) {
        st = CUC_FAIL_CU(stream->context, r,
                         bytes == 4 ? "cuStreamWriteValue32" : "cuStreamWriteValue64",
                         "writing the %u bytes at 0x%llx", bytes, (unsigned long long)address);
        note_pool(address, r);
    }
    return CUC_LEAVE(stream->context, pushed, st);
}
