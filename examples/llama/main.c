// llama FOLDER [OPTION...] PROMPT...: continues prompts, lists of token ids such as 1,15,7.
#include "../example.h"
#include "llama.h"

#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: llama FOLDER [OPTION...] PROMPT...\n"
    "  FOLDER             has config.json and *.safetensors, in bf16\n"
    "  PROMPT             token ids: 1,15,7\n"
    "  -n COUNT           tokens to generate for each prompt (16)\n"
    "  --w4               round the layers' matrices to 4 bits, in groups of 128\n"
    "  --temperature T    choose randomly; 0: the likeliest token (0)\n"
    "  --top-k K          only of the K likeliest tokens; 0: of all (0)\n"
    "  --top-p P          only of the fewest tokens whose probabilities sum to P (1)\n"
    "  --seed S           of the random choices (0)\n"
    "  --logits FILE      write the logits of each step, f32 [step][prompt][vocabulary]\n"
    "  --bench            print tokens per second and the share of the memory bandwidth\n";

typedef struct options {
    const char *folder, *logits;
    int64_t tokens;
    int largest, four_bit, bench; // largest: id of the prompts
    sampling s;
    prompts p;
} options;

static double parse(const char *text, double low, double high)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !(value >= low && value <= high))
        fail("expected a number from %g to %g, got \"%s\"\n%s", low, high, text, usage);
    return value;
}

static void add_prompt(options *o, const char *text)
{
    prompts *p = &o->p;
    int64_t n = 0;
    char *end;

    do {
        long id = strtol(text, &end, 10);
        if (end == text || id < 0 || id > INT32_MAX || (*end && *end != ','))
            fail("expected token ids, as in 1,15,7, got \"%s\"\n%s", text, usage);
        o->largest = id > o->largest ? (int32_t)id : o->largest;
        p->token[p->rows] = (int32_t)id;
        p->position[p->rows] = (int32_t)n++;
        p->sequence[p->rows++] = (int32_t)p->count;
        text = end + 1;
    } while (*end);
    p->longest = n > p->longest ? n : p->longest;
    p->offsets[++p->count] = (int32_t)p->rows;
}

enum { TOKENS, TEMPERATURE, TOP_K, TOP_P, SEED, NUMBERS };
static options parse_options(char **arg)
{
    struct {
        const char *name;
        double value, low, high;
    } n[NUMBERS] = { { "-n", 16, 1, 1 << 20 },
                     { "--temperature", 0, 0, 100 },
                     { "--top-k", 0, 0, 1 << 20 },
                     { "--top-p", 1, 0, 1 },
                     { "--seed", 0, 0, 1e15 } };
    options o = { 0 };
    size_t most = 1;

    for (char **each = arg; *each; each++) // ids are at least half of the characters
        most += strlen(*each) / 2 + 1;
    o.p.token = allocate(4 * most, sizeof(*o.p.token));
    o.p.position = o.p.token + most;
    o.p.sequence = o.p.position + most;
    o.p.offsets = o.p.sequence + most;
    while (*++arg) {
        int i = 0;
        while (i < NUMBERS && strcmp(*arg, n[i].name) != 0)
            i++;
        if (i < NUMBERS && arg[1])
            n[i].value = parse(*++arg, n[i].low, n[i].high);
        else if (!strcmp(*arg, "--logits") && arg[1])
            o.logits = *++arg;
        else if (!strcmp(*arg, "--w4"))
            o.four_bit = 1;
        else if (!strcmp(*arg, "--bench"))
            o.bench = 1;
        else if (**arg == '-')
            fail("%s is unknown, or lacks its value\n%s", *arg, usage);
        else if (!o.folder)
            o.folder = *arg;
        else
            add_prompt(&o, *arg);
    }
    if (!o.p.count)
        fail("no prompt\n%s", usage);
    o.tokens = (int64_t)n[TOKENS].value;
    o.s = (sampling){ (float)n[TEMPERATURE].value, (float)n[TOP_P].value, (int32_t)n[TOP_K].value,
                      (int64_t)n[SEED].value };
    return o;
}

// Copy a tensor to the host, after all work; to be freed.
static void *download(const model *m, const cuc_tensor *t)
{
    void *host = allocate(1, (size_t)cuc_tensor_bytes(t));

    CUC_MUST(cuc_copy_to_host(m->g->stream, host, t->data, (size_t)cuc_tensor_bytes(t)));
    CUC_MUST(cuc_stream_synchronize(m->g->stream));
    return host;
}

