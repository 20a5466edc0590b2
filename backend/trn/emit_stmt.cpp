// SPDX-License-Identifier: Apache-2.0
// Memory, loops and conditions.
#include "backend/trn/emitter.h"
#include "ir/core/refusal.h"
#include "ir/core/split_words.h"
#include "ir/core/walk_with.h"

namespace mlc::trn_backend {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "codegen-unsupported", .message = "{} cannot be written for Trainium"},
        {.name = "mask-form", .message = "{}", .meaning = "A condition inside of an operation is its mask."},
        {.name = "operation-loops",
         .message = "the annotation `nki_dim` is there for some loops of an operation and not for others"},
        {.name = "wrong-dimension", .message = "the annotation `nki_dim` is P, F, lhs_F or rhs_F, not {}"},
        {.name = "wrong-address", .message = "the buffer `{}` in `{}` has {}, not {}"},
    }};
MLC_REFUSALS(trn_emit_stmt, refusals);

using ir::as;

namespace {

// Names that texts use, and the words of Python.
constexpr std::string_view taken =
    "nl nki nisa np nt ncc math baremetal benchmark simulate_kernel trace min max False None True and as "
    "assert async "
    "await break class continue def del elif else except finally for from global if import in is lambda "
    "nonlocal not or "
    "pass raise return try while with yield";

std::optional<int64_t> number(const Expr& e) { return ir::const_int(e); }

}  // namespace

void refuse(const std::string& construct, ir::Span span, std::string help) {
  throw ir::refuse(refusals["codegen-unsupported"], construct).at(span).help(std::move(help));
}

Emitter::Emitter() {
  ir::each_word(taken, [&](std::string_view word) { names_.emplace(word); });
}

std::string Emitter::unique_name(std::string_view wanted) {
  std::string base;
  for (char c : wanted) base += (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') ? c : '_';
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0])) != 0) base = "v" + base;
  std::string name = base;
  for (int i = 1; names_.contains(name); ++i) name = fmt::format("{}_{}", base, i);
  names_.insert(name);
  return name;
}

std::string Emitter::add_param(const ir::Var& param) {
  std::string name = unique_name(ir::view(param->name));
  vars_[param.get()] = name;
  params_[param.get()] = {name, "", param.get(), {}, ir::DataType::Void()};
  return name;
}

std::string Emitter::body(const Stmt& body) {
  emit(body);
  return std::move(out_);
}

void Emitter::line(const std::string& text) {
  out_.append(static_cast<size_t>(2 * indent_), ' ');
  out_ += text + "\n";
}

void Emitter::block(const Stmt& s) {
  ++indent_;
  size_t before = out_.size();
  emit(s);
  if (out_.size() == before) line("pass");
  --indent_;
}

void Emitter::emit(const Stmt& s) {
  if (auto* seq = as<ir::SeqStmtNode>(s)) {
    for (const Stmt& one : seq->seq) emit(one);
  } else if (auto* attr = as<ir::AttrStmtNode>(s)) {
    if (ir::view(attr->attr_key) == "thread_extent")
      refuse("a launched thread", s->span, "kernels of Trainium are one thread: write a loop");
    if (ir::view(attr->attr_key) != "tensorized_nki_instruction" || in_operation_) return emit(attr->body);
    in_operation_ = true;
    emit(attr->body);
    in_operation_ = has_mask_ = false;
    mask_.clear();
    tensor_loops_.clear();
  } else if (auto* alloc = as<ir::AllocBufferNode>(s)) {
    emit_alloc(*alloc);
  } else if (auto* decl = as<ir::DeclBufferNode>(s)) {
    emit_decl(*decl);
  } else if (auto* loop = as<ir::ForNode>(s)) {
    emit_loop(*loop);
  } else if (auto* branch = as<ir::IfThenElseNode>(s)) {
    emit_branch(*branch);
  } else if (auto* bind = as<ir::BindNode>(s)) {
    std::string text = value(bind->value).text;
    std::string name = unique_name(ir::view(bind->var->name));
    vars_[bind->var.get()] = name;
    line(fmt::format("{} = {}", name, text));
  } else if (auto* evaluate = as<ir::EvaluateNode>(s)) {
    if (number(evaluate->value)) return;
    auto* call = as<ir::CallNode>(evaluate->value);
    auto* op = call ? as<ir::OpNode>(call->op) : nullptr;
    std::string_view name = op ? ir::view(op->name) : std::string_view();
    if (name.starts_with("tirx.nki.")) return emit_operation(*call, name.substr(9));
    line(value(evaluate->value).text);
  } else if (as<ir::BufferStoreNode>(s)) {
    refuse("a store of one element", s->span,
           "write it with `T.nki.memset`, `T.nki.tensor_copy` or another operation");
  } else if (as<ir::WhileNode>(s)) {
    refuse("a while loop", s->span, "loops of Trainium know how often they run");
  } else if (as<ir::AssertStmtNode>(s)) {
    refuse("an assertion", s->span);
  } else if (s->kind == ir::StmtKind::kTilePrimitiveCall) {
    refuse("a tile primitive", s->span, "run TilePrimitiveDispatch first");
  } else {
    refuse("a statement that leaves a loop or a block", s->span);
  }
}

