// Reads the messages of compilers and linkers: finds the line of each error and quotes the source
// there.
#ifndef CUCORE_PROGRAM_COMPILE_LOG_H
#define CUCORE_PROGRAM_COMPILE_LOG_H

#include <stddef.h>

// A text that a log may refer to by name.
typedef struct cuc__source {
    const char *name, *text;
} cuc__source;

typedef struct cuc__log_summary {
    char first[512]; // the first error's line, or the log's first line if no line looks like an
                     // error
    size_t errors;   // number of error lines
} cuc__log_summary;

// Reads a log of NVRTC ("a.cu(3): error: ..."), ptxas ("ptxas a.ptx, line 3; error : ...") or
// nvJitLink ("error : Undefined reference ...").
void cuc__log_read(cuc__log_summary *summary, const char *log);

// Returns the log, followed by numbered source lines around each error, with a caret under the
// column if it is known. The caller frees the text. Returns NULL if out of memory.
char *cuc__log_with_excerpts(const char *log, const cuc__source *sources, size_t source_count);

// Appends text to a malloc'ed log. NULL is an empty log.
void cuc__log_add(char **log, const char *text);

#endif
