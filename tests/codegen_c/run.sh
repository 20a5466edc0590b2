#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The goldens of code generation once more, with the target `c` in place of `llvm`: the same programs, compiled as C
# text by the system's compiler, must print the same. Those that C cannot express are listed in inexpressible.txt,
# with the reason; every other file of tests/codegen runs.
#
#   sh tests/codegen_c/run.sh MLC [GOLDEN.mlc]...
set -u
mlc=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
least=23 # goldens that must have run; fewer means that the replacing below has stopped to fit
whole=no
if [ $# = 0 ]; then
  whole=yes
  set -- "$here"/../codegen/*.mlc
fi
if ! command -v "${CC:-cc}" >/dev/null; then
  echo "SKIPPED codegen_c: no C compiler \`${CC:-cc}\`"
  echo "0 passed, 0 failed"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
for golden in "$@"; do
  name=$(basename "$golden")
  if grep -q "^$name: " "$here/inexpressible.txt"; then
    continue
  fi
  # A call without a target gets one; expected errors show the line of the program, so they change with it.
  sed -E 's/target="llvm"/target="c"/
    s/tvm\.compile\(([a-z_.]+|[A-Za-z_.]+\([^()]*\))\)/tvm.compile(\1, target="c")/g' "$golden" >"$work/$name"
  if cmp -s "$golden" "$work/$name"; then
    echo "FAILED $golden: compiles nothing for \`llvm\`; list it in inexpressible.txt"
    failed=$((failed + 1))
    continue
  fi
  if "$mlc" test --quiet "$work/$name" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    echo "FAILED $golden for the target \`c\`"
    cat "$work/log"
    failed=$((failed + 1))
  fi
done
while IFS= read -r row; do
  case $row in
    '#'* | '') continue ;;
  esac
  if [ ! -e "$here/../codegen/${row%%: *}" ]; then
    echo "FAILED inexpressible.txt: there is no golden \`${row%%: *}\`"
    failed=$((failed + 1))
  fi
done <"$here/inexpressible.txt"
if [ $whole = yes ] && [ $passed -lt $least ]; then
  echo "FAILED only $passed goldens have passed for the target \`c\`, and $least are expected at least"
  failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
