#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh MLC CONSUMER: builds axpy.mlc as a shared library and lets the consumer use it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" build "$(dirname "$0")/axpy.mlc" -o "$folder/axpy.so"
"$2" "$folder/axpy.so"
