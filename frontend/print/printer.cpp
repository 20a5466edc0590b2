// SPDX-License-Identifier: Apache-2.0
// The frame of the text: what is printed, its header, declarations of free variables.
#include "frontend/print/printer.h"

#include <algorithm>
#include <array>

namespace mlc::print {

using namespace ir;  // NOLINT: the printer speaks of nothing else

namespace {
using ir::view;
}  // namespace

Printer::Printer(const PrintOptions& options, Any root)
    : options_(options), root_(std::move(root)), scope_root_(root_), names_(options.module_alias) {
  for (const AccessPath& path : options.underline_paths) targets_.push_back(UnderlineTarget{path, -1, {}});
  tracking_ = !options.underline.empty() || !options.annotate.empty() || !options.underline_paths.empty() ||
              !options.annotate_paths.empty();
  if (tracking_) path_.push_back(AccessPath::Root());
}

std::string_view Printer::name_of(const VarNode* var) {
  if (const std::string* known = names_.find(var)) return *known;
  declare_free(var);
  return *names_.find(var);
}

// A variable that nothing defines is declared in the innermost frame around all its uses, before the
// statement that is being printed there.
void Printer::declare_free(const VarNode* var) {
  if (graph_) return declare_graph_free(var);
  size_t frame = names_.frame_of_uses(var, scope_root_);
  std::string name = names_.define_in(frame, var, view(var->name));
  if (root_is_value_ && !options_.verbose_expr) return;
  Capture text(*this);
  indent(names_.frames()[frame].depth);
  put(name, " = ");
  if (var->buffer()) {
    tir("Buffer");
    put("(");
    BufferForm form;
    form.frame = frame;
    buffer_arguments(ref(var), form);
    put(")\n");
  } else {
    new_variable(var);
    put("\n");
  }
  insert(frame, text.take());
}

void Printer::new_variable(const VarNode* var) {
  type(var->ty);
  if (out_.back() != ')') put("()");
}

// Dimensions that are variables of their own are declared together: `n, m = T.int32(), T.int32()`.
void Printer::declare_dims(const std::vector<const VarNode*>& dims, size_t frame) {
  if (dims.empty() || (root_is_value_ && !options_.verbose_expr)) return;
  Capture text(*this);
  indent(names_.frames()[frame].depth);
  list(dims, [&](const VarNode* dim, int64_t) { put(*names_.find(dim)); });
  put(" = ");
  list(dims, [&](const VarNode* dim, int64_t) { new_variable(dim); });
  put("\n");
  insert(frame, text.take());
}

// Declares what `e` needs in the order of printing it; only where there is something to declare.
void Printer::declare_all(const Expr& e) {
  if (!makes_variables_ || declaring_) return;
  bool tracking = std::exchange(tracking_, false);
  declaring_ = true;
  Capture text(*this);
  expr(e);
  text.take();
  declaring_ = false;
  tracking_ = tracking;
}

void Printer::insert(size_t frame, const std::string& text) {
  size_t at = names_.frames()[frame].insert_at;
  if (at == std::string::npos) {
    names_.frames()[frame].waiting += text;
    return;
  }
  out_.insert(at, text);
  inserted_ += text.size();
  for (size_t i = frame; i < names_.frames().size(); ++i) {
    size_t& position = names_.frames()[i].insert_at;
    if (position != std::string::npos) position += text.size();
  }
  if (!tracking_) return;
  auto shift = [&](Span& span) {
    if (span.begin >= at) span.begin += text.size();
    if (span.end > at) span.end += text.size();
  };
  for (UnderlineTarget& target : targets_) std::for_each(target.spans.begin(), target.spans.end(), shift);
  std::for_each(kept_free_.begin(), kept_free_.end(), shift);
  insertions_.emplace_back(at, text.size());
}

void Printer::begin_frame() {
  Frame& frame = names_.innermost();
  frame.insert_at = out_.size();
  if (frame.waiting.empty()) return;
  std::string text = std::move(frame.waiting);
  frame.waiting.clear();
  put(text);
  frame.insert_at = out_.size();
}

void Printer::note(const ffi::Object* node, size_t begin, size_t insertions) {
  for (size_t i = insertions; i < insertions_.size() && begin != npos; ++i) {
    if (insertions_[i].first <= begin) begin += insertions_[i].second;
  }
  const AccessPath& path = path_.back();
  bool shown = begin != npos;
  for (UnderlineTarget& target : targets_) {
    if (!shown) break;
    if (path->depth < target.shown_depth || !path->IsPrefixOf(target.path)) continue;
    if (path->depth > target.shown_depth) target.spans.clear();
    target.shown_depth = path->depth;
    target.spans.push_back(Span{begin, out_.size()});
  }
  for (const ObjectRef& wanted : options_.underline) {
    if (node != wanted.get()) continue;
    targets_.push_back(UnderlineTarget{path, -1, {}});
    if (shown) targets_.back() = UnderlineTarget{path, path->depth, {Span{begin, out_.size()}}};
  }
}

std::vector<std::string> Printer::comments(const ffi::Object* node) const {
  std::vector<std::string> lines;
  if (!tracking_) return lines;
  auto add = [&lines](const std::string& text) {
    for (size_t begin = 0; begin <= text.size();) {
      size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  };
  for (const auto& [wanted, text] : options_.annotate) {
    if (node == wanted.get()) add(text);
  }
  for (const auto& [path, text] : options_.annotate_paths) {
    if (path->PathEqual(path_.back())) add(text);
  }
  return lines;
}
void Printer::comment_above(const ffi::Object* node) {
  for (const std::string& text : comments(node)) {
    size_t begin = out_.size();
    indent(depth_);
    put("# ", text, "\n");
    kept_free_.push_back(Span{begin, out_.size(), true});
  }
}
void Printer::comment_beside(const ffi::Object* node) {
  std::vector<std::string> lines = comments(node);
  if (lines.empty()) return;
  bool ended = !out_.empty() && out_.back() == '\n';
  if (ended) out_.pop_back();
  size_t begin = out_.size();
  put("  #");
  for (const std::string& text : lines) put(" ", text);
  kept_free_.push_back(Span{begin, out_.size(), true});
  if (ended) put("\n");
}

void Printer::root_value() {
  if (options_.show_object_address) names_.show_addresses();
  names_.push(nullptr, 0, 0);
  if (auto mod = root_.as<IRModule>()) return module(mod->get());
  if (auto fn = root_.as<PrimFunc>()) {
    std::string name = options_.name;
    if (name.empty()) {
      auto symbol = attr(*fn, "global_symbol");
      name = symbol ? std::string(symbol->cast<String>()) : "main";
    }
    return prim_func(fn->get(), name, nullptr);
  }
  if (auto* fn = root_.as<relax::FunctionNode>()) {
    auto symbol = attr(ref(fn), "global_symbol");
    std::string own = symbol ? std::string(symbol->cast<String>()) : "main";
    return graph_function(fn, options_.name.empty() ? own : options_.name, false);
  }
  if (auto* b = root_.as<relax::BindingNode>()) {
    graph_ = true;
    return binding(b);
  }
  if (auto* b = root_.as<relax::BindingBlockNode>()) {
    graph_ = true;
    return block(b);
  }
  if (auto* seq = root_.as<relax::SeqExprNode>()) {
    graph_ = true;
    return sequence(seq, SeqEnd::kValue);
  }
  if (auto* n = root_.as<relax::IfNode>()) {
    graph_ = true;
    return branches(n, nullptr);
  }
  makes_variables_ = true;
  if (auto s = root_.as<Stmt>()) return as<SeqStmtNode>(*s) ? statements(*s) : stmt(*s, false);
  if (auto* match = root_.as<MatchBufferRegionNode>()) {
    line();
    return match_buffer(match);
  }
  root_is_value_ = true;
  if (auto type = root_.as<Type>(); type && (*type)->kind == TypeKind::kBuffer) {
    Mark mark(*this, type->get());  // it has no text outside of programs
    return nameless("tirx.BufferType", type->get());
  }
  if (auto r = root_.as<Range>()) return range(*r, false);
  if (auto t = root_.as<Target>()) {
    return put(target_text(*t));
  }
  if (auto type = root_.as<Type>()) {
    graph_ = (*type)->kind >= TypeKind::kTensor;
  } else if (auto e = root_.as<Expr>()) {
    auto* call = as<CallNode>(*e);
    graph_ = is_graph_kind((*e)->kind) || (*e)->kind == ExprKind::kTuple ||
             (*e)->kind == ExprKind::kTupleGetItem || (call && is_graph_call(call));
    if (auto* var = as<VarNode>(*e)) graph_ = relax::is_dataflow(var) || var->ty->kind >= TypeKind::kTensor;
  }
  value(root_);
}

// The header that says what the text uses.
std::string Printer::import_lines() const {
  std::string lines;
  if (uses_ir_) lines += fmt::format("# from tvm.script import ir as {}\n", options_.ir_prefix);
  if (uses_tir_) {
    lines +=
        fmt::format("# from tvm.script import {} as {}\n", classic() ? "tir" : "tirx", options_.tir_prefix);
    if (!classic()) lines += "# from tvm.tirx.layout import Axis\n";
  }
  if (uses_relax_) lines += fmt::format("# from tvm.script import relax as {}\n", options_.relax_prefix);
  return lines;
}

std::string Printer::finish() {
  bool program = root_.as<IRModule>() || root_.as<PrimFunc>() || root_.as<relax::FunctionNode>();
  bool has_numbers = !tensors_.empty() || !constants_.empty();
  bool shows_numbers = options_.show_meta && has_numbers;
  if (shows_numbers) uses_ir_ = true;
  std::string head;
  if (program) {
    bool pep695 = options_.use_pep695 && !type_variables_.empty();
    if (pep695) head += "from __future__ import annotations\n\n";
    if (!type_variables_.empty() && !pep695) head += "# from typing import TypeVar\n";
    head += import_lines();
    head += "\n";
    if (!pep695) {
      for (const std::string& name : type_variables_)
        head += fmt::format("{} = TypeVar(\"{}\")\n", name, name);
    }
  }
  if (shows_numbers) head += metadata();
  while (!out_.empty() && out_.back() == '\n') out_.pop_back();
  // TVM's form, as long as there is nothing that it cannot print.
  if (options_.show_meta && !metadata_.empty() && !shows_numbers) head = metadata_section() + head;
  if ((!shows_numbers && has_numbers) || (!options_.show_meta && !metadata_.empty()) ||
      !nameless_.empty()) {
    put(program ? "\n\n" : "\n", "# Metadata omitted. Use show_meta=True in script() method to show it.");
  }
  std::vector<Span> spans;
  std::string paths;
  auto add = [&](const std::vector<Span>& some) {
    for (const Span& span : some)
      spans.push_back(Span{span.begin + head.size(), span.end + head.size(), span.kept_free});
  };
  for (const UnderlineTarget& target : targets_) {
    paths += "Access path: " + path_text(target.path) + "\n";
    if (target.shown_depth < target.path->depth)
      paths += "Note: The underlined object is the nearest visible parent of this path.\n";
    add(target.spans);
  }
  add(kept_free_);
  if (!paths.empty()) paths += "\n";
  std::string text = std::move(head);
  text += out_;
  if (targets_.empty() && !options_.print_line_numbers) return text;
  return paths + decorate(text, spans, options_);
}

std::string Printer::run() {
  out_.reserve(4096);
  root_value();
  return finish();
}

std::string script(const Any& node, const PrintOptions& options) { return Printer(options, node).run(); }

std::string text_of(const Any& node) { return script(node); }

bool printable(const Any& node) {
  return node.as<IRModule>() || node.as<BaseFunc>() || node.as<Stmt>() || node.as<Expr>() ||
         node.as<relax::BindingNode>() || node.as<relax::BindingBlockNode>() || node.as<Type>() || node.as<Range>() || node.as<IterVar>() || node.as<CommReducer>() ||
         node.as<Target>();
}

std::string file_text(const IRModule& mod, const PrintOptions& options) {
  PrintOptions whole = options;
  whole.show_meta = true;  // a file is complete
  std::string text = script(mod, whole);
  // The header names its imports in comments; in a file they are real.
  size_t body = 0;
  while (text.compare(body, 2, "# ") == 0) body = text.find('\n', body) + 1;
  std::string file;
  bool type_variables = text.find(" = TypeVar(\"") != std::string::npos;
  if (type_variables) file += "from typing import TypeVar\n\n";
  file += "import tvm\n";
  std::string_view dialect = options.dialect == Dialect::kClassic ? "tir" : "tirx";
  file += fmt::format("from tvm.script import ir as {}, {} as {}", options.ir_prefix, dialect, options.tir_prefix);
  bool graph = text.substr(0, body).find("import relax as") != std::string::npos;
  if (graph) file += fmt::format(", relax as {}", options.relax_prefix);
  file += "\n";
  file += text.substr(body);
  return file + "\n";
}

}  // namespace mlc::print