static void print_tokens(const model *m, const options *o)
{
    int32_t *host = download(m, &m->history);

    for (int64_t b = 0; b < m->batch; b++)
        for (int64_t i = 0; i < o->tokens; i++)
            printf("%d%c", host[b * m->capacity + o->p.offsets[b + 1] - o->p.offsets[b] + i],
                   i + 1 < o->tokens ? ',' : '\n');
    free(host);
}

static void print_bench(const model *m, const options *o, cuc_event *const *at)
{
    int32_t clock, width;
    float prefill, decode;
    double steps = (double)o->tokens - 1;
    double keys = (double)o->p.rows + (double)(o->tokens * m->batch) / 2; // of a step, on average

    CUC_MUST(cuc_event_get_elapsed(&prefill, at[0], at[1]));
    CUC_MUST(cuc_event_get_elapsed(&decode, at[1], at[2]));
    CUC_MUST(cuc_device_get_attribute(&clock, m->g->device, CUC_DEVICE_MEMORY_CLOCK_RATE));
    CUC_MUST(cuc_device_get_attribute(&width, m->g->device, CUC_DEVICE_GLOBAL_MEMORY_BUS_WIDTH));
    double bytes = (double)m->w.step_bytes +
                   keys * 4 * (double)(m->c.layers * m->c.key_heads * m->c.width);
    fprintf(stderr, "prompts: %.0f tokens/s\n", (double)m->prefill.rows / prefill * 1e3);
    fprintf(stderr,
            "decoding: %.0f tokens/s, %.3f ms a step, %.2f TB/s, %.0f%% of the memory bandwidth\n",
            steps * (double)m->batch / decode * 1e3, decode / steps, bytes * steps / decode / 1e9,
            100 * bytes * steps / decode / (0.25 * clock * width));
}

static void generate(model *m, const options *o, FILE *logits)
{
    static cuc_event *at[3];
    static cuc_graph_exec *step;

    for (int i = 0; i < 3; i++)
        CUC_MUST(
            cuc_event_create(&at[i], m->g->device, CUC_EVENT_OPTIONS(.flags = CUC_EVENT_TIMING)));
    step = model_capture(m, &o->s);
    if (o->bench) // loads the code, with the same result as below
        model_prefill(m, &o->p, &o->s);
    CUC_MUST(cuc_event_record(m->g->stream, at[0]));
    model_prefill(m, &o->p, &o->s);
    CUC_MUST(cuc_event_record(m->g->stream, at[1]));
    for (int64_t i = 0; i < o->tokens; i++) {
        if (i)
            CUC_MUST(cuc_graph_exec_launch(m->g->stream, step));
        if (logits) {
            void *host = download(m, &m->logits);
            fwrite(host, (size_t)cuc_tensor_bytes(&m->logits), 1, logits);
            free(host);
        }
    }
    CUC_MUST(cuc_event_record(m->g->stream, at[2]));
    CUC_MUST(cuc_stream_synchronize(m->g->stream));
    if (o->bench && o->tokens > 1)
        print_bench(m, o, at);
}

int main(int argc __attribute__((unused)), char **argv)
{
    static gpu g; // the end of the program releases everything
    static model m;
    static options o;
    static checkpoint *from;
    o = parse_options(argv);
    g.device = example_device();
    config c = config_read(o.folder);
    FILE *logits = o.logits ? fopen(o.logits, "wb") : NULL;

    if (o.logits && !logits)
        fail("cannot write %s", o.logits);
    if (o.p.longest + o.tokens > c.longest || o.largest >= c.vocabulary)
        fail("%lld tokens with ids up to %d exceed the model's %lld tokens or %lld ids",
             (long long)(o.p.longest + o.tokens), o.largest, c.longest, c.vocabulary);
    CUC_MUST(cuc_stream_create(&g.stream, g.device, NULL));
    from = checkpoint_open(o.folder);
    weights w = weights_load(&g, &c, from, o.four_bit, isatty(2));
    m = model_new(&g, &c, w, &o.p, o.p.longest + o.tokens);
    generate(&m, &o, logits);
    print_tokens(&m, &o);
    if (logits && (ferror(logits) || fclose(logits) != 0))
        fail("cannot write %s", o.logits);
    return 0;
}
