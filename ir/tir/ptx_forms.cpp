// SPDX-License-Identifier: Apache-2.0
// The rows of ptx.h taken apart once per family, and what they say about one combination of modifiers.
#include "ir/tir/ptx_forms.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "ir/core/error.h"

namespace mlc::ir {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

size_t slot_index(const PtxForm& form, std::string_view name) {
  for (size_t i = 0; i < form.slots.size(); ++i) {
    if (form.slots[i].name == name) return i;
  }
  MLC_CHECK(false, "ptx form `{}` has no slot `{}`", form.row->name, name);
}

struct Table {
  struct Entry {
    std::vector<std::vector<std::string_view>> modifiers;  // that fit, by slot; `*` fits any
    std::string_view value;
  };
  std::string_view otherwise;
  std::vector<Entry> entries;
};
using Tables = std::unordered_map<std::string_view, Table>;
const Tables& tables() {
  static const Tables all = [] {
    Tables made;
    for (const PtxTable& row : ptx_tables()) {
      Table& table = made[row.name];
      table.otherwise = row.otherwise;
      for (std::string_view item : split(row.values, ' ')) {
        size_t equal = item.rfind('=');
        Table::Entry& entry = table.entries.emplace_back();
        entry.value = item.substr(equal + 1);
        for (std::string_view slot : split(item.substr(0, equal), ','))
          entry.modifiers.push_back(split(slot, '|'));
        if (equal == 0) entry.modifiers.push_back({{}});
      }
    }
    return made;
  }();
  return all;
}

std::string_view look_up(std::string_view name, std::span<const std::string_view> modifiers) {
  const Table& table = tables().at(name);
  std::string_view value = table.otherwise;
  for (const Table::Entry& entry : table.entries) {
    auto fits = [](const std::vector<std::string_view>& wanted, std::string_view modifier) {
      return wanted[0] == "*" || std::find(wanted.begin(), wanted.end(), modifier) != wanted.end();
    };
    if (std::equal(entry.modifiers.begin(), entry.modifiers.end(), modifiers.begin(), modifiers.end(),
                   fits)) {
      value = entry.value;
      break;
    }
  }
  return value.starts_with('&') ? look_up(value.substr(1), modifiers.last(1)) : value;
}

// A property as written: a constant, table(slot+slot), a number to count out, or @slot for the modifier
// itself.
PtxProperty property(const PtxForm& form, std::string_view text) {
  if (text.starts_with('@')) return {"@", {slot_index(form, text.substr(1))}};
  size_t open = text.find('(');
  if (open == std::string_view::npos) return {text, {}};
  PtxProperty made{text.substr(0, open), {}};
  for (std::string_view slot : split(text.substr(open + 1, text.size() - open - 2), '+'))
    made.slots.push_back(slot_index(form, slot));
  return made;
}

PtxOperand operand_from(const PtxForm& form, std::string_view text) {
  PtxOperand made;
  size_t colon = text.find(':');
  made.name = text.substr(0, colon);
  made.role = text[colon + 1];
  text.remove_prefix(colon + 2);
  made.lanes = {"1", {}};
  made.sinkable = {"0", {}};
  // The marks follow in this order: = ~ + { *
  if (size_t star = text.find('*'); star != std::string_view::npos) {
    made.lanes = property(form, text.substr(star + 1));
    text = text.substr(0, star);
  }
  if (size_t brace = text.find('{'); brace != std::string_view::npos) {
    made.choices = split(text.substr(brace + 1, text.size() - brace - 2), '|');
    text = text.substr(0, brace);
  }
  if (made.role == 'a' && text.ends_with('+')) {
    made.takes_offset = true;
    text.remove_suffix(1);
  }
  if (size_t tilde = text.find('~'); tilde != std::string_view::npos) {
    std::string_view when = text.substr(tilde + 1);
    made.sinkable = when.empty() ? PtxProperty{"1", {}} : property(form, when);
    text = text.substr(0, tilde);
  }
  if (text.starts_with('=')) made.type = property(form, text.substr(1));
  return made;
}

PtxForm::Condition condition_from(const PtxForm& form, std::string_view text, char mark) {
  size_t at = text.find(mark);
  PtxForm::Condition made{slot_index(form, text.substr(0, at)), split(text.substr(at + 1), '|')};
  for (std::string_view& value : made.values) {
    if (value == "-") value = {};
  }
  return made;
}

PtxForm parse(const PtxRow& row) {
  PtxForm form;
  form.row = &row;
  for (std::string_view text : split(row.slots, ' ')) {
    size_t equal = text.find('=');
    std::string_view name = text.substr(0, equal);
    bool optional = name.ends_with('?');
    if (optional) name.remove_suffix(1);
    form.slots.push_back({name, split(text.substr(equal + 1), '|'), optional});
  }
  for (std::string_view text : split(row.operands, ' ')) form.operands.push_back(operand_from(form, text));
  for (std::string_view text : split(row.rules, ' ')) {
    PtxForm::Rule rule;
    size_t arrow = text.find('>');
    if (arrow == std::string_view::npos) {  // s!a
      rule.never = true;
      rule.then = condition_from(form, text, '!');
    } else {
      for (std::string_view part : split(text.substr(0, arrow), '&'))
        rule.when.push_back(condition_from(form, part, '='));
      rule.then = condition_from(form, text.substr(arrow + 1), '=');
    }
    form.rules.push_back(std::move(rule));
  }
  return form;
}

using Rows = std::map<std::string_view, std::vector<const PtxRow*>>;
const Rows& rows() {
  static const Rows all = [] {
    Rows made;
    for (const PtxRow& row : ptx_rows()) made[row.family].push_back(&row);
    return made;
  }();
  return all;
}

}  // namespace

