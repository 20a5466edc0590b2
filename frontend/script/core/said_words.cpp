// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/said_words.h"

#include <charconv>
#include <span>

namespace mlc::script {
namespace {

// `own`: the message, with `{}` for what varies. `said`: TVM's words for it; `{1}` is the first thing that
// varies, `{2}` the second. `{type 1}`: the key that TVM has for a type of the script; `{class 1}`: what
// calling a class or function is called; `{python 1}`: the name that Python has for the type of a value;
// `{signature}`: what is called; `{origin 5}`: the dimension that gave a symbol its value; `{candidates}`:
// the functions of the module.
struct Row {
  std::string_view name, own, said;
};

constexpr Row constructors[] = {
    {"division-by-zero", "division by the constant 0",
     "Check failed: pb->value != 0 (0 vs. 0) : Divide by zero"},
    {"integer-division", "`/` of `{}` and `{}` does not say how to round",
     "TVM supports multiple types of integer divisions, please call div, indexdiv/indexmod, "
     "floordiv/floormod  or truncdiv/truncmod directly to avoid ambiguity in the code."},
    {"type-mismatch", "`{}` cannot become `{}`: the lanes differ, {} and {}",
     "Check failed: value_ty->dtype.lanes == value_expr_ty->dtype.lanes ({4} vs. {3}) : "},
    {"type-mismatch", "the condition of `Select` needs a bool, got `{}`",
     "Check failed: (condition_ty.MatchesCode(DLDataTypeCode::kDLBool)) is false: "},
    {"type-mismatch", "the variable `{}` is `{}`, its value `{}`",
     "Check failed: (value.ty() == var->ty.as_or_throw<PrimType>()) is false: "},
    {"type-mismatch", "`T.Not` needs a bool, got `{}`",
     "Check failed: (a_ty.MatchesCode(DLDataTypeCode::kDLBool)) is false: "},
    {"type-mismatch", "`And` is not defined for `{}`",
     "Check failed: (a_ty.MatchesCode(DLDataTypeCode::kDLBool)) is false: "},
    {"type-mismatch", "`Or` is not defined for `{}`",
     "Check failed: (a_ty.MatchesCode(DLDataTypeCode::kDLBool)) is false: "},
    {"wrong-arguments", "`Shuffle` takes one vector and one index at the least",
     "Check failed: vectors.size() != 0U (0 vs. 0) : "},
    {"type-mismatch", "`sin` is not defined for `{}`",
     "tirx.sin only supports floating-point inputs, but got {1}"},
    {"type-mismatch", "`cos` is not defined for `{}`",
     "tirx.cos only supports floating-point inputs, but got {1}"},
    {"type-mismatch", "`tan` is not defined for `{}`",
     "tirx.tan only supports floating-point inputs, but got {1}"},
    {"no-limits", "`handle` has no limits",
     "Check failed: (!is_opaque_handle || is_void) is false: PrimType cannot represent an opaque pointer; "
     "use PointerType::VoidPointerTy()"},
    {"slice-with-step", "a region of a buffer has no step",
     "Check failed: (!step.has_value() || is_one(step.value())) is false: Buffer slices with a non-unit step "
     "are not supported"},
    {"vector-index", "only the last index may be a vector, this is index {} of `{}`",
     "Check failed: (indices[i].ty().IsScalar()) is false: Only the last index of a buffer access may be a "
     "vector type."},
    {"bad-access-mask", "an access mask is made of `r` and `w`, not `{}`", "Unknown access_mask {1}"},
    {"index-out-of-range", "a sequence of {} statements has no element {}",
     "Index out of range. size: {1}, got index {2}"},
    {"missing-argument", "`DeclBuffer` needs the memory it views",
     "DeclBuffer requires a physical data binding"},
    {"not-subscriptable", "`Var` cannot be indexed",
     "Check failed: (packed_realize != nullptr) is false: Type ir.PrimType does not support subscript"},
    {"unreadable-json", "this is no JSON: {}", "{1}"},
    {"shift-out-of-range", "cannot shift `{}` by {} bits",
     "Check failed: (pb->value >= 0 && pb->value < result_ty.bits()) is false: Shift amount must be "
     "non-negative and less than {bits 1} for type T.{1}"},
    {"type-mismatch", "`IntImm` is no constant of `{}x{}`",
     "Check failed: (!value_ty.IsScalableVector() && !value_ty.IsFixedLengthVector()) is false: IntImm can "
     "only take scalar, but {1}x{2} was supplied."},
    {"type-mismatch", "`IntImm` is no constant of `{}`",
     "Check failed: (value_ty.MatchesCode(DLDataTypeCode::kDLInt, DLDataTypeCode::kDLUInt, "
     "DLDataTypeCode::kDLBool)) is false: IntImm supports only int or uint or bool type, but {1} was "
     "supplied."},
    {"type-mismatch", "`FloatImm` is no constant of `{}`",
     "FloatImm supports only float, but {1} was supplied."},
    {"type-mismatch", "`{}` makes a node of operands of one type, got `{}` and `{}`",
     "Check failed: (a_ty->dtype == b_ty->dtype) is false: mismatched types. {2} vs. {3}\n"},
    {"type-mismatch", "operands of types `{}` and `{}` have no common type",
     "Check failed: (false_ty == true_ty) is false: mismatched types. False type: {2}; True type: {1}"},
    {"type-mismatch", "the condition of `if_then_else` needs a bool, got `{}`",
     "Check failed: (cond.ty().MatchesCode(DLDataTypeCode::kDLBool)) is false: if_then_else only accept the "
     "condition to be boolean type."},
    {"type-mismatch", "a loop counts in integers, `{}` is `{}`",
     "Check failed: (dtype.IsScalar() && (dtype.MatchesCode(DLDataTypeCode::kDLUInt, "
     "DLDataTypeCode::kDLInt))) "
     "is false: TIR For nodes require a scalar integer as the loop_var, but received {1} with dtype T.{2}"},
    {"type-mismatch", "`T.pow` works on floats, got `{}`",
     "Check failed: (IsFloatType(x.ty())) is false: power only applies to float"},
    {"type-mismatch", "`abs` is not defined for `{}`",
     "Data type T.{1} not supported for absolute op. Skipping absolute op..."},
    {"type-mismatch", "cannot reinterpret the {} bits of `{}` as `{}`, which has {}",
     "Reinterpret requires size match T.{3} vs T.{2}"},
    {"no-limits", "`{}` has no infinity", "Cannot decide infinity for type T.{1}"},
    {"bad-lanes", "a vector has at least 2 lanes, got {}", "Check failed: lanes > 1 ({1} vs. 1) : "},
    {"type-mismatch", "what is asserted is no `bool`: {}",
     "AssertStmt should have boolean condition, but received a value with dtype T.{1}"},
    {"bad-sequence", "a sequence has at least two statements, got 0",
     "Check failed: seq.size() != 0 (0 vs. 0) : An empty SeqStmt is prohibited.  To write a no-op, use "
     "Evaluate(0), or the result of SeqStmt::Flatten()"},
    {"bad-sequence", "a sequence has at least two statements, got 1",
     "Check failed: seq.size() != 1 (1 vs. 1) : A SeqStmt of length 1 is prohibited.  Use the node "
     "T.evaluate(0)directly, or for dynamic usage, normalize using SeqStmt::Flatten()"},
    {"wrong-number-of-indices", "the tensor `{}` has {} dimension{}, got {} ind{}",
     "Need to provide {2} index in tensor but {4} was provided"},
    {"te-partial-index",
     "the function returned a tensor with indices missing: it has {} dimensions, {} given",
     "Need to provide {1} index in tensor but {2} was provided"},
    {"wrong-number-of-indices", "`{}` has {} dimension{}, got {} ind{}",
     "Check failed: buffer->shape.size() == indices.size() ({2} vs. {4}) : BufferVar {1} is {2}-dimensional, "
     "cannot be indexed with the {4}-dimensional indices provided."},
    {"wrong-number-of-indices", "the map takes {} ind{}, got {}",
     "Check failed: indices.size() == initial_indices.size() ({3} vs. {1}) : "},
    {"wrong-arguments", "block `{}` has {} iterators, got {} values",
     "Check failed: block->iter_vars.size() == values.size() ({2} vs. {3}) : BlockRealize needs to have the "
     "same number of iter_vars and binding values"},
    {"type-mismatch", "the predicate of a block is a bool, not `{}`",
     "Check failed: (predicate_ty.MatchesCode(DLDataTypeCode::kDLBool)) is false: Expect Block.predicate to "
     "be "
     "a bool expression"},
    {"wrong-arguments", "the map takes {} ind{}, the shape has {} dimension{}",
     "Check failed: shape.size() == initial_indices.size() ({3} vs. {1}) : "},
    {"index-map-not-affine", "the extent of an index of the map cannot be told",
     "Check failed: (is_zero(range->min)) is false: "},
    {"missing-argument", "`ndim` says how many indices `*{}` stands for",
     "ndim must be specified when *args is used"},
    {"index-map-not-bijective", "the map is not one to one on this box, so it has no inverse",
     "Check failed: (padded_iter_map->errors.empty()) is false: Could not parse mapping as sum of iterators. "
     " "
     "Error: Index mapping does not form a bijective transform."},
    {"missing-argument", "`T.all` needs a condition", "Any must take at least 1 argument"},
    {"missing-argument", "`T.any` needs a condition", "Any must take at least 1 argument"},
    {"no-truth-value", "cannot use and / or / not or a condition on an expression{}",
     "Cannot use and / or / not operator to Expr, hint: use tvm.tirx.all / tvm.tirx.any, if it is None "
     "checking, use node is not None"},
    {"unknown-scope", "there is no execution scope `{}`", "Unknown scope kind name: {1}"},
    {"unknown-dtype", "unknown data type `{}`", "unknown dtype `{1}`"},
    {"unknown-dtype", "data type `{}` has no number of lanes",
     "Invalid lanes specification in dtype '{1}'. Lanes must be a positive integer."},
    {"unknown-operator", "there is no operator `{}`",
     "Check failed: (reg != nullptr) is false: Operator {1} is not registered"},
    {"te-nested-reduction", "a reduction must be the whole value of an element of `compute`",
     "Check failed: (0 == level_) is false: Reductions are only allowed at the top level of compute. Please "
     "create another tensor for further composition."},
    {"wrong-type", "the check level must be \"surjective\", \"bijective\" or \"nocheck\", not `{}`",
     "Unknown check level {1}"},
};

constexpr Row functions[] = {
    {"missing-argument", "`{}` is missing argument `{}`",
     "{class 1}() missing 1 required positional argument: '{2}'"},
    {"unknown-keyword", "`{}` has no argument named `{}`",
     "{class 1}() got an unexpected keyword argument '{2}'"},
    {"too-many-arguments", "`{}` takes {} positional argument{}, but {} were given",
     "{class 1}() takes {2} positional argument{3} but {4} were given"},
    {"unsupported-operator", "`<` is not defined for `{}` and `{}`",
     "'<' not supported between instances of '{python 1}' and '{python 2}'"},
    {"unsupported-operator", "`>` is not defined for `{}` and `{}`",
     "'>' not supported between instances of '{python 1}' and '{python 2}'"},
    {"unsupported-operator", "`<=` is not defined for `{}` and `{}`",
     "'<=' not supported between instances of '{python 1}' and '{python 2}'"},
    {"unsupported-operator", "`>=` is not defined for `{}` and `{}`",
     "'>=' not supported between instances of '{python 1}' and '{python 2}'"},
    {"unsupported-operator", "`{}` is not defined for `{}` and `{}`",
     "unsupported operand type(s) for {1}: '{python 2}' and '{python 3}'"},
    {"wrong-type", "argument `name` of `Var` must be str, not {}", "name must be a str"},
    {"wrong-type", "argument `params` of `PrimFunc` must be {}", "params can only contain Var or Buffer"},
    {"wrong-type", "argument `dom` of `reduce_axis` must be {}", "dom need to be Range"},
    {"wrong-type", "argument `mod` of `compile` must be IRModule or prim_func, not {}",
     "Function input must be a PrimFunc or IRModule, but got <class '{python 1}'>"},
    {"wrong-type", "argument `mod` of `Schedule` must be a module or a prim_func, not {}",
     "In \"Schedule.__init__\", \"mod\" has wrong type. Expected \"Union[PrimFunc, IRModule]\", but gets: "
     "\"{1}\""},
    {"wrong-type", "argument `functions` of `IRModule` must be dict with names as keys, not {}",
     "Expect functions to be Dict[GlobalVar, Function]"},
    {"wrong-type", "argument `attr_key` of `with_attr` must be str, not {}",
     "Mismatched type on argument #1 when calling: `ir.Module_WithAttr(0: RValueRef<ir.IRModule>, 1: str, 2: "
     "Any) -> ir.IRModule`. Expected `str` but got `{type 1}`"},
    {"wrong-type", "argument `info` of `update` must be ConstIntBound, ModularSet or IntSet, not {}",
     "Do not know how to handle type <class '{1}'>"},
    {"wrong-type", "argument `fcompute` of `compute` must be function, not {}", "unsupported callable"},
    {"wrong-type", "a constant is a number, not `{}`", "Cannot automatically inference the type."},
    {"wrong-arguments", "`error_render_level` is \"detail\", \"fast\" or \"none\", not `{}`",
     "error_render_level can be \"detail\", \"fast\", or \"none\", but got: {1}"},
    {"no-such-function", "the module has no function `{}`",
     "Cannot find global var \"{1}\" in the Module{candidates}"},
    {"not-a-parameter", "`{}` is no parameter of the function",
     "Check failed: (IsParam(func, param)) is false: Specialize expects param to be in PrimFunc's params"},
    {"undefined-variable", "`{}` is used but not defined here", "Invalid use of undefined variable {1}"},
    {"redefined-variable", "`{}` is defined more than once",
     "TIR is ill-formed, due to multiple definitions of variable {1}."},
    {"redefined-variable", "`{}` is defined again inside its own scope",
     "TIR is ill-formed, due to multiple nested definitions of variable {1}."},
    {"specialize-mismatch", "`{}` has {} dimension{}, the buffer given has {}",
     "Check failed: (specific_buf->shape.size() == buf_to_specialize->shape.size()) is false: The buffer "
     "dimensions mismatched{2} vs. {4}."},
    {"specialize-mismatch", "`{}` is a buffer, the value is none",
     "Check failed: (!param.as<BufferVar>()) is false: Specialize expects param to not have a BufferType "
     "annotation"},
    {"specialize-mismatch", "`{}` is no buffer, the value is one",
     "Check failed: (opt_buffer) is false: specialize expects param to have a BufferType annotation"},
    {"specialize-mismatch", "the type of `{}` leaves no choice where the buffer given differs: it says {}",
     "Check failed: (maybe_var) is false: The signature of target buffer exprected an independent Var, but "
     "got "
     "{2}."},
};

constexpr Row targets_and_passes[] = {
    {"unknown-config", "`{}` has no field `{}`", "Type `{1}` does not have field `{2}`"},
    {"wrong-type", "a target is a string, a dict or a Target, it is {}",
     "target has to be a string or dictionary. instead get <class '{python 1}'>"},
    {"wrong-type", "a target is a string, a dict or a Target{}", "target has to be a string or dictionary."},
    {"no-current-target", "no target is current",
     "Check failed: (allow_not_defined) is false: Target context required. Please set it by constructing a "
     "TargetContext"},
    {"unknown-device", "there is no device `{}`", "Unknown device: {1}"},
    {"unknown-config", "there is no pass configuration `{}`", "Invalid config option '{1}'"},
    {"wrong-config", "the pass configuration `{}` takes `{}`, not `{}`",
     "Expect config {1} to have type {2}, but instead get {type 3}"},
    {"target-needed", "SplitHostDevice needs the function's attribute `target`",
     "Check failed: (opt_target) is false: SplitHostDevice: Require the target attribute"},
    {"target-needed", "MakePackedAPI needs the function's attribute `target`",
     "Check failed: (opt) is false: MakePackedAPI required the function to be annotated with "
     "tvm::attr::kTarget (target)"},
    {"unknown-limit", "no limit of GPU code is named `{}`", "Invalid check item: {1}"},
    {"wrong-type", "a sequence of passes holds `{}`",
     "Cannot convert from type `Array[index 0: {type 1}]` to `Array<transform.Pass>`"},
    {"wrong-type", "the pass `{}` gave back `{}`, not IRModule",
     "Cannot convert from type `{type 2}` to `ir.IRModule`"},
    {"shape-mismatch", "the tensor has {} bytes, and the values that are copied have {}",
     "Check failed: from_size == to_size ({2} vs. {1}) : TVMTensorCopyFromTo: The size in bytes must exactly "
     "match."},
};

// The checks at the entry of compiled functions.
constexpr Row calls[] = {
    {"call-failed", "`{}` takes {} argument{}, got {}",
     "Expected {2} arguments when calling:\n  {signature}"},
    {"call-failed", "argument {} `{}` of `{}` has {} dimension(s), expected {}",
     "Mismatched {2}.ndim on argument #{1} when calling:\n  {signature},\n  expected {5}"},
    {"call-failed", "argument {} `{}` of `{}`: dtype is {}, expected {}",
     "Mismatched {2}.dtype on argument #{1} when calling:\n  {signature},\n  expected {5}"},
    {"call-failed", "argument {} `{}` of `{}`: {} is {}, expected {} (`{}`, from argument {})",
     "Mismatched {2}.{4} on argument #{1} when calling:\n  {signature},\n  expected to match {origin 7}"},
    {"call-failed", "argument {} `{}` of `{}`: {} is {}, expected {} (`{}`)",
     "Mismatched {2}.{4} on argument #{1} when calling:\n  {signature},\n  expected to match {7}"},
    {"call-failed", "argument {} `{}` of `{}`: shape[0] is {}, expected {}, which is {}",
     "Invalid {2}.shape[0] on argument #{1} when calling:\n  {signature},\n  expected {6}"},
    {"call-failed", "argument {} `{}` of `{}`: shape[{}] is {}, expected {}, which is {}",
     "Mismatched {2}.strides on argument #{1} when calling:\n  {signature},\n  expected to be compact array"},
    {"call-failed", "argument {} `{}` of `{}`: {} is {}, expected {}, which is {}",
     "Invalid {2}.{4} on argument #{1} when calling:\n  {signature},\n  expected {7}"},
    {"call-failed", "argument {} `{}` of `{}`: shape[{}] is {}, expected {} whatever the strides",
     "Invalid {2}.shape[{4}] on argument #{1} when calling:\n  {signature},\n  expected {6}"},
    {"call-failed", "argument {} `{}` of `{}`: strides[{}] is {}, expected {}",
     "Invalid {2}.strides[{4}] on argument #{1} when calling:\n  {signature},\n  expected {6}"},
    {"call-failed", "argument {} `{}` of `{}`: shape[0] is {}, expected {}",
     "Invalid {2}.shape[0] on argument #{1} when calling:\n  {signature},\n  expected {5}"},
    // TVM looks at the strides first: only the outermost extent does not change them.
    {"call-failed", "argument {} `{}` of `{}`: shape[{}] is {}, expected {}",
     "Mismatched {2}.strides on argument #{1} when calling:\n  {signature},\n  expected to be compact array"},
    {"call-failed", "argument {} `{}` of `{}` is not compact (row-major without gaps)",
     "Mismatched {2}.strides on argument #{1} when calling:\n  {signature},\n  expected to be compact array"},
    {"call-failed", "argument {} `{}` of `{}` is on a device of type {}, expected the CPU",
     "Mismatched {2}.device_type on argument #{1} when calling:\n  {signature},\n  expected cpu"},
    {"call-failed", "argument {} `{}` of `{}` is {}, expected a tensor",
     "Mismatched type on argument #{1} when calling:\n  {signature},\n  expected Tensor"},
    {"call-failed", "argument {} `{}` of `{}` is {}, expected an int",
     "Mismatched type on argument #{1} when calling:\n  {signature},\n  expected int"},
    {"call-failed", "argument {} `{}` of `{}` is {}, expected a float",
     "Mismatched type on argument #{1} when calling:\n  {signature},\n  expected float"},
    {"call-failed", "argument {} `{}` of `{}` is {}, expected a bool",
     "Mismatched type on argument #{1} when calling:\n  {signature},\n  expected boolean"},
    {"call-failed", "argument {} `{}` of `{}` is {}, expected a pointer",
     "Mismatched type on argument #{1} when calling:\n  {signature},\n  expected pointer"},
};

// Errors in the text of prim_funcs and modules.
constexpr Row parser[] = {
    {"undefined-name", "name '{}' is not defined", "Undefined variable: {1}"},
    {"redefined-variable", "`{}` is defined in this scope already",
     "Variable {1} already defined in current scope"},
    {"redefined-function", "the module has two functions `{}`",
     "Check failed: (!frame->global_var_map.count(func_name)) is false: function {1} already exists"},
    {"no-attribute", "module 'tvm.script.tirx' has no attribute '{}'",
     "module 'tvm.tirx.script' has no attribute '{1}'"},
    {"no-attribute", "type object '{}' has no attribute '{}'",
     "Cannot find the function `{2}` in the current IRModule"},
    {"not-a-loop", "a prim_func cannot iterate over {}",
     "Expect the for loop to be one of the following: range, T.serial, T.grid, T.parallel, T.vectorized, "
     "T.unroll, T.thread_binding"},
    {"missing-annotation", "parameter `{}` has no type", "Type annotation required for function parameters."},
    {"repeated-block-part", "the block `{}` has a second `T.init`", "Duplicate block init declaration"},
    {"repeated-block-part", "the block `{}` has a second `T.reads`",
     "ValueError: Duplicate read region declaration"},
    {"repeated-block-part", "the block `{}` has a second `T.writes`",
     "ValueError: Duplicate write region declaration"},
    {"repeated-block-part", "the block `{}` has a second `T.where`",
     "ValueError: Duplicate block predicate declaration"},
    {"repeated-block-part", "the block `{}` has a second `T.sblock_attr`",
     "ValueError: Duplicate block annotations"},
    {"repeated-attribute", "the attribute `{}` of the function is set already",
     "ValueError: Duplicate prim func annotation for key = \"{1}\"."},
    {"outside-block", "`T.axis.{}` belongs into a block", "TypeError: The last frame is not SBlockFrame"},
    {"outside-block", "`{}` belongs into a block",
     "{1} must be called at the top of a T.sblock(), but {1} occurred outside of any T.sblock() frame"},
    {"not-a-condition", "the condition of `if` must be a bool, `{}` is a buffer",
     "If condition must be a boolean expression, but got {1}"},
    {"not-a-condition", "the condition of `assert` must be a bool, got `{}`",
     "AssertStmt should have boolean condition, but received a value with dtype T.{1}"},
    {"unknown-axis-kind", "`{}` is no axis kind", "Unknown axis kind: {1}"},
    {"unsupported-statement", "`del` has no meaning in a prim_func",
     "Visitor of AST node is not implemented: Delete"},
    {"unsupported-statement", "`try` has no meaning in a prim_func",
     "Visitor of AST node is not implemented: Try"},
    {"unsupported-statement", "`raise` has no meaning in a prim_func",
     "Visitor of AST node is not implemented: Raise"},
    {"unsupported-statement", "`import` has no meaning in a prim_func",
     "Visitor of AST node is not implemented: Import"},
    {"not-a-context", "a prim_func cannot use `{}` in `with`",
     "Invalid context expression in the with-statement."},
    {"not-a-function", "`{}` is {}, not a function: {}", "decl_function expects an instance of BaseFunc"},
};

// What stands in the places of `pattern` that vary; false: `text` is not of its form.
bool match(std::string_view text, std::string_view pattern, std::vector<std::string_view>& found) {
  found.clear();
  size_t hole = pattern.find("{}");
  if (!text.starts_with(pattern.substr(0, hole))) return false;
  if (hole == std::string_view::npos) return text.size() == pattern.size();
  text.remove_prefix(hole);
  while (true) {
    pattern.remove_prefix(hole + 2);
    hole = pattern.find("{}");
    std::string_view next = pattern.substr(0, hole);
    size_t end = hole != std::string_view::npos ? text.find(next)
                 : text.ends_with(next)         ? text.size() - next.size()
                                                : std::string_view::npos;
    if (end == std::string_view::npos) return false;
    found.push_back(text.substr(0, end));
    if (hole == std::string_view::npos) return true;
    text.remove_prefix(end + next.size());
  }
}

std::string_view signature_of(const ir::Diagnostic& error) {
  constexpr std::string_view before = "the call is of ";
  for (const ir::Note& note : error.notes)
    if (note.message.starts_with(before)) return std::string_view(note.message).substr(before.size());
  return "";
}

// "A.shape[1]": the first dimension in the signature that the symbol is the extent of.
std::string origin_of(std::string_view symbol, std::string_view signature) {
  size_t at = 0;
  while ((at = signature.find(": Tensor([", at)) != std::string_view::npos) {
    size_t name = signature.find_last_of("( ", at - 1) + 1;
    size_t dimension = 0;
    for (size_t from = at + 10;; ++dimension) {
      size_t end = signature.find_first_of(",]", from);
      if (end == std::string_view::npos) return std::string(symbol);
      if (signature.substr(from, end - from) == symbol)
        return fmt::format("{}.shape[{}]", signature.substr(name, at - name), dimension);
      if (signature[end] == ']') break;
      from = end + 2;
    }
    ++at;
  }
  return std::string(symbol);
}

std::string candidates(const ir::Diagnostic& error) {
  std::string_view rest = error.help;
  if (!rest.starts_with("it has ")) return "";
  rest.remove_prefix(7);
  std::string text;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(", "), rest.size());
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return fmt::format("\ncandidates are: [{}]", text);
}

std::string value_of(std::string_view what, const std::vector<std::string_view>& found,
                     const ir::Diagnostic& error) {
  if (what == "signature") return std::string(signature_of(error));
  if (what == "candidates") return candidates(error);
  size_t number = static_cast<size_t>(what.back() - '1');
  MLC_CHECK(number < found.size(), "no words for {}", what);
  std::string_view value = found[number];
  what = what.substr(0, what.find(' '));
  if (what == "bits")
    return std::string(value.substr(std::min(value.find_first_of("0123456789"), value.size())));
  if (what == "type") return value == "str" ? "ffi.SmallStr" : std::string(value);
  if (what == "python") return value == "None" ? "NoneType" : value == "Array" ? "tuple" : std::string(value);
  if (what == "class") {
    bool is_class = !value.empty() && value[0] >= 'A' && value[0] <= 'Z' && !value.starts_with("T.");
    return fmt::format("{}{}", value, is_class ? ".__init__" : "");
  }
  if (what == "origin") return origin_of(value, signature_of(error));
  return std::string(value);
}

std::string find(std::span<const Row> rows, const ir::Diagnostic& error) {
  std::vector<std::string_view> found;
  for (const Row& row : rows) {
    if (row.name != error.name || !match(error.message, row.own, found)) continue;
    std::string text;
    std::string_view rest = row.said;
    for (size_t open; (open = rest.find('{')) != std::string_view::npos;) {
      size_t close = rest.find('}', open);
      text += rest.substr(0, open);
      text += value_of(rest.substr(open + 1, close - open - 1), found, error);
      rest.remove_prefix(close + 1);
    }
    return text += rest;
  }
  return "";
}

// TVM names the bound that a literal crosses.
std::string literal_words(const ir::Diagnostic& error) {
  std::vector<std::string_view> found;
  if (!match(error.message, "{} does not fit into `{}`", found)) return "";
  std::string_view value = found[0], dtype = found[1];
  bool negative = value.starts_with('-');
  if (dtype == "bool")
    return fmt::format("Check failed: (value == 0 || value == 1) is false: {} exceeds range of bool", value);
  if (dtype.starts_with("int")) {
    return fmt::format(
        "Check failed: (small.has_value() && (bits == 64 || (*small >= -(int64_t{{1}} << (bits - 1)) && "
        "*small "
        "< (int64_t{{1}} << (bits - 1))))) is false: Literal value {} exceeds range of {}",
        value, dtype);
  }
  if (dtype.starts_with("uint")) {
    if (negative)
      return fmt::format("Check failed: (value >= 0) is false: cannot make uint from negative value {}",
                         value);
    return fmt::format(
        "Check failed: (small.has_value() && (bits == 64 || *small < (uint64_t{{1}} << bits))) is false: "
        "Literal value {} exceeds maximum of {}",
        value, dtype);
  }
  double number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  std::string bound = dtype == "float16" ? "support::kMaxFloat16"
                      : dtype == "bfloat16"
                          ? "support::kMaxBFloat16"
                          : fmt::format("std::numeric_limits<float>::{}", negative ? "lowest()" : "max()");
  if (negative && dtype != "float32") bound = "-" + bound;
  double most = dtype == "float16"    ? 65504.0
                : dtype == "bfloat16" ? 3.895313892515355e38
                                      : 3.4028234663852886e38;
  if (dtype != "float16" && dtype != "bfloat16" && dtype != "float32")
    return fmt::format("Literal value {:g} exceeds {} of {}", number, negative ? "minimum" : "maximum",
                       dtype);
  return fmt::format("Check failed: value {} {} ({:g} vs. {:g}) : Literal value {:g} exceeds {} of {}",
                     negative ? ">=" : "<=", bound, number, negative ? -most : most, number,
                     negative ? "minimum" : "maximum", dtype);
}

}  // namespace

