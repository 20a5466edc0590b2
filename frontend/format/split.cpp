// SPDX-License-Identifier: Apache-2.0
// Breaks lines that are too long, in the manner of Black: at the last bracket from the right that helps, what
// is inside on lines of its own, one per item when it does not fit on one.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "frontend/format/format.h"
#include "frontend/format/line.h"

namespace mlc::format {
namespace {

// A stretch of one logical line.
struct Line {
  std::vector<Leaf*> leaves;
  int depth = 0;
  bool inside = false;   // it stands between brackets, where a line may end after any word
  bool explode = false;  // one item per line, whether it fits or not
  bool def = false;      // the header of a function
  bool import = false;

  bool is_comment() const { return leaves.size() == 1 && leaves[0]->comment(); }
};

struct Split {
  Line head;
  Line body;
  Line tail;
  Leaf* open = nullptr;
  bool add_comma = false;  // after the only parameter, and after imported names
};

using Omitted = std::unordered_set<const Leaf*>;

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
size_t columns(const Leaf& leaf) {
  size_t sum = columns(leaf.text) + (leaf.space ? 1 : 0);
  for (const std::string& comment : leaf.comments) sum += 2 + columns(comment);
  return sum;
}

uint32_t base_level(const Line& line) {
  uint32_t base = static_cast<uint32_t>(-1);
  for (const Leaf* leaf : line.leaves) base = std::min(base, leaf->level);
  return base;
}

// The tightest place to break that stands outside of brackets; the last leaf does not count.
Priority loosest(const Line& line, size_t* count = nullptr) {
  uint32_t base = base_level(line);
  Priority most = kNoBreak;
  size_t found = 0;
  for (size_t i = 0; i + 1 < line.leaves.size(); ++i) {
    const Leaf& leaf = *line.leaves[i];
    if (leaf.level != base || leaf.breaks == kNoBreak) continue;
    if (leaf.breaks > most) {
      most = leaf.breaks;
      found = 0;
    }
    if (leaf.breaks == most) ++found;
  }
  if (count != nullptr) *count = found;
  return most;
}

class Writer {
 public:
  Writer(Document& document, std::string& out) : document_(document), out_(out) {}

  void write(const LogicalLine& source) {
    Line line;
    line.leaves = source.leaves;
    line.depth = source.depth;
    line.def = source.def();
    line.import = source.import();
    layout(line);
  }

 private:
  // ---- measures ----

  // Does it fit as one line? A string of several lines takes part with its first and last.
  static bool fits(const Line& line, size_t limit = kLineLength) {
    size_t width = static_cast<size_t>(line.depth) * 4;
    size_t comments = 0;
    for (size_t i = 0; i < line.leaves.size(); ++i) {
      const Leaf& leaf = *line.leaves[i];
      if (leaf.comment() && line.leaves.size() > 1) return false;
      if (leaf.space && i > 0) ++width;
      if (leaf.multiline()) {
        if (width + columns(std::string_view(leaf.text).substr(0, leaf.text.find('\n'))) > limit)
          return false;
        width = columns(std::string_view(leaf.text).substr(leaf.text.rfind('\n') + 1));
      } else {
        width += columns(leaf.text);
      }
      for (const std::string& comment : leaf.comments) comments += 2 + columns(comment);
      if (width > limit) return false;
    }
    return width + comments <= limit;
  }

  // A comma that the author put after the last item asks for one item per line.
  static bool has_magic_comma(const Line& line) {
    for (size_t i = 1; i < line.leaves.size(); ++i) {
      const Leaf& leaf = *line.leaves[i];
      if (leaf.closes() && !leaf.one_tuple && leaf.mate != nullptr && comma_before(line, i)) return true;
    }
    return false;
  }
  static bool comma_before(const Line& line, size_t close) {
    size_t i = close;
    while (i > 0 && line.leaves[i - 1]->comment()) --i;
    return i > 0 && line.leaves[i - 1]->comma();
  }

  // Comments that would end up behind words they do not belong to.
  static bool has_inner_comments(const Line& line) {
    if (line.leaves.size() == 1) return false;
    size_t last = line.leaves.size() - 1;
    while (last > 0 && line.leaves[last]->closes() && line.leaves[last]->optional) --last;
    for (size_t i = 0; i < last; ++i) {
      if (line.leaves[i]->comment() || !line.leaves[i]->comments.empty()) return true;
    }
    return line.leaves[last]->comment();
  }

  // ---- the choice ----

