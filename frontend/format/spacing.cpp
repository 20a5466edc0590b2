// SPDX-License-Identifier: Apache-2.0
// One walk over the words of a logical line: which have a blank before them, how deep they stand, and where
// the line may be broken.
#include <unordered_map>

#include "frontend/format/line.h"

namespace mlc::format {
namespace {

using Kind = Leaf::Kind;

bool is_constant(const Leaf& leaf) {
  return leaf.is("None") || leaf.is("True") || leaf.is("False") || leaf.is("...");
}
// A value may end here, so that what follows is an operator, a call or a subscript.
bool ends_operand(const Leaf* leaf) {
  if (leaf == nullptr) return false;
  return leaf->kind == Kind::kName || leaf->kind == Kind::kNumber || leaf->kind == Kind::kString ||
         leaf->closes() || is_constant(*leaf);
}

Priority operator_priority(std::string_view text) {
  static const std::unordered_map<std::string_view, Priority> table = {
      {"**", kPower},      {"*", kTerm},        {"/", kTerm},        {"//", kTerm},       {"%", kTerm},
      {"@", kTerm},        {"+", kArith},       {"-", kArith},       {"<<", kShift},      {">>", kShift},
      {"&", kBitAnd},      {"^", kBitXor},      {"|", kBitOr},       {"<", kComparison},  {">", kComparison},
      {"==", kComparison}, {"!=", kComparison}, {"<=", kComparison}, {">=", kComparison},
  };
  auto found = table.find(text);
  return found == table.end() ? kNoBreak : found->second;
}

class Analysis {
 public:
  explicit Analysis(std::vector<Leaf*>& leaves) : leaves_(leaves) {}

  void run() {
    frames_.push_back({'0'});
    for (const Leaf* leaf : leaves_) {
      if (!leaf->comment()) words_.push_back(leaf);
    }
    if (leaves_[0]->keyword("def")) definition_ = true;
    if (leaves_[0]->keyword("from") || leaves_[0]->keyword("import")) import_ = true;
    for (at_ = 0; at_ < leaves_.size(); ++at_) visit(*leaves_[at_]);
    for (size_t i = 0; i + 1 < leaves_.size(); ++i) {
      if (!leaves_[i]->opens() || !leaves_[i]->optional) continue;
      leaves_[i]->space = leaves_[i + 1]->space;
      leaves_[i + 1]->space = false;
    }
  }

 private:
  struct Frame {
    char kind;  // '0' statement, 'c' call, 'p' parameters, 't' type parameters, 's' subscript, 'g' other
    uint32_t extra = 0;    // of `for` and `lambda` that are open in it
    uint32_t loops = 0;    // `for` without its `in`
    uint32_t lambdas = 0;  // `lambda` without its `:`
    bool comprehension = false;
    bool annotated = false;  // the current parameter
    int slice = -1;          // the current subscript: 1 when its `:` stands between blanks, -1 not known yet
    uint32_t commas = 0;
    const Leaf* last_comma = nullptr;
  };

  uint32_t level() const {
    uint32_t sum = static_cast<uint32_t>(frames_.size()) - 1;
    for (const Frame& frame : frames_) sum += frame.extra;
    return sum;
  }

  void visit(Leaf& leaf) {
    if (leaf.comment()) {
      // A line may end here whatever stands around, also between `lambda` and its colon.
      leaf.level = level() - frames_.back().extra;
      return;
    }
    ++words_seen_;
    if (leaf.closes()) return close(leaf);
    Frame& frame = frames_.back();
    if (frame.loops > 0 && leaf.keyword("in")) {
      --frame.loops;
      --frame.extra;
      loop_in_ = &leaf;
    }
    bool lambda_colon = frame.lambdas > 0 && leaf.is(":") && leaf.kind == Kind::kOperator;
    if (lambda_colon) {
      --frame.lambdas;
      --frame.extra;
    }
    leaf.level = level();
    leaf.unary = leaf.kind == Kind::kOperator && !ends_operand(previous_) && !starts_statement() &&
                 (leaf.is("-") || leaf.is("+") || leaf.is("~") || leaf.is("*") || leaf.is("**"));
    if (previous_ == nullptr && leaf.kind == Kind::kOperator) leaf.unary = !leaf.is("@");
    leaf.space = space_before(leaf, frame, lambda_colon);
    if (Priority priority = break_before(leaf, frame); priority != kNoBreak && previous_ != nullptr)
      last_leaf()->breaks = priority;
    if (leaf.comma()) {
      leaf.breaks = kComma;
      ++frame.commas;
      frame.last_comma = &leaf;
      frame.annotated = false;
      frame.slice = -1;
    }
    if (leaf.is(":") && leaf.kind == Kind::kOperator && !lambda_colon) frame.annotated = true;
    if (leaf.opens()) return open(leaf);
    if (leaf.keyword("for")) {
      ++frame.loops;
      ++frame.extra;
      frame.comprehension = true;
    } else if (leaf.keyword("lambda")) {
      ++frame.lambdas;
      ++frame.extra;
    }
    previous_ = &leaf;
    last_index_ = at_;
  }

