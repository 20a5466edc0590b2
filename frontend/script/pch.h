// SPDX-License-Identifier: Apache-2.0
// What nearly every file of the interpreter, and of what builds IR with it, includes.
#pragma once
#include "frontend/script/core/machine.h"
#include "ir/core/pch.h"
#include "ir/registry/api.h"
