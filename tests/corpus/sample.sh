#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reads and prints every text of corpus/sample, modules as TVM printed them: each must come back byte for byte.
#
#   sh tests/corpus/sample.sh MLC
set -u
mlc=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ls "$here"/sample/*.txt >"$work/listing"
"$mlc" run "$here/round_trip.mlc" "$work/listing" >"$work/output" 2>&1 </dev/null
total=$(wc -l <"$work/listing")
passed=$(grep -c -x -e ok -e 'ok unchecked' "$work/output")
failed=$((total - passed))
[ $failed = 0 ] || cat "$work/output"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
