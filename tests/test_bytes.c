// Tests little-endian numbers of 0 to 8 bytes at odd offsets.
#include "base/array.h"
#include "base/bytes.h"
#include "testing.h"

static const struct {
    uint64_t value;
    size_t bytes;
    const char *written;
    uint64_t read;
} rows[] = {
    { 0x0102030405060708, 8, "\x08\x07\x06\x05\x04\x03\x02\x01", 0x0102030405060708 },
    { UINT64_MAX - 1, 8, "\xfe\xff\xff\xff\xff\xff\xff\xff", UINT64_MAX - 1 },
    { 0x0102030405060708, 4, "\x08\x07\x06\x05", 0x05060708 },
    { 0xfffe, 3, "\xfe\xff\0", 0xfffe },
    { 0x80ff, 1, "\xff", 0xff },
    { 7, 0, "", 0 },
};

TEST_ROWS(numbers_are_little_endian, rows)
{
    for (size_t at = 0; at < 3; at++) {
        unsigned char data[16], expected[16];
        memset(data, 0xaa, sizeof(data));
        memcpy(expected, data, sizeof(data));
        memcpy(expected + at, rows[_i].written, rows[_i].bytes);
        cuc__write_le(data, at, rows[_i].bytes, rows[_i].value);
        ck_assert_mem_eq(data, expected, sizeof(data));
        ck_assert_uint_eq(cuc__read_le(data, at, rows[_i].bytes), rows[_i].read);
    }
}

int main(void)
{
    return run_tests("bytes");
}
