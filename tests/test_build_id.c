// Tests build IDs of ELF files that the test itself writes.
#include "base/array.h"
#include "base/build_id.h"
#include "base/bytes.h"
#include "cache/key.h"
#include "testing.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADS = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), NOTES = 96 };

static char path[] = "/tmp/cucore-build-id-XXXXXX";
static unsigned char file[HEADS + NOTES];

static size_t put_note(size_t at, const char *owner, uint32_t type, const char *data)
{
    size_t name = strlen(owner) + 1, bytes = strlen(data);

    cuc__write_le(file, at, 4, name);
    cuc__write_le(file, at + 4, 4, bytes);
    cuc__write_le(file, at + 8, 4, type);
    memcpy(file + at + 12, owner, name);
    memcpy(file + at + 12 + (name + 3) / 4 * 4, data, bytes);
    return at + 12 + (name + 3) / 4 * 4 + (bytes + 3) / 4 * 4;
}

// Writes a file with two program headers; the second one describes three notes.
static void make_file(void)
{
    static const unsigned char start[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB };
    const size_t notes = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);

    memset(file, 0, sizeof(file));
    memcpy(file, start, sizeof(start));
    cuc__write_le(file, offsetof(Elf64_Ehdr, e_phoff), 8, sizeof(Elf64_Ehdr));
    cuc__write_le(file, offsetof(Elf64_Ehdr, e_phentsize), 2, sizeof(Elf64_Phdr));
    cuc__write_le(file, offsetof(Elf64_Ehdr, e_phnum), 2, 2);
    cuc__write_le(file, sizeof(Elf64_Ehdr), 4, PT_LOAD);
    cuc__write_le(file, notes, 4, PT_NOTE);
    cuc__write_le(file, notes + offsetof(Elf64_Phdr, p_offset), 8, HEADS);
    size_t end = put_note(HEADS, "NVIDIA", NT_GNU_BUILD_ID, "other");
    end = put_note(end, "GNU", NT_GNU_ABI_TAG, "123");
    end = put_note(end, "GNU", NT_GNU_BUILD_ID, "identity");
    cuc__write_le(file, notes + offsetof(Elf64_Phdr, p_filesz), 8, end - HEADS);
}

static size_t id_of(unsigned char id[CUC__BUILD_ID_BYTES], const char *of)
{
    struct stat about = { .st_size = 0 };

    (void)stat(of, &about);
    const struct cuc__file_state state = cuc__file_state_of(&about);
    return cuc__build_id(id, of, &state);
}

static size_t read_id(unsigned char id[CUC__BUILD_ID_BYTES], size_t bytes)
{
    int fd = mkstemp(strcpy(path, "/tmp/cucore-build-id-XXXXXX"));

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, file, bytes), (ssize_t)bytes);
    close(fd);
    size_t read = id_of(id, path);
    unlink(path);
    return read;
}

TEST(the_note_of_gnu_is_found_among_others)
{
    unsigned char id[CUC__BUILD_ID_BYTES] = { 0 };

    make_file();
    ck_assert_uint_eq(read_id(id, sizeof(file)), 8);
    ck_assert_mem_eq(id, "identity", 8);
}

TEST(a_truncated_file_has_no_id)
{
    unsigned char id[CUC__BUILD_ID_BYTES];

    make_file();
    for (size_t bytes = 0; bytes < HEADS + 72; bytes++)
        ck_assert_uint_eq(read_id(id, bytes), 0);
    ck_assert_uint_eq(id_of(id, "/nowhere"), 0);
    ck_assert_uint_eq(id_of(id, "/tmp"), 0);
}

// Reading damaged notes must not read past their end; a sanitizer would notice it.
TEST(damage_changes_no_more_than_the_id)
{
    unsigned char id[CUC__BUILD_ID_BYTES];

    for (size_t i = 0; i < sizeof(file); i++) {
        make_file();
        file[i] ^= 0xff;
        ck_assert_uint_le(read_id(id, sizeof(file)), sizeof(id));
    }
}

// Two files with the same size and time count as different compilers if their build IDs differ.
TEST(a_key_covers_the_id)
{
    static const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
    cuc__key keys[3];

    strcpy(path, "/tmp/cucore-build-id-XXXXXX");
    int fd = mkstemp(path);
    for (int i = 0; i < 3; i++) {
        cuc__key_maker maker;
        make_file();
        file[HEADS + 28 + 20 + 16] = i == 1 ? 'I' : 'i';
        ck_assert_int_eq(pwrite(fd, file, sizeof(file), 0), (ssize_t)sizeof(file));
        ck_assert_int_eq(futimens(fd, times), 0);
        cuc__key_begin(&maker, "test");
        cuc__key_add_identity(&maker, path);
        ck_assert(cuc__key_finish(&keys[i], &maker));
    }
    close(fd);
    unlink(path);
    ck_assert_mem_ne(&keys[0], &keys[1], sizeof(keys[0]));
    ck_assert_mem_eq(&keys[0], &keys[2], sizeof(keys[0]));
}

CASE("slow", .timeout = 20);

// The ID of a file that has not changed for a while is kept; a file that is new is read each time.
TEST(an_old_file_is_read_once)
{
    unsigned char id[CUC__BUILD_ID_BYTES];
    struct stat about;

    make_file();
    strcpy(path, "/tmp/cucore-build-id-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_eq(pwrite(fd, file, sizeof(file), 0), (ssize_t)sizeof(file));
    ck_assert_int_eq(fstat(fd, &about), 0);
    struct cuc__file_state state = cuc__file_state_of(&about);
    for (int settled = 0; settled < 2; settled++) {
        ck_assert_int_eq(pwrite(fd, file, sizeof(file), 0), (ssize_t)sizeof(file));
        if (settled)
            testing_sleep_ms((CUC__SETTLED_SECONDS + 1) * 1000);
        ck_assert_int_eq(fstat(fd, &about), 0);
        state = cuc__file_state_of(&about);
        ck_assert_uint_eq(cuc__build_id(id, path, &state), 8);
        ck_assert_int_eq(unlink(path), 0); // from here on, reading the file fails
        ck_assert_uint_eq(cuc__build_id(id, path, &state), settled ? 8 : 0);
        if (settled)
            ck_assert_mem_eq(id, "identity", 8);
        state.changed_ns++;
        ck_assert_uint_eq(cuc__build_id(id, path, &state), 0);
        close(fd);
        fd = open(path, O_CREAT | O_RDWR, 0600);
    }
    close(fd);
    unlink(path);
}

int main(void)
{
    return run_tests("build_id");
}
