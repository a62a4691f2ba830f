// Reads the machine form token by token.
#include "machine_reader.h"

#include "tile/ir/array.h"
#include "tile/ir/diagnostic.h"

void tile_reader_next(struct tile_reader *r)
{
    r->token = tile_lexer_next(&r->lexer);
}

bool tile_reader_expected(struct tile_reader *r, const char *what)
{
    const struct tile_token *t = &r->token;
    bool end = t->kind == TILE_TOKEN_END, line = t->kind == TILE_TOKEN_NEWLINE;

    if (!r->failed)
        tile_error(r->module, TILE_T004, t->where, "machine form: expected %s, got %.*s", what,
                   end    ? 19
                   : line ? 19
                          : (int)(t->bytes < 40 ? t->bytes : 40),
                   end    ? "the end of the text"
                   : line ? "the end of the line"
                          : t->at);
    r->failed = true;
    return false;
}

bool tile_reader_at(const struct tile_reader *r, char sign)
{
    return r->token.kind == TILE_TOKEN_SIGN && r->token.sign == TILE_SIGN1((unsigned char)sign);
}

bool tile_reader_take(struct tile_reader *r, char sign)
{
    bool there = !r->failed && tile_reader_at(r, sign);

    if (there)
        tile_reader_next(r);
    return there;
}

bool tile_reader_need(struct tile_reader *r, char sign)
{
    const char what[2] = { sign, '\0' };

    return tile_reader_take(r, sign) || tile_reader_expected(r, what);
}

bool tile_reader_need_word(struct tile_reader *r, const char *word)
{
    if (r->failed || !tile_token_is(&r->token, word))
        return tile_reader_expected(r, word);
    tile_reader_next(r);
    return true;
}

int64_t tile_reader_need_int(struct tile_reader *r)
{
    bool negative = tile_reader_take(r, '-');
    int64_t i = (int64_t)r->token.value;

    if (!negative && tile_token_is(&r->token, "least"))
        i = INT64_MIN;
    else if (r->failed || r->token.kind != TILE_TOKEN_INT)
        return tile_reader_expected(r, "an integer");
    tile_reader_next(r);
    return negative ? -i : i;
}

bool tile_reader_reserve(struct tile_reader *r, void ***table, uint32_t *capacity, uint64_t index)
{
    if (index < *capacity)
        return true;
    if (index > r->module->text_bytes) // a text cannot define more values than it has characters
        return tile_reader_expected(r, "a smaller number");
    if (TILE_RESERVE(r->module, *table, *capacity, (uint32_t)index + 1, 64))
        return true;
    return !(r->failed = true);
}
