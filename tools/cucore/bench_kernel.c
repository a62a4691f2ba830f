#include "base/array.h"
#include "bench.h"
#include "bench_contender.h"
#include "bench_session.h"
#include "expect.h"
#include "values.h"

#include <cucore/copy.h>
#include <cucore/error.h>

#include <stdlib.h>
#include <string.h>

enum {
    KERNEL_GRID = BENCH_NEXT_ID,
    KERNEL_BLOCK,
    KERNEL_SHARED,
    KERNEL_CLUSTER,
    KERNEL_PEER,
    KERNEL_PEER_KERNEL,
    KERNEL_PEER_GRID,
    KERNEL_PEER_BLOCK,
    KERNEL_TOLERANCE,
    KERNEL_BYTES,
    KERNEL_FLOP,
};

static const cli_option options[] = {
    { "grid", KERNEL_GRID, "X[,Y[,Z]]", "blocks" },
    { "block", KERNEL_BLOCK, "X[,Y[,Z]]", "threads per block" },
    { "shared", KERNEL_SHARED, "BYTES", "dynamic shared memory per block" },
    { "cluster", KERNEL_CLUSTER, "X[,Y[,Z]]", "blocks per cluster" },
    { "peer", KERNEL_PEER, "FILE", "compare with the kernel of that name in FILE" },
    { "peer-kernel", KERNEL_PEER_KERNEL, "NAME", "the peer's name, if different" },
    { "peer-grid", KERNEL_PEER_GRID, "X[,Y[,Z]]", "the peer's blocks, if different" },
    { "peer-block", KERNEL_PEER_BLOCK, "X[,Y[,Z]]", "the peer's threads per block, if different" },
    { "tolerance", KERNEL_TOLERANCE, "T", "outputs may deviate by T * max(1, |expected|)" },
    { "bytes", KERNEL_BYTES, "N", "bytes per launch, to compute the bandwidth" },
    { "flop", KERNEL_FLOP, "N", "operations per launch, to compute the rate" },
    SOURCE_OPTIONS,
    BENCH_SESSION_OPTIONS,
};

typedef struct request {
    bench_session session;
    contender subject; // its launcher holds the expected results for both
    contender peer;    // has no path if there is no peer
    double bytes;
    double flop;
    char case_name[128];
} request;

// ---- Case callbacks

static cuc_status check_outputs(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    contender *c = data;
    const request *q = c->request;
    const launcher *wanted = &q->subject.launcher;
    launcher *l = &c->launcher;
    cuc_status st = launcher_read(l);
    cli_why reason;

    (void)stream;
    for (size_t i = 0; i < l->argument_count && st >= 0; i++) {
        if (!wanted->expected[i] || expect_equal(&l->arguments[i], l->results[i],
                                                 wanted->expected[i], wanted->tolerance, &reason))
            continue;
        snprintf(why, why_size, "%s", reason.text);
        return 1;
    }
    return st;
}

static bool is_output(const argument *a)
{
    return a->kind == ARGUMENT_INOUT || a->kind == ARGUMENT_OUT;
}

// Launch once, read the outputs, and restore the arguments.
static cuc_status compute_outputs(contender *c, cuc_stream *stream)
{
    launcher *l = &c->launcher;
    cuc_status st = contender_run(c, stream, 0);

    if (st >= 0)
        st = launcher_read(l);
    for (size_t i = 0; i < l->argument_count && st >= 0; i++) {
        const argument *a = &l->arguments[i];
        if (a->kind == ARGUMENT_OUT && l->buffers[i])
            st = cuc_buffer_fill(stream, l->buffers[i], 0, LAUNCHER_POISON, 1, (size_t)a->bytes);
    }
    return st < 0 ? st : contender_restore(c, stream, 0);
}

// Use the peer's results as expected values for every output without an ==FILE.
static cuc_status expect_of_peer(request *q, cuc_stream *stream)
{
    launcher *l = &q->subject.launcher, *peer = &q->peer.launcher;
    cuc_status st = compute_outputs(&q->peer, stream);

    for (size_t i = 0; i < l->argument_count && st >= 0; i++) {
        if (!is_output(&l->arguments[i]) || l->expected[i])
            continue;
        l->expected[i] = peer->results[i];
        peer->results[i] = NULL;
    }
    return st;
}

