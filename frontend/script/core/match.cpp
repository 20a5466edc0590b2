// SPDX-License-Identifier: Apache-2.0
// `match`: the first case whose pattern fits the subject and whose guard is true. Names are bound when the
// whole pattern fits, before the guard.
#include "frontend/script/core/machine.h"

namespace mlc::script {

using namespace syntax;  // NOLINT: the names of the tree
using State = Evaluator::State;

namespace {

bool is_wildcard(const Pattern& pattern) {
  return pattern.kind == Pattern::Kind::kAs && pattern.patterns.empty() && pattern.name == nullptr;
}

class Matcher {
 public:
  Matcher(State& state, Frame& frame) : state_(state), frame_(frame) {}

  bool matches(const Pattern& pattern, const Any& subject) {
    state_.check_stack(pattern.span);
    switch (pattern.kind) {
      case Pattern::Kind::kValue:
        return evaluator().truth(
            evaluator().compare(CmpOperator::kEq, subject, state_.eval(pattern.value, frame_), pattern.span),
            pattern.span);
      case Pattern::Kind::kSingleton: {
        Any value = state_.eval(pattern.value, frame_);
        return is_none(value) ? is_none(subject) : is_bool(subject) && raw_int(subject) == raw_int(value);
      }
      case Pattern::Kind::kSequence:
        return sequence(pattern, subject);
      case Pattern::Kind::kMapping:
        return mapping(pattern, subject);
      case Pattern::Kind::kClass:
        return of_class(pattern, subject);
      case Pattern::Kind::kStar:
        bind(pattern, subject);
        return true;
      case Pattern::Kind::kAs:
        if (!pattern.patterns.empty() && !matches(*pattern.patterns[0], subject)) return false;
        bind(pattern, subject);
        return true;
      case Pattern::Kind::kOr: {
        size_t before = bound_.size();
        for (const Pattern* each : pattern.patterns) {
          if (matches(*each, subject)) return true;
          bound_.resize(before);
        }
        return false;
      }
    }
    __builtin_unreachable();
  }
  void store() {
    for (auto& [name, value] : bound_) state_.store(name, std::move(value), frame_);
  }

 private:
  Evaluator& evaluator() { return state_.self; }
  void bind(const Pattern& pattern, const Any& value) {
    if (pattern.name != nullptr) bound_.emplace_back(pattern.name, value);
  }

