#include "base/array.h"
#include "npy.h"
#include "tests.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Makes a version 1.0 file with this dictionary and `data` bytes of data. The memory is exactly as
// large as the file, so that a sanitizer notices a read past its end.
static uint8_t *make_file(size_t *bytes, const char *dictionary, size_t data)
{
    size_t length = strlen(dictionary);
    uint8_t *file = malloc(10 + length + data);

    ck_assert_ptr_nonnull(file);
    memcpy(file, "\x93NUMPY\x01", 8);
    file[8] = (uint8_t)length;
    file[9] = (uint8_t)(length >> 8);
    memcpy(file + 10, dictionary, length);
    memset(file + 10 + length, 0x5A, data);
    *bytes = 10 + length + data;
    return file;
}

static const struct {
    const char *dictionary;
    size_t data;
    cuc_dtype dtype;
    int32_t rank;
    int64_t shape[3];
} good[] = {
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12, CUC_F32, 1, { 3 } },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n", 48, CUC_F32, 2, { 3, 4 } },
    { "{'shape': (), 'fortran_order': False, 'descr': '<f8'}", 8, CUC_F64, 0, { 0 } },
    { "{\"descr\":\"|b1\",\"fortran_order\":False,\"shape\":(2,)}", 2, CUC_BOOL, 1, { 2 } },
    { "{'descr': '|u1', 'fortran_order': False, 'shape': (2L, 1L)}", 2, CUC_U8, 2, { 2, 1 } },
    { "{'descr': '|i1', 'fortran_order': False, 'shape': (0, 9)}", 0, CUC_I8, 2, { 0, 9 } },
    { "{'descr': '<i2', 'fortran_order': False, 'shape': (1,)}", 2, CUC_I16, 1, { 1 } },
    { "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", 4, CUC_I32, 1, { 1 } },
    { "{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", 8, CUC_I64, 1, { 1 } },
    { "{'descr': '<u2', 'fortran_order': False, 'shape': (1,)}", 2, CUC_U16, 1, { 1 } },
    { "{'descr': '<u4', 'fortran_order': False, 'shape': (1,)}", 4, CUC_U32, 1, { 1 } },
    { "{'descr': '<u8', 'fortran_order': False, 'shape': (1,)}", 8, CUC_U64, 1, { 1 } },
    { "{'descr': '<f2', 'fortran_order': False, 'shape': (1,)}", 2, CUC_F16, 1, { 1 } },
    { "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8, CUC_C64, 1, { 1 } },
    { "{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", 16, CUC_C128, 1, { 1 } },
    { "{'descr': '|V2', 'fortran_order': False, 'shape': (1,)}", 2, CUC_DTYPE_UNKNOWN, 1, { 1 } },
    // The order is irrelevant for a single row.
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (3,)}", 12, CUC_F32, 1, { 3 } },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3, 1)}", 12, CUC_F32, 3, { 1, 3, 1 } },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4)}", 48, CUC_F32, 2, { 3, 4 } },
    // The element count does not overflow, because a zero extent means no elements.
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, "
      "9223372036854775807, "
      "0)}",
      0,
      CUC_F32,
      3,
      { INT64_MAX, INT64_MAX, 0 } },
};

CASE("read", .timeout = 60);

TEST_ROWS(a_good_header_is_read, good)
{
    npy_header h;
    cli_why why;
    size_t bytes;
    uint8_t *file = make_file(&bytes, good[_i].dictionary, good[_i].data);

    ck_assert_msg(npy_parse(&h, file, bytes, "x.npy", &why), "%s: %s", good[_i].dictionary,
                  why.text);
    ck_assert_int_eq(h.dtype, good[_i].dtype);
    ck_assert_int_eq(h.rank, good[_i].rank);
    for (int i = 0; i < h.rank; i++)
        ck_assert_int_eq(h.shape[i], good[_i].shape[i]);
    ck_assert_uint_eq(h.bytes, good[_i].data);
    ck_assert_uint_eq(h.data_offset, bytes - good[_i].data);
    free(file);
}

TEST(column_major_arrays_become_row_major)
{
    enum { A = 2, B = 3, C = 4 };
    npy_header h;
    cli_why why;
    size_t bytes;
    uint8_t *file = make_file(&bytes, "{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3, 4)}",
                              2 * A * B * C);
    uint16_t *at = (uint16_t *)(void *)(file + bytes - 2 * A * B * C), value;

    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < C; k++) {
                value = (uint16_t)(100 * i + 10 * j + k);
                memcpy(at + i + A * (j + B * k), &value, sizeof(value));
            }
    ck_assert_msg(npy_parse(&h, file, bytes, "x.npy", &why), "%s", why.text);
    npy_order_by_rows(&h, file);
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < C; k++) {
                memcpy(&value, at + (i * B + j) * C + k, sizeof(value));
                ck_assert_int_eq(value, 100 * i + 10 * j + k);
            }
    free(file);
}

