#include "base/array.h"
#include "machine.h"

static const cli_option options[] = { CLI_JSON_OPTION };

static const char *const severities[] = { "ok", "warn", "fail" };
static const char *const colours[] = { "\033[32m", "\033[33m", "\033[31m" };

static void print_finding(const char *name, const finding *f)
{
    bool coloured = cli_colour(stdout);

    printf("%s%-4s%s  %-15s  %s\n", coloured ? colours[f->severity] : "", severities[f->severity],
           coloured ? "\033[0m" : "", name, f->text);
    if (*f->fix)
        printf("      %-15s  fix: %s\n", "", f->fix);
}

static int run(int argc, char **argv)
{
    cli_parser parser;
    const char *value;
    machine m;
    finding f;
    int count[3] = { 0 };

    cli_parse(&parser, &cli_doctor, argc, argv);
    if (cli_next(&parser, &value))
        return parser.status;
    if (parser.operand_count)
        return cli_usage_error("'%s' is not expected", parser.operands[0]);

    machine_look(&m);
    json_t *list = cli_array();
    for (size_t i = 0; i < doctor_check_count(); i++) {
        doctor_check(&f, i, &m);
        count[f.severity]++;
        if (!cli_json_wanted()) {
            print_finding(doctor_check_name(i), &f);
            continue;
        }
        json_t *check = cli_object();
        cli_set(check, "name", cli_text(doctor_check_name(i)));
        cli_set(check, "result", cli_text(severities[f.severity]));
        cli_set(check, "finding", cli_text(f.text));
        cli_set(check, "fix", cli_text(*f.fix ? f.fix : NULL));
        cli_append(list, check);
    }
    machine_release(&m);
    int status = count[FINDING_FAIL] ? CLI_FAILED : CLI_DONE;
    if (cli_json_wanted()) {
        json_t *document = cli_document(status == CLI_DONE);
        cli_set(document, "checks", list);
        return cli_print_json(document, status);
    }
    json_decref(list);
    printf("\n%d ok, %d to look at, %d failed\n", count[FINDING_OK], count[FINDING_WARN],
           count[FINDING_FAIL]);
    return status;
}

const cli_command cli_doctor = {
    .name = "doctor",
    .summary = "Check this machine for what keeps CUDA programs from running, and say the fix",
    .usage = "[--json]",
    .examples = "  cucore doctor\n"
                "  cucore doctor --json | jq '.checks[] | select(.result != \"ok\")'\n",
    .details = "Exit status: 0 nothing failed (warnings do not count, and a machine without a GPU "
               "is one), 1 a check failed.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
