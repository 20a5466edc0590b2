// SPDX-License-Identifier: Apache-2.0
// MLC_ASAN and MLC_TSAN are defined where the program is built with AddressSanitizer or ThreadSanitizer: g++
// says so by macros, clang when it is asked.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MLC_ASAN
#endif
#if __has_feature(thread_sanitizer)
#define MLC_TSAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MLC_ASAN
#endif
#if defined(__SANITIZE_THREAD__)
#define MLC_TSAN
#endif
