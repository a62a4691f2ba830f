// Tests object code without a driver: creation, refusal, files.
#include <cucore/object.h>

#include "base/array.h"
#include "code/object.h"

#include "data/sample_ptx.h"
#include "object_testing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Making

CASE("making", .setup = object_setup, .teardown = object_teardown);

TEST(every_kind_has_a_name_and_the_name_a_kind)
{
#define ROW(constant, value, name, what)             \
    ck_assert_str_eq(cuc_code_name(constant), name); \
    ck_assert_int_eq(cuc_code_from_name(name), constant);
    CUC_CODE_LIST(ROW)
#undef ROW
    ck_assert_str_eq(cuc_code_name(0), "unknown");
    ck_assert_str_eq(cuc_code_name(-1), "unknown");
    ck_assert_str_eq(cuc_code_name(99), "unknown");
    ck_assert_int_eq(cuc_code_from_name("exe"), 0);
    ck_assert_int_eq(cuc_code_from_name(NULL), 0);
}

TEST(an_object_keeps_copies_of_all_it_was_given)
{
    char ptx[] = ".version 8.0\n.target sm_80\n";
    char name[] = "thing", expression[] = "f<int>", symbol[] = "_Z1fIiEvv";
    struct cubin cubin = make_cubin(EM_CUDA);
    cuc_object_mapping names[] = { { expression, symbol }, { "g", "_Z1gv" } };
    cuc_object *object = NULL;
    cuc_object_mapping mapping;
    const void *code;
    const char *text;
    size_t bytes;

    ck_ok(cuc_object_create(&object, CUC_CODE_CUBIN, &cubin, sizeof(cubin),
                            CUC_OBJECT_OPTIONS(.name = name, .ptx = ptx, .ptx_bytes = sizeof(ptx),
                                               .names = names, .name_count = 2)));
    struct cubin before = cubin;
    memset(&cubin, 1, sizeof(cubin));
    memset(ptx, 1, sizeof(ptx));
    memset(name, 1, sizeof(name));
    memset(expression, 1, sizeof(expression));
    memset(symbol, 1, sizeof(symbol));

    ck_assert_int_eq(cuc_object_kind(object), CUC_CODE_CUBIN);
    ck_assert_str_eq(cuc_object_name(object), "thing");
    ck_assert_str_eq(cuc_object_log(object), "");
    ck_assert_str_eq(cuc_object_load_log(object), "");
    ck_ok(cuc_object_get_code(&code, &bytes, object));
    ck_assert_uint_eq(bytes, sizeof(cubin));
    ck_assert_mem_eq(code, &before, sizeof(before));
    ck_ok(cuc_object_get_ptx(&text, &bytes, object));
    ck_assert_str_eq(text, ".version 8.0\n.target sm_80\n");
    ck_assert_uint_eq(bytes, strlen(text));
    ck_assert_uint_eq(cuc_object_mapping_count(object), 2);
    ck_ok(cuc_object_get_mapping(&mapping, object, 0));
    ck_assert_str_eq(mapping.expression, "f<int>");
    ck_assert_str_eq(mapping.symbol, "_Z1fIiEvv");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_object_get_mapping(&mapping, object, 2),
             "index is 2, the object maps 2 names");
    ck_assert_ptr_eq(cuc_object_retain(object), object);
    cuc_object_release(object);
    ck_assert_int_eq(cuc_object_kind(object), CUC_CODE_CUBIN);
    cuc_object_release(object);
    expect_no_calls();
}

TEST_RANGE(ptx_ends_in_one_nul_that_is_not_counted, 0, 3)
{
    const char *given[] = { ".version 8.0", ".version 8.0\0", ".version 8.0\0\0\0" };
    size_t sizes[] = { 12, 13, 15 };
    cuc_object *object = NULL;
    const void *code;
    const char *text;
    size_t bytes;

    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, given[_i], sizes[_i], NULL));
    ck_ok(cuc_object_get_code(&code, &bytes, object));
    ck_assert_uint_eq(bytes, 12);
    ck_assert_str_eq(code, ".version 8.0");
    ck_ok(cuc_object_get_ptx(&text, NULL, object));
    ck_assert_ptr_eq(text, code);
    cuc_object_release(object);
}

TEST(code_without_ptx_says_so)
{
    struct cubin cubin = make_cubin(EM_CUDA);
    const char *text = "untouched";
    cuc_object *object = NULL;

    ck_ok(cuc_object_create(&object, CUC_CODE_CUBIN, &cubin, sizeof(cubin), NULL));
    ck_assert_int_eq(cuc_object_get_ptx(&text, NULL, object), CUC_ERROR_NOT_FOUND);
    ck_assert_str_eq(text, "untouched");
    expect_message("cubin with no PTX");
    cuc_object_release(object);
}

