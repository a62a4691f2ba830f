#!/usr/bin/env bash
# Tests golden files of opcodes: recorded files must be used for comparison, and differences must be
# found.
#
#     golden.sh TEST_OPCODES FOLDER     on the driver that CUCORE_DRIVER names
set -u
test=$1
folder=$2/opcode-golden
only='^(integer: (add|div)\.|float: (ex2|add\.rn\.f32)|matrix: mma.sync.aligned.m16n8k8.row.col.f32.f16)'
golden=$folder/golden

run() {
    "$test" --only "$only" --golden "$golden" "$@"
}

# expect STATUS WORDS ARGUMENT...: run, and match its output with a pattern
expect() {
    local status=$1 words=$2 said
    shift 2
    said=$(run "$@" 2>&1)
    local got=$?
    if [ $got != "$status" ] || ! grep -qE "$words" <<<"$said"; then
        printf 'FAILED: exit status %d, expected %d and /%s/:\n%s\n' $got "$status" "$words" "$said"
        exit 1
    fi
}

# corrupt FILE SCRIPT: edit a copy, which must then differ
corrupt() {
    cp "$kept/$1" "$golden/$arch/$1"
    sed -i "$2" "$golden/$arch/$1"
    if cmp -s "$kept/$1" "$golden/$arch/$1"; then
        echo "FAILED: $2 changed nothing in $1"
        exit 1
    fi
}

rm -rf "$folder"
mkdir -p "$golden"
said=$(run --record "$folder/recorded")
status=$?
[ $status != 77 ] || {
    echo "$said"
    exit 77
}
[ $status = 0 ] || {
    printf 'FAILED: recording:\n%s\n' "$said"
    exit 1
}
arch=$(sed -n 's/^arch \(sm_[0-9]*\).*/\1/p' "$folder/recorded/integer.txt")
kept=$folder/recorded
mkdir -p "$golden/$arch"
cp "$kept"/*.txt "$golden/$arch/"

count=$(run | sed -n 's/^\([0-9]*\) instances.*/\1/p')
expect 0 "$count instances.* 0 wrong; $count compared"
cp "$kept"/*.txt "$golden/$arch/"
expect 0 "$count compared" --record "$folder/again"
diff -r "$kept" "$folder/again" || {
    echo "FAILED: recorded again, it is another file"
    exit 1
}

# An output that differs from the recorded one.
corrupt integer.txt '0,/^exact \([0-9a-f]* \)[0-9a-f]*/s//exact \10123456789abcdef/'
expect 1 "other results than the golden file"
# An output that differs only where the ISA permits several results. Another device may differ
# there, but the simulator may not.
corrupt integer.txt 's/^\(exact [0-9a-f]* [0-9a-f]*\) [0-9a-f]*\( div.u32\)/\1 0123456789abcdef\2/'
expect 1 "1 instances differ .* in NaNs"
# Golden files for other inputs are not compared.
corrupt integer.txt '0,/^exact [0-9a-f]*/s//exact 0123456789abcdef/'
expect 0 "$((count - 1)) compared with golden files, 1 of other inputs"
cp "$kept/integer.txt" "$golden/$arch/"
# A value outside its bound, and one within it.
corrupt float.txt '/^near/{n;s/^\([0-9a-f]* [0-9a-f]* [0-9a-f]* \)[0-9a-f]*/\142280000/}'
expect 1 "the golden file gave 42280000"
cp "$kept/float.txt" "$golden/$arch/"
# A truncated file, and a file of another kind.
corrupt matrix.txt '$d'
expect 1 "is not understood"
corrupt matrix.txt '1s/.*/something else/'
expect 1 "is not understood"
cp "$kept/matrix.txt" "$golden/$arch/"
expect 0 "$count compared"
echo "$count instances recorded and compared"
rm -rf "$folder"