  // Invisible brackets stand between words without being one.
  Leaf* last_leaf() { return leaves_[at_ - 1]->comment() ? leaves_[last_index_] : leaves_[at_ - 1]; }
  bool starts_statement() const { return previous_ == nullptr; }

  void open(Leaf& leaf) {
    char kind = 'g';
    if (!leaf.literal && leaf.is("(")) kind = definition_ && frames_.size() == 1 && !parameters_ ? 'p' : 'c';
    if (!leaf.literal && leaf.is("[")) kind = definition_ && frames_.size() == 1 && !parameters_ ? 't' : 's';
    if (kind == 'p') parameters_ = true;
    if (leaf.optional) kind = 'g';
    frames_.push_back({kind});
    if (!leaf.optional) {
      previous_ = &leaf;
      last_index_ = at_;
    }
  }

  void close(Leaf& leaf) {
    Frame frame = frames_.back();
    frames_.pop_back();
    leaf.level = level();
    leaf.mate->level = leaf.level;
    leaf.one_tuple = frame.commas == 1 && previous_ == frame.last_comma &&
                     ((leaf.mate->literal && leaf.mate->is("(") && !import_) || frame.kind == 's');
    leaf.space = false;
    if (!leaf.optional) {
      previous_ = &leaf;
      last_index_ = at_;
    }
  }

  bool space_before(Leaf& leaf, Frame& frame, bool lambda_colon) {
    const Leaf* prev = previous_;
    if (prev == nullptr || prev->opens()) return false;
    if (leaf.kind == Kind::kOperator && (leaf.is(",") || leaf.is(";"))) return false;
    if (prev->unary) return false;
    if (leaf.kind == Kind::kOperator && leaf.is(":")) {
      if (lambda_colon) lambda_colon_ = &leaf;
      if (lambda_colon || frame.kind != 's') return false;
      return prev->comma() || (slice_is_complex(frame) && !prev->is(":"));
    }
    if (prev->is(":") && prev->kind == Kind::kOperator && frame.kind == 's' && prev != lambda_colon_)
      return slice_is_complex(frame);
    if (leaf.is("=") || prev->is("=")) {
      bool named = frame.kind == 'c' || frame.lambdas > 0 || (frame.kind == 'p' && !frame.annotated);
      if (named && (leaf.kind == Kind::kOperator || prev->kind == Kind::kOperator)) return false;
    }
    if (leaf.is(".") && leaf.kind == Kind::kOperator)
      return prev->kind == Kind::kNumber || prev->keyword("from") || prev->keyword("import");
    if (import_ && (prev->is(".") || prev->is("..."))) return leaf.keyword("import");
    if (prev->is(".") && prev->kind == Kind::kOperator) return false;
    if (prev->is("@") && at_decorator_) return false;
    if (leaf.opens() && !leaf.optional && !leaf.literal) return false;
    if (leaf.is("**") && !leaf.unary && leaf.kind == Kind::kOperator) {
      hugging_ = hugs();
      return !hugging_;
    }
    if (prev->is("**") && prev->kind == Kind::kOperator && hugging_) return false;
    return true;
  }