static const struct {
    int32_t kind;
    const char *data;
    size_t bytes;
    const char *message;
} refused[] = {
    { CUC_CODE_PTX, NULL, 4, "data is NULL" },
    { CUC_CODE_PTX, "", 0, "the ptx is empty" },
    { 0, ".version 8.0", 12, "kind is 0, expected a CUC_CODE_ value (1 to 6)" },
    { 7, ".version 8.0", 12, "kind is 7" },
    { -1, ".version 8.0", 12, "kind is -1" },
    { CUC_CODE_PTX, "__global__ void k();", 20, "does not begin with a .version directive" },
    { CUC_CODE_PTX, ".version 8.0\n\0.target", 21, "byte 13 of 21 is 0" },
    { CUC_CODE_PTX, fatbin, 20, "its first bytes are those of kind fatbin" },
    { CUC_CODE_PTX, "\177ELF", 4, "its first bytes are those of kind object" },
    { CUC_CODE_CUBIN, ".version 8.0", 12, "its first bytes are those of kind ptx" },
    { CUC_CODE_CUBIN, "garbage", 7, "the data is not a cubin" },
    { CUC_CODE_CUBIN, archive, 14, "its first bytes are those of kind library" },
    { CUC_CODE_FATBIN, ltoir, 13, "its first bytes are those of kind ltoir" },
    { CUC_CODE_FATBIN, fatbin, 19, "truncated: its header says 20 bytes, but there are 19" },
    { CUC_CODE_FATBIN, fatbin, 8, "truncated: its header says 16 bytes, but there are 8" },
    { CUC_CODE_FATBIN, "\x50\xed\x55\xba\1\0\x10\0\xff\xff\xff\xff\xff\xff\xff\xff", 16,
      "truncated" },
    { CUC_CODE_LTOIR, ".version 8.0", 12, "its first bytes are those of kind ptx" },
    { CUC_CODE_OBJECT, ".version 8.0", 12, "its first bytes are those of kind ptx" },
    { CUC_CODE_LIBRARY, "garbage", 7, "the data is not a library (archive of object files" },
};