  void layout(const Line& line) {
    if (line.leaves.empty()) return;
    if (line.is_comment()) return emit(line);
    bool plain = !line.explode && !has_magic_comma(line) && !has_inner_comments(line);
    if (plain && fits(line)) return emit(line);
    if (line.def) {
      if (auto split = left_split(line)) return layout(*split);
      return emit(line);
    }
    if (line.inside && (split_delimiters(line) || split_comments(line))) return;
    if (auto split = right_split_with_omissions(line)) return layout(*split);
    emit(line);
  }

  void layout(Split& split) {
    show(*split.open);
    if (split.add_comma) append_comma(split.body);
    layout(split.head);
    layout(split.body);
    layout(split.tail);
  }

  static void show(Leaf& open) {
    open.text = open.text.empty() ? "(" : open.text;
    open.mate->text = open.mate->text.empty() ? ")" : open.mate->text;
  }

  // ---- at delimiters ----

  bool split_delimiters(const Line& line) {
    size_t count = 0;
    Priority priority = loosest(line, &count);
    if (priority == kNoBreak) return false;
    uint32_t base = base_level(line);
    if (priority == kDot && count == 1 && !has_own_comments(line)) return false;
    Line piece = part_of(line);
    std::vector<Line> pieces;
    auto finish = [&] {
      if (!piece.leaves.empty()) pieces.push_back(piece);
      piece.leaves.clear();
    };
    for (Leaf* leaf : line.leaves) {
      if (leaf->comment() && leaf->level == base) {
        finish();
        piece.leaves.push_back(leaf);
        finish();
        continue;
      }
      piece.leaves.push_back(leaf);
      if (leaf->level == base && leaf->breaks == priority) finish();
    }
    finish();
    if (priority == kComma) add_trailing_comma(pieces);
    for (const Line& one : pieces) layout(one);
    return true;
  }

  void add_trailing_comma(std::vector<Line>& pieces) {
    for (size_t i = pieces.size(); i-- > 0;) {
      if (pieces[i].is_comment()) continue;
      Leaf* last = pieces[i].leaves.back();
      if (!last->comma()) append_comma(pieces[i]);
      return;
    }
  }
  // Its comments follow the comma.
  void append_comma(Line& line) {
    size_t at = line.leaves.size();
    while (at > 0 && line.leaves[at - 1]->comment()) --at;
    Leaf* last = line.leaves[at - 1];
    Leaf& comma = document_.leaves.emplace_back();
    comma.kind = Leaf::Kind::kOperator;
    comma.text = ",";
    comma.breaks = kComma;
    comma.level = last->level;
    comma.comments = std::move(last->comments);
    last->comments.clear();
    line.leaves.insert(line.leaves.begin() + static_cast<ptrdiff_t>(at), &comma);
  }

  // Comments of their own between words that no delimiter separates.
  bool split_comments(const Line& line) {
    uint32_t base = base_level(line);
    bool any = false;
    for (const Leaf* leaf : line.leaves) any = any || (leaf->comment() && leaf->level == base);
    if (!any) return false;
    Line piece = part_of(line);
    for (Leaf* leaf : line.leaves) {
      if (leaf->comment() && leaf->level == base) {
        layout(piece);
        piece.leaves = {leaf};
        emit(piece);
        piece.leaves.clear();
      } else {
        piece.leaves.push_back(leaf);
      }
    }
    layout(piece);
    return true;
  }

  static Line part_of(const Line& line) {
    Line part;
    part.depth = line.depth;
    part.inside = line.inside;
    return part;
  }

  // ---- at brackets ----

  std::optional<Split> cut(const Line& line, size_t open, size_t close) {
    if (close == open + 1) return std::nullopt;
    Split split;
    split.open = line.leaves[open];
    auto begin = line.leaves.begin();
    auto at = [&](size_t i) { return begin + static_cast<ptrdiff_t>(i); };
    split.head.leaves.assign(begin, at(open + 1));
    split.body.leaves.assign(at(open + 1), at(close));
    split.tail.leaves.assign(at(close), line.leaves.end());
    split.head.depth = split.tail.depth = line.depth;
    split.head.import = line.import;
    split.body.depth = line.depth + 1;
    split.body.inside = true;
    bool comma = std::any_of(split.body.leaves.begin(), split.body.leaves.end(),
                             [](const Leaf* leaf) { return leaf->comma(); });
    split.add_comma = (line.import || (line.def && !comma)) && comma_is_safe(split.body);
    bool trailing = ends_with_comma(split.body);
    split.body.explode = loosest(split.body) == kComma &&
                         ((trailing && !line.leaves[close]->one_tuple) || split.open->literal);
    if (line.import) split.body.explode = loosest(split.body) == kComma;
    return split;
  }
  static bool ends_with_comma(const Line& line) {
    size_t at = line.leaves.size();
    while (at > 0 && line.leaves[at - 1]->comment()) --at;
    return at > 0 && line.leaves[at - 1]->comma();
  }
  static bool comma_is_safe(const Line& body) {
    if (ends_with_comma(body)) return false;
    for (const Leaf* leaf : body.leaves) {
      if (!leaf->comment()) return true;
    }
    return false;
  }

