// SPDX-License-Identifier: Apache-2.0
#include "ir/registry/api.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>

#include <algorithm>
#include <charconv>

#include "ir/core/error_kinds.h"
#include "ir/core/refusal.h"
#include "ir/core/span_node.h"
#include "ir/registry/classic_names.h"
#include "ir/registry/older_arguments.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "duplicate-argument", .message = "`{}` got two values for argument `{}`"},
    }};
MLC_REFUSALS(registry_api, refusals);

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits at commas outside of quotes.
std::vector<std::string_view> split_parameters(std::string_view text) {
  std::vector<std::string_view> parts;
  char quote = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ',') {
      parts.push_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  std::string_view last = trim(text.substr(begin));
  if (!last.empty()) parts.push_back(last);
  return parts;
}

Any parse_default(std::string_view text, std::string_view signature) {
  if (text == "None") return Any(nullptr);
  if (text == "True") return true;
  if (text == "False") return false;
  if (text == "[]" || text == "()") return Array<Any>();
  if (text == "{}") return Map<String, Any>();
  if (text.size() >= 2 && (text[0] == '"' || text[0] == '\''))
    return String(std::string(text.substr(1, text.size() - 2)));
  int64_t integer = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (status == std::errc{} && end == text.data() + text.size()) return integer;
  double real = 0;
  auto [real_end, real_status] = std::from_chars(text.data(), text.data() + text.size(), real);
  MLC_CHECK(real_status == std::errc{} && real_end == text.data() + text.size(),
            "default `{}` of `{}` is no literal", text, signature);
  return real;
}

std::unique_ptr<Api> parse(const ApiRow& row) {
  auto api = std::make_unique<Api>();
  api->row = row;
  size_t open = row.signature.find('(');
  api->name = std::string(row.signature.substr(0, open));
  if (row.kind == ApiKind::kMethod || row.kind == ApiKind::kProperty) {
    api->params.push_back({.name = "self", .default_value = {}, .default_text = {}});
  }
  if (open == std::string_view::npos) return api;
  MLC_CHECK(row.signature.ends_with(')'), "signature `{}` is not closed", row.signature);
  bool keyword_only = false;
  for (std::string_view part :
       split_parameters(row.signature.substr(open + 1, row.signature.size() - open - 2))) {
    if (part == "*") {
      keyword_only = true;
      continue;
    }
    ApiParam param;
    param.kind = keyword_only ? ApiParam::Kind::kKeywordOnly : ApiParam::Kind::kPositional;
    if (part.starts_with("**")) {
      param.kind = ApiParam::Kind::kVarKeywords;
      part.remove_prefix(2);
    } else if (part.starts_with("*")) {
      param.kind = ApiParam::Kind::kVarArgs;
      keyword_only = true;
      part.remove_prefix(1);
    }
    size_t equals = part.find('=');
    param.name = std::string(trim(part.substr(0, equals)));
    if (equals != std::string_view::npos) {
      param.has_default = true;
      param.default_text = std::string(trim(part.substr(equals + 1)));
      param.default_value = parse_default(param.default_text, row.signature);
    }
    api->params.push_back(std::move(param));
  }
  return api;
}

const TVMFFITypeInfo* type_info(int32_t type_index) { return TVMFFIGetTypeInfo(type_index); }

}  // namespace

std::string Api::path() const {
  if (row.kind == ApiKind::kMethod || row.kind == ApiKind::kProperty) {
    size_t dot = row.owner.rfind('.');
    return std::string(dot == std::string_view::npos ? row.owner : row.owner.substr(dot + 1)) + "." + name;
  }
  return row.owner.empty() ? name : std::string(row.owner) + "." + name;
}

ApiRegistry& ApiRegistry::global() {
  static ApiRegistry registry;
  return registry;
}

const Api* ApiRegistry::parsed(const Entry& entry) {
  if (const Api* known = entry.api.load(std::memory_order_acquire)) return known;
  std::unique_ptr<Api> made = parse(*entry.row);
  const Api* first = nullptr;  // of another thread, which was faster
  if (!entry.api.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) return first;
  return made.release();
}

void ApiRegistry::index_row(const ApiRow& row) const {
  std::string_view name = row.signature.substr(0, row.signature.find('('));
  bool member = row.kind == ApiKind::kMethod || row.kind == ApiKind::kProperty;
  auto [owner, fresh] = (member ? methods_ : functions_).try_emplace(row.owner);
  if (fresh && !member && !row.owner.empty()) list_below_modules(row.owner);
  Entry& entry = owner->second[name];
  MLC_CHECK(entry.row == nullptr, "`{}` of `{}` is registered twice", name, row.owner);
  entry.row = &row;
  if (row.kind == ApiKind::kClass && !row.type_key.empty()) classes_[row.type_key] = &entry;
}

