// SPDX-License-Identifier: Apache-2.0
// A library that mlc generated, compiled with ThreadSanitizer and called from many threads at once.
//
//   library          each thread has tensors of its own, and all read one
//   library racing   a kernel that does race; must be reported, or this test finds nothing
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

extern "C" {
int __tvm_ffi_doubled_sums(void*, const TVMFFIAny*, int32_t, TVMFFIAny*);
int __tvm_ffi_racing(void*, const TVMFFIAny*, int32_t, TVMFFIAny*);
}

namespace {

constexpr int64_t kRows = 61;
constexpr int64_t kColumns = 32;

using Entry = int (*)(void*, const TVMFFIAny*, int32_t, TVMFFIAny*);

bool call(Entry entry, float* a, float* b) {
  int64_t shape[] = {kRows, kColumns};
  DLTensor tensors[2] = {};
  TVMFFIAny arguments[2] = {};
  for (int i = 0; i < 2; ++i) {
    tensors[i].data = i == 0 ? a : b;
    tensors[i].device = {kDLCPU, 0};
    tensors[i].ndim = 2 - i;
    tensors[i].dtype = {kDLFloat, 32, 1};
    tensors[i].shape = shape;
    arguments[i].type_index = kTVMFFIDLTensorPtr;
    arguments[i].v_ptr = &tensors[i];
  }
  TVMFFIAny result{};
  return entry(nullptr, arguments, 2, &result) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<float> a(kRows * kColumns, 1);
  if (argc > 1 && std::strcmp(argv[1], "racing") == 0) {
    std::vector<float> b(kRows);
    for (int i = 0; i < 20000; ++i) call(__tvm_ffi_racing, a.data(), b.data());
    return 0;
  }
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      std::vector<float> b(kRows);
      for (int i = 0; i < 500; ++i) {
        bool right = call(__tvm_ffi_doubled_sums, a.data(), b.data());
        for (float& sum : b) {
          right = right && sum == 2 * kColumns;
          sum = 0;
        }
        if (!right) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failed != 0) std::fprintf(stderr, "FAILED %d calls\n", failed.load());
  return failed == 0 ? 0 : 1;
}