TEST_ROWS(data_that_is_not_of_its_kind_is_refused, refused)
{
    cuc_object *object = (cuc_object *)&object;

    ck_assert_int_eq(
        cuc_object_create(&object, refused[_i].kind, refused[_i].data, refused[_i].bytes, NULL),
        CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_eq(object, (cuc_object *)&object);
    ck_assert_str_eq(cuc_error_function(), "cuc_object_create");
    expect_message(refused[_i].message);
}

TEST(a_cubin_cut_short_anywhere_is_refused)
{
    struct cubin cubin = make_cubin(EM_CUDA);
    cuc_object *object = NULL;

    for (size_t bytes = 1; bytes < sizeof(cubin); bytes++) {
        // Allocate no byte after the code, so that a memory checker notices a read past the end.
        void *copy = malloc(bytes);
        memcpy(copy, &cubin, bytes);
        ck_assert_int_eq(cuc_object_create(&object, CUC_CODE_CUBIN, copy, bytes, NULL),
                         CUC_ERROR_INVALID_ARGUMENT);
        free(copy);
    }
    ck_ok(cuc_object_create(&object, CUC_CODE_CUBIN, &cubin, sizeof(cubin), NULL));
    cuc_object_release(object);
}

TEST(a_cubin_with_wild_tables_is_refused)
{
    cuc_object *object = NULL;

    struct cubin c = make_cubin(EM_CUDA);
    c.header.e_shoff = UINT64_MAX - 3;
    ck_assert_int_lt(cuc_object_create(&object, CUC_CODE_CUBIN, &c, sizeof(c), NULL), 0);
    c = make_cubin(EM_CUDA);
    c.header.e_shentsize = 1;
    ck_assert_int_lt(cuc_object_create(&object, CUC_CODE_CUBIN, &c, sizeof(c), NULL), 0);
    expect_message("section table is invalid");
    c = make_cubin(EM_CUDA);
    c.sections[1].sh_offset = UINT64_MAX - 3;
    ck_assert_int_lt(cuc_object_create(&object, CUC_CODE_CUBIN, &c, sizeof(c), NULL), 0);
    c = make_cubin(EM_CUDA);
    c.sections[1].sh_size = 9;
    ck_assert_int_lt(cuc_object_create(&object, CUC_CODE_CUBIN, &c, sizeof(c), NULL), 0);
    expect_message("truncated");

    // Sections without bytes in the file may state any size.
    c.sections[1].sh_type = SHT_NOBITS;
    ck_ok(cuc_object_create(&object, CUC_CODE_CUBIN, &c, sizeof(c), NULL));
    cuc_object_release(object);
}

TEST(data_beside_the_code_is_checked_too)
{
    struct cubin cubin = make_cubin(EM_CUDA);
    cuc_object_mapping half = { "f", NULL };
    cuc_object *object = NULL;
    const struct {
        int32_t kind;
        cuc_object_options options;
        const char *message;
    } rows[] = {
        { CUC_CODE_PTX, { .ptx = ".version 8.0", .ptx_bytes = 12 }, "leave it NULL" },
        { CUC_CODE_CUBIN, { .ptx = "text", .ptx_bytes = 4 }, "not a ptx" },
        { CUC_CODE_CUBIN, { .ptx = ".version 8.0" }, "give both or neither" },
        { CUC_CODE_CUBIN, { .ptx_bytes = 9 }, "give both or neither" },
        { CUC_CODE_CUBIN, { .name_count = 1 }, "name_count is 1 and names is NULL" },
        { CUC_CODE_CUBIN, { .names = &half, .name_count = 1 }, "names[0].symbol is NULL" },
    };

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        bool ptx = rows[i].kind == CUC_CODE_PTX;
        cuc_object_options o = rows[i].options;
        o.struct_size = sizeof(o);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_object_create(&object, rows[i].kind,
                                   ptx ? (const void *)".version 8.0" : &cubin,
                                   ptx ? 12 : sizeof(cubin), &o),
                 rows[i].message);
        ck_assert_ptr_null(object);
    }
    cuc_object_options o = CUC_OBJECT_OPTIONS_INIT;
    o.struct_size = 1;
    ck_assert_int_eq(cuc_object_create(&object, CUC_CODE_PTX, ".version 8.0", 12, &o),
                     CUC_ERROR_INVALID_ARGUMENT);
    cuc_object_options_init(&o, sizeof(o));
    ck_assert_uint_eq(o.struct_size, sizeof(o));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, ".version 8.0", 12, &o));
    cuc_object_release(object);
}

TEST(null_is_refused_by_name_and_accepted_where_it_may_be)
{
    cuc_object *object = ptx_object(".version 8.0");
    const void *code;
    const char *text;
    void *pointer;
    cuc_kernel *kernel;
    cuc_device_ptr ptr;
    cuc_object_mapping mapping;
    size_t n;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_object_create(NULL, CUC_CODE_PTX, "x", 1, NULL),
             "out is NULL");
    ck_assert_int_lt(cuc_object_from_file(NULL, "x", 0, NULL), 0);
    ck_assert_int_lt(cuc_object_from_file(&object, NULL, 0, NULL), 0);
    expect_message("path is NULL");
    ck_assert_int_lt(cuc_object_save(NULL, "x"), 0);
    ck_assert_int_lt(cuc_object_save(object, NULL), 0);
    ck_assert_int_lt(cuc_object_get_code(&code, &n, NULL), 0);
    expect_message("object is NULL");
    ck_assert_int_lt(cuc_object_get_code(NULL, &n, object), 0);
    ck_assert_int_lt(cuc_object_get_code(&code, NULL, object), 0);
    ck_assert_int_lt(cuc_object_get_ptx(&text, &n, NULL), 0);
    ck_assert_int_lt(cuc_object_get_mapping(&mapping, NULL, 0), 0);
    ck_assert_int_lt(cuc_object_get_kernel_count(&n, NULL), 0);
    ck_assert_int_lt(cuc_object_get_kernel_count(NULL, object), 0);
    ck_assert_int_lt(cuc_object_get_kernel_name(&text, NULL, 0), 0);
    ck_assert_int_lt(cuc_object_get_kernel(&kernel, NULL, "k"), 0);
    ck_assert_int_lt(cuc_object_get_kernel(&kernel, object, NULL), 0);
    expect_message("name is NULL");
    ck_assert_int_lt(cuc_object_get_kernel(NULL, object, "k"), 0);
    ck_assert_int_lt(cuc_object_get_library(&pointer, NULL), 0);
    ck_assert_int_lt(cuc_object_get_module(&pointer, NULL, NULL), 0);
    ck_assert_int_lt(cuc_object_get_global(&ptr, NULL, NULL, NULL, "x"), 0);
    ck_assert_int_lt(cuc_object_get_managed(&ptr, NULL, NULL, NULL, "x"), 0);
    ck_assert_int_lt(cuc_object_get_unified_function(&pointer, NULL, "x"), 0);
    ck_assert_int_eq(cuc_object_kind(NULL), 0);
    ck_assert_str_eq(cuc_object_name(NULL), "");
    ck_assert_str_eq(cuc_object_log(NULL), "");
    ck_assert_str_eq(cuc_object_load_log(NULL), "");
    ck_assert_uint_eq(cuc_object_mapping_count(NULL), 0);
    ck_assert_ptr_null(cuc_object_retain(NULL));
    cuc_object_release(NULL);
    cuc_object_release(object);
    if (cuc__handle_checks())
        ck_assert_int_eq(cuc_object_get_code(&code, &n, object), CUC_ERROR_INVALID_HANDLE);
}