static const struct {
    const char *dictionary;
    size_t data;
    const char *says;
} bad[] = {
    { "", 0, "does not begin with '{'" },
    { "{", 0, "damaged header" },
    { "{'descr'", 0, "damaged header" },
    { "{'descr': '<f4", 0, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)", 12, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False}", 0, "'shape' is missing" },
    { "{'descr': '<f4', 'shape': (3,)}", 12, "'fortran_order' is missing" },
    { "{'fortran_order': False, 'shape': (3,)}", 12, "'descr' is missing" },
    { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 12, "damaged" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x", 12, "follows the '}'" },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", 12, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", 12, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}", 12, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", 12, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': [3]}", 12, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 0, "damaged" },
    { "{'descr': '<f4', 'fortran_order': False, 'color': 3, 'shape': (3,)}", 12, "damaged header" },
    { "{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (3,)}", 12, "damaged header" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 0,
      "more elements than memory" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,)}", 0,
      "more elements than memory" },
    { "{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}", 12, "big endian ('>f4')" },
    { "{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", 24, "type '|O'" },
    { "{'descr': '<U8', 'fortran_order': False, 'shape': (3,)}", 96, "type '<U8'" },
    { "{'descr': '<f16', 'fortran_order': False, 'shape': (3,)}", 48, "type '<f16'" },
    { "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (3,)}", 12, "fields" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 11, "cut short" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 13, "has 1 bytes after" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': "
      "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
      "1,1,1,1,1,1,1,1,1,1,1,1)}",
      4, "damaged header" },
};

TEST_ROWS(a_bad_header_is_refused_by_name, bad)
{
    npy_header h = { .rank = 77 };
    cli_why why;
    size_t bytes;
    uint8_t *file = make_file(&bytes, bad[_i].dictionary, bad[_i].data);

    ck_assert_msg(!npy_parse(&h, file, bytes, "x.npy", &why), "taken: %s", bad[_i].dictionary);
    ck_assert_msg(strstr(why.text, bad[_i].says) != NULL, "%s: %s", bad[_i].dictionary, why.text);
    ck_assert_msg(strstr(why.text, "x.npy") != NULL, "%s", why.text);
    ck_assert_int_eq(h.rank, 77);
    free(file);
}

