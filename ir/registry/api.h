// SPDX-License-Identifier: Apache-2.0
// What files with rows include: rows, the registry that they go to, and the host of a call.
#pragma once

#include "ir/registry/api_row.h"
#include "ir/registry/host.h"
#include "ir/registry/registry.h"
