// SPDX-License-Identifier: Apache-2.0
// Products and convolutions of float32 by oneDNN, for compiled code. The library is looked for at the first
// call: libdnnl.so.2, or the file that MLC_ONEDNN_LIBRARY names. Answers are those of openblas.h.
#pragma once

#include <stdint.h>

extern "C" {

enum {
  kMlcOneDnnBias = 1,    // one number for each column or channel is added
  kMlcOneDnnRelu = 2,    // then negative numbers become 0
  kMlcOneDnnPacked = 4,  // the weights are as mlc_onednn_pack_* has laid them out, `layout` says how
  kMlcOneDnnNhwc = 8,    // channels of data and result lie side by side; weights are HWIO, else OIHW
};
enum { kMlcOneDnnLayoutBytes = 1024 };

int32_t mlc_onednn_text(char* text, int64_t size);

// As mlc_openblas_matmul; a matrix for all is of step 0.
int32_t mlc_onednn_matmul(const void* a, const void* b, const void* bias, void* c, const void* layout,
                          int64_t batch, int64_t m, int64_t n, int64_t k, int64_t a_step, int64_t b_step,
                          int32_t transa, int32_t transb, int32_t flags);

// Padding at the top, at the left, at the bottom, at the right.
int32_t mlc_onednn_conv2d(const void* x, const void* w, const void* bias, void* y, const void* layout,
                          int64_t n, int64_t channels, int64_t height, int64_t width, int64_t filters,
                          int64_t kernel_h, int64_t kernel_w, int64_t stride_h, int64_t stride_w,
                          int64_t dilation_h, int64_t dilation_w, int64_t top, int64_t left, int64_t bottom,
                          int64_t right, int64_t groups, int32_t flags);

// The bytes of weights in the order that the library asks for on this machine, and, where `packed` is not
// null, the weights in that order and a description of it of kMlcOneDnnLayoutBytes; negative where it
// refuses. What comes out on one machine can be used on all, and is brought into their order at each call.
int64_t mlc_onednn_pack_matmul(const void* b, void* packed, void* layout, int64_t m, int64_t n, int64_t k,
                               int32_t transb, int32_t flags);
int64_t mlc_onednn_pack_conv2d(const void* w, void* packed, void* layout, int64_t n, int64_t channels,
                               int64_t height, int64_t width, int64_t filters, int64_t kernel_h,
                               int64_t kernel_w, int64_t stride_h, int64_t stride_w, int64_t dilation_h,
                               int64_t dilation_w, int64_t top, int64_t left, int64_t bottom, int64_t right,
                               int64_t groups, int32_t flags);
}