static const struct {
    const char *bytes;
    size_t length;
    const char *says;
} starts[] = {
    { "", 0, "no .npy file" },
    { "\x93NUMPY\x01\x00\x01", 9, "no .npy file" },
    { "PK\x03\x04..........", 14, "no .npy file" },
    { "\x93NUMPY\x04\x00\x01\x00{", 11, "version 4.0" },
    { "\x93NUMPY\x01\x01\x01\x00{", 11, "version 1.1" },
    { "\x93NUMPY\x02\x00\x01\x00\x00", 11, "cut short" },
    { "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14, "cut short" },
    { "\x93NUMPY\x01\x00\xff\xff{}", 12, "cut short" },
};

TEST_ROWS(other_files_are_refused, starts)
{
    npy_header h;
    cli_why why;
    uint8_t *file = malloc(starts[_i].length + 1);

    ck_assert_ptr_nonnull(file);
    memcpy(file, starts[_i].bytes, starts[_i].length);
    ck_assert(!npy_parse(&h, file, starts[_i].length, "x.npy", &why));
    ck_assert_msg(strstr(why.text, starts[_i].says) != NULL, "%s", why.text);
    free(file);
}

TEST(versions_2_and_3_have_a_longer_length)
{
    static const char dictionary[] = "{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}";
    uint8_t file[12 + sizeof(dictionary) - 1 + 4] = "\x93NUMPY";
    npy_header h;
    cli_why why;

    for (uint8_t version = 2; version <= 3; version++) {
        file[6] = version;
        file[8] = sizeof(dictionary) - 1;
        memcpy(file + 12, dictionary, sizeof(dictionary) - 1);
        ck_assert_msg(npy_parse(&h, file, sizeof(file), "x.npy", &why), "%s", why.text);
        ck_assert_int_eq(h.dtype, CUC_U16);
        ck_assert_uint_eq(h.data_offset, sizeof(file) - 4);
    }
}

TEST(a_file_cut_anywhere_is_refused)
{
    npy_header h;
    cli_why why;
    size_t bytes;
    uint8_t *file = make_file(&bytes, good[1].dictionary, good[1].data);

    for (size_t n = 0; n < bytes; n++) {
        uint8_t *cut = malloc(n + 1); // one more byte, because malloc(0) may return NULL
        ck_assert_ptr_nonnull(cut);
        memcpy(cut + 1, file, n);
        ck_assert_msg(!npy_parse(&h, cut + 1, n, "x.npy", &why), "taken with %zu bytes", n);
        free(cut);
    }
    free(file);
}

// Returns pseudorandom numbers that are the same in every run, so that failures can be reproduced.
static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

TEST(damaged_files_are_read_safely)
{
    uint64_t state = 1;
    npy_header h;
    cli_why why;
    unsigned taken = 0;

    for (int round = 0; round < 100000; round++) {
        int from = (int)(next(&state) % CUC_LENGTH(good));
        size_t bytes;
        uint8_t *file = make_file(&bytes, good[from].dictionary, good[from].data);
        for (uint32_t n = 1 + next(&state) % 4; n; n--) {
            static const char likely[] = "{}()'\",:0123456789LTF <>|\\\n";
            size_t at = next(&state) % (bytes < 80 ? bytes : 80);
            file[at] = next(&state) & 1 ? (uint8_t)likely[next(&state) % (sizeof(likely) - 1)]
                                        : (uint8_t)next(&state);
        }
        if (npy_parse(&h, file, bytes, "x.npy", &why)) {
            taken++;
            ck_assert_uint_eq(h.data_offset + h.bytes, bytes);
            ck_assert_int_ge(h.rank, 0);
            ck_assert_int_le(h.rank, NPY_MAX_RANK);
        }
        free(file);
    }
    ck_assert_uint_gt(taken, 0); // some mutations are harmless
}

CASE("write");

TEST(written_files_can_be_read_back)
{
    static const int64_t shapes[][3] = { { 0 }, { 7 }, { 3, 5 }, { 2, 0, 4 } };

    for (int32_t dtype = CUC_BOOL; cuc_dtype_bits(dtype); dtype++)
        for (int32_t rank = 0; rank < CUC_LENGTH(shapes); rank++) {
            size_t bytes;
            uint64_t data;
            npy_header h;
            cli_why why;
            char *header = npy_make_header(&bytes, dtype, shapes[rank], rank);
            ck_assert(npy_count_bytes(&data, shapes[rank], rank, cuc_dtype_bits(dtype) / 8));
            uint8_t *file = malloc(bytes + data);
            ck_assert_ptr_nonnull(file);
            memcpy(file, header, bytes);
            ck_assert_uint_eq(bytes % 64, 0); // so that the data can be mapped
            ck_assert_msg(npy_parse(&h, file, bytes + data, "x.npy", &why), "%s", why.text);
            ck_assert_int_eq(h.dtype, npy_storage(dtype));
            ck_assert_int_eq(h.rank, rank);
            for (int32_t i = 0; i < rank; i++)
                ck_assert_int_eq(h.shape[i], shapes[rank][i]);
            free(file);
            free(header);
        }
}

TEST(types_that_numpy_lacks_are_written_as_unsigned)
{
    static const cuc_dtype rows[][2] = { { CUC_BF16, CUC_U16 }, { CUC_E4M3, CUC_U8 },
                                         { CUC_E5M2, CUC_U8 },  { CUC_E8M0, CUC_U8 },
                                         { CUC_TF32, CUC_U32 }, { CUC_F16, CUC_F16 },
                                         { CUC_BOOL, CUC_BOOL } };

    for (int i = 0; i < CUC_LENGTH(rows); i++)
        ck_assert_int_eq(npy_storage(rows[i][0]), rows[i][1]);
}

TEST(the_widest_header_fits)
{
    int64_t shape[NPY_MAX_RANK];
    size_t bytes;

    for (int i = 0; i < NPY_MAX_RANK; i++)
        shape[i] = INT64_MAX;
    char *header = npy_make_header(&bytes, CUC_C128, shape, NPY_MAX_RANK);
    ck_assert_uint_eq(bytes % 64, 0);
    ck_assert_int_eq(header[bytes - 1], '\n');
    free(header);
}

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/cucore-npy-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(rmdir(folder) == 0, "a file is left in %s", folder);
}

static void check_contents(const char *path, const char *expected)
{
    void *data;
    size_t bytes;
    cli_why why;

    ck_assert_msg(cli_read_file(&data, &bytes, path, &why), "%s", why.text);
    ck_assert_uint_eq(bytes, strlen(expected));
    ck_assert_str_eq(data, expected);
    free(data);
}

