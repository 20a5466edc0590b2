// SPDX-License-Identifier: Apache-2.0
// The general way from the arguments of a call to the parameters of a function, and what is wrong with them
// in CPython's words.
#include "frontend/script/core/machine.h"
#include "ir/core/refusal.h"

namespace mlc::script {

static constexpr ir::Refusals refusals{
    "TypeError",
    {
        {.name = "duplicate-argument", .message = "{}() got multiple values for argument '{}'"},
    }};
MLC_REFUSALS(core_bind_arguments, refusals);

using State = Evaluator::State;

// "1 argument", "2 arguments"
std::string counted(size_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

namespace {

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? (names.size() > 2 ? ", and " : " and ") : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

// A keyword that is the name of a parameter that is given by position only.
void check_positional_only(const FunctionInfo& info, const Keywords& keywords, ir::Span span) {
  std::string names;
  for (uint32_t i = 0; i < info.positional_only; ++i) {
    for (const auto& [name, value] : keywords) {
      if (info.parameter_texts[i] == name) names += (names.empty() ? "" : ", ") + std::string(name);
    }
  }
  if (names.empty()) return;
  raise("TypeError", span, "unknown-keyword",
        "{}() got some positional-only arguments passed as keyword arguments: '{}'", info.qualified_name,
        names);
}

// More values than parameters.
[[noreturn]] void too_many(const FunctionNode& fn, size_t given, const Keywords& keywords, ir::Span span) {
  const FunctionInfo& info = *fn.info;
  size_t least = info.positional - fn.defaults.size();
  std::string takes = least == info.positional
                          ? counted(info.positional, "positional argument")
                          : fmt::format("from {} to {} positional arguments", least, info.positional);
  size_t by_name = 0;
  for (const auto& [name, value] : keywords) {
    for (size_t i = info.positional; i < info.positional + info.keyword_only; ++i)
      by_name += info.parameter_texts[i] == name;
  }
  std::string were = by_name == 0 ? fmt::format("{} {}", given, given == 1 ? "was" : "were")
                                  : fmt::format("{} (and {}) were", counted(given, "positional argument"),
                                                counted(by_name, "keyword-only argument"));
  // A method whose definition forgot its object.
  bool forgot = as<ClassNode>(fn.owner) != nullptr && given == info.positional + 1 &&
                (info.positional == 0 || info.parameters[0].str() != "self");
  throw ir::Error("too-many-arguments", "{}() takes {} but {} given", info.qualified_name, takes, were)
      .kind("TypeError")
      .at(span)
      .note(fmt::format("`{}` is defined here", info.name), info.span)
      .help(forgot ? fmt::format("a method takes its object first: `def {}(self{})`", info.name,
                                 info.positional == 0 ? "" : ", ...")
                   : "");
}

}  // namespace

// Puts given arguments where the parameters' slots are.
void State::bind_arguments(const FunctionNode& fn, Any* base, Keywords& keywords, ir::Span span) {
  const FunctionInfo& info = *fn.info;
  size_t given = static_cast<size_t>(top - base);
  std::optional<Tuple> rest;
  if (given > info.positional) {
    if (info.has_vararg) rest = Tuple(base + info.positional, base + given);
    while (top > base + info.positional) (--top)->reset();
  }
  size_t parameters = info.parameters.size();
  while (top < base + parameters) push(unbound());
  std::optional<Dict> extra;
  if (info.has_kwarg) extra.emplace();
  for (auto& [name, value] : keywords) {
    // Names are interned: equal ones begin at the same place.
    size_t found = parameters;
    for (size_t i = info.positional_only; i < info.positional + info.keyword_only; ++i) {
      if (info.parameter_texts[i].data() == name.data()) found = i;
    }
    if (found == parameters) {
      for (size_t i = info.positional_only; i < info.positional + info.keyword_only; ++i) {
        if (info.parameter_texts[i] == name) found = i;
      }
    }
    if (found == parameters) {
      if (info.has_kwarg) {
        extra->Set(str_value(name), value);
        continue;
      }
      check_positional_only(info, keywords, span);
      std::vector<std::string> names;
      for (Symbol p : info.parameters) names.emplace_back(p.str());
      throw ir::Error("unknown-keyword", "{}() got an unexpected keyword argument '{}'", info.qualified_name,
                      name)
          .kind("TypeError")
          .at(span)
          .note(fmt::format("`{}` is defined here", info.name), info.span)
          .help(ir::did_you_mean(name, names));
    }
    if (!is_unbound(base[found])) {
      raise(refusals["duplicate-argument"], span, info.qualified_name, name);
    }
    base[found] = std::move(value);
  }
  if (given > info.positional && !info.has_vararg) too_many(fn, given, keywords, span);
  size_t first_default = info.positional - fn.defaults.size();
  std::vector<std::string> missing;
  for (size_t i = 0; i < info.positional; ++i) {
    if (!is_unbound(base[i])) continue;
    if (i >= first_default) {
      base[i] = fn.defaults[i - first_default];
    } else {
      missing.emplace_back(info.parameters[i].str());
    }
  }
  std::string_view sort = "positional";
  if (missing.empty()) {
    for (size_t i = 0; i < info.keyword_only; ++i) {
      Any& slot = base[info.positional + i];
      if (!is_unbound(slot)) continue;
      slot = fn.kw_defaults[i];
      if (is_unbound(slot)) missing.emplace_back(info.parameters[info.positional + i].str());
    }
    sort = "keyword-only";
  }
  if (!missing.empty()) {
    throw ir::Error("missing-argument", "{}() missing {} required {} argument{}: {}", info.qualified_name,
                    missing.size(), sort, missing.size() == 1 ? "" : "s", quoted_list(missing))
        .kind("TypeError")
        .at(span)
        .note(fmt::format("`{}` is defined here", info.name), info.span)
        .help(missing.front() == "self" && as<ClassNode>(fn.owner) != nullptr
                  ? fmt::format("`{0}` is called on an object: `{1}(...).{0}(...)`", info.name,
                                as<ClassNode>(fn.owner)->name)
                  : "");
  }
  size_t next = info.positional + info.keyword_only;
  if (info.has_vararg) base[next++] = rest ? *rest : Tuple();
  if (info.has_kwarg) base[next] = *extra;
}

}  // namespace mlc::script
