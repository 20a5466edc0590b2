// SPDX-License-Identifier: Apache-2.0
// Precompiled for what builds IR with the script evaluator.
#pragma once
#include "frontend/script/pch.h"
#include "ir/core/pch.h"
