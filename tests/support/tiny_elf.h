// Writes shared libraries of a few hundred bytes for the tests that load them: a soname, a needed
// library, and symbols that can be found but not called.
#ifndef CUCORE_TESTS_SUPPORT_TINY_ELF_H
#define CUCORE_TESTS_SUPPORT_TINY_ELF_H

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define TINY_ELF_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define TINY_ELF_MACHINE EM_AARCH64
#endif

enum { TINY_ELF_SYMBOLS = 8, TINY_ELF_NAMES = 512 };

// The file, in this order; one segment holds all of it.
struct tiny_elf {
    Elf64_Ehdr header;
    Elf64_Phdr load, dynamic, stack;
    Elf64_Dyn entries[8];
    Elf64_Sym symbols[1 + TINY_ELF_SYMBOLS];
    Elf64_Word hash[2 + 1 + 1 + TINY_ELF_SYMBOLS]; // one bucket, and its chain of all symbols
    char names[TINY_ELF_NAMES];
};

static Elf64_Word tiny_elf_name(struct tiny_elf *elf, size_t *at, const char *name)
{
    size_t start = *at;

    if (start + strlen(name) + 1 > sizeof(elf->names))
        abort();
    strcpy(elf->names + start, name);
    *at += strlen(name) + 1;
    return (Elf64_Word)start;
}

// Writes a library. `needed` may be NULL; `symbols` is a NULL-terminated list, or NULL. Returns
// false on an I/O error.
static int tiny_elf_write(const char *path, const char *soname, const char *needed,
                          const char *const *symbols)
{
    static const unsigned char ident[EI_NIDENT] = { 0x7f,       'E',         'L',       'F',
                                                    ELFCLASS64, ELFDATA2LSB, EV_CURRENT };
    struct tiny_elf elf;
    size_t at = 1;
    size_t entry = 0;
    Elf64_Word count = 0;

    memset(&elf, 0, sizeof(elf));
    memcpy(elf.header.e_ident, ident, sizeof(ident));
    elf.header.e_type = ET_DYN;
    elf.header.e_machine = TINY_ELF_MACHINE;
    elf.header.e_version = EV_CURRENT;
    elf.header.e_phoff = offsetof(struct tiny_elf, load);
    elf.header.e_ehsize = sizeof(elf.header);
    elf.header.e_phentsize = sizeof(Elf64_Phdr);
    elf.header.e_phnum = 3;
    elf.load = (Elf64_Phdr){ .p_type = PT_LOAD,
                             .p_flags = PF_R | PF_W,
                             .p_filesz = sizeof(elf),
                             .p_memsz = sizeof(elf),
                             .p_align = 0x10000 };
    elf.dynamic = (Elf64_Phdr){ .p_type = PT_DYNAMIC,
                                .p_flags = PF_R | PF_W,
                                .p_offset = offsetof(struct tiny_elf, entries),
                                .p_vaddr = offsetof(struct tiny_elf, entries),
                                .p_filesz = sizeof(elf.entries),
                                .p_memsz = sizeof(elf.entries),
                                .p_align = 8 };
    elf.stack = (Elf64_Phdr){ .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16 };

    for (; symbols && symbols[count] && count < TINY_ELF_SYMBOLS; count++) {
        Elf64_Sym *symbol = &elf.symbols[1 + count];
        symbol->st_name = tiny_elf_name(&elf, &at, symbols[count]);
        symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
        symbol->st_shndx = 1;
        symbol->st_value = 64 + count; // a unique address, which has no code
    }
    elf.hash[0] = 1;
    elf.hash[1] = 1 + count;
    elf.hash[2] = count ? 1 : 0;
    for (Elf64_Word i = 1; i <= count; i++)
        elf.hash[3 + i] = i < count ? i + 1 : 0;

    elf.entries[entry++] = (Elf64_Dyn){ DT_SONAME, { tiny_elf_name(&elf, &at, soname) } };
    if (needed)
        elf.entries[entry++] = (Elf64_Dyn){ DT_NEEDED, { tiny_elf_name(&elf, &at, needed) } };
    elf.entries[entry++] = (Elf64_Dyn){ DT_STRTAB, { offsetof(struct tiny_elf, names) } };
    elf.entries[entry++] = (Elf64_Dyn){ DT_STRSZ, { sizeof(elf.names) } };
    elf.entries[entry++] = (Elf64_Dyn){ DT_SYMTAB, { offsetof(struct tiny_elf, symbols) } };
    elf.entries[entry++] = (Elf64_Dyn){ DT_SYMENT, { sizeof(Elf64_Sym) } };
    elf.entries[entry++] = (Elf64_Dyn){ DT_HASH, { offsetof(struct tiny_elf, hash) } };

    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    size_t written = fwrite(&elf, sizeof(elf), 1, file);
    return fclose(file) == 0 && written == 1;
}

#endif
