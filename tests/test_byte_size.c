// Tests parsing byte counts with a suffix.
#include "base/array.h"
#include "base/byte_size.h"
#include "testing.h"

static const struct {
    const char *text;
    bool ok;
    uint64_t bytes;
} rows[] = {
    { "0", true, 0 },
    { "0K", true, 0 },
    { "1000", true, 1000 },
    { "010", true, 10 },
    { "3K", true, 3 << 10 },
    { "500M", true, (uint64_t)500 << 20 },
    { "16G", true, (uint64_t)16 << 30 },
    { "2T", true, (uint64_t)2 << 40 },
    { "18446744073709551615", true, UINT64_MAX },
    { "18446744073709551616", false, 0 },
    { "16777215T", true, UINT64_MAX - (((uint64_t)1 << 40) - 1) },
    { "16777216T", false, 0 },
    { "", false, 0 },
    { "K", false, 0 },
    { "-1", false, 0 },
    { "+1", false, 0 },
    { " 1", false, 0 },
    { "1 ", false, 0 },
    { "1k", false, 0 },
    { "1KB", false, 0 },
    { "16X", false, 0 },
    { "0x10", false, 0 },
    { "1.5G", false, 0 },
};

TEST_ROWS(a_number_of_bytes, rows)
{
    const uint64_t before = 12345;
    uint64_t bytes = before;

    bool ok = cuc__read_byte_size(&bytes, rows[_i].text);
    ck_assert_msg(ok == rows[_i].ok, "\"%s\"", rows[_i].text);
    ck_assert_uint_eq(bytes, ok ? rows[_i].bytes : before);
}

int main(void)
{
    return run_tests("byte_size");
}