static bool writes_files(const launcher *l)
{
    for (size_t i = 0; i < l->argument_count; i++)
        if (l->arguments[i].out_path)
            return true;
    return false;
}

static cuc_status add(cuc_bench_state *state, contender *c, uint32_t flags)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    const request *q = c->request;
    const launcher *wanted = &q->subject.launcher;
    bool checked = false;
    bool changes = false;

    for (size_t i = 0; i < c->launcher.argument_count; i++) {
        checked |= wanted->expected[i] != NULL;
        changes |= c->pristine[i] != NULL;
    }
    subject.name = c->name;
    subject.data = c;
    subject.run = contender_run;
    subject.flags = flags;
    if (checked)
        subject.check = check_outputs;
    else
        subject.unchecked = "no output has an expected value: give ==FILE or a peer";
    if (changes) {
        subject.prepare = contender_restore;
        subject.batch = 1; // inputs are restored before each sample, so a sample is one launch
    }
    return cuc_bench_state_add_subject(state, &subject);
}

static cuc_status setup(cuc_bench_state *state, void *data)
{
    request *q = data;
    cuc_stream *stream = cuc_bench_state_stream(state);
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    bool peer = q->peer.launcher.path != NULL;

    work.bytes = q->bytes;
    work.flop = q->flop;
    cuc_status st = cuc_bench_state_set_work(state, &work);
    if (st >= 0)
        st = contender_prepare(&q->subject, stream);
    if (st >= 0 && peer)
        st = contender_prepare(&q->peer, stream);
    if (st >= 0 && peer)
        st = expect_of_peer(q, stream);
    if (st >= 0 && writes_files(&q->subject.launcher))
        st = compute_outputs(&q->subject, stream);
    if (st >= 0)
        st = add(state, &q->subject, 0);
    if (st >= 0 && peer)
        st = add(state, &q->peer, CUC_BENCH_PEER);
    return st;
}

// ---- The command line

static const char random_array[] = "random:";

static int take_option(request *q, int id, const char *value)
{
    launcher *l = &q->subject.launcher;
    launcher *peer = &q->peer.launcher;
    int status = source_options_take(&l->options, id, value);

    if (status == CLI_DONE)
        status = source_options_take(&peer->options, id, value);
    if (status >= 0)
        return status;
    switch (id) {
    case KERNEL_GRID:
        return value_extents(l->config.grid, "grid", value);
    case KERNEL_BLOCK:
        return value_extents(l->config.block, "block", value);
    case KERNEL_CLUSTER:
        return value_extents(l->config.cluster, "cluster", value);
    case KERNEL_SHARED:
        return value_number(&l->config.shared_bytes, "shared", value, 0, INT32_MAX);
    case KERNEL_PEER:
        peer->path = value;
        return CLI_DONE;
    case KERNEL_PEER_KERNEL:
        peer->kernel_name = value;
        return CLI_DONE;
    case KERNEL_PEER_GRID:
        return value_extents(peer->config.grid, "peer-grid", value);
    case KERNEL_PEER_BLOCK:
        return value_extents(peer->config.block, "peer-block", value);
    case KERNEL_TOLERANCE:
        return value_real(&q->subject.launcher.tolerance, "tolerance", value, 0, 1e300);
    case KERNEL_BYTES:
        return value_real(&q->bytes, "bytes", value, 0, 1e300);
    case KERNEL_FLOP:
        return value_real(&q->flop, "flop", value, 0, 1e300);
    default:
        return bench_session_take(&q->session, id, value);
    }
}

// Parse random:f32[1024], an input array without a file.
static bool parse_random(argument *out, const char *word)
{
    const char *type = word + strlen(random_array);
    char *text = cli_allocate(strlen(type) + sizeof("out:=-"));
    cli_why why;

    sprintf(text, "out:%s=-", type);
    bool ok = type[strcspn(type, "=")] == '\0' && argument_parse(out, text, &why);
    free(text);
    if (!ok)
        return false;
    out->kind = ARGUMENT_IN;
    out->text = word;
    return true;
}