  // A function's header: at its parameters.
  std::optional<Split> left_split(const Line& line) {
    for (size_t i = 0; i < line.leaves.size(); ++i) {
      if (!line.leaves[i]->is("(")) {
        if (line.leaves[i]->is("[") && i == 2) {
          size_t close = index_of(line, line.leaves[i]->mate);
          size_t parameters = close + 1;
          if (index_of(line, line.leaves[parameters]->mate) == parameters + 1) return cut(line, i, close);
          i = close;
        }
        continue;
      }
      return cut(line, i, index_of(line, line.leaves[i]->mate));
    }
    return std::nullopt;
  }

  static size_t index_of(const Line& line, const Leaf* leaf) {
    return static_cast<size_t>(std::find(line.leaves.begin(), line.leaves.end(), leaf) - line.leaves.begin());
  }

  // The last pair of brackets that is not omitted.
  std::optional<Split> last_pair(const Line& line, const Omitted& omitted) {
    for (size_t close = line.leaves.size(); close-- > 0;) {
      Leaf* leaf = line.leaves[close];
      if (!leaf->closes()) continue;
      size_t open = close;
      while (open > 0 && line.leaves[open - 1] != leaf->mate) --open;
      if (open == 0) continue;  // opened on a line above
      --open;
      if (omitted.count(leaf) != 0) {
        // What is inside an omitted pair stays together, except that an optional pair is looked into.
        if (!leaf->optional || !leaf->text.empty()) close = open;
        continue;
      }
      if (close == open + 1) continue;
      if (open == 0 && !line.inside && leaf->optional) return std::nullopt;
      return cut(line, open, close);
    }
    return std::nullopt;
  }

  // Prefers an earlier bracket as long as all that follows it fits on the line of its closing one.
  std::optional<Split> right_split_with_omissions(const Line& line) {
    std::optional<Split> first;
    Omitted omitted;
    size_t width = static_cast<size_t>(line.depth) * 4;
    // Brackets around comments get a comma at their end, if they hold items.
    bool magic = has_magic_comma(line) || has_inner_comments(line);
    const Leaf* waited = nullptr;  // the opening bracket of the pair that is being passed
    const Leaf* passed = nullptr;  // the closing one of the last pair that was
    std::vector<const Leaf*> inner;
    auto attempt = [&]() -> std::optional<Split> {
      auto split = right_split(line, omitted);
      if (!split) return std::nullopt;
      if (!first) first = split;
      Line head = split->head;
      if (!fits_when_shown(head)) return std::nullopt;
      return split;
    };
    if (!magic) {
      if (auto split = attempt()) return split;
    }
    for (size_t i = line.leaves.size(); i-- > 0;) {
      const Leaf& leaf = *line.leaves[i];
      width += columns(leaf);
      if (width > kLineLength || leaf.comment() || !leaf.comments.empty()) break;
      if (waited != nullptr) {
        if (&leaf == waited) {
          waited = nullptr;
        } else if (leaf.closes()) {
          if (i > 0 && line.leaves[i - 1]->comma() && !leaf.one_tuple) break;
          inner.push_back(&leaf);
        }
        continue;
      }
      if (!leaf.closes()) continue;
      if (i > 0 && line.leaves[i - 1] == leaf.mate) {
        inner.push_back(&leaf);
        continue;
      }
      if (passed != nullptr) {
        omitted.insert(passed);
        omitted.insert(inner.begin(), inner.end());
        inner.clear();
        if (auto split = attempt()) return split;
      }
      if (i > 0 && line.leaves[i - 1]->comma() && !leaf.one_tuple) break;
      if (!leaf.text.empty()) {
        waited = leaf.mate;
        passed = &leaf;
      }
    }
    if (first) return first;
    return right_split(line, {});
  }

  static bool fits_when_shown(const Line& head) {
    size_t hidden = head.leaves.back()->text.empty() ? 1 : 0;
    return fits(head, kLineLength - hidden) && !has_magic_comma(head) && !has_inner_comments(head);
  }

  // The last pair; for an optional one, an inner pair where that looks better.
  std::optional<Split> right_split(const Line& line, const Omitted& omitted) {
    auto split = last_pair(line, omitted);
    if (!split) return std::nullopt;
    const Leaf& open = *split->open;
    if (!open.optional || !open.text.empty() || line.import) return split;
    if (has_own_comments(split->body)) return split;
    if (can_omit(*split)) {
      Omitted more = omitted;
      more.insert(open.mate);
      auto inner = right_split(line, more);
      if (inner && prefers(*inner, *split)) return inner;
      if (!inner && !fits(split->body)) return std::nullopt;
      if (inner && !fits(split->body) && loosest(split->body) == kNoBreak) return inner;
      return split;
    }
    return split;
  }

