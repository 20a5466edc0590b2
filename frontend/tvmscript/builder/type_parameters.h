// SPDX-License-Identifier: Apache-2.0
// The 64-bit dimensions that a signature declares: `def f[n](...)`, and TypeVars above the definition.
#pragma once

#include <functional>

#include "frontend/tvmscript/builder/names.h"

namespace mlc::tvmscript {

// Throws Error bad-type-parameter unless it is one dimension.
void check_type_parameter(const syntax::TypeParam& param);
// Each function has variables of its own for the TypeVars that its signature names: they are bound in
// `known`. `outside` finds what the script around the definition knows.
void bind_type_variables(const syntax::FunctionDef& definition, Names& known,
                         const std::function<const ir::Any*(syntax::Symbol)>& outside);

}  // namespace mlc::tvmscript
