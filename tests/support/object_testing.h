// Helpers that the tests of object code share: small files of every kind, and counts of calls.
#ifndef CUCORE_TESTS_SUPPORT_OBJECT_TESTING_H
#define CUCORE_TESTS_SUPPORT_OBJECT_TESTING_H

#include "code/object.h"
#include "testing.h"

#include <elf.h>

// A CUDA ELF file with one section of 8 bytes after its section table.
struct cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[2];
    char content[8];
};

static inline struct cubin make_cubin(Elf64_Half machine)
{
    struct cubin c;

    memset(&c, 0, sizeof(c));
    memcpy(c.header.e_ident, ELFMAG, SELFMAG);
    c.header.e_ident[EI_CLASS] = ELFCLASS64;
    c.header.e_ident[EI_DATA] = ELFDATA2LSB;
    c.header.e_type = ET_EXEC;
    c.header.e_machine = machine;
    c.header.e_shoff = offsetof(struct cubin, sections);
    c.header.e_shentsize = sizeof(Elf64_Shdr);
    c.header.e_shnum = 2;
    c.sections[1].sh_type = SHT_PROGBITS;
    c.sections[1].sh_offset = offsetof(struct cubin, content);
    c.sections[1].sh_size = sizeof(c.content);
    return c;
}

static const char fatbin[] = "\x50\xed\x55\xba\1\0\x10\0\4\0\0\0\0\0\0\0abcd";
static const char ltoir[] = "\xed\x43\x4e\x7f and more";
static const char archive[] = "!<arch>\nmember";

static inline cuc_object *ptx_object(const char *text)
{
    cuc_object *object = NULL;

    ck_assert_msg(cuc_object_create(&object, CUC_CODE_PTX, text, strlen(text), NULL) == CUC_OK,
                  "%s", cuc_error_message());
    return object;
}

static inline cuc_kernel *kernel_of(cuc_object *object, const char *name)
{
    cuc_kernel *kernel = NULL;

    ck_assert_msg(cuc_object_get_kernel(&kernel, object, name) == CUC_OK, "%s",
                  cuc_error_message());
    return kernel;
}

static inline void expect_message(const char *part)
{
    ck_assert_msg(strstr(cuc_error_message(), part) != NULL, "message: %s\nexpected in it: %s",
                  cuc_error_message(), part);
}

// Checks a count of the fake driver; a real driver keeps no counts.
static inline void expect_calls(const char *function, int calls)
{
    if (fake_available())
        ck_assert_int_eq(fake_calls(function), calls);
}

static inline void expect_libraries(int alive)
{
    if (fake_available())
        ck_assert_int_eq(fake_live("library"), alive);
}

static inline void expect_no_calls(void)
{
    if (fake_available())
        ck_assert_int_eq(fake_calls_total(), 0);
}

static inline void object_setup(void)
{
    if (fake_available())
        fake_reset();
}

static inline void object_teardown(void)
{
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_OBJECT), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_KERNEL), 0);
    expect_libraries(0);
}

#endif