  // Comments outside of its brackets, which need a line end within it.
  static bool has_own_comments(const Line& body) {
    uint32_t base = base_level(body);
    for (size_t i = 0; i < body.leaves.size(); ++i) {
      const Leaf& leaf = *body.leaves[i];
      if (leaf.level != base) continue;
      if (leaf.comment() || (leaf.breaks != kNoBreak && i + 1 < body.leaves.size() && !leaf.comments.empty()))
        return true;
    }
    return false;
  }

  // May the value stand without parentheses, broken within its own brackets?
  static bool can_omit(const Split& split) {
    const Line& body = split.body;
    size_t count = 0;
    Priority priority = loosest(body, &count);
    if (priority == kNoBreak) return true;
    if (count > 1) return false;
    if (priority == kDot) return true;
    const Leaf* first = body.leaves.front();
    const Leaf* last = body.leaves.back();
    size_t limit = kLineLength;
    if (first->opens() && !first->text.empty() && body.leaves[1] != first->mate) {
      // All that follows the first bracket's end fits, up to the next bracket.
      size_t width = static_cast<size_t>(body.depth) * 4;
      bool remainder = false;
      bool good = true;
      for (const Leaf* leaf : body.leaves) {
        if (leaf == first->mate) remainder = true;
        if (!remainder) continue;
        width += columns(*leaf);
        if (width > limit) {
          good = false;
          break;
        }
        if (leaf->opens()) remainder = false;
      }
      if (good) return true;
    }
    bool bracket = last->is(")") || last->is("}") || (last->is("]") && last->literal);
    if (!bracket || body.leaves[body.leaves.size() - 2] == last->mate) return false;
    // All up to the last bracket fits, or there are others to break at.
    size_t width = static_cast<size_t>(body.depth) * 4;
    bool others = false;
    for (const Leaf* leaf : body.leaves) {
      width += columns(*leaf);
      if (leaf == last->mate) return others || width <= limit;
      if (leaf->opens()) others = true;
    }
    return false;
  }

  // `inner` breaks within the value, `outer` puts parentheses around it.
  static bool prefers(const Split& inner, const Split& outer) {
    const std::vector<Leaf*>& head = outer.head.leaves;
    auto is_assign = [](const Leaf* leaf) { return leaf->is("=") && leaf->kind == Leaf::Kind::kOperator; };
    if (head.size() < 2 || !is_assign(head[head.size() - 2])) return true;
    bool brackets =
        std::any_of(head.begin(), head.end() - 1, [](const Leaf* l) { return l->opens() || l->closes(); });
    if (!brackets || !fits(outer.head, kLineLength - 1) || has_magic_comma(outer.head) ||
        has_inner_comments(outer.head))
      return true;
    const std::vector<Leaf*>& leaves = inner.head.leaves;
    auto signs = [&](const std::vector<Leaf*>& all) {
      return std::count_if(all.begin(), all.end(), is_assign);
    };
    if (signs(head) > 1 && signs(head) > signs(leaves)) return false;
    for (size_t i = leaves.size(); i-- > 0 && !is_assign(leaves[i]);) {
      if (leaves[i]->closes()) return true;
    }
    return std::any_of(leaves.begin(), leaves.end(), is_assign) && fits(inner.head);
  }

  // ---- writing ----

  void emit(const Line& line) {
    auto indent = static_cast<size_t>(line.depth) * 4;
    // Two comments on one line would read as one: all but the last stand above it, within what it closes.
    size_t above = indent + (line.leaves[0]->closes() && !line.leaves[0]->text.empty() ? 4 : 0);
    const std::string* last = nullptr;
    for (const Leaf* leaf : line.leaves) {
      for (const std::string& comment : leaf->comments) {
        if (last != nullptr) out_.append(above, ' ').append(*last).append("\n");
        last = &comment;
      }
    }
    out_.append(indent, ' ');
    bool first = true;
    for (const Leaf* leaf : line.leaves) {
      if (leaf->comment() && !first) {
        out_ += "  ";  // where nothing could be broken
      } else if (leaf->space && !first) {
        out_ += ' ';
      }
      out_ += leaf->text;
      first = first && leaf->text.empty();
    }
    if (last != nullptr) out_.append("  ").append(*last);
    out_ += '\n';
  }

  Document& document_;
  std::string& out_;
};

}  // namespace

void write_line(Document& document, const LogicalLine& line, std::string& out) {
  Writer(document, out).write(line);
}

}  // namespace mlc::format
