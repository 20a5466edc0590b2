// SPDX-License-Identifier: Apache-2.0
#include "transform/schedule/words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "ir/core/try_get.h"
#include "transform/arith/index_map.h"
#include "transform/schedule/layout.h"
#include "transform/schedule/word_rows.h"

namespace mlc::transform {
namespace {

// How TVM calls a primitive in the first line of its report.
std::string called(std::string_view primitive) {
  struct Other {
    std::string_view primitive, called;
  };
  static constexpr Other others[] = {{"get_sblock", "get-block"},
                                     {"cache_inplace", "cache-buffer"},
                                     {"reindex_cache_read", "reverse-cache-read"},
                                     {"reindex_cache_write", "reverse-cache-write"},
                                     {"unsafe_set_dtype", "set-dtype"},
                                     {"unsafe_hide_buffer_access", "hide-buffer-access"},
                                     {"transform_layout", "transform_layout"},
                                     {"transform_block_layout", "transform_block_layout"},
                                     {"loop_partition", "loop_partition"},
                                     {"reorder_block_iter_var", "reorder_block_iter_var"}};
  for (const Other& other : others) {
    if (other.primitive == primitive) return std::string(other.called);
  }
  std::string name(primitive);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// Fills in the braces of a row.
class Filling {
 public:
  Filling(const Error& error, Step& step) : message_(error.first().message), step_(step) {
    for (const Any& value : step.call.args) collect(value);
    size_t at = 0;
    while ((at = message_.find('`', at)) != std::string::npos) {
      size_t end = message_.find('`', at + 1);
      if (end == std::string::npos) break;
      quoted_.push_back(message_.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    for (size_t i = 0; i < message_.size(); ++i) {
      if (message_[i] == '`') {  // numbers in names are none
        i = std::min(message_.find('`', i + 1), message_.size());
        continue;
      }
      if (!std::isdigit(static_cast<unsigned char>(message_[i]))) continue;
      size_t begin = i > 0 && message_[i - 1] == '-' ? i - 1 : i;
      while (i + 1 < message_.size() && std::isdigit(static_cast<unsigned char>(message_[i + 1]))) ++i;
      numbers_.push_back(message_.substr(begin, i + 1 - begin));
    }
  }

  std::string fill(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      if (text[at] != '{') {
        out += text[at++];
        continue;
      }
      size_t end = text.find('}', at);
      out += value_of(text.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    return out;
  }
  bool of_root() const { return !blocks_.empty() && blocks_[0]->parent == nullptr; }
  // What the text speaks of, and under which names.
  std::vector<std::pair<Stmt, std::string>> shown;

 private:
  void collect(const Any& value) {
    if (auto list = value.as<ffi::List<Any>>()) {
      for (const Any& one : *list) collect(one);
    } else if (auto tuple = value.as<Array<Any>>()) {
      for (const Any& one : *tuple) collect(one);
    } else if (value.as<LoopRV>() || value.as<SBlockRV>()) {
      auto found = step_.schedule.handles.find(value.as<ffi::Object>());
      if (found == step_.schedule.handles.end() || !found->second->alive()) return;
      (found->second->loop() ? loops_ : blocks_).push_back(found->second.get());
    }
  }
  const SRefNode* named_block(size_t from) {
    const SRefNode* any = !blocks_.empty() ? blocks_[0] : !loops_.empty() ? loops_[0] : nullptr;
    if (any == nullptr) return nullptr;
    for (size_t i = from; i < quoted_.size(); ++i) {
      for (const auto& [stmt, sref] : step_.state.index_of(*any).srefs)
        if (sref->block() != nullptr && std::string(sref->name) == quoted_[i]) return sref.get();
    }
    return nullptr;
  }
  const SRefNode* block() { return blocks_.empty() ? named_block(0) : blocks_[0]; }
  const SRefNode* loop(size_t i) { return i < loops_.size() ? loops_[i] : nullptr; }

  std::string show(const SRefNode* sref, std::string_view otherwise) {
    if (sref == nullptr) return std::string(otherwise);
    for (const auto& [stmt, name] : shown) {
      if (stmt.same_as(sref->stmt)) return name;
    }
    std::string name = fmt::format("{}#{}", sref->loop() ? "tirx.For" : "s_tir.SBlock", shown.size());
    shown.emplace_back(sref->stmt, name);
    return name;
  }
  std::string nth(const std::vector<std::string>& all, size_t i) { return i < all.size() ? all[i] : ""; }
  bool says(std::string_view words) const { return message_.find(words) != std::string::npos; }
  std::string complete() const {
    return says("is not data-parallel") ? "1" : says("it reads and writes") ? "3" : "2";
  }
  std::string reduction() const {
    return says("it has no `T.init()`")           ? "1"
           : says("no affine map of the loops")   ? "2"
           : says("neither data-parallel nor a")  ? "3"
           : says("a reduction iterator indexes") ? "5"
                                                  : "4";
  }
  // Partners of a block that stand outside of a loop.
  std::string outside() {
    bool consumers = step_.primitive.name() == "compute_at";
    std::string role = consumers ? "consumer(s)" : "producer(s)", list;
    if (blocks_.empty() || loops_.empty()) return "";
    Dependences deps = dependences(step_.state, *scope_of(*blocks_[0]));
    size_t count = 0;
    for (const SRefNode* each : consumers ? deps.consumers(*blocks_[0]) : deps.producers(*blocks_[0])) {
      if (is_above(*loops_[0], *each)) continue;
      ++count;
      list += show(each, "");
    }
    return fmt::format("{} {} not satisfying the constraint. List of the {}:{}", count, role, role, list);
  }
  // The list of integers that the step was given.
  std::string integers() {
    for (const Any& arg : step_.call.args) {
      std::string text;
      bool all = false;
      auto add = [&](const auto& list) {
        all = true;
        for (const Any& one : list) {
          all = all && one.type_index() == ffi::TypeIndex::kTVMFFIInt;
          if (all) text += fmt::format("{}{}", text.empty() ? "" : ", ", one.template cast<int64_t>());
        }
        if (list.size() == 1) text += ",";
      };
      if (auto list = arg.as<ffi::List<Any>>()) {
        add(*list);
      } else if (auto tuple = arg.as<Array<Any>>()) {
        add(*tuple);
      }
      if (all) return "(" + text + ")";
    }
    return "";
  }
  // The indices of a buffer and a map, that with the iterator first.
  std::string lists() {
    const SRefNode* at = block();
    auto number = step_.call.args[2].try_cast<int64_t>();
    auto map = ir::try_get<IndexMap>(step_.call.args[4]);
    if (at == nullptr || !number || !map) return "";
    const SBlockNode* node = at->block();
    const auto& regions = step_.primitive.name() == "reindex_cache_write" ? node->writes : node->reads;
    if (*number < 0 || *number >= static_cast<int64_t>(regions.size())) return "";
    auto list = [](const std::vector<std::string>& all) {
      std::string text;
      for (const std::string& one : all) text += fmt::format("{}{}", text.empty() ? "" : ", ", one);
      return fmt::format("({}{})", text, all.size() == 1 ? "," : "");
    };
    std::vector<std::string> indices, mapped;
    for (const Range& range : regions[*number]->region)
      indices.push_back(expr_text(range->min, [](const Var& var) { return std::string(var->name); }));
    for (const Expr& index : (*map)->final_indices) {
      mapped.push_back(expr_text(index, [&](const Var& var) {
        for (size_t i = 0; i < node->iter_vars.size() && i < (*map)->initial_indices.size(); ++i)
          if ((*map)->initial_indices[i].same_as(var)) return std::string(node->iter_vars[i]->var->name);
        return std::string(var->name);
      }));
    }
    std::string a = list(indices), b = list(mapped);
    if (says("is in the map")) std::swap(a, b);
    return fmt::format("{}, but not in {}", a, b);
  }
  const SRefNode* block_called(const std::string& name) {
    if (blocks_.empty() && loops_.empty()) return nullptr;
    const SRefNode* any = blocks_.empty() ? loops_[0] : blocks_[0];
    for (const auto& [stmt, sref] : step_.state.index_of(*any).srefs)
      if (sref->block() != nullptr && std::string(sref->name) == name) return sref.get();
    return nullptr;
  }
  // The functions of the module, as a list.
  std::string functions() {
    std::string list;
    for (const auto& [global, fn] : step_.state.mod()->functions)
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", global->name_hint.c_str());
    return "[" + list + "]";
  }
  // The values that the reduction begins with, or its updates, as a script shows them.
  std::string reduction_part(bool identity) {
    std::vector<SRefNode*> below;
    if (loop(0) != nullptr) below = child_blocks(step_.state, *loop(0));
    const SBlockNode* node = below.empty() ? nullptr : below[0]->block();
    if (node == nullptr) return "";
    Array<Any> parts;
    struct Stores final : ir::Walker {
      Array<Any>& parts;
      bool values;
      Stores(Array<Any>& parts, bool values) : parts(parts), values(values) {}
      using Walker::visit;
      void visit(const Stmt& s) override {
        auto* store = as<BufferStoreNode>(s);
        if (store == nullptr) return walk_children(s);
        parts.push_back(values ? Any(store->value) : Any(s));
      }
    } stores(parts, identity);
    stores.visit(identity ? node->init : node->body);
    return step_.call.host.repr(parts);
  }
  // `(14)` as Python writes it.
  static std::string tuple_text(std::string list) {
    if (list.size() > 2 && list.find(',') == std::string::npos) list.insert(list.size() - 1, ",");
    return list;
  }
  std::string bracketed(size_t i) {
    size_t at = 0;
    while ((at = message_.find('(', at)) != std::string::npos) {
      size_t end = message_.find(')', at);
      if (end == std::string::npos) break;
      if (i-- == 0) return message_.substr(at, end + 1 - at);
      at = end;
    }
    return "";
  }
  // What TVM calls the type that an argument must have.
  std::string parameters() const {
    return says("must be a loop or a block") ? "Union[SBlockRV, LoopRV]"
           : says("must be a loop")          ? "LoopRV"
           : says("returns it, or its name") ? "Union[SBlockRV, str]"
           : says("must be a block")         ? "SBlockRV"
           : says("must be int")             ? "int"
                                             : "str";
  }
  // What keeps a block from being one that pads.
  std::string padding() const {
    return says("more than one store")         ? "Block body expect a BufferStore to the write buffer"
           : says("is not a constant")         ? "Pad value should be constant"
           : says("has side effects")          ? "Inbound computation should not have side-effect"
           : says("every iteration is inside") ? "The in-bound predicate is trivial"
           : says("depend on each other")      ? "Block iters are not independent wrt padding condition"
           : says("are strided")               ? "Strided iteration is not supported"
                                 : "Value of BufferStore expect to be constrained by a padding predicate";
  }
  std::string chain() {
    if (!says("is not all there is in")) return " they are not under the same scope.";
    return " there is a non-single-branch stmt in between. Problematic stmt: " +
           show(loop(0), "the outer loop");
  }
  std::string definition() {
    if (says("is no reduction block")) return std::string(kReduction);
    std::string text(kComplete);
    if (!says("nor a reduction block")) return text;
    return fmt::format("{}\nThe block is not a reduction block either - it violates condition #{}.{}", text,
                       reduction(), kReduction);
  }

  std::string value_of(std::string_view what) {
    if (what == "block") return show(block(), "the block");
    if (what == "named block") return show(named_block(0), nth(quoted_, 0));
    if (what == "loop") return show(loop(0), "the loop");
    if (what == "see block" || what == "see loop") {
      show(what == "see block" ? block() : loop(0), "");
      return "";
    }
    if (what == "loop2") return show(loop(1), "the loop");
    if (what == "loop or block") return show(loop(0) != nullptr ? loop(0) : block(), "the block");
    if (what == "scope") {
      const SRefNode* inside = block() != nullptr ? block() : loop(0);
      return show(inside == nullptr ? nullptr : scope_of(*inside), "root");
    }
    if (what == "name") return nth(quoted_, 0);
    if (what == "name2") return nth(quoted_, 1);
    if (what == "name3") return nth(quoted_, 2);
    if (what == "identity" || what == "combiner") return reduction_part(what == "identity");
    if (what == "functions") return functions();
    if (what == "see writers") {
      for (size_t i = 0; i < 2; ++i) show(block_called(nth(quoted_, i)), "");
      return "";
    }
    if (what == "number") return nth(numbers_, 0);
    if (what == "number2") return nth(numbers_, 1);
    if (what == "number3") return nth(numbers_, 2);
    if (what == "primitive") return std::string(step_.primitive.name());
    if (what == "role") return says("` reads no") ? "read" : "write";
    if (what == "role past") return says("` reads no") ? "read" : "written";
    if (what == "regions") {
      if (block() == nullptr) return "";
      const SBlockNode* node = block()->block();
      return std::to_string(says("` reads no") ? node->reads.size() : node->writes.size());
    }
    if (what == "sought") {
      bool other =
          block() != nullptr && !says("buffer number") && step_.primitive.name().starts_with("cache_");
      if (other) {
        bool read = says("` reads no");
        const auto& regions = read ? block()->block()->writes : block()->block()->reads;
        for (const TensorRegion& region : regions)
          if (std::string(region->source->name) == nth(quoted_, 1))
            return fmt::format(
                "Expected buffer to be read buffer, but {} was a {} buffer in the specified block",
                nth(quoted_, 1), read ? "write" : "read");
      }
      if (!says("buffer number"))
        return fmt::format("Could not find buffer '{}' in block '{}'", nth(quoted_, 1), nth(quoted_, 0));
      if (block() == nullptr || numbers_.empty()) return "";
      const SBlockNode* node = block()->block();
      bool write = says("write buffer number");
      return fmt::format("Invalid buffer_index {}.  Block {} has only {} {} buffers.", numbers_.back(),
                         nth(quoted_, 0), (write ? node->writes : node->reads).size(),
                         write ? "write" : "read");
    }
    if (what == "kind") {
      static constexpr std::array kinds = {"serial", "parallel", "vectorized", "unroll", "thread_binding"};
      return loop(0) == nullptr ? "" : kinds.at(static_cast<size_t>(loop(0)->loop()->for_kind));
    }
    if (what == "written" || what == "dimensions") {
      std::vector<SRefNode*> below;
      if (loop(0) != nullptr) below = child_blocks(step_.state, *loop(0));
      if (below.empty() || below[0]->block()->writes.empty()) return "";
      const Buffer& buffer = below[0]->block()->writes[0]->source;
      return what == "written" ? std::string(buffer->name) : std::to_string(buffer->buffer()->shape.size());
    }
    if (what == "handle") return says("this loop") ? "LoopRV: s_tir.LoopRV" : "SBlockRV: s_tir.SBlockRV";
    if (what == "most") return numbers_.empty() ? "" : std::to_string(std::stoll(numbers_[0]) - 1);
    if (what == "outside") return outside();
    if (what == "map") {
      for (const Any& arg : step_.call.args)
        if (auto map = ir::try_get<IndexMap>(arg)) return index_map_text(*map);
      return "";
    }
    if (what == "index map") {
      std::string text = value_of("map");
      size_t comma = text.rfind(",)");
      bool several = comma != std::string::npos && text.rfind(", ", comma) != std::string::npos;
      return fmt::format("T.index_map({})", several ? text.erase(comma, 1) : text);
    }
    if (what == "padding map") {
      auto map = ir::try_get<IndexMap>(step_.call.args[4]);
      return map ? index_map_text(*map) : "";
    }
    if (what == "padding type") {
      std::string type = message_.substr(message_.find("of type ") + 8);
      return type.substr(0, type.find(' '));
    }
    if (what == "lists") return lists();
    if (what == "integers") return integers();
    if (what == "parameters") return parameters();
    if (what == "shape") return tuple_text(bracketed(0));
    if (what == "shape2") return tuple_text(bracketed(1));
    if (what == "where") return message_.substr(message_.rfind(": those where ") + 14);
    if (what == "last word") return message_.substr(message_.rfind(' ') + 1);
    if (what == "complete") return complete();
    if (what == "reduction") return reduction();
    if (what == "definition") return definition();
    if (what == "local complete") return std::string(kLocalComplete);
    if (what == "local reduction") return std::string(kLocalReduction);
    if (what == "chain") return chain();
    if (what == "affine binding")
      return says("not even below loop") ? "partial affine binding under " + nth(quoted_, 1)
                                         : "affine binding";
    if (what == "padding") return padding();
    MLC_CHECK(what == "report", "no words for {}", what);
    return message_;
  }

  const std::string& message_;
  Step& step_;
  std::vector<const SRefNode*> loops_, blocks_;
  std::vector<std::string> quoted_, numbers_;
};

// The module with some statements named and underlined.
std::string module_text(Step& step, const std::vector<std::pair<Stmt, std::string>>& shown) {
  IRModule mod = step.state.mod();
  const ir::Api* script = ir::ApiRegistry::global().method(Any(mod).type_index(), "script");
  if (script == nullptr) return "";
  Array<Any> underlined;
  Map<Any, Any> names;
  for (const auto& [stmt, name] : shown) {
    underlined.push_back(stmt);
    names.Set(stmt, String(name));
  }
  Any self[] = {mod};
  std::vector<std::pair<std::string_view, Any>> keywords{{"syntax_sugar", false}};
  if (!shown.empty()) {
    keywords.emplace_back("obj_to_underline", underlined);
    keywords.emplace_back("obj_to_annotate", names);
  }
  Any text = ir::call_api(*script, step.call.host, {self, keywords, {}, {}, {}});
  return std::string(text.cast<String>());
}

}  // namespace

std::string told_to_scripts(const Error& error, Step& step) {
  const ir::Diagnostic& first = error.first();
  std::string_view refusal = first.name;
  if (refusal == "not-in-one-scope" && Filling(error, step).of_root()) refusal = "root-block";
  const WordRow* row = row_of(refusal, step.primitive.name());
  if (refusal == "wrong-type") {
    if (!first.message.starts_with("argument `")) return "";
    Filling filling(error, step);
    std::string words = wrong_type_words(filling.fill("{name}"), step);
    return words.empty() ? filling.fill(row->detail) : words;
  }
  if (refusal == "no-such-buffer" && first.kind.starts_with("AssertionError"))
    return Filling(error, step).fill("{sought}");
  if (first.kind != "ScheduleError")
    return row == nullptr || !row->fast.empty() ? "" : Filling(error, step).fill(row->detail);
  if (row != nullptr && row->fast == kAsItIs) return Filling(error, step).fill(row->detail);
  if (step.schedule.error_level == ErrorLevel::kNone) return "(not rendered)";
  Filling filling(error, step);
  std::string detail = row == nullptr ? first.message : filling.fill(row->detail);
  if (step.schedule.error_level == ErrorLevel::kFast)
    return "ScheduleError: " + (row == nullptr || row->fast.empty() ? detail : filling.fill(row->fast));
  return fmt::format(
      "ScheduleError: An error occurred in the schedule primitive '{}'.\n\nThe IR with diagnostic "
      "is:\n{}\nError "
      "message: {}",
      refusal == "block-not-found" || refusal == "several-blocks" ? "get-block"
                                                                  : called(step.primitive.name()),
      module_text(step, filling.shown), detail);
}

}  // namespace mlc::transform
