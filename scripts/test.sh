#!/usr/bin/env bash
# Runs the test suite: scripts/test.sh [--full]
#
# By default this runs the suite once, built with the system's compiler, and checks the
# documentation. --full adds:
#   - the suite "full", which repeats tests with more dtypes, warps and architectures;
#   - a clang build, which must generate the same code for tile programs;
#   - a build with AddressSanitizer and UndefinedBehaviorSanitizer;
#   - a build with ThreadSanitizer, for the tests that start threads;
#   - the suite under valgrind, without the toolkit's compilers;
#   - the instruction counts per call.
# The last line counts passed, failed and skipped tests; exits 1 if anything failed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

full=
case ${1:-} in
'') ;;
--full) full=1 ;;
*)
    echo "usage: scripts/test.sh [--full]" >&2
    exit 2
    ;;
esac
# shellcheck disable=SC2086 source=scripts/setup.sh # words
. scripts/setup.sh ${full:+clang valgrind} || exit 1
# Plots need matplotlib; without it their tests are skipped.
cuc_has python matplotlib || cuc_apt python3-matplotlib || cuc_say "going on without matplotlib"
# cargo builds the Rust crates, and CMake tests find_package(); tests that need a missing tool are
# skipped.
for tool in cargo cmake; do
    cuc_has command $tool || cuc_apt $tool || cuc_say "going on without $tool"
done

logs=()
failed=()

step() {
    printf '\n==== %s\n' "$*"
}

# build FOLDER OPTION...: configure and build
build() {
    step "building $1"
    cuc_configure "$1" -Dwerror=true -Dtests=enabled "${@:2}" && ninja -C "$1" && return
    failed+=("building $1")
    return 1
}

# suite FOLDER LOG ARGUMENT...: run the suite; -v shows the closing lines of Check
suite() {
    local log=$1/meson-logs/$2.json
    step "testing $*"
    case " $* " in *" --wrap "*) log=$1/meson-logs/$2-valgrind.json ;; esac
    rm -f "$log"
    meson test -C "$1" --no-rebuild -v --logbase "$2" "${@:3}" </dev/null || failed+=("testing $1 $2")
    logs+=("$log")
}

full_run() {
    local threads

    suite build full --suite full -t 2
    # Tests that start threads, found by the calls in their source.
    threads=$(grep -lE 'pthread_create|thrd_create' tests/test_*.c | sed 's|.*/test_||; s|\.c$||')

    if CC=clang CXX=clang++ build build/clang; then
        suite build/clang all
        step "what each compiler's build makes of the tile sources"
        scripts/same_code.sh build build/clang || failed+=("the same code by gcc and clang")
    fi

    if build build/asan -Db_sanitize=address,undefined -Db_lundef=false -Dbench=disabled; then
        export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
        export CK_TIMEOUT_MULTIPLIER=3
        LSAN_OPTIONS=suppressions=$PWD/tests/support/lsan.supp \
            suite build/asan all --no-suite toolkit -t 3
        LSAN_OPTIONS=use_tls=0:suppressions=$PWD/tests/support/lsan-no-tls.supp \
            suite build/asan toolkit --suite toolkit -t 3
    fi

    # On Debian, clang's sanitizer runtime is a separate package.
    echo 'int main(void) { return 0; }' | clang -fsanitize=thread -x c - -o build/tsan-probe 2>/dev/null ||
        cuc_apt "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    # Use clang: gcc calls through an _Atomic function pointer with a plain load.
    # shellcheck disable=SC2086 # words
    if CC=clang CXX=clang++ build build/tsan -Db_sanitize=thread -Db_lundef=false \
        -Dbench=disabled; then
        TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/tests/support/tsan.supp" \
            suite build/tsan threads -t 5 $threads
    fi

    CK_TIMEOUT_MULTIPLIER=10 suite build unit --suite unit --suite object -t 10 --wrap "valgrind \
        --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite --suppressions=$PWD/tests/support/valgrind.supp"

    step "expensive tile sources at random"
    tests/tile/stress_budget.py build/tools/cucore/cucore --count 500 || failed+=("the budget of tile sources")

    if [ -x bench/count.sh ] && [ -x build/bench/bench_count ]; then
        step "counting instructions"
        bench/count.sh build || failed+=("counting instructions")
    fi
}

build build && suite build all

step "documentation"
cuc_site && ninja -C build docs || failed+=("documentation")

[ -z "$full" ] || full_run

step "result"
for what in "${failed[@]}"; do
    echo "failed: $what"
done
scripts/count_tests.py --steps-failed ${#failed[@]} "${logs[@]}"