std::string Emitter::shape_text(const ir::Array<Expr>& shape, Emitter& on) {
  std::vector<std::string> extents;
  for (const Expr& extent : shape) extents.push_back(on.value(extent).text);
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

void Emitter::emit_alloc(const ir::AllocBufferNode& alloc) {
  const ir::BufferTypeNode* type = alloc.buffer->buffer();
  std::string_view scope = ir::view(type->storage_scope);
  ir::DataType dtype(type->dtype);
  auto wrong = [&](const std::string& has, std::string_view wanted) {
    return ir::refuse(refusals["wrong-address"], alloc.buffer->name.c_str(), scope, has, wanted)
        .at(alloc.span);
  };
  std::vector<int64_t> address;
  for (const Expr& part : type->allocated_addr) {
    auto known = number(part);
    if (!known) throw wrong("an address that is computed", "one of numbers");
    address.push_back(*known);
  }
  if (!type->strides.empty()) refuse("a buffer with strides", alloc.span);
  std::string shape, place;
  if (scope == "trn.psum") {
    if (type->shape.size() != 3)
      throw wrong(fmt::format("{} dimensions", type->shape.size()), "3: banks, partitions, places");
    if (!address.empty() && address.size() != 2)
      throw wrong(fmt::format("an address of {} parts", address.size()), "2: a bank, a byte");
    std::string banks = value(type->shape[0]).text;
    shape = fmt::format("[{}, nl.par_dim({}), {}]", banks, value(type->shape[1]).text,
                        value(type->shape[2]).text);
    place = address.empty()
                ? "nl.psum"
                : fmt::format("ncc.psum.mod_alloc(base_bank={}, base_addr={}, num_bank_tiles=({},))",
                              address[0], address[1], banks);
  } else {
    shape = shape_text(type->shape, *this);
    if (address.size() > 1) throw wrong(fmt::format("an address of {} parts", address.size()), "1: a byte");
    if (!address.empty())
      place = fmt::format("ncc.sbuf.mod_alloc(base_addr={})", address[0]);
    else if (scope == "trn.sbuf")
      place = "nl.sbuf";
    else if (scope == "global")
      place = "nl.hbm";
    else
      refuse(fmt::format("memory of the scope `{}`", scope), alloc.span,
             "memories are trn.sbuf, trn.psum and global");
  }
  std::string type_name = type_text(dtype, alloc.span);
  std::string name = unique_name(std::string(ir::view(alloc.buffer->name)) + "_ptr");
  buffers_[alloc.buffer.get()] = {name, "", nullptr, type->shape, dtype};
  line(fmt::format("{} = nl.ndarray(shape={}, dtype={}, buffer={})", name, shape, type_name, place));
}

// A view of a parameter is its tensor in another shape. The first one says which shape that has.
void Emitter::emit_decl(const ir::DeclBufferNode& decl) {
  const ir::BufferTypeNode* type = decl.buffer->buffer();
  Name& made = buffers_[decl.buffer.get()];
  made.shape = type->shape;
  made.dtype = ir::DataType(type->dtype);
  auto* data = ir::as_call_to(decl.data, "tirx.buffer_data");
  auto* source = as<VarNode>(data ? data->args[0] : decl.data);
  if (source == nullptr) refuse("a view of an address that is computed", decl.span);
  bool of_param = params_.contains(source);
  auto known = buffers_.find(source);
  if (!of_param && known == buffers_.end()) refuse("a view of memory that is not declared before", decl.span);
  Name& root = of_param ? params_[source] : known->second;
  made.root = root.root;
  if (made.root == nullptr) {
    made.why_not = "a view of memory that the kernel allocates";
    return;
  }
  Name& param = params_[made.root];
  if (param.dtype.is_void()) {
    param.shape = type->shape;
    param.dtype = made.dtype;
  }
  bool is_offset = !ir::is_const_int(type->elem_offset, 0);
  if (!type->strides.empty() || is_offset)
    made.why_not = "a view with strides or an offset";
  else if (made.dtype != param.dtype && (made.dtype.bits() != 8 || param.dtype.bits() != 8))
    made.why_not = "a view of another type";
  std::string shape = shape_text(type->shape, *this);
  if (of_param && shape == shape_text(param.shape, *this)) {
    made.text = param.text;
    return;
  }
  auto [found, fresh] = reshaped_.try_emplace({made.root, shape});
  if (fresh) {
    found->second = unique_name(param.text + "_buffer");
    line(fmt::format("{} = {}.reshape({})", found->second, param.text, shape));
  }
  made.text = found->second;
}

void Emitter::emit_loop(const ir::ForNode& loop) {
  if (!ir::is_const_int(loop.min, 0)) refuse("a loop that does not begin at 0", loop.span);
  if (loop.step && !ir::is_const_int(loop.step, 1)) refuse("a loop with a step", loop.span);
  if (in_operation_) return emit_tensor_loop(loop);
  std::string extent = value(loop.extent).text;
  std::string name = unique_name(ir::view(loop.loop_var->name));
  vars_[loop.loop_var.get()] = name;
  line(fmt::format("for {} in nl.sequential_range({}{}):", name, extent,
                   loops_ == 0 ? ", body_no_reorder=True" : ""));
  ++loops_;
  block(loop.body);
  --loops_;
}

void Emitter::emit_tensor_loop(const ir::ForNode& loop) {
  TensorLoop made{loop.loop_var.get(), ""};
  if (auto dim = loop.annotations.find("nki_dim"); dim != loop.annotations.end()) {
    auto named = (*dim).second.try_cast<ir::String>();
    if (!named)
      throw ir::refuse(refusals["wrong-dimension"], "a value that is no text")
          .kind("TypeError")
          .at(loop.span);
    made.dim = std::string(*named);
    if (!ir::has_word("P F lhs_F rhs_F", made.dim))
      throw ir::refuse(refusals["wrong-dimension"], "`" + made.dim + "`").at(loop.span);
  }
  std::string extent = value(loop.extent).text;
  std::string name = unique_name(ir::view(loop.loop_var->name));
  vars_[loop.loop_var.get()] = name;
  line(fmt::format("{} = nl.arange({})", name, extent));
  tensor_loops_.push_back(made);
  emit(loop.body);
  tensor_loops_.pop_back();
}

void Emitter::emit_branch(const ir::IfThenElseNode& branch) {
  if (!in_operation_) {
    line(fmt::format("if {} :", value(branch.condition).text));
    block(branch.then_case);
    if (branch.else_case) {
      line("else:");
      block(branch.else_case);
    }
    return;
  }
  auto wrong = [&](const char* why) { return ir::refuse(refusals["mask-form"], why).at(branch.span); };
  if (branch.else_case) throw wrong("a condition inside of an operation has no other case");
  if (has_mask_) throw wrong("an operation has one condition");
  ir::walk_with(branch.condition, [&](const Expr& e, ir::Walker& on) {
    for (const TensorLoop& loop : tensor_loops_) {
      if (as<VarNode>(e) != loop.var) continue;
      if (loop.dim != "P" && loop.dim != "F")
        throw wrong("a condition inside of an operation compares loops whose `nki_dim` is P or F");
    }
    on.walk_children(e);
  });
  has_mask_ = true;
  mask_ = value(branch.condition).text;
  emit(branch.then_case);
  mask_.clear();
}

// ---- operations ----

void Emitter::emit_operation(const ir::CallNode& call, std::string_view name) {
  auto has_dim = [](const TensorLoop& loop) { return !loop.dim.empty(); };
  auto dims = std::count_if(tensor_loops_.begin(), tensor_loops_.end(), has_dim);
  if (dims != 0 && dims != static_cast<int64_t>(tensor_loops_.size()))
    throw ir::refuse(refusals["operation-loops"]).at(call.span);
  const ir::Array<Expr>& args = call.args;
  auto count = static_cast<int64_t>(args.size());
  auto arguments = [&](int64_t least, int64_t most) {
    if (count < least || count > most)
      refuse(fmt::format("`T.nki.{}` with {} operands", name, count), call.span);
  };
  auto data = [&](int64_t i) { return element(args[i]); };
  auto any = [&](int64_t i) { return value(args[i]).text; };
  std::string mask = mask_.empty() ? "" : ", mask=" + mask_;
  auto assign = [&](const std::string& result, const std::string& text) { line(result + " = " + text); };
  auto result_at = [&](int64_t i) { return element(args[i]); };

  if (name == "matmul") {
    arguments(4, 4);
    auto accumulates = number(args[3]);
    if (!accumulates)
      refuse("a product that is added or not as a value says", call.span, "say True or False");
    tile_ = Tile::kProduct;
    std::string result = result_at(0);
    tile_ = Tile::kFactor;
    std::string factors = fmt::format("{},{}", data(1), data(2));
    tile_ = Tile::kAny;
    line(fmt::format("{} {} nisa.nc_matmul({}{})", result, *accumulates != 0 ? "+=" : "=", factors, mask));
  } else if (name == "load") {
    arguments(2, 2);
    assign(result_at(0), fmt::format("nl.load({}{})", data(1), mask));
  } else if (name == "store") {
    arguments(2, 2);
    line(fmt::format("nl.store({}, {}{})", result_at(0), data(1), mask));
  } else if (name == "tensor_copy" || name == "reciprocal") {
    arguments(2, 2);
    assign(result_at(0), fmt::format("nisa.{}({}{})", name, data(1), mask));
  } else if (name == "memset") {
    arguments(2, 2);
    if (!mask_.empty())
      throw ir::refuse(refusals["mask-form"], "`T.nki.memset` has no condition").at(call.span);
    assign(result_at(0), any(1));
  } else if (name == "activation") {
    arguments(5, 5);
    assign(result_at(0), fmt::format("nisa.activation(op={}, data={},bias={}, scale={}{})", opcode(args[2]),
                                     data(1), any(3), any(4), mask));
  } else if (name == "tensortensor") {
    arguments(4, 4);
    assign(result_at(0),
           fmt::format("nisa.tensor_tensor({}, {}, op={}{})", data(1), data(2), opcode(args[3]), mask));
  } else if (name == "tensorscalar") {
    arguments(5, 5);
    assign(result_at(0), fmt::format("nisa.tensor_scalar({}, operand0={}, op0={}, reverse0={}{})", data(1),
                                     any(2), opcode(args[3]), flag(args[4]), mask));
  } else if (name == "tensorreduce") {
    arguments(5, count);
    std::string axes;
    for (int64_t i = 4; i < count; ++i) {
      auto axis = number(args[i]);
      if (!axis) refuse("an axis that is no number", call.span);
      axes += fmt::format("{}{}", i == 4 ? "" : ", ", *axis);
    }
    if (count == 5) axes += ",";
    assign(result_at(0), fmt::format("nisa.tensor_reduce(data={}, op={}, negate={}, axis=({}){})", data(1),
                                     opcode(args[2]), flag(args[3]), axes, mask));
  } else if (name == "activation_reduce") {
    arguments(7, 7);
    assign(result_at(1),
           fmt::format(
               "nisa.activation_reduce(data={}, op={}, reduce_op={}, reduce_res={}, bias={}, scale={}{})",
               data(2), opcode(args[3]), opcode(args[4]), result_at(0), any(5), any(6), mask));
  } else if (name == "tensorscalar_reduce") {
    arguments(7, 7);
    assign(result_at(1),
           fmt::format("nisa.tensor_scalar_reduce(data={}, op0={}, operand0={}, reduce_op={}, reduce_res={}, "
                       "reverse0={}{})",
                       data(2), opcode(args[4]), any(3), opcode(args[5]), result_at(0), flag(args[6]), mask));
  } else if (name == "identity") {
    arguments(2, 2);
    auto size = number(args[1]);
    if (!size) refuse("an identity matrix of a computed size", call.span);
    std::string constant = unique_name("identity_np");
    assign(constant,
           fmt::format("nl.shared_constant(np.identity({}, dtype=np.int8), dtype=nl.bfloat16)", *size));
    assign(result_at(0), fmt::format("nl.load({}{})", constant, mask));
  } else if (name == "scalar_tensor_tensor" || name == "scalar_tensor_scalar") {
    arguments(8, 8);
    std::string function = name == "scalar_tensor_tensor" ? "scalar_tensor_tensor" : "tensor_scalar";
    assign(
        result_at(0),
        fmt::format("nisa.{}(data={}, operand0={}, op0={}, reverse0={}, operand1={}, op1={}, reverse1={}{})",
                    function, data(1), any(2), opcode(args[4]), flag(args[6]), any(3), opcode(args[5]),
                    flag(args[7]), mask));
  } else if (name == "affine_select") {
    arguments(4, 4);
    assign(result_at(0), fmt::format("nisa.affine_select(pred={}, on_true_tile={}, on_false_value={}{})",
                                     any(1), data(2), any(3), mask));
  } else {
    refuse(fmt::format("`T.nki.{}`", name), call.span);
  }
}

}  // namespace mlc::trn_backend