static int parse_arguments(launcher *l, char **words, size_t count)
{
    cli_why why;

    if (count > ARGUMENT_MAX)
        return cli_usage_error("%zu arguments are given, and no kernel has more than %d", count,
                               ARGUMENT_MAX);
    l->arguments = cli_allocate(count * sizeof(*l->arguments));
    for (size_t i = 0; i < count; i++) {
        bool is_random = strncmp(words[i], random_array, strlen(random_array)) == 0;
        if (is_random && !parse_random(&l->arguments[i], words[i]))
            return cli_usage_error("argument %zu: '%s' is not a random array, such as "
                                   "random:f32[64,32]",
                                   i, words[i]);
        if (!is_random && !argument_parse(&l->arguments[i], words[i], &why))
            return cli_usage_error("argument %zu: %s", i, why.text);
        l->argument_count = i + 1;
    }
    return launcher_check_outputs(l);
}

// Make a valid subject or case name: keep letters, digits and a few other characters.
static void make_word(char *out, size_t size, const char *text)
{
    size_t n = 0;

    for (; *text && n + 1 < size; text++) {
        bool plain = (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'z') ||
                     (*text >= 'A' && *text <= 'Z') || strchr("_-.+", *text);
        out[n++] = plain ? *text : '_';
    }
    out[n] = '\0';
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int take_operands(request *q, const cli_parser *parser)
{
    launcher *l = &q->subject.launcher;
    launcher *peer = &q->peer.launcher;
    size_t count = (size_t)parser->operand_count;

    if (count < 2)
        return cli_usage_error(count ? "the kernel's NAME is missing after FILE"
                                     : "a FILE and the NAME of its kernel are missing");
    if (!peer->path && (peer->kernel_name || peer->config.grid[0] || peer->config.block[0]))
        return cli_usage_error("there is no peer: --peer FILE");
    l->path = parser->operands[0];
    l->kernel_name = parser->operands[1];
    int status = source_identify(&l->source, l->path, &l->options);
    // A tile kernel computes its own grid, even when loaded as compiled code.
    if (!status && l->source.language->source == CUC_SOURCE_CUDA &&
        (!l->config.grid[0] || !l->config.block[0]))
        status = cli_usage_error("say what to launch: --grid X[,Y[,Z]] --block X[,Y[,Z]]");
    if (!status)
        status = parse_arguments(l, parser->operands + 2, count - 2);
    make_word(q->case_name, sizeof(q->case_name), l->kernel_name);
    make_word(q->subject.name, sizeof(q->subject.name), file_name(l->path));
    if (status || !peer->path)
        return status;

    status = source_identify(&peer->source, peer->path, &peer->options);
    if (status)
        return status;
    peer->prefix = "peer-";
    if (!peer->kernel_name)
        peer->kernel_name = l->kernel_name;
    make_word(q->peer.name, sizeof(q->peer.name), file_name(peer->path));
    if (strcmp(q->peer.name, q->subject.name) == 0)
        strcpy(q->peer.name, "peer");
    return parse_arguments(peer, parser->operands + 2, count - 2);
}

// ---- The command

// Load both kernels. Unset peer options default to the subject's. A tile kernel, which computes its
// own grid, is recognized only after loading, because PTX and cubin files may contain one.
static int load_both(request *q)
{
    launcher *l = &q->subject.launcher, *peer = &q->peer.launcher;
    const cuc_launch_config given = peer->config;
    int status = launcher_load(l);

    if (status || !peer->path)
        return status;
    if (!given.grid[0])
        memcpy(peer->config.grid, l->config.grid, sizeof(given.grid));
    if (!given.block[0])
        memcpy(peer->config.block, l->config.block, sizeof(given.block));
    memcpy(peer->config.cluster, l->config.cluster, sizeof(given.cluster));
    peer->config.shared_bytes = l->config.shared_bytes;
    status = launcher_load(peer);
    if (!status && peer->tile)
        peer->config = given;
    else if (!status && l->tile) // options without --peer- also apply to the peer
        l->config = (cuc_launch_config)CUC_LAUNCH_CONFIG_INIT;
    return status;
}

// Fill the random: arrays, which have no file.
static int make_random(const launcher *l, uint64_t seed)
{
    for (size_t i = 0; i < l->argument_count; i++) {
        argument *a = &l->arguments[i];
        cuc_bench_input_options o = CUC_BENCH_INPUT_OPTIONS_INIT;
        if (a->kind != ARGUMENT_IN || a->in_path)
            continue;
        o.count = a->bytes / (cuc_dtype_bits(a->dtype) / 8);
        o.dtype = a->dtype;
        a->file = cli_allocate((size_t)a->bytes + 1);
        if (cuc_bench_generate(a->file, &o, seed, (uint32_t)i, 0) < 0)
            return cli_fail_cuc();
    }
    return CLI_DONE;
}

static int measure(request *q)
{
    cuc_bench_case c = CUC_BENCH_CASE_INIT;
    launcher *peer = &q->peer.launcher;
    int status = bench_session_open(&q->session, "the kernel");

    if (status)
        return status;
    q->subject.launcher.device = peer->device = cuc_bench_device(q->session.bench);
    if (!peer->device)
        return cli_fail("there is no device: %s", cuc_bench_device_reason(q->session.bench));
    status = load_both(q);
    if (!status)
        status = make_random(&q->subject.launcher, q->session.options.seed);
    if (!status && peer->path)
        status = make_random(peer, q->session.options.seed);
    if (status)
        return status;
    c.suite = "kernel";
    c.name = q->case_name;
    c.setup = setup;
    c.data = q;
    c.modes = q->session.options.modes;
    if (!c.modes)
        c.modes = CUC_BENCH_COLD | CUC_BENCH_HOT;
    if (cuc_bench_add_case(q->session.bench, &c) < 0)
        return cli_fail_cuc();
    status = bench_session_run(&q->session, NULL);
    return status ? status : launcher_save(&q->subject.launcher);
}

static int run(int argc, char **argv)
{
    request q = {
        .subject.launcher.config = CUC_LAUNCH_CONFIG_INIT,
        .peer.launcher.config = CUC_LAUNCH_CONFIG_INIT,
    };
    cli_parser parser;
    const char *value;
    int status = CLI_DONE;
    int id;

    q.subject.request = q.peer.request = &q;
    bench_session_begin(&q.session, &cli_bench_kernel, argc, argv);
    source_options_begin(&q.subject.launcher.options, argc);
    source_options_begin(&q.peer.launcher.options, argc);
    cli_parse(&parser, &cli_bench_kernel, argc, argv);
    while (!status && (id = cli_next(&parser, &value)) != 0) {
        if (id < 0) {
            status = parser.status;
            goto done; // --help also ends here, successfully
        }
        status = take_option(&q, id, value);
    }
    if (!status)
        status = take_operands(&q, &parser);
    if (!status)
        status = bench_session_check(&q.session);
    if (!status)
        status = measure(&q);
done:
    contender_release(&q.subject);
    contender_release(&q.peer);
    bench_session_end(&q.session);
    return status;
}

const cli_command cli_bench_kernel = {
    .name = "bench kernel",
    .summary = "Measure your own kernel, alone or against another one",
    .usage = "FILE NAME [--grid X[,Y[,Z]] --block X[,Y[,Z]]] [OPTION...] ARG...",
    .examples =
        "  cucore bench kernel saxpy.cu saxpy --grid 4096 --block 256 --bytes 12582912 \\\n"
        "      f32:2 in:x.npy inout:y.npy==expected.npy i32:1048576\n"
        "  cucore bench kernel new.cu 'axpy<float>' --peer old.cu --grid 64 --block 256 \\\n"
        "      f32:2 in:x.npy out:f32[16384]=-\n"
        "  cucore bench kernel softmax.tile softmax --set BN=4096 'random:f32[8192,4096]' \\\n"
        "      'out:f32[8192,4096]=-'\n",
    .details =
        "FILE is .cu, .tile, .ptx, .cubin or .fatbin, NAME its kernel, and ARG as for cucore\n"
        "run: =FILE writes an output, ==FILE compares it before anything is timed, and =- does\n"
        "neither. With a peer, outputs without ==FILE must equal the peer's. An inout: argument\n"
        "is restored before each launch. random:TYPE[SHAPE] is an array that is read, of random\n"
        "numbers by --seed: floating-point ones from -1 to 1, integers of any value. Arrays have\n"
        "several copies, twice the L2 cache together, which launches use in turn.\n"
        "--arch, -I, -D, --std, --option and --lang are for both files; so are --grid, --block,\n"
        "--shared and --cluster, but for a tile program, which has its own.\n"
        "Exit status: 0 measured, 1 failed, 2 wrong usage.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
