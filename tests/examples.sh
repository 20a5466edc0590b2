#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every example as a user would; each must end with exit code 0.
#
#   sh tests/examples.sh MLC
set -u
mlc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
try() {
  if "$@" >"$work/log" 2>&1 </dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $* (exit code $?)"
    cat "$work/log"
  fi
}
# An example that runs a real model names the file that is not there, or says how to get it, and fails.
without_its_file() {
  program=$1 says=$2
  shift 2
  if "$mlc" run "$program" "$@" >"$work/log" 2>&1 </dev/null || ! grep -q "$says" "$work/log"; then
    failed=$((failed + 1))
    echo "FAILED $program without its file"
    cat "$work/log"
  else
    passed=$((passed + 1))
  fi
}
for example in examples/*.mlc; do
  case $example in
    examples/load_*) ;;  # needs what another one builds
    examples/chat.mlc) without_its_file "$example" absent.gguf absent.gguf ;;
    examples/smollm2.mlc) without_its_file "$example" absent.gguf "Once upon a time" absent.gguf ;;
    examples/bert.mlc) without_its_file "$example" absent/vocab.txt absent ;;
    examples/minilm.mlc) without_its_file "$example" absent.txt "" absent.onnx absent.txt ;;
    examples/resnet.mlc)
      if "$mlc" run "$example" >"$work/log" 2>&1 || ! grep -q 'which picture' "$work/log"; then
        failed=$((failed + 1))
        echo "FAILED $example without a picture"
      else
        passed=$((passed + 1))
      fi
      ;;
    examples/train_mlp.mlc)
      try "$mlc" run "$example" "$work"
      try test -s "$work/train_mlp.safetensors" -a -s "$work/train_mlp.svg"
      ;;
    examples/*_tma.mlc)
      try "$mlc" run "$example"
      try "$mlc" run --simulate "$example"
      ;;
    *) try "$mlc" run "$example" ;;
  esac
done
# The tour: each step checks its results; what it prints is compared where it says so, which no step does that prints times.
for step in examples/tour/*.mlc; do
  try "$mlc" run "$step"
  ! grep -q '^#|' "$step" || try "$mlc" test --quiet "$step"
done
try "$mlc" verify examples/tour/14_checking.mlc
try "$mlc" build examples/tour/13_building.mlc -o "$work/sums.so"
try "$mlc" build examples/matmul.mlc -o "$work/matmul.so"
try "$mlc" run examples/load_matmul.mlc "$work/matmul.so"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