std::string raw_of(const ir::Diagnostic& error) {
  if (error.name == "literal-out-of-range") return literal_words(error);
  if (error.name == "call-failed") return find(calls, error);
  // The check of the module is another one where the function is named by its GlobalVar.
  if (error.name == "no-such-function" && error.kind.starts_with("InternalError")) {
    std::vector<std::string_view> found;
    if (!match(error.message, "the module has no function `{}`", found)) return "";
    return fmt::format(
        "Check failed: (it != functions.end()) is false: There is no definition of I.GlobalVar(\"{}\")",
        found[0]);
  }
  for (std::span<const Row> rows : {std::span<const Row>(constructors), std::span<const Row>(functions),
                                    std::span<const Row>(targets_and_passes)})
    if (std::string said = find(rows, error); !said.empty()) return said;
  return "";
}

std::string parser_words_of(const ir::Diagnostic& error) {
  std::string said = find(parser, error);
  if (said.empty()) said = raw_of(error);
  std::string text = "error: " + (said.empty() ? error.message : said);
  if (!error.span) return text;
  const ir::SourceMap& sources = ir::SourceMap::global();
  ir::Position at = sources.position(error.span.file, error.span.begin);
  std::string_view line = sources.file(error.span.file).line(at.line);
  std::string_view blamed = sources.text(error.span);
  blamed = blamed.substr(0, blamed.find('\n'));
  std::string number = std::to_string(at.line);
  std::string margin(number.size() + 2, ' ');
  return text + fmt::format("\n --> {}\n{}|  \n {} |  {}\n{}|  {:>{}}{}", sources.describe(error.span),
                            margin, number, line, margin, "", at.column - 1, std::string(blamed.size(), '^'));
}

}  // namespace mlc::script
