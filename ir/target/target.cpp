// SPDX-License-Identifier: Apache-2.0
#include "ir/target/target.h"

#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/extra/json.h>

#include <algorithm>
#include <cctype>

#include "ir/core/refusal.h"
#include "ir/registry/api.h"
#include "ir/target/tables.h"

namespace mlc::ir {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "unknown-target", .meaning = "The processor or feature is none that LLVM knows."},
        {.name = "unknown-target-attribute", .message = "target kind `{}` has no attribute `{}`"},
    }};
MLC_REFUSALS(target_target, refusals);

namespace {

// Whatever is wrong with a target is a ValueError, as in TVM.
[[noreturn]] void refuse(Error error) { throw std::move(error).kind("ValueError"); }

AttrType option_type(std::string_view kind, std::string_view name) {
  // What a pass found out about the processor ("feature.has_sve"): TVM keeps it next to the options.
  if (name.starts_with("feature.")) return AttrType::kAny;
  std::vector<std::string> known;
  for (const auto& [option, type] : target_options(kind)) {
    if (option == name) return type;
    known.emplace_back(option);
  }
  std::string help = closest(name, known).empty() ? fmt::format("it has {}", fmt::join(known, ", "))
                                                  : did_you_mean(name, known);
  refuse(ir::refuse(refusals["unknown-target-attribute"], kind, name).help(help));
}

// In the order of the types.
constexpr std::string_view types_in_words[] = {"a string", "an integer",        "a bool", "a list of strings",
                                               "a target", "a list of targets", ""};
constexpr std::string_view type_names[] = {
    "str", "int", "bool", "Array<str>", "target.Target", "Array<target.Target>", "str"};

template <class Made>
std::optional<Array<Made>> items_of(const Any& value, std::optional<Made> (*item)(const Any&)) {
  auto all = [item](const auto& items) -> std::optional<Array<Made>> {
    Array<Made> result;
    for (const Any& one : items) {
      auto made = item(one);
      if (!made) return std::nullopt;
      result.push_back(*made);
    }
    return result;
  };
  if (auto list = value.as<ffi::List<Any>>()) return all(*list);
  if (auto array = value.as<Array<Any>>()) return all(*array);
  return std::nullopt;
}
std::optional<Array<String>> strings_of(const Any& value) {
  return items_of<String>(value, [](const Any& item) { return item.try_cast<String>(); });
}
std::optional<Array<Target>> targets_of(const Any& value) {
  return items_of<Target>(value, [](const Any& item) { return std::optional(parse_target(item)); });
}

Any typed_value(std::string_view kind, std::string_view name, const Any& value) {
  AttrType type = option_type(kind, name);
  switch (type) {
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
    case AttrType::kTarget:
      return parse_target(value);
    case AttrType::kTargets:
      if (auto list = targets_of(value)) return *list;
      break;
    case AttrType::kAny:
      return value;
  }
  refuse(Error("wrong-type", "target attribute `{}` must be {}", name,
               types_in_words[static_cast<size_t>(type)]));
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
    std::string_view what(message.data(), message.size());
    refuse(ir::refuse_as(refusals["unknown-target"], "the target is not valid JSON: {}", what));
  }
  auto map = value.as<Map<Any, Any>>();
  if (!map) throw ir::refuse_as(refusals["unknown-target"], "a target in JSON is an object");
  return entries_of(*map);
}

using Entries = std::vector<std::pair<std::string, Any>>;

// `{"tag": "cortex-a72", "num-cores": 2}`: other entries override those of the tag.
Entries with_tagged(const Entries& entries) {
  auto tag = std::ranges::find(entries, "tag", &Entries::value_type::first);
  if (tag == entries.end()) {
    refuse(ir::refuse_as(refusals["unknown-target"], "a target needs a `kind`")
               .help(R"({"kind": "llvm", "mcpu": "x86-64-v3"})"));
  }
  auto name = tag->second.try_cast<String>();
  if (!name) {
    refuse(Error("wrong-type", "target `tag` must be a string"));
  }
  std::string_view text(name->data(), name->size());
  std::string json = target_of_tag(text);
  if (json.empty()) {
    refuse(ir::refuse_as(refusals["unknown-target"], "there is no target tag `{}`", text));
  }
  Entries all = json_object(json);
  for (const auto& entry : entries) {
    auto same = std::ranges::find(all, entry.first, &Entries::value_type::first);
    if (same != all.end())
      same->second = entry.second;
    else
      all.push_back(entry);
  }
  return all;
}

