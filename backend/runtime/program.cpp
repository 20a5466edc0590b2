// SPDX-License-Identifier: Apache-2.0
// The program that `mlc build --emit exe` makes of a module: calls its function on random inputs, prints a
// checksum of every tensor after the first run, then the time of a run. Stands alone: libc only, no C++
// library, no startup files. Symbolic extents come from the command line: `./prog n=256`.
// Where the function says which of its tensors are results, as graphs do, inputs are .npy files, and results
// become such files: `./prog x=cat.npy --output DIR`.
#include "backend/runtime/program.h"

#include <dlpack/dlpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tvm/ffi/c_api.h>

#include "backend/runtime/npy.h"

// The part of tvm-ffi that generated code needs: errors go straight to the terminal.
extern "C" void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  fprintf(stderr, "%s: %s\n", kind, message);
}

namespace {

constexpr int64_t kDefaultExtent = 64;
constexpr double kSecondsToMeasure = 0.3;

uint64_t random_state = 0x9e3779b97f4a7c15U;
uint64_t next_random() {  // xorshift64
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}
double random_unit() { return static_cast<double>(next_random() >> 11) * 0x1p-53; }

uint16_t bits_of_bfloat16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
float bfloat16_of(uint16_t half) {
  uint32_t bits = static_cast<uint32_t>(half) << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
// Values in [0, 1) only: no overflow, subnormals flushed.
uint16_t bits_of_float16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits < 0x38800000U ? 0
                            : static_cast<uint16_t>((bits - 0x38000000U + 0xfff + ((bits >> 13) & 1)) >> 13);
}
double float16_of(uint16_t half) {
  int exponent = (half >> 10) & 31;
  double mantissa = half & 1023;
  double value = exponent == 0 ? mantissa * 0x1p-24 : (1024 + mantissa) * 0x1p-25;
  for (int i = 0; i < exponent; ++i) value *= 2;
  if (exponent == 31) value = mantissa != 0 ? 0.0 / 0.0 : 1.0 / 0.0;
  return (half & 0x8000) != 0 ? -value : value;
}

void fill(void* data, int64_t count, DLDataType dtype) {
  for (int64_t i = 0; i < count; ++i) {
    double real = random_unit();
    int64_t integer = static_cast<int64_t>(real * 10);
    if (dtype.code == kDLBool) {
      static_cast<uint8_t*>(data)[i] = integer & 1;
    } else if (dtype.code == kDLFloat && dtype.bits == 64) {
      static_cast<double*>(data)[i] = real;
    } else if (dtype.code == kDLFloat && dtype.bits == 32) {
      static_cast<float*>(data)[i] = static_cast<float>(real);
    } else if (dtype.code == kDLFloat && dtype.bits == 16) {
      static_cast<uint16_t*>(data)[i] = bits_of_float16(static_cast<float>(real));
    } else if (dtype.code == kDLBfloat) {
      static_cast<uint16_t*>(data)[i] = bits_of_bfloat16(static_cast<float>(real));
    } else {
      memcpy(static_cast<char*>(data) + i * (dtype.bits / 8), &integer, dtype.bits / 8);  // little endian
    }
  }
}

double sum(const void* data, int64_t count, DLDataType dtype) {
  double total = 0;
  for (int64_t i = 0; i < count; ++i) {
    const char* at = static_cast<const char*>(data) + i * (dtype.bits / 8);
    if (dtype.code == kDLFloat && dtype.bits == 64) {
      total += *reinterpret_cast<const double*>(at);
    } else if (dtype.code == kDLFloat && dtype.bits == 32) {
      total += *reinterpret_cast<const float*>(at);
    } else if (dtype.code == kDLFloat) {
      total += float16_of(*reinterpret_cast<const uint16_t*>(at));
    } else if (dtype.code == kDLBfloat) {
      total += bfloat16_of(*reinterpret_cast<const uint16_t*>(at));
    } else {
      bool negative = dtype.code == kDLInt && (at[dtype.bits / 8 - 1] & 0x80) != 0;
      int64_t value = negative ? -1 : 0;
      memcpy(&value, at, dtype.bits / 8);
      total += static_cast<double>(value);
    }
  }
  return total;
}

double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int64_t symbol_value(int64_t index, int argc, char** argv) {
  const char* name = mlc_program.symbols[index];
  size_t length = strlen(name);
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=')
      return strtoll(argv[i] + length + 1, nullptr, 10);
  }
  return kDefaultExtent;
}

DLDataType dtype_of(const MlcArgument& argument) {
  return {static_cast<uint8_t>(argument.dtype), static_cast<uint8_t>(argument.dtype >> 8),
          static_cast<uint16_t>(argument.dtype >> 16)};
}

// ---- on files ----

