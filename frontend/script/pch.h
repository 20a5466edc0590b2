// SPDX-License-Identifier: Apache-2.0
// Precompiled for the script evaluator: what nearly all of its files include. IR nodes are not in it: scripts know
// them as objects with reflected fields, and the few files that know more include what they need.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/script/core/machine.h"
#include "ir/registry/api.h"