bool PtxForm::Condition::holds(const std::vector<std::string_view>& modifiers) const {
  return std::find(values.begin(), values.end(), modifiers[slot]) != values.end();
}

std::string_view PtxProperty::at(const std::vector<std::string_view>& modifiers) const {
  if (slots.empty()) return text;
  if (text == "@") return modifiers[slots[0]];
  if (!tables().contains(text)) return text;
  std::vector<std::string_view> named;
  for (size_t slot : slots) named.push_back(modifiers[slot]);
  return look_up(text, named);
}

int PtxOperand::lanes_at(const std::vector<std::string_view>& modifiers) const {
  std::string_view text = lanes.at(modifiers);
  auto number = [](std::string_view digits) {
    int count = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return count;
  };
  size_t letter = text.find_first_not_of("0123456789");
  if (letter == std::string_view::npos) return number(text);
  std::string_view counted = modifiers[lanes.slots.back()];
  size_t digits = text[letter] == '#' ? counted.find_first_of("0123456789") : counted.find(text[letter]) + 1;
  int factor = letter == 0 ? 1 : number(text);
  int divisor = text.ends_with(text[letter]) ? 1 : number(text.substr(letter + 2));
  return std::max(1, factor * number(counted.substr(digits)) / divisor);
}

bool PtxForm::fill(std::vector<std::string_view>& modifiers, std::string_view token) const {
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!modifiers[i].empty()) continue;
    for (std::string_view choice : slots[i].choices) {
      if (choice != token) continue;
      modifiers[i] = choice;
      return true;
    }
  }
  return false;
}

std::string PtxForm::refusal(const std::vector<std::string_view>& modifiers) const {
  for (size_t i = 0; i < slots.size(); ++i) {
    if (modifiers[i].empty() && !slots[i].optional)
      return fmt::format("a modifier is missing: one of `{}`", fmt::join(slots[i].choices, "`, `"));
  }
  for (const Rule& rule : rules) {
    bool applies = true;
    for (const Condition& one : rule.when) applies = applies && one.holds(modifiers);
    if (!applies || rule.then.holds(modifiers) != rule.never) continue;
    std::string with;
    for (const Condition& one : rule.when) {
      std::string_view value = modifiers[one.slot];
      with += (with.empty() ? "" : " and ") +
              (value.empty() ? fmt::format("no {}", slots[one.slot].name) : fmt::format("`.{}`", value));
    }
    std::string_view value = modifiers[rule.then.slot];
    std::string subject =
        value.empty() ? fmt::format("no {}", slots[rule.then.slot].name) : fmt::format("`.{}`", value);
    return rule.never ? subject + " cannot be used" : fmt::format("{} does not go with {}", subject, with);
  }
  return {};
}

const std::vector<PtxForm>* ptx_forms(std::string_view family) {
  static thread_local std::map<std::string, std::vector<PtxForm>, std::less<>> parsed;
  auto found = parsed.find(family);
  if (found != parsed.end()) return &found->second;
  auto known = rows().find(family);
  if (known == rows().end()) return nullptr;
  std::vector<PtxForm>& forms = parsed[std::string(family)];
  for (const PtxRow* row : known->second) forms.push_back(parse(*row));
  return &forms;
}

const PtxForm* ptx_form(std::string_view name) {
  static const std::unordered_map<std::string_view, std::string_view> families = [] {
    std::unordered_map<std::string_view, std::string_view> made;
    for (const PtxRow& row : ptx_rows()) made[row.name] = row.family;
    return made;
  }();
  auto family = families.find(name);
  if (family == families.end()) return nullptr;
  for (const PtxForm& form : *ptx_forms(family->second)) {
    if (form.row->name == name) return &form;
  }
  return nullptr;
}

std::vector<std::string> ptx_families() {
  std::vector<std::string> names;
  for (const auto& [family, forms] : rows()) names.emplace_back(family);
  return names;
}

}  // namespace mlc::ir