size_t bytes_of(const MlcArgument& argument) {
  size_t bytes = static_cast<size_t>(dtype_of(argument).bits) / 8;
  for (int64_t d = 0; d < argument.rank; ++d) bytes *= static_cast<size_t>(argument.shape[d]);
  return bytes;
}

void describe(FILE* to, const MlcArgument& argument) {
  char descr[16];
  npy::descr_of(dtype_of(argument), descr, sizeof descr);
  fprintf(to, "  %-16s %s ", argument.name, descr);
  npy::print_shape(to, argument.shape, argument.rank);
  fprintf(to, "\n");
}

int usage(FILE* to, const char* called) {
  fprintf(to, "usage: %s NAME=FILE.npy ... [--output DIR]\ninputs:\n", called);
  for (int64_t i = 0; i < mlc_program.argument_count; ++i)
    if (mlc_program.arguments[i].tensor == 1) describe(to, mlc_program.arguments[i]);
  fprintf(to, "outputs, each a file DIR/NAME.npy:\n");
  for (int64_t i = 0; i < mlc_program.argument_count; ++i)
    if (mlc_program.arguments[i].tensor == 2) describe(to, mlc_program.arguments[i]);
  return to == stdout ? 0 : 2;
}

// The file of each input, from the words of the command line. False, and said why, where they are not
// complete.
bool find_files(int argc, char** argv, const char** files, const char** folder) {
  for (int at = 1; at < argc; ++at) {
    if (strcmp(argv[at], "--output") == 0) {
      if (++at == argc) return fprintf(stderr, "error: `--output` is followed by a folder\n"), false;
      *folder = argv[at];
      continue;
    }
    const char* equals = strchr(argv[at], '=');
    int64_t found = -1;
    for (int64_t i = 0; equals != nullptr && i < mlc_program.argument_count; ++i) {
      const MlcArgument& argument = mlc_program.arguments[i];
      auto length = static_cast<size_t>(equals - argv[at]);
      if (argument.tensor == 1 && strlen(argument.name) == length &&
          strncmp(argument.name, argv[at], length) == 0)
        found = i;
    }
    if (found < 0) return fprintf(stderr, "error: `%s` gives no input a file\n", argv[at]), false;
    if (files[found] != nullptr)
      return fprintf(stderr, "error: `%s` is given twice\n", mlc_program.arguments[found].name), false;
    files[found] = equals + 1;
  }
  for (int64_t i = 0; i < mlc_program.argument_count; ++i) {
    if (mlc_program.arguments[i].tensor == 1 && files[i] == nullptr)
      return fprintf(stderr, "error: the input `%s` has no file\n", mlc_program.arguments[i].name), false;
  }
  return true;
}

bool write_output(const char* folder, const MlcArgument& argument, const DLTensor& tensor) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s.npy", folder, argument.name);
  if (length < 0 || length >= static_cast<int>(sizeof path))
    return fprintf(stderr, "error: the name of the folder is too long\n"), false;
  for (char* at = path + strlen(folder) + 1; *at != 0; ++at)
    if (*at == '/') *at = '_';
  if (!npy::write(path, tensor.dtype, tensor.shape, tensor.ndim, tensor.data, bytes_of(argument)))
    return false;
  printf("%s\n", path);
  return true;
}

int run_on_files(int argc, char** argv) {
  auto count = static_cast<size_t>(mlc_program.argument_count);
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--help") == 0) return usage(stdout, argv[0]);
  auto* files = static_cast<const char**>(calloc(count + 1, sizeof(char*)));
  auto* args = static_cast<TVMFFIAny*>(calloc(count + 1, sizeof(TVMFFIAny)));
  auto* tensors = static_cast<DLTensor*>(calloc(count + 1, sizeof(DLTensor)));
  const char* folder = ".";
  if (!find_files(argc, argv, files, &folder)) return usage(stderr, argv[0]);
  for (size_t i = 0; i < count; ++i) {
    const MlcArgument& argument = mlc_program.arguments[i];
    DLTensor& tensor = tensors[i];
    tensor.data = aligned_alloc(64, (bytes_of(argument) + 127) / 64 * 64);
    if (tensor.data == nullptr)
      return fprintf(stderr, "error: not enough memory for `%s`\n", argument.name), 1;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(argument.rank);
    tensor.dtype = dtype_of(argument);
    tensor.shape = const_cast<int64_t*>(argument.shape);
    if (argument.tensor == 1 && !npy::read(files[i], argument.name, tensor.dtype, tensor.shape, argument.rank,
                                           tensor.data, bytes_of(argument)))
      return 1;
    args[i].type_index = kTVMFFIDLTensorPtr;
    args[i].v_ptr = &tensor;
  }
  TVMFFIAny result{};
  if (mlc_program.entry(nullptr, args, static_cast<int32_t>(count), &result) != 0) return 1;
  for (size_t i = 0; i < count; ++i)
    if (mlc_program.arguments[i].tensor == 2 && !write_output(folder, mlc_program.arguments[i], tensors[i]))
      return 1;
  return 0;
}

}  // namespace

