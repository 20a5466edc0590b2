// SPDX-License-Identifier: Apache-2.0
// Processes that end by _exit write their counters first. Linked with -Wl,--wrap=_exit by the preset `coverage`.

extern "C" {
int __llvm_profile_write_file();
[[noreturn]] void __real__exit(int code);

[[noreturn]] void __wrap__exit(int code) {
  __llvm_profile_write_file();
  __real__exit(code);
}
}