  bool sequence(const Pattern& pattern, const Any& subject) {
    if (!is_sequence(evaluator(), subject)) return false;
    Seq<Pattern> parts = pattern.patterns;
    auto size = static_cast<size_t>(evaluator().length(subject, pattern.span));
    size_t star = parts.size();
    bool plain = true;  // nothing is bound or looked at
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i]->kind == Pattern::Kind::kStar) star = i;
      plain = plain && (is_wildcard(*parts[i]) || (i == star && parts[i]->name == nullptr));
    }
    if (star == parts.size() ? size != parts.size() : size + 1 < parts.size()) return false;
    if (plain) return true;
    if (star < parts.size() && parts[star]->name == nullptr) {
      // What `*_` stands for is not walked.
      for (size_t i = 0; i < parts.size(); ++i) {
        if (i == star || is_wildcard(*parts[i])) continue;
        size_t at = i < star ? i : size - (parts.size() - i);
        if (!matches(*parts[i], evaluator().subscript(subject, Any(static_cast<int64_t>(at)), pattern.span)))
          return false;
      }
      return true;
    }
    std::vector<Any> values = evaluator().elements_of(subject, pattern.span);
    size_t behind = star == parts.size() ? 0 : parts.size() - star - 1;
    if (star == parts.size() ? values.size() != parts.size() : values.size() + 1 < parts.size()) {
      raise("ValueError", pattern.span, "unpack-mismatch", "{} values to unpack (expected {}{}, got {})",
            values.size() < parts.size() ? "not enough" : "too many", star == parts.size() ? "" : "at least ",
            parts.size() - (star == parts.size() ? 0 : 1), values.size());
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i == star) {
        Any rest = List(values.begin() + static_cast<ptrdiff_t>(star),
                        values.end() - static_cast<ptrdiff_t>(behind));
        bind(*parts[i], rest);
        continue;
      }
      size_t at = i < star ? i : values.size() - (parts.size() - i);
      if (!matches(*parts[i], values[at])) return false;
    }
    return true;
  }

  bool mapping(const Pattern& pattern, const Any& subject) {
    if (!is_mapping(evaluator(), subject)) return false;
    if (!pattern.keys.empty() &&
        static_cast<size_t>(evaluator().length(subject, pattern.span)) < pattern.keys.size())
      return false;
    std::vector<Any> keys, values;
    bool plain = subject.type_index() == kTVMFFIDict;
    Any get;
    if (!plain && !pattern.keys.empty()) get = evaluator().attribute(subject, Symbol("get"), pattern.span);
    Any missing = unique();
    for (const Expr* each : pattern.keys) {
      Any key = state_.eval(each, frame_);
      for (const Any& before : keys) {
        if (evaluator().equal(before, key)) {
          raise("ValueError", each->span, "duplicate-key", "mapping pattern checks duplicate key ({})",
                evaluator().repr(key));
        }
      }
      Any value;
      if (plain) {
        Any* found = dict_find(evaluator(), subject, key, each->span);
        if (found == nullptr) return false;
        value = *found;
      } else {
        value = state_.call_values(get, {key, missing}, each->span);
        if (value.same_as(missing)) return false;
      }
      keys.push_back(std::move(key));
      values.push_back(std::move(value));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (!matches(*pattern.patterns[i], values[i])) return false;
    }
    if (pattern.name == nullptr) return true;
    Any rest = evaluator().call(Any(types().dict), std::span<const Any>(&subject, 1), {}, pattern.span);
    for (const Any& key : keys) dict_remove(evaluator(), rest, key, pattern.span);
    bind(pattern, rest);
    return true;
  }
  // A value that no mapping holds.
  static Any unique() { return Any(ir::make<InstanceNode>(types().object)); }

  // int(x), str(x) and the like match the object itself.
  static bool matches_self(const ClassNode* cls) {
    const Types& t = types();
    for (const Ref<ClassNode>& each :
         {t.boolean, t.bytes, t.dict, t.real, t.frozenset, t.integer, t.list, t.set, t.str, t.tuple}) {
      if (cls->derives_from(each.get())) return true;
    }
    return false;
  }

  bool of_class(const Pattern& pattern, const Any& subject) {
    ir::Span at = pattern.value->span;
    Any type = state_.eval(pattern.value, frame_);
    auto* cls = as<ClassNode>(type);
    auto* api = as<ApiFunctionNode>(type);
    bool native = api != nullptr && api->api->row.kind == ir::ApiKind::kClass;
    if (cls == nullptr && !native)
      raise("TypeError", at, "not-a-class", "called match pattern must be a type");
    if (!evaluator().is_instance(subject, type, at)) return false;
    std::string name = cls != nullptr ? std::string(cls->short_name()) : api->api->name;
    Parts parts;
    if (!pattern.patterns.empty() && !positional(pattern, subject, type, name, parts)) return false;
    for (size_t i = 0; i < pattern.kwd_patterns.size(); ++i) {
      if (!attribute(subject, pattern.kwd_attrs[i], name, parts, pattern.kwd_spans[i])) return false;
    }
    for (size_t i = 0; i < parts.values.size(); ++i) {
      size_t count = pattern.patterns.size();
      if (!matches(i < count ? *pattern.patterns[i] : *pattern.kwd_patterns[i - count], parts.values[i]))
        return false;
    }
    return true;
  }
  struct Parts {
    std::vector<Symbol> names;  // of the attributes that were looked at
    std::vector<Any> values;    // all of them, before any is matched
  };
  bool positional(const Pattern& pattern, const Any& subject, const Any& type, std::string_view name,
                  Parts& parts) {
    size_t count = pattern.patterns.size();
    Any args;
    bool listed = find(type, known().match_args, args);
    auto* cls = as<ClassNode>(type);
    bool self = !listed && cls != nullptr && matches_self(cls);
    if (listed && args.type_index() != kTVMFFIArray) {
      raise("TypeError", pattern.span, "bad-match-args", "{}.__match_args__ must be a tuple (got {})", name,
            type_name_of(evaluator(), args));
    }
    size_t allowed = self ? 1 : listed ? elements(args).size() : 0;
    if (count > allowed) {
      raise("TypeError", pattern.span, "bad-match-args",
            "{}() accepts {} positional sub-pattern{} ({} given)", name, allowed, allowed == 1 ? "" : "s",
            count);
    }
    if (self) {
      parts.values.push_back(subject);
      return true;
    }
    for (size_t i = 0; i < count; ++i) {
      Any each = elements(args)[i];
      if (!is_str(each)) {
        raise("TypeError", pattern.span, "bad-match-args", "__match_args__ elements must be strings (got {})",
              type_name_of(evaluator(), each));
      }
      if (!attribute(subject, Symbol(text_of(each)), name, parts, pattern.span)) return false;
    }
    return true;
  }
  bool attribute(const Any& subject, Symbol attribute, std::string_view name, Parts& parts, ir::Span span) {
    for (Symbol before : parts.names) {
      if (before == attribute) {
        raise("TypeError", span, "bad-match-args", "{}() got multiple sub-patterns for attribute '{}'", name,
              attribute.str());
      }
    }
    parts.names.push_back(attribute);
    parts.values.emplace_back();
    return find(subject, attribute, parts.values.back());
  }
  // What raises AttributeError has no such attribute.
  bool find(const Any& object, Symbol name, Any& value) {
    try {
      return evaluator().find_attribute(object, name, value);
    } catch (ir::Error& error) {
      Any exception = state_.exception_of(error);
      if (!as<InstanceNode>(exception)->cls->derives_from(exception_classes().at("AttributeError").get()))
        throw;
      return false;
    }
  }

  State& state_;
  Frame& frame_;
  std::vector<std::pair<const Name*, Any>> bound_;
};

}  // namespace

Flow State::exec_match(const Match& match, Frame& f) {
  Any subject = eval(match.subject, f);
  for (const MatchCase* one : match.cases) {
    Matcher matcher(*this, f);
    if (!matcher.matches(*one->pattern, subject)) continue;
    matcher.store();
    if (one->guard == nullptr || test(one->guard, f)) return exec_block(one->body, f);
  }
  return Flow::kNext;
}

}  // namespace mlc::script
