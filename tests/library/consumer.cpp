// SPDX-License-Identifier: Apache-2.0
// A program that knows nothing of mlc: it links libtvm_ffi and loads what `mlc build axpy.mlc` made.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/module.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace ffi = tvm::ffi;

namespace {

int passed = 0;
int failed = 0;

void expect(bool holds, const char* what) {
  holds ? ++passed : ++failed;
  if (!holds) std::printf("FAILED %s\n", what);
}

struct Allocator {
  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(ffi::GetDataSize(*tensor)); }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

ffi::Tensor filled(int64_t rows, int64_t columns, float value) {
  ffi::Tensor made = ffi::Tensor::FromNDAlloc(Allocator(), ffi::Shape({rows, columns}),
                                              DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
  for (int64_t i = 0; i < rows * columns; ++i) static_cast<float*>(made.data_ptr())[i] = value;
  return made;
}

// The kind and the message of the error that `call` raises.
template <class F>
std::string error_of(F call) {
  try {
    call();
  } catch (const ffi::Error& error) {
    return std::string(error.kind()) + ": " + error.message();
  }
  return "no error";
}

bool says(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s AXPY.so\n", argv[0]), 2;
  ffi::Module library = ffi::Module::LoadFromFile(argv[1]);
  ffi::Optional<ffi::Function> found = library->GetFunction("axpy");
  expect(found.has_value(), "the library has a function axpy");
  if (!found.has_value()) return 1;
  ffi::Function axpy = *found;

  for (int64_t rows : {1, 3, 1000}) {
    ffi::Tensor x = filled(rows, 16, 2);
    ffi::Tensor y = filled(rows, 16, 1);
    ffi::Tensor z = filled(rows, 16, 0);
    axpy(x, y, z, 3.0);
    bool right = true;
    for (int64_t i = 0; i < rows * 16; ++i) right = right && static_cast<float*>(z.data_ptr())[i] == 7;
    expect(right, "y + a * x");
  }

  ffi::Tensor x = filled(4, 16, 1);
  ffi::Tensor y = filled(4, 16, 1);
  ffi::Tensor z = filled(4, 16, 0);
  std::string count = error_of([&] { axpy(x, y); });
  expect(says(count, "TypeError") && says(count, "takes 4 arguments, got 2"),
         "too few arguments are refused");
  std::string shape = error_of([&] { axpy(x, filled(4, 15, 1), z, 1.0); });
  expect(says(shape, "ValueError") && says(shape, "is 15, expected 16"), "a wrong extent is refused");
  std::string rows = error_of([&] { axpy(x, filled(5, 16, 1), z, 1.0); });
  expect(says(rows, "ValueError") && says(rows, "5"), "extents that disagree are refused");
  std::string kind = error_of([&] { axpy(x, ffi::String("y"), z, 1.0); });
  expect(says(kind, "TypeError") && says(kind, "expected a tensor"), "a string is no tensor");
  expect(static_cast<float*>(z.data_ptr())[0] == 0, "a refused call changes nothing");

  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