void ApiRegistry::index() const {
  if (indexed_.load(std::memory_order_acquire) == added()) return;
  std::lock_guard lock(indexing_);
  while (indexed_tables_ < tables_.size()) {
    for (const ApiRow& row : tables_[indexed_tables_++]()) index_row(row);
  }
  while (indexed_rows_ < pending_.size()) {
    for (const ApiRow& row : pending_[indexed_rows_++]) index_row(row);
  }
  while (indexed_aliases_ < pending_aliases_.size()) {
    const auto& [from, to] = pending_aliases_[indexed_aliases_++];
    list_below_modules(aliases_.insert_or_assign(from, to).first->first);
  }
  indexed_.store(added(), std::memory_order_release);
}

// Makes every name on the way to `path` a member of the module before it: tvm -> te -> compute. A name may
// come twice (a function and an alias); members() sorts that out. The text of `path` stays.
void ApiRegistry::list_below_modules(std::string_view path) const {
  for (size_t dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
    std::string_view name = path.substr(dot + 1);
    path = path.substr(0, dot);
    auto [module, fresh] = modules_.try_emplace(path);
    module->second.push_back(name);
    if (!fresh) break;
  }
}

void ApiRegistry::alias_method(std::string_view type_key, std::string from, std::string to) {
  method_aliases_[std::string(type_key)][std::move(from)] = std::move(to);
}

// The path with its longest aliased prefix replaced, repeatedly (an alias may lead to another).
std::string ApiRegistry::resolve(std::string_view path) const {
  std::string current(path);
  for (int step = 0; step < 8; ++step) {
    std::string prefix = current;
    for (;;) {
      auto found = aliases_.find(prefix);
      if (found != aliases_.end()) {
        current = found->second + current.substr(prefix.size());
        break;
      }
      size_t dot = prefix.rfind('.');
      if (dot == std::string::npos) return current;
      prefix.resize(dot);
    }
    if (function(current) != nullptr || modules_.contains(current) || functions_.contains(current))
      return current;
  }
  return current;
}

