#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The thread pool, and a generated library, under ThreadSanitizer. What must race stands beside what must not: a
# check that finds nothing in the first finds nothing at all.
#
#   sh tests/threads/run.sh MLC
set -u
mlc=$1
ffi=.deps/tvm_ffi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
cxx=${CXX:-c++}
export MLC_NUM_THREADS=4 TSAN_OPTIONS="exitcode=66 halt_on_error=1"

# Some kernels place memory where the sanitizer wants its own, unless addresses are not random.
fixed=
echo 'int main() { return 0; }' >"$work/empty.cpp"
if ! "$cxx" -fsanitize=thread "$work/empty.cpp" -o "$work/empty" >"$work/log" 2>&1; then
  echo "SKIPPED threads: $cxx has no -fsanitize=thread"
  echo "0 passed, 0 failed"
  exit 0
fi
"$work/empty" >"$work/log" 2>&1 || fixed="setarch -R"
if ! $fixed "$work/empty" >"$work/log" 2>&1; then
  echo "SKIPPED threads: ThreadSanitizer does not run here: $(head -n 1 "$work/log")"
  echo "0 passed, 0 failed"
  exit 0
fi

# expect STATUS COMMAND...: 66 is a race.
expect() {
  wanted=$1
  shift
  $fixed "$@" >"$work/log" 2>&1 </dev/null
  status=$?
  if [ "$status" = "$wanted" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $(echo "$@" | sed "s,$work/,,g"): exit code $status instead of $wanted"
    cat "$work/log"
  fi
}

# build NAME SOURCE...
build() {
  name=$1
  shift
  "$cxx" -std=c++20 -fsanitize=thread -g -O1 -I . -I $ffi/include "$@" -o "$work/$name" >"$work/log" 2>&1 && return
  failed=$((failed + 1))
  echo "FAILED to compile $name"
  cat "$work/log"
  return 1
}

if build pool backend/runtime/parallel.cpp tests/threads/pool.cpp; then
  expect 0 "$work/pool"
  expect 66 "$work/pool" unordered
fi

# Generated code has nothing of the sanitizer in it: LLVM puts that in between.
bin=$(llvm-config-19 --bindir 2>/dev/null || echo /usr/lib/llvm-19/bin)
if [ -x "$bin/opt" ] && [ -x "$bin/llc" ]; then
  if "$mlc" build tests/threads/kernels.mlc --schedule none --emit ll -o "$work/kernels.ll" >"$work/log" 2>&1 &&
    sed 's/^attributes #[0-9]* = { /&sanitize_thread /' "$work/kernels.ll" >"$work/marked.ll" &&
    "$bin/opt" -passes='tsan-module,function(tsan)' "$work/marked.ll" -o "$work/kernels.bc" >"$work/log" 2>&1 &&
    "$bin/llc" -O2 -relocation-model=pic -filetype=obj "$work/kernels.bc" -o "$work/kernels.o" >"$work/log" 2>&1; then
    if build library backend/runtime/parallel.cpp tests/threads/library.cpp "$work/kernels.o" \
      -L $ffi/lib -ltvm_ffi -Wl,-rpath,"$PWD/$ffi/lib"; then
      expect 0 "$work/library"
      expect 66 "$work/library" racing
    fi
  else
    failed=$((failed + 1))
    echo "FAILED to compile kernels.mlc for the sanitizer"
    cat "$work/log"
  fi
else
  echo "SKIPPED threads/library: no opt and llc of LLVM 19"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
