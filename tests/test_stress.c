// Tests everything at once: threads make, use and release streams, events, buffers, graphs and code
// in random order, and share some of these, while the process forks, exits or returns from main().
//
// In a child of fork(), driver calls fail with an explanation; the child may release the objects
// that it holds and must end cleanly. A process that ends while its threads work must end cleanly
// too.
#include "base/array.h"
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, SLOTS = 32, WORDS = 256, SECONDS = 2, ENDINGS = 6 };

#define SHAPE(blocks) CUC_LAUNCH_CONFIG(.grid = { blocks }, .block = { 32 })

// Adds 1 to each of its words.
static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 add_x)\n{\n"
    " .reg .b32 %r<5>;\n .reg .b64 %rd<4>;\n ld.param.u64 %rd1, [add_x];\n mov.u32 %r1, %tid.x;\n"
    " mov.u32 %r2, %ctaid.x;\n mad.lo.u32 %r1, %r2, 32, %r1;\n mul.wide.u32 %rd2, %r1, 4;\n"
    " add.u64 %rd3, %rd1, %rd2;\n ld.global.u32 %r3, [%rd3];\n add.u32 %r3, %r3, 1;\n"
    " st.global.u32 [%rd3], %r3;\n ret;\n}\n";
static const char tile[] =
    "kernel v(a: f32[N]) grid cdiv(N, 128) { store(a, [block(0)], full(f32, [128], 1.0)) }\n";

static cuc_device *device;
static cuc_kernel *kernel;
static _Atomic(cuc_buffer *) buffers[SLOTS]; // shared; a thread that takes a buffer out releases it
static atomic_bool ends;
static atomic_int wrong, unraisable;

// The first failure records its message.
#define MUST(call)                                                   \
    do {                                                             \
        if ((call) < 0 && !atomic_fetch_add(&wrong, 1))              \
            fprintf(stderr, "%s: %s\n", #call, cuc_error_message()); \
    } while (0)

static void not_raised(const char *message, void *user)
{
    (void)user;
    if (!atomic_fetch_add(&unraisable, 1))
        fprintf(stderr, "%s\n", message);
}

// Turns LeakSanitizer off in a process whose threads were cut off, because the process still holds
// their objects.
static int cut_off;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return cut_off;
}

struct worker {
    pthread_t thread;
    uint64_t random;
    cuc_stream *streams[2];
    cuc_event *event;
    cuc_graph_exec *exec;
    uint32_t back[WORDS]; // outlives a copy whose end could not be awaited
};

// xorshift64* (Vigna 2014)
static uint32_t random_below(struct worker *w, uint32_t n)
{
    w->random ^= w->random >> 12;
    w->random ^= w->random << 25;
    w->random ^= w->random >> 27;
    return (uint32_t)((w->random * UINT64_C(2685821657736338717)) >> 33) % n;
}

// Uses a stream that is never captured, because a buffer leaks if it is released during a capture
// of its stream.
static void share(struct worker *w)
{
    cuc_buffer *made = NULL;

    if (random_below(w, 2)) {
        MUST(cuc_buffer_create(&made, w->streams[1], NULL, 4 + random_below(w, 1 << 14)));
        MUST(cuc_stream_synchronize(w->streams[1]));
    }
    cuc_buffer_release(atomic_exchange(&buffers[random_below(w, SLOTS)], made));
}

static void compute(struct worker *w)
{
    uint32_t times = 1 + random_below(w, 4);
    cuc_stream *stream = w->streams[random_below(w, 2)];
    cuc_buffer *own = NULL;

    MUST(cuc_buffer_create(&own, stream, NULL, sizeof(w->back)));
    MUST(cuc_buffer_fill(stream, own, 0, 0, 4, sizeof(w->back)));
    for (uint32_t i = 0; i < times; i++)
        MUST(CUC_LAUNCH(stream, SHAPE(WORDS / 32), kernel, own));
    MUST(cuc_buffer_read_async(stream, w->back, own, 0, sizeof(w->back)));
    MUST(cuc_stream_synchronize(stream));
    if (w->back[random_below(w, WORDS)] != times && !atomic_fetch_add(&wrong, 1))
        fprintf(stderr, "a sum is wrong\n");
    cuc_buffer_release(own);
}

// Changes no handle if a call fails: at exit calls fail, and a released handle must not be used
// again.
static void renew_event(struct worker *w)
{
    cuc_event *made = NULL;

    MUST(cuc_event_create(&made, device, NULL));
    if (made) {
        cuc_event_release(w->event);
        w->event = made;
    }
}

static void order(struct worker *w)
{
    MUST(cuc_event_record(w->streams[0], w->event));
    MUST(cuc_stream_wait_event(w->streams[1], w->event));
    MUST(cuc_stream_wait_stream(w->streams[0], w->streams[1]));
    renew_event(w);
}

static void capture(struct worker *w)
{
    cuc_stream *stream = w->streams[0];
    cuc_buffer *own = NULL;
    cuc_graph *graph = NULL;

    MUST(cuc_buffer_create(&own, stream, NULL, WORDS * 4));
    MUST(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    for (uint32_t i = random_below(w, 4); i; i--)
        MUST(CUC_LAUNCH(stream, SHAPE(2), kernel, own));
    if (random_below(w, 4) == 0) {
        MUST(cuc_stream_cancel_capture(stream));
    } else {
        MUST(cuc_stream_end_capture(&graph, stream));
        MUST(cuc_graph_keep_buffer(graph, own));
        cuc_graph_exec_release(w->exec);
        w->exec = NULL;
        MUST(cuc_graph_instantiate(&w->exec, graph, NULL));
        cuc_graph_release(graph);
    }
    cuc_buffer_release(own);
}

static void replay(struct worker *w)
{
    if (w->exec)
        MUST(cuc_graph_exec_launch(w->streams[random_below(w, 2)], w->exec));
}

static void renew_stream(struct worker *w)
{
    cuc_stream **s = &w->streams[random_below(w, 2)], *made = NULL;

    MUST(cuc_stream_create(&made, device, NULL));
    if (made) {
        cuc_stream_release(*s);
        *s = made;
    }
}

static cuc_status compile_tile(void)
{
    cuc_program *program = NULL;
    cuc_object *made = NULL;

    cuc_status st = cuc_program_create(&program, CUC_SOURCE_TILE, tile, 0,
                                       CUC_PROGRAM_OPTIONS(.arch = "sm_90"));
    if (st >= 0)
        st = cuc_program_compile(&made, program, CUC_CODE_PTX);
    cuc_object_release(made);
    cuc_program_release(program);
    return st;
}

static void load_code(struct worker *w)
{
    cuc_object *object = NULL;
    cuc_kernel *found = NULL;

    if (random_below(w, 2)) {
        MUST(compile_tile());
        return;
    }
    MUST(cuc_object_create(&object, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL));
    MUST(cuc_object_get_kernel(&found, object, "add"));
    cuc_object_release(object);
    cuc_kernel_release(found);
}

static void (*const deeds[])(struct worker *) = { share,   share,  compute,      order,
                                                  capture, replay, renew_stream, load_code };

static void *work(void *data)
{
    struct worker *w = data;

    for (int i = 0; i < 2; i++)
        MUST(cuc_stream_create(&w->streams[i], device, NULL));
    MUST(cuc_event_create(&w->event, device, NULL));
    while (!atomic_load(&ends))
        deeds[random_below(w, CUC_LENGTH(deeds))](w);
    cuc_graph_exec_release(w->exec);
    cuc_event_release(w->event);
    for (int i = 0; i < 2; i++)
        cuc_stream_release(w->streams[i]);
    return NULL;
}

static struct worker workers[THREADS];

static void begin(unsigned seed)
{
    cuc_object *object = NULL;

    cuc_set_failure_handler(not_raised, NULL);
    MUST(cuc_device_get(&device, 0));
    MUST(cuc_object_create(&object, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL));
    MUST(cuc_object_get_kernel(&kernel, object, "add"));
    cuc_object_release(object);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].random = (seed * THREADS + i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
}

static int finish(void)
{
    atomic_store(&ends, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < SLOTS; i++)
        cuc_buffer_release(atomic_exchange(&buffers[i], NULL));
    cuc_kernel_release(kernel);
    return atomic_load(&wrong) || atomic_load(&unraisable);
}

// Returns the child's exit status: 0, or the number of the failure.
static int in_child(void)
{
    cuc_stream *stream = NULL;
    int32_t count;

    cut_off = 1;
    alarm(20);
    if (cuc_device_get_count(&count) != CUC_ERROR_FORKED)
        return 1;
    if (cuc_stream_create(&stream, device, NULL) != CUC_ERROR_FORKED)
        return 2;
#ifdef __SANITIZE_ADDRESS__ // another thread may have held a lock of its allocator during the fork
    return 0;
#endif
    for (int i = 0; i < SLOTS; i++)
        cuc_buffer_release(atomic_exchange(&buffers[i], NULL));
    return compile_tile() < 0 ? 3 : 0;
}

static int is_clean(pid_t child)
{
    int status;

    if (waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status))
        return 1;
    fprintf(stderr, "a child ended with status 0x%x\n", status);
    return 0;
}

static int forks(void)
{
    time_t last = time(NULL) + SECONDS;
    int bad = 0;

    begin(1);
    for (int i = 0; time(NULL) <= last; i++) {
        pid_t child = fork();
        if (!child) {
            int status = in_child();
            if (i & 1)
                exit(status);
            _exit(status);
        }
        bad |= !is_clean(child);
    }
    return finish() | bad;
}

// Tests programs that end while their threads work: runs this program again, and ends it by exit()
// and by returning from main().
static int endings(char *self)
{
    int bad = 0;

    for (int i = 0; i < ENDINGS; i++) {
        char seed[16];
        snprintf(seed, sizeof(seed), "%d", i);
        pid_t child = fork();
        if (!child) {
            execl(self, self, i & 1 ? "exit" : "return", seed, (char *)NULL);
            _exit(127);
        }
        bad |= !is_clean(child);
    }
    return bad;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return endings(argv[0]) | forks();
    int seed = atoi(argv[2]);
    cut_off = 1;
    alarm(60);
    begin((unsigned)seed);
    usleep((useconds_t)(20000 + seed * 37000));
    if (strcmp(argv[1], "exit") == 0)
        exit(atomic_load(&wrong));
    return atomic_load(&wrong);
}