CASE("files", .setup = make_folder, .teardown = remove_folder);

TEST(a_file_appears_when_it_is_committed)
{
    cli_file f;
    cli_why why;

    for (int round = 0; round < 2; round++) { // the second round replaces the first one's file
        ck_assert(cli_file_begin(&f, "a", &why));
        ck_assert(cli_file_write(&f, "text", 4, &why));
        ck_assert(cli_file_finish(&f, &why));
        ck_assert_int_eq(access("a", F_OK), round ? 0 : -1);
        ck_assert(cli_file_commit(&f, &why));
        check_contents("a", "text");
        cli_file_discard(&f);
        ck_assert_int_eq(access("a", F_OK), 0);
    }
    unlink("a");
}

TEST(a_file_that_is_discarded_leaves_the_old_one)
{
    cli_file f;
    cli_why why;

    ck_assert(cli_file_begin(&f, "a", &why));
    ck_assert(cli_file_write(&f, "old", 3, &why));
    ck_assert(cli_file_finish(&f, &why) && cli_file_commit(&f, &why));
    cli_file_discard(&f);
    ck_assert(cli_file_begin(&f, "a", &why));
    ck_assert(cli_file_write(&f, "new", 3, &why));
    cli_file_discard(&f);
    check_contents("a", "old");
    unlink("a"); // the fixture checks that no temporary file is left
}

TEST(a_file_is_replaced_through_a_link)
{
    cli_file f;
    cli_why why;
    struct stat st;

    ck_assert(cli_file_begin(&f, "a", &why) && cli_file_finish(&f, &why));
    ck_assert(cli_file_commit(&f, &why));
    cli_file_discard(&f);
    ck_assert_int_eq(symlink("a", "link"), 0);
    ck_assert(cli_file_begin(&f, "link", &why) && cli_file_write(&f, "new", 3, &why));
    ck_assert(cli_file_finish(&f, &why) && cli_file_commit(&f, &why));
    cli_file_discard(&f);
    ck_assert(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
    check_contents("a", "new");
    unlink("link");
    unlink("a");
}

TEST(failed_writes_are_explained)
{
    cli_file f;
    cli_why why;
    static const char zeros[1 << 16];

    ck_assert(!cli_file_begin(&f, "missing/a", &why));
    ck_assert_ptr_nonnull(strstr(why.text, "missing/a cannot be written: No such file"));
    cli_file_discard(&f);
    ck_assert(!cli_file_begin(&f, "/tmp", &why));
    ck_assert_ptr_nonnull(strstr(why.text, "Is a directory"));
    cli_file_discard(&f);
    ck_assert(cli_file_begin(&f, "/dev/full", &why));
    ck_assert(!cli_file_write(&f, zeros, sizeof(zeros), &why));
    ck_assert_ptr_nonnull(strstr(why.text, "No space left"));
    cli_file_discard(&f);
    ck_assert(cli_file_begin(&f, "/dev/null", &why) && cli_file_write(&f, "x", 1, &why));
    ck_assert(cli_file_finish(&f, &why) && cli_file_commit(&f, &why));
    cli_file_discard(&f);
    ck_assert_int_eq(access("/dev/null", W_OK), 0);
}

TEST(failed_reads_are_explained)
{
    void *data = NULL;
    size_t bytes;
    cli_why why;

    ck_assert(!cli_read_file(&data, &bytes, "missing", &why));
    ck_assert_ptr_nonnull(strstr(why.text, "missing cannot be opened: No such file"));
    ck_assert(!cli_read_file(&data, &bytes, "/tmp", &why));
    ck_assert_ptr_nonnull(strstr(why.text, "Is a directory"));
    ck_assert_ptr_null(data);
}

static void ignore_signal(int number)
{
    (void)number;
}

// Opening a pipe waits for a writer, and reading waits for data; a handler without SA_RESTART
// interrupts both.
TEST(a_signal_while_a_file_is_opened_or_read_is_no_failure)
{
    struct sigaction action = { .sa_handler = ignore_signal };
    pid_t parent = getpid();
    int status;

    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        FILE *f = NULL;
        for (int i = 0; i < 20; i++) {
            usleep(20000);
            if (i == 10)
                f = fopen("pipe", "wb");
            kill(parent, SIGUSR1);
        }
        _exit(!f || fputs("text", f) < 0 || fclose(f));
    }
    check_contents("pipe", "text");
    while (waitpid(child, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(status, 0);
    unlink("pipe");
}

int main(void)
{
    return run_tests("npy");
}
