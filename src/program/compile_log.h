// Reading what compilers and linkers say: which line is the error, and what the source has there.
#ifndef CUCORE_PROGRAM_COMPILE_LOG_H
#define CUCORE_PROGRAM_COMPILE_LOG_H

#include <stddef.h>

// A text that a log may speak of by its name.
typedef struct cuc__source {
    const char *name, *text;
} cuc__source;

typedef struct cuc__log_summary {
    char first[512]; // the first error's line; the first line of all when none looks like one
    size_t errors;   // lines that tell an error
} cuc__log_summary;

// Understands NVRTC ("a.cu(3): error: ..."), ptxas ("ptxas a.ptx, line 3; error : ...") and
// nvJitLink ("error : Undefined reference ...").
void cuc__log_read(cuc__log_summary *summary, const char *log);

// The log, then the source around each place of an error, numbered, with a mark under the column
// where it is known. Malloc'ed; NULL without memory.
char *cuc__log_with_excerpts(const char *log, const cuc__source *sources, size_t source_count);

#endif