extern "C" int main(int argc, char** argv) {
  const MlcProgram& program = mlc_program;
  for (int64_t i = 0; i < program.argument_count; ++i)
    if (program.arguments[i].tensor == 2) return run_on_files(argc, argv);
  auto count = static_cast<size_t>(program.argument_count);
  auto* args = static_cast<TVMFFIAny*>(calloc(count + 1, sizeof(TVMFFIAny)));
  auto* tensors = static_cast<DLTensor*>(calloc(count + 1, sizeof(DLTensor)));
  auto* sizes = static_cast<int64_t*>(calloc(count + 1, sizeof(int64_t)));
  for (size_t i = 0; i < count; ++i) {
    const MlcArgument& argument = program.arguments[i];
    DLDataType dtype = dtype_of(argument);
    if (argument.tensor == 0) {
      bool real = dtype.code == kDLFloat || dtype.code == kDLBfloat;
      args[i].type_index = real ? kTVMFFIFloat : kTVMFFIInt;
      if (real) {
        args[i].v_float64 = 0.5;
      } else {
        args[i].v_int64 = 1;
      }
      continue;
    }
    auto* shape = static_cast<int64_t*>(malloc(sizeof(int64_t) * static_cast<size_t>(argument.rank + 1)));
    int64_t elements = dtype.lanes;
    for (int64_t d = 0; d < argument.rank; ++d) {
      shape[d] = argument.shape[d] < 0 ? symbol_value(-argument.shape[d] - 1, argc, argv) : argument.shape[d];
      elements *= shape[d];
    }
    sizes[i] = elements;
    DLTensor& tensor = tensors[i];
    tensor.data = aligned_alloc(64, (static_cast<size_t>(elements) * (dtype.bits / 8) + 127) / 64 * 64);
    if (tensor.data == nullptr) {
      fprintf(stderr, "not enough memory for `%s`\n", argument.name);
      return 1;
    }
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(argument.rank);
    tensor.dtype = dtype;
    tensor.shape = shape;
    dtype.lanes = 1;
    fill(tensor.data, elements, dtype);
    args[i].type_index = kTVMFFIDLTensorPtr;
    args[i].v_ptr = &tensor;
  }
  TVMFFIAny result{};
  if (program.entry(nullptr, args, static_cast<int32_t>(count), &result) != 0) return 1;
  for (size_t i = 0; i < count; ++i) {
    if (program.arguments[i].tensor == 0) continue;
    DLDataType dtype = tensors[i].dtype;
    printf("%-16s sum %.9g\n", program.arguments[i].name, sum(tensors[i].data, sizes[i], dtype));
  }
  if (result.type_index == kTVMFFIInt || result.type_index == kTVMFFIBool)
    printf("result %lld\n", static_cast<long long>(result.v_int64));
  if (result.type_index == kTVMFFIFloat) printf("result %.9g\n", result.v_float64);
  double best = 1e30;
  double begin = seconds();
  int64_t runs = 0;
  double now = begin;
  do {
    if (program.entry(nullptr, args, static_cast<int32_t>(count), &result) != 0) return 1;
    double after = seconds();
    if (after - now < best) best = after - now;
    now = after;
    ++runs;
  } while (now - begin < kSecondsToMeasure);
  printf("%s: %.4f ms mean, %.4f ms best of %lld runs\n", program.name,
         (now - begin) * 1e3 / static_cast<double>(runs), best * 1e3, static_cast<long long>(runs));
  return 0;
}

// What crt1.o does on a machine with development files.
#if defined(__x86_64__)
asm(R"(
.text
.global _start
.type _start, @function
_start:
  xorl %ebp, %ebp
  movq %rdx, %r9
  movq (%rsp), %rsi
  leaq 8(%rsp), %rdx
  andq $-16, %rsp
  pushq %rax
  pushq %rsp
  xorl %r8d, %r8d
  xorl %ecx, %ecx
  leaq main(%rip), %rdi
  call *__libc_start_main@GOTPCREL(%rip)
  hlt
)");
#elif defined(__aarch64__)
asm(R"(
.text
.global _start
.type _start, %function
_start:
  mov x29, #0
  mov x30, #0
  mov x5, x0
  ldr x1, [sp]
  add x2, sp, #8
  mov x6, sp
  adrp x0, main
  add x0, x0, :lo12:main
  mov x3, #0
  mov x4, #0
  bl __libc_start_main
  brk #0
)");
#endif