// Files

static char folder[64];

static const char *in_folder(const char *file)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return path;
}

static void make_folder(void)
{
    object_setup();
    strcpy(folder, "/tmp/cucore-object-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    object_teardown();
}

static void write_file(const char *file, const void *data, size_t bytes)
{
    FILE *f = fopen(in_folder(file), "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(data, 1, bytes, f), bytes);
    ck_assert_int_eq(fclose(f), 0);
}

static size_t read_file(const char *file, char *data, size_t size)
{
    FILE *f = fopen(in_folder(file), "rb");

    ck_assert_ptr_nonnull(f);
    size_t bytes = fread(data, 1, size, f);
    fclose(f);
    return bytes;
}

CASE("files", .setup = make_folder, .teardown = remove_folder);

TEST(the_contents_determine_the_kind_of_a_file)
{
    struct cubin cubin = make_cubin(EM_CUDA), host = make_cubin(EM_X86_64);
    const struct {
        const void *data;
        size_t bytes;
        int32_t kind;
    } rows[] = {
        { sample_ptx, strlen(sample_ptx), CUC_CODE_PTX },
        { &cubin, sizeof(cubin), CUC_CODE_CUBIN },
        { ltoir, strlen(ltoir), CUC_CODE_LTOIR },
        { fatbin, 20, CUC_CODE_FATBIN },
        { &host, sizeof(host), CUC_CODE_OBJECT },
        { archive, strlen(archive), CUC_CODE_LIBRARY },
    };
    const void *code;
    size_t bytes;

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_object *object = NULL;
        write_file("code", rows[i].data, rows[i].bytes);
        ck_assert_msg(cuc_object_from_file(&object, in_folder("code"), 0, NULL) == CUC_OK, "%s",
                      cuc_error_message());
        ck_assert_int_eq(cuc_object_kind(object), rows[i].kind);
        ck_assert_str_eq(cuc_object_name(object), in_folder("code"));
        ck_ok(cuc_object_get_code(&code, &bytes, object));
        ck_assert_uint_eq(bytes, rows[i].bytes);
        ck_assert_mem_eq(code, rows[i].data, bytes);
        cuc_object_release(object);
    }
}

TEST(a_refused_file_is_explained)
{
    cuc_object *object = NULL;

    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_from_file(&object, in_folder("none"), 0, NULL),
             "/none cannot be opened: No such file");
    ck_fails(CUC_ERROR_IO, cuc_object_from_file(&object, folder, 0, NULL),
             "cannot be read: Is a directory");
    write_file("empty", "", 0);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_object_from_file(&object, in_folder("empty"), 0, NULL),
             "/empty is empty");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_object_from_file(&object, in_folder("empty"), CUC_CODE_PTX, NULL), "/empty");
    write_file("words", "some words", 10);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_object_from_file(&object, in_folder("words"), 0, NULL),
             "is not recognized as object code");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_object_from_file(&object, in_folder("words"), CUC_CODE_CUBIN, NULL),
             "the data is from");
    ck_assert_str_eq(cuc_error_function(), "cuc_object_from_file");
    ck_assert_ptr_null(object);
}

