// Tests SHA-256 with the examples of FIPS 180-4.
//
//   test_sha256            runs the tests
//   test_sha256 --stdin    prints the digest of each message of stdin, for tests/sha256.py
//
// With CUCORE_TEST_SHA256=c, the processor's SHA instructions are not used.
//
// A message on stdin is the number of its parts, then the length and bytes of each part. Numbers
// have 32 bits in little-endian order. Each part is a separate update of the hash.
#include "base/array.h"
#include "base/bytes.h"
#include "base/sha256.h"
#include "testing.h"

static const char *digest_of(const void *data, size_t bytes)
{
    static char text[2 * CUC__SHA256_BYTES + 1];
    unsigned char digest[CUC__SHA256_BYTES];

    cuc__sha256_of(digest, data, bytes);
    cuc__sha256_text(text, digest);
    return text;
}

CASE("digests");

TEST(examples_of_the_standard)
{
    static const struct {
        const char *message, *digest;
    } rows[] = {
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
        { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "\xbd", "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b" },
        { "\xc9\x8c\x8e\x55", "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504" },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++)
        ck_assert_str_eq(digest_of(rows[i].message, strlen(rows[i].message)), rows[i].digest);
}

// The padding changes its form at lengths around the end of a block.
TEST(zeros_of_lengths_around_a_block)
{
    static const struct {
        size_t bytes;
        const char *digest;
    } rows[] = {
        { 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7" },
        { 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb" },
        { 57, "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785" },
        { 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b" },
        { 1000, "541b3e9daa09b20bf85fa273e5cbd3e80185aa4ec298e765db87742b70138a53" },
        { 1000000, "d29751f2649b32ff572b5e0a9f541ea660a50f94ff0beedfb0b692b924cc8025" },
    };
    static const unsigned char zeros[1000000];

    for (int i = 0; i < CUC_LENGTH(rows); i++)
        ck_assert_str_eq(digest_of(zeros, rows[i].bytes), rows[i].digest);
}

TEST(a_million_letters_in_any_parts)
{
    static char letters[1000000];
    static const size_t parts[] = { 1, 3, 63, 64, 65, 1000, 999999, 1000000 };
    unsigned char digest[CUC__SHA256_BYTES];
    char text[2 * CUC__SHA256_BYTES + 1];

    memset(letters, 'a', sizeof(letters));
    for (int i = 0; i < CUC_LENGTH(parts); i++) {
        cuc__sha256 hash;
        cuc__sha256_init(&hash);
        for (size_t at = 0; at < sizeof(letters); at += parts[i]) {
            size_t rest = sizeof(letters) - at;
            cuc__sha256_update(&hash, letters + at, rest < parts[i] ? rest : parts[i]);
            cuc__sha256_update(&hash, NULL, 0);
        }
        cuc__sha256_finish(digest, &hash);
        cuc__sha256_text(text, digest);
        ck_assert_str_eq(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

// The whole blocks of both halves are hashed at once, and the rest of each half alone.
TEST(halves_of_all_lengths)
{
    static unsigned char data[3000];

    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (unsigned char)(i * i >> 3);
    for (size_t bytes = 0; bytes < sizeof(data); bytes++) {
        unsigned char message[8 + 2 * CUC__SHA256_BYTES], digest[2][CUC__SHA256_BYTES];
        size_t half = (bytes + 1) / 2;
        for (int i = 0; i < 8; i++)
            message[i] = (unsigned char)((uint64_t)bytes >> 8 * i);
        cuc__sha256_of(message + 8, data, half);
        cuc__sha256_of(message + 8 + CUC__SHA256_BYTES, data + bytes - half, half);
        cuc__sha256_of(digest[0], message, sizeof(message));
        cuc__sha256_of_halves(digest[1], data, bytes);
        ck_assert_msg(memcmp(digest[0], digest[1], CUC__SHA256_BYTES) == 0, "%zu bytes", bytes);
    }
}

static bool read_number(uint32_t *number)
{
    unsigned char bytes[4];

    if (fread(bytes, 1, sizeof(bytes), stdin) != sizeof(bytes))
        return false;
    *number = (uint32_t)cuc__read_le(bytes, 0, sizeof(bytes));
    return true;
}

static int serve(void)
{
    static char data[1 << 20];
    uint32_t parts, bytes;

    while (read_number(&parts)) {
        unsigned char digest[CUC__SHA256_BYTES];
        char text[2 * CUC__SHA256_BYTES + 1];
        cuc__sha256 hash;
        cuc__sha256_init(&hash);
        while (parts--) {
            if (!read_number(&bytes) || bytes > sizeof(data) ||
                fread(data, 1, bytes, stdin) != bytes)
                return 2;
            cuc__sha256_update(&hash, data, bytes);
        }
        cuc__sha256_finish(digest, &hash);
        cuc__sha256_text(text, digest);
        puts(text);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *way = getenv("CUCORE_TEST_SHA256");

    cuc__sha256_in_c = way && strcmp(way, "c") == 0;
    if (argc == 2 && strcmp(argv[1], "--stdin") == 0)
        return serve();
    return run_tests("sha256");
}
