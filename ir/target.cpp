// SPDX-License-Identifier: Apache-2.0
#include "ir/target.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/extra/json.h>

#include <algorithm>
#include <cctype>

#include "ir/api.h"
#include "ir/said_error.h"
#include "ir/target_tables.h"

namespace mlc::ir {
namespace {

// Keys every specification may have beside its attributes.
constexpr std::string_view structural_keys[] = {"kind", "tag", "keys", "host"};

const TargetAttrRow& attr_row(std::string_view kind, std::string_view name) {
  // What a pass found out about the processor ("feature.has_sve"): TVM keeps it beside the options.
  static constexpr TargetAttrRow feature{"*", "feature.", AttrType::kAny};
  if (name.starts_with(feature.name)) return feature;
  std::vector<std::string> known;
  for (const TargetAttrRow& row : target_attr_rows()) {
    if (row.kind != "*" && row.kind != kind) continue;
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw Error("unknown-target-attribute", "target kind `{}` has no attribute `{}`", kind, name)
      .help(closest(name, known).empty() ? fmt::format("it has {}", fmt::join(known, ", "))
                                         : did_you_mean(name, known));
}

std::string_view type_text(AttrType type) {
  switch (type) {
    case AttrType::kString:
      return "a string";
    case AttrType::kInt:
      return "an integer";
    case AttrType::kBool:
      return "a bool";
    case AttrType::kStrings:
      return "a list of strings";
    case AttrType::kTargets:
      return "a list of targets";
    case AttrType::kAny:
      break;
  }
  return "";
}

std::optional<Array<String>> strings_of(const Any& value) {
  Array<String> result;
  auto take = [&result](const auto& items) {
    for (const Any& item : items) {
      auto text = item.try_cast<String>();
      if (!text) return false;
      result.push_back(*text);
    }
    return true;
  };
  if (auto list = value.as<ffi::List<Any>>()) return take(*list) ? std::optional(result) : std::nullopt;
  if (auto array = value.as<Array<Any>>()) return take(*array) ? std::optional(result) : std::nullopt;
  if (auto text = value.try_cast<String>()) {  // "+avx2,+fma"
    std::string_view rest(text->data(), text->size());
    while (!rest.empty()) {
      size_t comma = rest.find(',');
      if (comma != 0) result.push_back(String(std::string(rest.substr(0, comma))));
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    return result;
  }
  return std::nullopt;
}

std::optional<Array<Target>> targets_of(const Any& value) {
  auto all = [](const auto& items) {
    Array<Target> made;
    for (const Any& item : items) made.push_back(parse_target(item));
    return made;
  };
  if (auto list = value.as<ffi::List<Any>>()) return all(*list);
  if (auto array = value.as<Array<Any>>()) return all(*array);
  return std::nullopt;
}

Any typed_value(std::string_view kind, std::string_view name, const Any& value) {
  const TargetAttrRow& row = attr_row(kind, name);
  switch (row.type) {
    case AttrType::kString:
      if (auto text = value.try_cast<String>()) return *text;
      break;
    case AttrType::kInt:
      if (auto number = value.try_cast<int64_t>()) return *number;
      break;
    case AttrType::kBool:
      if (auto number = value.try_cast<int64_t>()) return *number != 0;
      break;
    case AttrType::kStrings:
      if (auto list = strings_of(value)) return *list;
      break;
    case AttrType::kTargets:
      if (auto list = targets_of(value)) return *list;
      break;
    case AttrType::kAny:
      return value;
  }
  throw Error("wrong-type", "target attribute `{}` must be {}", name, type_text(row.type)).kind("ValueError");
}

template <class M>
std::vector<std::pair<std::string, Any>> entries_of(const M& map) {
  std::vector<std::pair<std::string, Any>> entries;
  for (const auto& [key, value] : map) {
    auto name = Any(key).template try_cast<String>();
    if (!name) throw Error("wrong-type", "the keys of a target are strings").kind("ValueError");
    entries.emplace_back(std::string(*name), value);
  }
  return entries;
}

std::vector<std::pair<std::string, Any>> json_object(std::string_view text) {
  String message;
  Any value = ffi::json::Parse(String(std::string(text)), &message);
  if (!message.empty()) {
    throw Error("unknown-target", "the target is not valid JSON: {}",
                std::string_view(message.data(), message.size()));
  }
  auto map = value.as<Map<Any, Any>>();
  if (!map) throw Error("unknown-target", "a target in JSON is an object");
  return entries_of(*map);
}

Target from_entries(const std::vector<std::pair<std::string, Any>>& entries) {
  std::string kind;
  Array<String> keys;
  Target host;
  for (const auto& [name, value] : entries) {
    if (name == "kind") {
      auto text = value.try_cast<String>();
      if (!text) throw Error("wrong-type", "target `kind` must be a string").kind("ValueError");
      kind = *text;
    } else if (name == "keys") {
      auto list = strings_of(value);
      if (!list) throw Error("wrong-type", "target `keys` must be a list of strings").kind("ValueError");
      keys = *list;
    } else if (name == "host") {
      host = parse_target(value);
    }
  }
  if (kind.empty()) {
    for (const auto& [name, value] : entries) {  // {"tag": "cortex-a72"} alone stands for the tag
      auto text = name == "tag" ? value.try_cast<String>() : std::nullopt;
      if (!text || text->empty()) continue;
      if (entries.size() == 1) return parse_target(*text);
      // What stands beside the tag goes before what the tag says.
      std::string json = target_of_tag(std::string_view(text->data(), text->size()));
      if (json.empty())
        throw Error("unknown-target", "there is no target tag `{}`",
                    std::string_view(text->data(), text->size()));
      std::vector<std::pair<std::string, Any>> all = json_object(json);
      for (const auto& entry : entries) {
        if (entry.first == "tag") continue;
        auto same = std::ranges::find(all, entry.first, &std::pair<std::string, Any>::first);
        if (same != all.end())
          same->second = entry.second;
        else
          all.push_back(entry);
      }
      return from_entries(all);
    }
    throw Error("unknown-target", "a target needs a `kind`")
        .help("{\"kind\": \"llvm\", \"mcpu\": \"x86-64-v3\"}");
  }
  const TargetKindRow& row = target_kind_row(kind);
  Map<String, Any> attrs;
  for (const auto& [name, value] : entries) {
    if (std::ranges::find(structural_keys, name) != std::end(structural_keys)) continue;
    attrs.Set(String(name), typed_value(kind, name, value));
  }
  if (!row.defaults.empty()) {
    for (const auto& [name, value] : json_object(row.defaults)) {
      if (!attrs.count(String(name))) attrs.Set(String(name), typed_value(kind, name, value));
    }
  }
  bool says_keys = !keys.empty();
  auto add_key = [&keys](std::string_view key) {
    auto same = [key](const String& one) { return std::string_view(one.data(), one.size()) == key; };
    if (std::none_of(keys.begin(), keys.end(), same)) keys.push_back(String(std::string(key)));
  };
  if (auto device = attrs.find(String("device")); device != attrs.end())
    add_key(std::string((*device).second.cast<String>()));
  if (add_arm_features(kind, attrs)) {
    add_key("arm_cpu");
    add_key("cpu");
  } else if (!says_keys) {
    for (std::string_view key : row.keys) add_key(key);
  }
  return make<TargetNode>(String(kind), attrs, keys, host);
}

Any word_value(AttrType type, std::string_view text) {
  if (type == AttrType::kInt || type == AttrType::kBool) {
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    bool digits = !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c); });
    if (digits && text.size() < 19) return static_cast<int64_t>(std::stoll(std::string(text)));
  }
  return String(std::string(text));
}

// "llvm -mcpu=skylake -mattr=+avx2,+fma -num-cores 4"
Target from_command(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    size_t begin = text.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    at = end;
  }
  if (words.empty()) throw Error("unknown-target", "the target is empty").help("`llvm` is this machine");
  std::string kind(target_kind_row(words[0]).name);
  std::vector<std::pair<std::string, Any>> entries{{"kind", String(kind)}};
  for (size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      throw Error("unknown-target", "`{}` in target `{}` is no option", word, text)
          .help("options are written -name=value");
    }
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    if (name == "keys") {
      entries.emplace_back(
          "keys", String(std::string(equals == std::string_view::npos ? "" : word.substr(equals + 1))));
      continue;
    }
    AttrType type = attr_row(kind, name).type;
    if (equals != std::string_view::npos) {
      entries.emplace_back(name, word_value(type, word.substr(equals + 1)));
    } else if (type == AttrType::kBool) {
      entries.emplace_back(name, true);
    } else if (i + 1 < words.size()) {
      entries.emplace_back(name, word_value(type, words[++i]));
    } else {
      throw Error("unknown-target", "option `-{}` of target `{}` has no value", name, text);
    }
  }
  return from_entries(entries);
}

}  // namespace

