// SPDX-License-Identifier: Apache-2.0
// What nearly every primitive, pass and rule includes.
#pragma once
#include "ir/core/pch.h"
#include "transform/arith/analyzer.h"
#include "transform/pass/pass.h"
