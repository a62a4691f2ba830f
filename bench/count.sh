#!/usr/bin/env bash
# Counts the instructions cucore adds to a driver call. Runs bench_count on a do-nothing driver
# under callgrind and subtracts the raw side from cucore's side. Each side is the difference of two
# runs with different call counts, so setup cancels out. The result is the same for the same
# binaries, regardless of machine load.
#
#     bench/count.sh BUILD [JSON]
set -euo pipefail
build=$1
json=${2:-}
export CUCORE_DRIVER=$(realpath "$build/bench/libnull_driver.so")
# Most instructions that a call may add, in a release or debugoptimized build.
declare -A limits=([launch_3_arguments]=150 [event_record]=42 [alloc_free]=195 [copy_4_kib]=215)

instructions() { # CASE SIDE CALLS
  local said
  said=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$build/bench/bench_count" "$1" "$2" "$3" 2>&1) || { echo "$said" >&2; exit 1; }
  sed -n 's/.*Collected : //p' <<<"$said"
}

per_call() { # CASE SIDE
  local few many
  few=$(instructions "$1" "$2" 100)
  many=$(instructions "$1" "$2" 1100)
  echo $(( (many - few) / 1000 ))
}

status=0
rows=
printf '%-24s %8s %8s %8s\n' case cucore raw added
for name in $("$build/bench/bench_count" --list); do
  cuc=$(per_call "$name" cuc)
  raw=$(per_call "$name" raw)
  printf '%-24s %8d %8d %8d\n' "$name" "$cuc" "$raw" $((cuc - raw))
  rows="$rows${rows:+,}
{\"name\":\"$name\",\"cucore\":$cuc,\"raw\":$raw,\"added\":$((cuc - raw))}"
  limit=${limits[$name]:-}
  if [ -n "$limit" ] && [ $((cuc - raw)) -ge "$limit" ]; then
    echo "$name adds $limit instructions or more" >&2
    status=1
  fi
done
if [ -n "$json" ]; then
  cat >"$json" <<JSON
{
"schema":1,
"bench":"instructions",
"unit":"instructions a call",
"compiler":"$(${CC:-cc} --version | head -n 1)",
"commit":"$(git -C "$(dirname "$0")" rev-parse --short HEAD 2>/dev/null || echo unknown)",
"command":"bench/count.sh",
"results":[$rows
]
}
JSON
fi
exit $status