  // `a[i + 1 : n]`, but `a[i:n]`: blanks where one of the bounds is more than a name or number.
  bool slice_is_complex(Frame& frame) {
    if (frame.slice >= 0) return frame.slice == 1;
    size_t begin = at_;
    size_t depth = 0;
    while (begin > 0) {
      const Leaf& leaf = *leaves_[begin - 1];
      if (leaf.closes()) ++depth;
      if (leaf.opens() && depth-- == 0) break;
      if (depth == 0 && leaf.comma()) break;
      --begin;
    }
    bool complex = false;
    const Leaf* word = nullptr;  // the last one
    depth = 0;
    for (size_t i = begin; i < leaves_.size() && !complex; ++i) {
      const Leaf& leaf = *leaves_[i];
      if (leaf.closes() && depth-- == 0) break;
      if (leaf.comma() && depth == 0) break;
      if (leaf.opens()) {
        ++depth;
        complex = !leaf.literal;
      }
      bool sign = leaf.is("-") || leaf.is("+") || leaf.is("~");
      bool prefix = word == nullptr || word->is(":") || word->opens();
      if (!leaf.comment()) word = &leaf;
      if (leaf.kind == Kind::kOperator && !leaf.is(":") && !leaf.is("...") && !(sign && prefix) &&
          !leaf.comma())
        complex = true;
      if (leaf.kind == Kind::kKeyword && !is_constant(leaf)) complex = true;
    }
    frame.slice = complex ? 1 : 0;
    return complex;
  }

  // `x**2`, `a.b**-1`: names, numbers and attributes are bound tightly by `**`.
  bool hugs() const {
    size_t i = words_seen_ - 1;
    auto leaf = [&](size_t k) -> const Leaf& { return *words_[k]; };
    if (i == 0 || i + 1 >= words_.size()) return false;
    size_t left = i - 1;
    if (leaf(left).kind == Kind::kNumber) {
    } else if (leaf(left).kind == Kind::kName) {
      while (left >= 2 && leaf(left - 1).is(".") && leaf(left - 2).kind == Kind::kName) left -= 2;
      if (left >= 1 && leaf(left - 1).is(".")) return false;
    } else {
      return false;
    }
    size_t right = i + 1;
    bool sign = leaf(right).is("-");
    if (sign && right + 1 < words_.size()) ++right;
    if (leaf(right).kind == Kind::kNumber) return true;
    if (sign || leaf(right).kind != Kind::kName) return false;
    while (right + 2 < words_.size() && leaf(right + 1).is(".") && leaf(right + 2).kind == Kind::kName)
      right += 2;
    return right + 1 >= words_.size() || !leaf(right + 1).opens() || leaf(right + 1).literal;
  }

  Priority break_before(const Leaf& leaf, const Frame& frame) {
    const Leaf* prev = previous_;
    if (prev == nullptr || leaf.unary) return kNoBreak;
    if (leaf.kind == Kind::kOperator) {
      if (leaf.is(".")) return !import_ && !at_decorator_ && prev->closes() ? kDot : kNoBreak;
      if (import_) return kNoBreak;
      if (frame.kind == 'p' && (leaf.is("*") || leaf.is("/") || leaf.is("**")) &&
          (prev->comma() || prev->opens()))
        return kNoBreak;
      return operator_priority(leaf.text);
    }
    if (leaf.kind == Kind::kString) return prev->kind == Kind::kString ? kStrings : kNoBreak;
    if (leaf.kind != Kind::kKeyword) return kNoBreak;
    if (leaf.is("for")) return frames_.size() > 1 ? kComprehension : kNoBreak;
    if (leaf.is("if")) return frame.comprehension ? kComprehension : kTernary;
    if (leaf.is("else")) return kTernary;
    if (leaf.is("and") || leaf.is("or")) return kLogic;
    if (leaf.is("is")) return kComparison;
    if (leaf.is("in")) return &leaf != loop_in_ && !prev->keyword("not") ? kComparison : kNoBreak;
    if (leaf.is("not")) return ends_operand(prev) ? kComparison : kNoBreak;
    return kNoBreak;
  }

  std::vector<Leaf*>& leaves_;
  std::vector<const Leaf*> words_;  // the leaves that are no comments
  size_t words_seen_ = 0;
  std::vector<Frame> frames_;
  const Leaf* previous_ = nullptr;  // the last written word
  size_t last_index_ = 0;
  size_t at_ = 0;
  const Leaf* loop_in_ = nullptr;
  bool definition_ = false;
  bool parameters_ = false;  // those of the definition have been seen
  bool import_ = false;
  bool hugging_ = false;
  const Leaf* lambda_colon_ = nullptr;
  bool at_decorator_ = !leaves_.empty() && leaves_[0]->is("@");
};

}  // namespace

void analyse(std::vector<Leaf*>& leaves) { Analysis(leaves).run(); }

}  // namespace mlc::format
