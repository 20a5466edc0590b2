#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CUDA where no GPU is: launches.mlc with a driver that records what it is asked for, what is said where there is no driver, and,
# where CUDA's toolkit is, kernels that its compilers take.
#
#   sh tests/cuda/run.sh MLC
set -u
mlc=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# expect WHAT COMMAND...: the command succeeds.
expect() {
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    echo "FAILED $what"
    cat "$work/log"
    failed=$((failed + 1))
  fi
}
# prints COUNT PATTERN WHAT COMMAND...: the command succeeds, and so many of the lines that it prints match.
prints() {
  count=$1
  pattern=$2
  what=$3
  shift 3
  if "$@" >"$work/log" 2>&1 && [ "$(grep -c -- "$pattern" "$work/log")" = "$count" ]; then
    passed=$((passed + 1))
  else
    echo "FAILED $what"
    cat "$work/log"
    failed=$((failed + 1))
  fi
}
# says TEXT COMMAND...: the command fails and says so.
says() {
  text=$1
  shift
  if "$@" >"$work/log" 2>&1 || ! grep -qF "$text" "$work/log"; then
    echo "FAILED the text is not said: $text"
    cat "$work/log"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
}

export MLC_CACHE_DIR="$work/cache"
cat >"$work/scale.mlc" <<'PROGRAM'
import numpy as np
import tvm
from tvm.script import ir as I, tirx as T


@I.ir_module
class Scale:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16")):
        for i in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("b"):
                v = T.axis.spatial(64, i)
                B[v] = T.exp(A[v]) * T.float16(2)


if __name__ == "__main__":
    lib = tvm.compile(Scale, target="cuda")
    lib["main"](np.zeros(64, "float16"), np.zeros(64, "float16"))
PROGRAM

if command -v cc >/dev/null && cc -shared -fPIC -o "$work/mock.so" "$here/mock_driver.c" 2>"$work/log"; then
  expect "launches" env MLC_CUDA_LIBRARY="$work/mock.so" MLC_NVRTC_LIBRARY="$work/mock.so" CUDA_HOME="$work" \
    MLC_MOCK_LOG="$work/calls" "$mlc" test --quiet "$here/launches.mlc"
  says "CUDA's driver finds no GPU" env MLC_CUDA_LIBRARY="$work/mock.so" MLC_MOCK_DEVICES=0 "$mlc" -c \
    'import tvm; tvm.runtime.empty((1,), "float32", tvm.cuda(0))'
  says "CUDA_ERROR_NO_DEVICE" env MLC_CUDA_LIBRARY="$work/mock.so" MLC_MOCK_NO_START=1 "$mlc" -c \
    'import tvm; tvm.runtime.empty((1,), "float32", tvm.cuda(0))'
else
  echo "SKIPPED cuda: the driver of the tests cannot be compiled: $(tail -n 1 "$work/log")"
fi

# No driver: the text is made all the same, and whoever wants to run it hears why not.
nothing="$work/nothing.so"
expect "text without a compiler" "$mlc" build "$work/scale.mlc" --target cuda -o "$work/scale.cu"
expect "the kernel in the text" grep -q '__global__.*main_kernel' "$work/scale.cu"
says "cuda:0\` cannot be used here: CUDA's driver cannot be loaded" env MLC_CUDA_LIBRARY="$nothing" "$mlc" -c \
  'import tvm; tvm.runtime.empty((1,), "float32", tvm.cuda(0))'
says "expected cuda" env MLC_CUDA_LIBRARY="$nothing" "$mlc" run "$work/scale.mlc"
says "neither NVRTC nor nvcc is here" env MLC_NVRTC_LIBRARY="$nothing" CUDA_HOME="$work" PATH=/usr/bin:/bin "$mlc" build \
  "$work/scale.mlc" --target cuda -o "$work/scale.cubin"
says "\`asm\` is made for the target \`llvm\`, and not for \`cuda\`" "$mlc" build "$work/scale.mlc" --target cuda --emit asm -o "$work/x.s"
says "\`cu\` is made for the target \`cuda\`, and not for \`opencl\`" "$mlc" build "$work/scale.mlc" --target opencl --emit cu -o "$work/x.cu"

says "\`bisect\` compares runs on the CPU, and \`cuda\` is for a device" "$mlc" bisect "$work/scale.mlc" --target cuda

# Caches of several sequences, their kernels thread by thread.
prints 7 '^float[0-9]* [a-z ]* True ' "paged caches" "$mlc" run --simulate "$here/../opencl/paged_cache.mlc" cuda
for dtype in float32 float16; do
  prints 6 ' right \[' "compressed rows in $dtype" "$mlc" run --simulate "$here/../vm/paged_cache_compressed_no_oracle.mlc" cuda $dtype
done

# The toolkit, where it is.
toolkit=${CUDA_HOME:-/usr/local/cuda}
if [ -e "$toolkit/lib64/libnvrtc.so" ] || [ -e "$toolkit/lib/libnvrtc.so" ]; then
  target='{"kind": "cuda", "arch": "sm_90"}'
  for kind in ptx cubin fatbin so; do
    expect "$kind" "$mlc" build "$work/scale.mlc" --target "$target" --emit $kind -o "$work/scale.$kind"
  done
  says "does not compile for \`sm_20\`; it does for sm_" "$mlc" build "$work/scale.mlc" \
    --target '{"kind": "cuda", "arch": "sm_20"}' -o "$work/scale.cubin"
  hopper='{"kind": "cuda", "arch": "sm_90a"}'
  for name in gemm_tma attention_tma; do
    expect "$name" "$mlc" build "$here/../../examples/$name.mlc" --pipeline tirx --target "$hopper" --emit cubin -o "$work/$name.cubin"
  done
  for arch in sm_80 sm_90; do
    expect "kernels of paged caches for $arch" "$mlc" build "$here/paged_cache_kernels.mlc" \
      --target "{\"kind\": \"cuda\", \"arch\": \"$arch\"}" --emit cubin -o "$work/paged_cache.cubin"
  done
  expect "an entry in the PTX" grep -q '\.visible \.entry main_kernel' "$work/scale.ptx"
  expect "machine code in the cubin" sh -c 'head -c 4 "$1" | grep -q ELF' sh "$work/scale.cubin"
else
  echo "SKIPPED cuda: CUDA's toolkit is not in $toolkit, so no kernel is compiled"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
