#include "context.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Kernel names are few, and records of launches outlive their kernels: names are kept.
struct name {
    struct name *next;
    char text[];
};

enum { BUCKETS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct name *buckets[BUCKETS];

static unsigned bucket_of(const char *text)
{
    unsigned h = 2166136261u; // FNV-1a

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h % BUCKETS;
}

const char *cuc__intern(const char *text)
{
    unsigned at = bucket_of(text);
    struct name *n;

    pthread_mutex_lock(&lock);
    for (n = buckets[at]; n && strcmp(n->text, text) != 0; n = n->next)
        ;
    if (!n) {
        size_t bytes = strlen(text) + 1;
        n = malloc(sizeof(*n) + bytes);
        if (n) {
            memcpy(n->text, text, bytes);
            n->next = buckets[at];
            buckets[at] = n;
        }
    }
    pthread_mutex_unlock(&lock);
    return n ? n->text : NULL;
}