const TargetKindRow& target_kind_row(std::string_view name) {
  for (const TargetKindRow& row : target_kind_rows()) {
    if (row.name == name) return row;
  }
  throw Error("unknown-target", "there is no target `{}`", name).help(did_you_mean(name, target_names()));
}

Target parse_target(const Any& spec) {
  if (spec == nullptr)
    throw Error("wrong-type", "a target is a string, a dict or a Target, not None")
        .kind("TypeError+ValueError");
  if (auto target = spec.as<Target>()) return *target;
  if (auto dict = spec.as<ffi::Dict<Any, Any>>()) return from_entries(entries_of(*dict));
  if (auto map = spec.as<Map<Any, Any>>()) return from_entries(entries_of(*map));
  auto text = spec.try_cast<String>();
  if (!text) {
    throw Error("wrong-type", "a target is a string, a dict or a Target, it is {}", type_name(spec))
        .kind("ValueError");
  }
  std::string_view view(text->data(), text->size());
  while (!view.empty() && std::isspace(static_cast<unsigned char>(view.front()))) view.remove_prefix(1);
  if (view.starts_with("{")) return from_entries(json_object(view));
  if (std::string json = target_of_tag(view); !json.empty()) return from_entries(json_object(json));
  try {
    return from_command(view);
  } catch (Error& error) {
    if (error.first().message != fmt::format("there is no target `{}`", view)) throw;
    throw SaidError(
        error,
        fmt::format("Target kind \"{}\" is not defined. Target creation from string failed: {}", view, view));
  }
}

std::string target_text(const Target& target) {
  ffi::json::Object object;
  object.Set(String("kind"), target->kind);
  object.Set(String("tag"), String(""));
  object.Set(String("keys"), target->keys);
  std::vector<std::pair<std::string, Any>> attrs = entries_of(target->attrs);
  std::ranges::sort(attrs, {}, [](const auto& entry) { return entry.first; });
  std::string members;
  for (const auto& [name, value] : attrs) {
    auto targets = value.try_cast<Array<Target>>();
    if (!targets) {
      object.Set(String(name), value);
      continue;
    }
    std::string texts;
    for (const Target& one : *targets) texts += (texts.empty() ? "" : ",") + target_text(one);
    members += ",\"" + name + "\":[" + texts + "]";
  }
  std::string text = ffi::json::Stringify(object);
  if (!members.empty()) text.insert(text.size() - 1, members);
  if (target->host) {
    text.pop_back();
    text += ",\"host\":" + target_text(target->host) + "}";
  }
  return text;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const TargetKindRow& row : target_kind_rows()) names.emplace_back(row.name);
  for (std::string_view tag : target_tags()) names.emplace_back(tag);
  return names;
}

}  // namespace mlc::ir
