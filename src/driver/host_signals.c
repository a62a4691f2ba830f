#include "host_signals.h"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The relocation types that fill a slot with the address of a function.
#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT };
#else
enum { JUMP_SLOT = -1, GLOB_DAT = -1 };
#endif

typedef void (*handler_fn)(int);
typedef handler_fn (*signal_fn)(int, handler_fn);

// Replaces signal(). Returns what signal() returns in a process that has set no handler.
static handler_fn change_nothing(int number, handler_fn handler)
{
    (void)number;
    (void)handler;
    return SIG_DFL;
}

// A loaded library.
struct image {
    uintptr_t base;
    uintptr_t read_only, read_only_end; // the range that the loader made read-only after relocation
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * lists[2]; // relocations of called functions, and of other addresses
    size_t bytes[2];
};

// Returns an address in the image. glibc has already relocated most of these addresses; other
// loaders have not.
static const void *at(const struct image *image, ElfW(Addr) address)
{
    return (const void *)(address < image->base ? image->base + address : address);
}

static void read_dynamic(struct image *image, const ElfW(Dyn) * d)
{
    for (; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB:
            image->symbols = at(image, d->d_un.d_ptr);
            break;
        case DT_STRTAB:
            image->names = at(image, d->d_un.d_ptr);
            break;
        case DT_JMPREL:
            image->lists[0] = at(image, d->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            image->bytes[0] = d->d_un.d_val;
            break;
        case DT_RELA:
            image->lists[1] = at(image, d->d_un.d_ptr);
            break;
        case DT_RELASZ:
            image->bytes[1] = d->d_un.d_val;
            break;
        default:
            break;
        }
}

static void set_slot(const struct image *image, uintptr_t address)
{
    _Atomic(signal_fn) *slot = (_Atomic(signal_fn) *)address;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)(address & ~(page - 1)); // a slot does not cross pages
    bool locked = address >= image->read_only && address < image->read_only_end;

    if (atomic_load(slot) == change_nothing ||
        (locked && mprotect(start, page, PROT_READ | PROT_WRITE) != 0))
        return;
    atomic_store(slot, change_nothing);
    if (locked)
        (void)mprotect(start, page, PROT_READ);
}

static void set_slots(const struct image *image)
{
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; image->lists[i] && k < image->bytes[i] / sizeof(ElfW(Rela)); k++) {
            const ElfW(Rela) *r = &image->lists[i][k];
            if (ELF64_R_TYPE(r->r_info) != JUMP_SLOT && ELF64_R_TYPE(r->r_info) != GLOB_DAT)
                continue;
            const ElfW(Sym) *symbol = &image->symbols[ELF64_R_SYM(r->r_info)];
            if (strcmp(image->names + symbol->st_name, "signal") == 0)
                set_slot(image, image->base + r->r_offset);
        }
}

static int visit(struct dl_phdr_info *info, size_t size, void *function)
{
    const ElfW(Dyn) *dynamic = NULL;
    struct image image = { .base = info->dlpi_addr };
    bool here = false;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD)
            here |= (uintptr_t)function >= start && (uintptr_t)function < start + p->p_memsz;
        if (p->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)start;
        if (p->p_type == PT_GNU_RELRO) {
            image.read_only = start;
            image.read_only_end = start + p->p_memsz;
        }
    }
    if (!here)
        return 0;
    if (dynamic && *info->dlpi_name) { // the program itself has an empty name
        read_dynamic(&image, dynamic);
        if (image.symbols && image.names)
            set_slots(&image);
    }
    return 1;
}

void cuc__keep_host_signals(const void *function)
{
    dl_iterate_phdr(visit, (void *)(uintptr_t)function);
}