const ApiRegistry::Entry* ApiRegistry::function(std::string_view path) const {
  size_t dot = path.rfind('.');
  bool inside = dot != std::string_view::npos;
  auto module = functions_.find(inside ? path.substr(0, dot) : std::string_view());
  if (module == functions_.end()) return nullptr;
  auto found = module->second.find(inside ? path.substr(dot + 1) : path);
  return found == module->second.end() ? nullptr : &found->second;
}
const Api* ApiRegistry::find(std::string_view path) const {
  index();
  const Entry* found = function(path);
  if (found == nullptr) found = function(resolve(path));
  return found == nullptr ? nullptr : parsed(*found);
}
bool ApiRegistry::is_module(std::string_view path) const {
  index();
  auto there = [&](std::string_view each) { return modules_.contains(each) || functions_.contains(each); };
  return there(path) || there(resolve(path));
}
const Api* ApiRegistry::method(int32_t type_index, std::string_view name) const {
  index();
  auto look = [&](const TVMFFITypeInfo* info) -> const Api* {
    std::string_view key(info->type_key.data, info->type_key.size);
    auto type = methods_.find(key);
    if (type == methods_.end()) return nullptr;
    auto found = type->second.find(name);
    if (auto renamed = method_aliases_.find(std::string(key)); renamed != method_aliases_.end()) {
      auto to = renamed->second.find(std::string(name));
      if (to != renamed->second.end()) found = type->second.find(to->second);
    }
    return found == type->second.end() ? nullptr : parsed(found->second);
  };
  const TVMFFITypeInfo* info = type_info(type_index);
  if (info == nullptr) return nullptr;
  if (const Api* own = look(info)) return own;
  for (int32_t depth = info->type_depth - 1; depth >= 0; --depth) {
    if (const Api* inherited = look(info->type_ancestors[depth])) return inherited;
  }
  return nullptr;
}
const Api* ApiRegistry::class_of(std::string_view type_key) const {
  index();
  auto found = classes_.find(type_key);
  return found == classes_.end() ? nullptr : parsed(*found->second);
}
std::vector<std::string> ApiRegistry::members(std::string_view module) const {
  index();
  std::vector<std::string> names;
  for (const std::string& path : {std::string(module), resolve(module)}) {
    auto below = modules_.find(path);
    if (below != modules_.end()) names.insert(names.end(), below->second.begin(), below->second.end());
    auto own = functions_.find(path);
    if (own == functions_.end()) continue;
    for (const auto& [name, entry] : own->second) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}
std::vector<std::string> ApiRegistry::methods(int32_t type_index) const {
  index();
  std::vector<std::string> names;
  const TVMFFITypeInfo* info = type_info(type_index);
  if (info == nullptr) return names;
  auto collect = [&](const TVMFFITypeInfo* type) {
    auto found = methods_.find(std::string_view(type->type_key.data, type->type_key.size));
    if (found == methods_.end()) return;
    for (const auto& [name, entry] : found->second) names.emplace_back(name);
  };
  collect(info);
  for (int32_t depth = 0; depth < info->type_depth; ++depth) collect(info->type_ancestors[depth]);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}
std::vector<const Api*> ApiRegistry::all() const {
  index();
  std::vector<const Api*> rows;
  for (const auto* owners : {&functions_, &methods_}) {
    for (const auto& [owner, members] : *owners) {
      for (const auto& [name, entry] : members) rows.push_back(parsed(entry));
    }
  }
  std::sort(rows.begin(), rows.end(), [](const Api* a, const Api* b) { return a->path() < b->path(); });
  return rows;
}

namespace {

std::string parameter_list(const Api& api) { return std::string(api.row.signature); }

// Binds one call; the state of call_api.
struct Binder {
  const Api& api;
  const ApiArguments& given;
  std::vector<Any> values;
  std::vector<Span> spans;
  std::vector<bool> bound;

  explicit Binder(const Api& api, const ApiArguments& given)
      : api(api),
        given(given),
        values(api.params.size()),
        spans(api.params.size()),
        bound(api.params.size()) {}

  Span positional_span(size_t i) const {
    return i < given.positional_spans.size() && given.positional_spans[i] ? given.positional_spans[i]
                                                                          : given.span;
  }
  Span keyword_span(size_t i) const {
    return i < given.keyword_spans.size() && given.keyword_spans[i] ? given.keyword_spans[i] : given.span;
  }

  // `T.call_extern("f", x, dtype="int32")`: operators whose first argument is the type take it by its name
  // also where all others are passed by position.
  bool keeps_dtype_apart() const {
    if (api.params[0].name != "dtype" || api.params.back().has_default) return false;
    return std::any_of(given.keywords.begin(), given.keywords.end(),
                       [](const auto& keyword) { return keyword.first == "dtype"; });
  }

  void positional() {
    size_t next = 0;
    for (size_t p = 0; p < api.params.size(); ++p) {
      const ApiParam& param = api.params[p];
      if (param.kind == ApiParam::Kind::kVarArgs) {
        Array<Any> rest;
        if (next < given.positional.size()) spans[p] = positional_span(next);
        for (; next < given.positional.size(); ++next) rest.push_back(given.positional[next]);
        values[p] = rest;
        bound[p] = true;
        return;
      }
      if (p == 0 && keeps_dtype_apart()) continue;
      if (param.kind != ApiParam::Kind::kPositional || next == given.positional.size()) break;
      values[p] = given.positional[next];
      spans[p] = positional_span(next);
      bound[p] = true;
      ++next;
    }
    if (next < given.positional.size()) {
      bool method = api.row.kind == ApiKind::kMethod || api.row.kind == ApiKind::kProperty;
      size_t own = method ? 1 : 0;
      throw Error("too-many-arguments", "`{}` takes {} positional argument{}, but {} were given", api.name,
                  next - own, next - own == 1 ? "" : "s", given.positional.size() - own)
          .kind("TypeError")
          .at(positional_span(next))
          .help("the signature is `" + parameter_list(api) + "`");
    }
  }

  void keywords() {
    Map<String, Any> rest;
    for (size_t k = 0; k < given.keywords.size(); ++k) {
      const auto& [name, value] = given.keywords[k];
      bool found = false;
      for (size_t p = 0; p < api.params.size() && !found; ++p) {
        const ApiParam& param = api.params[p];
        if (param.kind == ApiParam::Kind::kVarArgs || param.kind == ApiParam::Kind::kVarKeywords ||
            param.name != name) {
          continue;
        }
        if (bound[p]) {
          throw ir::refuse(refusals["duplicate-argument"], api.name, name).at(keyword_span(k));
        }
        values[p] = value;
        spans[p] = keyword_span(k);
        bound[p] = found = true;
      }
      if (found) continue;
      if (!api.params.empty() && api.params.back().kind == ApiParam::Kind::kVarKeywords) {
        rest.Set(String(std::string(name)), value);
        continue;
      }
      std::vector<std::string> names;
      for (const ApiParam& param : api.params) names.push_back(param.name);
      std::string guess = did_you_mean(name, names);
      const ClassicName* was = find_classic(ClassicName::Kind::kRemovedKeyword, name);
      if (guess.empty() && was != nullptr) guess = was->to;
      throw Error("unknown-keyword", "`{}` has no argument named `{}`", api.name, name)
          .kind("TypeError")
          .at(keyword_span(k))
          .help(guess.empty() ? "the signature is `" + parameter_list(api) + "`" : guess);
    }
    if (!api.params.empty() && api.params.back().kind == ApiParam::Kind::kVarKeywords) {
      values.back() = rest;
      bound.back() = true;
    }
  }

  void defaults() {
    std::vector<std::string> missing;
    for (size_t p = 0; p < api.params.size(); ++p) {
      if (bound[p]) continue;
      const ApiParam& param = api.params[p];
      if (param.kind == ApiParam::Kind::kVarArgs) {
        values[p] = Array<Any>();
      } else if (param.has_default) {
        values[p] = param.default_value;
      } else {
        missing.push_back("`" + param.name + "`");
      }
    }
    if (missing.empty()) return;
    throw Error("missing-argument", "`{}` is missing {} {}", api.name,
                missing.size() == 1 ? "argument" : "arguments", fmt::join(missing, ", "))
        .kind("TypeError")
        .at(given.span)
        .help("the signature is `" + parameter_list(api) + "`");
  }
};

}  // namespace

Any call_api(const Api& api, Host& host, const ApiArguments& arguments) {
  if (!arguments.keywords.empty() || arguments.positional.size() > 3) {
    if (auto renewed = renewed_arguments(api, arguments))
      return call_api(api, host, renewed->view(arguments.span));
  }
  Binder binder(api, arguments);
  binder.positional();
  binder.keywords();
  binder.defaults();
  ApiCall call{api, host, binder.values, arguments.span, binder.spans};
  size_t count = api.params.size();
  // `span` is one of the last two parameters. Errors point to the call all the same.
  for (size_t p = count > 2 ? count - 2 : 0; p < count; ++p) {
    if (!binder.bound[p] || api.params[p].name != "span") continue;
    Any span = binder.values[p];
    Any result = api.row.body(call);
    give_span(result, span);
    return result;
  }
  return api.row.body(call);
}

std::string type_name(const Any& value) {
  static constexpr std::pair<int32_t, const char*> names[] = {
      {kTVMFFINone, "None"},     {kTVMFFIBool, "bool"},        {kTVMFFIInt, "int"},
      {kTVMFFIFloat, "float"},   {kTVMFFIStr, "str"},          {kTVMFFISmallStr, "str"},
      {kTVMFFIBytes, "bytes"},   {kTVMFFISmallBytes, "bytes"}, {kTVMFFIArray, "Array"},
      {kTVMFFIList, "list"},     {kTVMFFIMap, "Map"},          {kTVMFFIDict, "dict"},
      {kTVMFFITensor, "Tensor"}, {kTVMFFIFunction, "function"}};
  for (const auto& [index, name] : names)
    if (index == value.type_index()) return name;
  std::string key = value.GetTypeKey();
  size_t dot = key.rfind('.');
  return dot == std::string::npos ? key : key.substr(dot + 1);
}

namespace {

// `list of int and str` shows what is wrong with a list where a list was expected.
std::string type_with_items(const Any& value, int depth = 2) {
  if (depth == 0) return type_name(value);
  std::vector<std::string> names;
  auto add = [&](std::vector<std::string>& to, const Any& item) {
    std::string name = type_with_items(item, depth - 1);
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
  };
  auto add_all = [&](const auto& list) {
    for (const Any& item : list) add(names, item);
    return names.empty() ? "list" : fmt::format("list of {}", fmt::join(names, " and "));
  };
  if (auto list = value.as<tvm::ffi::Array<Any>>()) return add_all(*list);
  if (auto list = value.as<tvm::ffi::List<Any>>()) return add_all(*list);
  if (auto dict = value.as<tvm::ffi::Dict<Any, Any>>(); dict && !dict->empty()) {
    std::vector<std::string> keys;
    for (const auto& [key, item] : *dict) {
      add(keys, key);
      add(names, item);
    }
    return fmt::format("dict of {} to {}", fmt::join(keys, " and "), fmt::join(names, " and "));
  }
  return type_name(value);
}

}  // namespace

void wrong_argument(const ApiCall& call, size_t index, std::string_view expected) {
  size_t dot = expected.rfind('.');
  if (dot != std::string_view::npos && expected.starts_with("mlc.")) expected = expected.substr(dot + 1);
  throw Error("wrong-type", "argument `{}` of `{}` must be {}, not {}", call.api.params[index].name,
              call.api.name, expected, type_with_items(call.args[index]))
      .kind(call.args[index] == nullptr ? kNothingGiven : "TypeError")
      .at(call.span_of(index));
}

}  // namespace mlc::ir
