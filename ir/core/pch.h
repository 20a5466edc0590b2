// SPDX-License-Identifier: Apache-2.0
// What nearly every file of every room includes, compiled once and reused (REUSE_FROM mlc_ir).
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/core/ffi.h"
#include "ir/core/visit.h"
