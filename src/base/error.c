#include "error.h"

#include "demangle.h"
#include "text.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NOTES = 8,
    NAME_BYTES = 64,
    TEXT_BYTES = 2048,
    NOTE_BYTES = 512,
    // Enough for the text, the explanation and all notes.
    PARAGRAPH_BYTES = TEXT_BYTES + 1024 + MAX_NOTES * NOTE_BYTES,
};

struct record {
    cuc_status status;
    int library;
    int code;
    size_t notes;
    char *log;
    char function[NAME_BYTES];
    char call[NAME_BYTES];
    char symbol[NAME_BYTES];
    char text[TEXT_BYTES];
    char explanation[1024];
    char note[MAX_NOTES][NOTE_BYTES];
    char paragraph[PARAGRAPH_BYTES];
};

// The thread's record, allocated at its first failure, so that a thread without failures costs
// nothing. A thread that cannot allocate its record uses `no_memory`.
static _Thread_local struct record *own;
static struct record no_memory = {
    .status = CUC_ERROR_OUT_OF_MEMORY,
    .text = "no host memory to record the failure",
};

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

// The process's failure handler. A forked child reinitializes the lock, because a thread that
// exists only in the parent may hold it.
static pthread_mutex_t handler_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t handler_once = PTHREAD_ONCE_INIT;
static cuc_failure_fn handler;
static void *handler_user;

static void forked_child(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    memcpy(&handler_lock, &fresh, sizeof(handler_lock));
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forked_child);
}

static void free_record(void *p)
{
    struct record *r = p;

    own = NULL;
    free(r->log);
    free(r);
}

static void make_key(void)
{
    // If there is no key, the records of finished threads leak; nothing else fails.
    (void)pthread_key_create(&key, free_record);
}

static struct record *record_to_write(void)
{
    if (own && own != &no_memory)
        return own;
    pthread_once(&key_once, make_key);
    struct record *r = calloc(1, sizeof(*r));
    if (!r) {
        own = &no_memory;
        return NULL;
    }
    (void)pthread_setspecific(key, r);
    own = r;
    return r;
}

// Returns the record of the current failure, or NULL if allocating that record failed. The notes of
// this failure must not go to the record of an older one.
static struct record *record_to_extend(void)
{
    return own != &no_memory ? own : NULL;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static struct record *start(cuc_status status, const char *function)
{
    struct record *r = record_to_write();

    if (!r)
        return NULL;
    free(r->log);
    r->log = NULL;
    r->status = status;
    r->library = CUC_LIBRARY_NONE;
    r->code = 0;
    r->notes = 0;
    r->call[0] = r->symbol[0] = r->explanation[0] = '\0';
    copy(r->function, sizeof(r->function), function);
    return r;
}

cuc_status cuc__fail(cuc_status status, const char *function, const char *fmt, ...)
{
    struct record *r = start(status, function);

    if (r) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(r->text, sizeof(r->text), fmt, args);
        va_end(args);
    }
    return status;
}

cuc_status cuc__fail_library(cuc_status status, int library, int code, const char *symbol,
                             const char *function, const char *call, const char *explanation,
                             const char *log, const char *fmt, ...)
{
    struct record *r = start(status, function);

    if (r) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(r->text, sizeof(r->text), fmt, args);
        va_end(args);
        r->library = library;
        r->code = code;
        copy(r->call, sizeof(r->call), call);
        copy(r->symbol, sizeof(r->symbol), symbol);
        copy(r->explanation, sizeof(r->explanation), explanation);
        r->log = log && *log ? strdup(log) : NULL;
    }
    return status;
}

cuc_status cuc__pass_failure(cuc_status status, const char *function)
{
    struct record *r = record_to_extend();

    // Internal functions have two underscores after the prefix. Record only public names, because
    // callers do not know the internal ones.
    if (r && strncmp(function, "cuc_", 4) == 0 && function[4] != '_')
        copy(r->function, sizeof(r->function), function);
    return status;
}