TEST(a_large_file_and_a_pipe_are_read_whole)
{
    enum { BYTES = 300000 };
    static char text[BYTES];
    const void *code;
    size_t bytes;
    cuc_object *object = NULL;

    memset(text, '\n', sizeof(text));
    memcpy(text, ".version 8.0", 12);
    text[BYTES - 1] = '/';
    write_file("large", text, sizeof(text));
    ck_assert_int_eq(mkfifo(in_folder("pipe"), 0600), 0);
    pid_t child = fork();
    if (!child) {
        FILE *f = fopen(in_folder("pipe"), "wb");
        _exit(!f || fwrite(text, 1, sizeof(text), f) != sizeof(text) || fclose(f));
    }
    for (int i = 0; i < 2; i++) {
        ck_ok(cuc_object_from_file(&object, in_folder(i ? "pipe" : "large"), 0,
                                   CUC_OBJECT_OPTIONS(.name = "a name")));
        ck_ok(cuc_object_get_code(&code, &bytes, object));
        ck_assert_uint_eq(bytes, BYTES);
        ck_assert_mem_eq(code, text, BYTES);
        ck_assert_str_eq(cuc_object_name(object), "a name");
        cuc_object_release(object);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static void ignore_signal(int number)
{
    (void)number;
}

// Opening a pipe waits for a writer; a handler without SA_RESTART interrupts the wait.
TEST(a_signal_while_a_file_is_opened_is_no_failure)
{
    struct sigaction action = { .sa_handler = ignore_signal };
    cuc_object *object = NULL;
    pid_t parent = getpid();

    ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
    ck_assert_int_eq(mkfifo(in_folder("pipe"), 0600), 0);
    pid_t child = fork();
    if (!child) {
        for (int i = 0; i < 10; i++) {
            usleep(20000);
            kill(parent, SIGUSR1);
        }
        FILE *f = fopen(in_folder("pipe"), "wb");
        _exit(!f || fputs(sample_ptx, f) < 0 || fclose(f));
    }
    ck_ok(cuc_object_from_file(&object, in_folder("pipe"), 0, NULL));
    cuc_object_release(object);
    int status;
    while (waitpid(child, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    ck_assert_int_eq(status, 0);
}

static void expect_only(const char *files)
{
    char command[256];

    snprintf(command, sizeof(command), "test \"$(cd %s && ls -A | tr '\\n' ' ')\" = '%s '", folder,
             files);
    ck_assert_int_eq(system(command), 0);
}

TEST(a_saved_object_replaces_the_file_and_leaves_nothing_else)
{
    cuc_object *object = ptx_object(".version 8.0\n");
    char data[64], missing[128];
    struct stat about;

    write_file("out", "what was there before, and longer", 33);
    ck_assert_int_eq(chmod(in_folder("out"), 0640), 0);
    ck_ok(cuc_object_save(object, in_folder("out")));
    ck_assert_uint_eq(read_file("out", data, sizeof(data)), 13);
    ck_assert_mem_eq(data, ".version 8.0\n", 13);
    ck_assert_int_eq(stat(in_folder("out"), &about), 0);
    ck_assert_uint_eq(about.st_mode & 0777, 0640);

    snprintf(missing, sizeof(missing), "%s", in_folder("none/out"));
    ck_fails(CUC_ERROR_IO, cuc_object_save(object, missing), "13 bytes of ptx cannot be written to",
             "No such file or directory");
    ck_assert_int_eq(cuc_object_save(object, folder), CUC_ERROR_IO);
    expect_only("out");
    cuc_object_release(object);
}

TEST(a_save_that_fails_midway_leaves_the_old_file)
{
    cuc_object *object = ptx_object(".version 8.0\n");
    char data[64];
    struct rlimit before, four = { 4, 4 };

    write_file("out", "old", 3);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    four.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &four), 0);
    cuc_status st = cuc_object_save(object, in_folder("out"));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    ck_assert_int_eq(st, CUC_ERROR_IO);
    expect_message("File too large");
    ck_assert_uint_eq(read_file("out", data, sizeof(data)), 3);
    expect_only("out");
    cuc_object_release(object);
}

// Writes through links in the folder, so that a mistake replaces a link and not a device of the
// machine.
TEST(special_files_are_written_directly)
{
    cuc_object *object = ptx_object(".version 8.0\n");
    struct stat about;

    ck_assert_int_eq(symlink("/dev/null", in_folder("null")), 0);
    ck_assert_int_eq(symlink("/dev/full", in_folder("full")), 0);
    ck_ok(cuc_object_save(object, in_folder("null")));
    ck_fails(CUC_ERROR_IO, cuc_object_save(object, in_folder("full")), "No space left");
    ck_assert_int_eq(lstat(in_folder("null"), &about), 0);
    ck_assert(S_ISLNK(about.st_mode));
    expect_only("full null");
    cuc_object_release(object);
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 0);
    return run_tests("object");
}