Target from_entries(const Entries& given) {
  auto named = [](const Entries& entries) {
    return std::ranges::find(entries, "kind", &Entries::value_type::first);
  };
  Entries entries = named(given) == given.end() ? with_tagged(given) : given;
  auto kind_entry = named(entries);
  auto kind_text = kind_entry->second.try_cast<String>();
  if (!kind_text) {
    refuse(Error("wrong-type", "target `kind` must be a string"));
  }
  std::string kind = *kind_text;
  const TargetKindRow& row = target_kind_row(kind);
  Array<String> keys;
  Target host;
  String tag("");
  Map<String, Any> said;
  for (const auto& [name, value] : entries) {
    if (name == "host" && value == nullptr) continue;
    Any typed = typed_value(kind, name, value);
    if (name == "keys") {
      keys = typed.cast<Array<String>>();
    } else if (name == "host") {
      host = typed.cast<Target>();
    } else if (name == "tag") {
      tag = typed.cast<String>();
    } else if (name != "kind") {
      said.Set(String(name), typed);
    }
  }
  Map<String, Any> attrs = said;
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
  if (auto arch = attrs.find(String("arch")); kind == "cuda" && arch != attrs.end()) {
    std::string name((*arch).second.cast<String>());
    if (!name.starts_with("sm_")) {
      refuse(ir::refuse_as(refusals["unknown-target"], "`{}` is no architecture of CUDA", name)
                 .help("architectures are named like `sm_80`"));
    }
  }
  // Which device it was asked of is no property of a target.
  attrs.erase(String("from_device"));
  return make<TargetNode>(String(kind), in_shown_order(kind, said, attrs), keys, host, tag);
}

Array<String> words_of(std::string_view text) {  // "+avx2,+fma"
  Array<String> words;
  while (!text.empty()) {
    size_t comma = text.find(',');
    if (comma != 0) words.push_back(String(std::string(text.substr(0, comma))));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return words;
}

Any word_value(AttrType type, std::string_view text) {
  if (type == AttrType::kStrings) return words_of(text);
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
  if (words.empty()) {
    refuse(ir::refuse_as(refusals["unknown-target"], "the target is empty").help("`llvm` is this machine"));
  }
  std::string kind(target_kind_row(words[0]).name);
  std::vector<std::pair<std::string, Any>> entries{{"kind", String(kind)}};
  for (size_t i = 1; i < words.size(); ++i) {
    std::string_view word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      throw ir::refuse_as(refusals["unknown-target"], "`{}` in target `{}` is no option", word, text)
          .help("options are written -name=value");
    }
    word.remove_prefix(word.starts_with("--") ? 2 : 1);
    size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    AttrType type = option_type(kind, name);
    if (equals != std::string_view::npos) {
      entries.emplace_back(name, word_value(type, word.substr(equals + 1)));
    } else if (type == AttrType::kBool) {
      entries.emplace_back(name, true);
    } else if (i + 1 < words.size()) {
      entries.emplace_back(name, word_value(type, words[++i]));
    } else {
      throw ir::refuse_as(refusals["unknown-target"], "option `-{}` of target `{}` has no value", name, text);
    }
  }
  return from_entries(entries);
}

}  // namespace

const TargetKindRow& target_kind_row(std::string_view name) {
  for (const TargetKindRow& row : target_kind_rows()) {
    if (row.name == name) return row;
  }
  std::string help = did_you_mean(name, target_names());
  if (help.empty()) help = "`llvm` is for processors, this machine's without more; `mlc targets` lists all";
  refuse(ir::refuse_as(refusals["unknown-target"], "there is no target `{}`", name).help(help));
}

std::string_view type_name_of(AttrType type) { return type_names[static_cast<size_t>(type)]; }

Target parse_target(const Any& spec) {
  if (spec == nullptr)
    throw Error("wrong-type", "a target is a string, a dict or a Target, not None")
        .kind("TypeError+ValueError");
  if (auto target = spec.as<Target>()) return *target;
  auto text = spec.try_cast<String>();
  auto dict = spec.as<ffi::Dict<Any, Any>>();
  auto map = spec.as<Map<Any, Any>>();
  if (!text && !dict && !map) {
    throw Error("wrong-type", "a target is a string, a dict or a Target, it is {}", type_name(spec))
        .kind("ValueError");
  }
  if (!text) return from_entries(dict ? entries_of(*dict) : entries_of(*map));
  std::string_view view(text->data(), text->size());
  while (!view.empty() && std::isspace(static_cast<unsigned char>(view.front()))) view.remove_prefix(1);
  if (view.starts_with("{")) return from_entries(json_object(view));
  if (std::string json = target_of_tag(view); !json.empty()) return from_entries(json_object(json));
  return from_command(view);
}

std::string target_text(const Target& target) {
  ffi::json::Object head;
  head.Set(String("kind"), target->kind);
  head.Set(String("tag"), target->tag);
  head.Set(String("keys"), target->keys);
  std::string text = ffi::json::Stringify(head);
  text.pop_back();
  if (target->host) text += ",\"host\":" + target_text(target->host);
  for (const auto& [name, value] : target->attrs) {
    text += "," + std::string(ffi::json::Stringify(name)) + ":";
    auto targets = value.try_cast<Array<Target>>();
    if (!targets || targets->empty()) {
      text += ffi::json::Stringify(value);
      continue;
    }
    std::string texts;
    for (const Target& one : *targets) texts += (texts.empty() ? "" : ",") + target_text(one);
    text += "[" + texts + "]";
  }
  return text + "}";
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const TargetKindRow& row : target_kind_rows()) names.emplace_back(row.name);
  for (std::string_view tag : target_tags()) names.emplace_back(tag);
  return names;
}

}  // namespace mlc::ir
