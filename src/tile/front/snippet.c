// Parses expressions that the C builder receives as separate strings: grids, facts, extents.
#include "snippet.h"

#include "elaborate.h"
#include "parser.h"

#include <string.h>

static void relocate(struct tile_ast *ast, const struct tile_location *where)
{
    if (!ast)
        return;
    ast->where = *where;
    for (uint32_t i = 0; i < ast->count; i++)
        relocate(ast->child[i], where);
}

// Starts a parser at the file and line of the builder call, which the lexer then reports. Columns
// refer to the text, since it has no position in the caller's line.
static struct tile_parser start(struct tile_module *module, const char *text,
                                const struct tile_location *where)
{
    struct tile_parser p = { .module = module };

    module->file = where->file;
    p.lexer = (struct tile_lexer){ .module = module,
                                   .at = text,
                                   .end = text + strlen(text),
                                   .line_start = text,
                                   .line = where->line,
                                   .joins = true };
    tile_parser_next(&p);
    return p;
}

static void finish(struct tile_module *module, const char *file, struct tile_diagnostic *last,
                   const struct tile_location *where)
{
    module->file = file;
    for (struct tile_diagnostic *d = last ? last->next : module->diagnostics->first; d;
         d = d->next) {
        d->where.line = where->line;
        d->where.column = 0;
    }
}

bool tile_parse_snippet(struct tile_module *module, const char *text, struct tile_location where,
                        struct tile_ast ***out, uint32_t *count)
{
    struct tile_diagnostic *last = module->diagnostics->last;
    const char *file = module->file;
    struct tile_parser p = start(module, text, &where);
    struct tile_list list = { 0 };

    do {
        struct tile_ast *ast = tile_parse_expression(&p);
        relocate(ast, &where);
        tile_list_add(&p, &list, ast);
    } while (!p.failed && tile_parser_take(&p, ','));
    if (!p.failed && p.token.kind != TILE_TOKEN_END)
        tile_parser_expected(&p, ", or the end");
    finish(module, file, last, &where);
    *out = (struct tile_ast **)list.item;
    *count = list.count;
    return !p.failed && !module->diagnostics->out_of_memory;
}

bool tile_is_name(struct tile_module *module, const char *text)
{
    struct tile_location where = { 0 };
    const char *file = module->file;
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

    if (!length || text[length] || strchr("0123456789", text[0]) || strcmp(text, "_") == 0)
        return false;
    struct tile_parser p = start(module, text, &where);
    module->file = file;
    return !tile_is_keyword(&p.token) && cuc_dtype_from_name(text) == CUC_DTYPE_UNKNOWN;
}