void cuc__error_note(const char *fmt, ...)
{
    struct record *r = record_to_extend();
    va_list args;

    if (!r)
        return;
    size_t at = r->notes < MAX_NOTES ? r->notes++ : MAX_NOTES - 1;
    va_start(args, fmt);
    int n = vsnprintf(r->note[at], sizeof(r->note[at]), fmt, args);
    va_end(args);
    if (n >= (int)sizeof(r->note[at])) // marks a truncated note with "..."
        memcpy(r->note[at] + sizeof(r->note[at]) - 4, "...", 4);
}

void cuc__error_set_log(const char *log)
{
    struct record *r = record_to_extend();

    if (!r)
        return;
    free(r->log);
    r->log = log && *log ? strdup(log) : NULL;
}

void cuc__error_set_explanation(const char *explanation)
{
    struct record *r = record_to_extend();

    if (r)
        copy(r->explanation, sizeof(r->explanation), explanation);
}

void cuc__unraisable(const char *fmt, ...)
{
    char message[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);

    pthread_mutex_lock(&handler_lock);
    cuc_failure_fn fn = handler;
    void *user = handler_user;
    pthread_mutex_unlock(&handler_lock);
    if (fn)
        fn(message, user); // runs without the lock, because the handler may set another handler
}

void cuc_set_failure_handler(cuc_failure_fn fn, void *user)
{
    pthread_once(&handler_once, watch_forks);
    pthread_mutex_lock(&handler_lock);
    handler = fn;
    handler_user = user;
    pthread_mutex_unlock(&handler_lock);
}

cuc_status cuc_error_status(void)
{
    return own ? own->status : CUC_OK;
}

const char *cuc_error_function(void)
{
    return own ? own->function : "";
}

int32_t cuc_error_library(void)
{
    return own ? own->library : CUC_LIBRARY_NONE;
}

int32_t cuc_error_library_code(void)
{
    return own ? own->code : 0;
}

const char *cuc_error_library_symbol(void)
{
    return own ? own->symbol : "";
}

const char *cuc_error_library_call(void)
{
    return own ? own->call : "";
}

const char *cuc_error_explanation(void)
{
    return own ? own->explanation : "";
}

const char *cuc_error_log(void)
{
    return own && own->log ? own->log : "";
}

size_t cuc_error_note_count(void)
{
    return own ? own->notes : 0;
}

const char *cuc_error_note(size_t index)
{
    return own && index < own->notes ? own->note[index] : "";
}

static void append_demangled(struct cuc__text *t, const char *text)
{
    if (t->lost)
        return;
    cuc__demangle_text(t->at + t->length, t->capacity - t->length, text);
    t->length += strlen(t->at + t->length);
}

const char *cuc_error_message(void)
{
    struct record *r = own;

    if (!r || r->status == CUC_OK)
        return "no error";
    if (r == &no_memory)
        return r->text;

    struct cuc__text t = CUC_TEXT_IN(r->paragraph);
    if (r->function[0])
        cuc__text_put(&t, "%s: ", r->function);
    append_demangled(&t, r->text);
    if (r->call[0])
        cuc__text_put(&t, " (%s returned %d, %s)", r->call, r->code, r->symbol);
    if (r->explanation[0])
        cuc__text_put(&t, ". %s", r->explanation);
    else if (r->notes && t.length && !strchr(".:?!\n", t.at[t.length - 1]))
        cuc__text_put(&t, ".");
    for (size_t i = 0; i < r->notes; i++) {
        cuc__text_put(&t, " Note: ");
        append_demangled(&t, r->note[i]);
        cuc__text_put(&t, ".");
    }
    return r->paragraph;
}

cuc_status cuc_error_set(cuc_status status, const char *function, const char *message)
{
    return status < 0 ? cuc__fail(status, function, "%s", message ? message : "") : status;
}

void cuc_error_clear(void)
{
    if (own == &no_memory) {
        own = NULL;
    } else if (own) {
        start(CUC_OK, "");
        own->text[0] = '\0';
    }
}
