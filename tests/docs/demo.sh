#!/bin/sh
# demo.sh NINJA BUILD: checks that scripts/demo.sh builds only the programs that it runs, and no
# tests, benchmarks or tools.
set -u
ninja=$1 build=$2
script=$(cd "$(dirname "$0")/../../scripts" && pwd)/demo.sh
targets=$(sed -n 's/^ninja -C build //p' "$script")
ran=$(sed -n 's/^run build\///p' "$script" | sort -u)
bad=0

if [ -z "$targets" ] || [ -z "$ran" ]; then
    echo "no targets, or nothing that is run, in scripts/demo.sh"
    exit 1
fi
for program in $ran libcucore-sim.so; do
    case " $targets " in
    *" $program "*) ;;
    *)
        echo "$program is not built"
        bad=1
        ;;
    esac
done
# shellcheck disable=SC2086 # a list
commands=$("$ninja" -C "$build" -t commands $targets) || exit 1
for folder in tests bench tools; do
    case $commands in
    *" -c ../$folder/"*)
        echo "something of $folder/ is built"
        bad=1
        ;;
    esac
done
[ $bad = 0 ] && echo "$(printf '%s\n' "$commands" | wc -l) commands"
exit $bad
