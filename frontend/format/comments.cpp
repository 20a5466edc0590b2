// SPDX-License-Identifier: Apache-2.0
// Where the comments of a logical line stand. A comment ends its line, so those between words that no line
// may part (`x = # c`, `f # c (y)`, `a # c, b`) move on to the next word after which one may end; those of an
// operator that have lines of their own stand before it. Their order stays.
#include "frontend/format/line.h"

namespace mlc::format {
namespace {

class Settler {
 public:
  Settler(std::vector<Leaf*>& leaves, std::deque<Leaf>& store) : leaves_(leaves), store_(store) {}

  void run() {
    if (!has_any()) return;
    for (size_t i = 0; i < leaves_.size(); ++i) {
      Leaf* leaf = leaves_[i];
      if (!leaf->comment()) {
        i = read_word(leaf, i);
      } else if (ends_line_) {
        out_.push_back(leaf);
      } else {
        carried_.push_back(leaf->text);
      }
    }
    leaves_ = std::move(out_);
  }

 private:
  bool has_any() const {
    for (const Leaf* leaf : leaves_) {
      if (leaf->comment() || !leaf->comments.empty()) return true;
    }
    return false;
  }

  // The index of the last leaf that is dealt with.
  size_t read_word(Leaf* leaf, size_t at) {
    if (leaf->closes()) levels_.pop_back();
    size_t next = at + 1;
    while (next < leaves_.size() && leaves_[next]->comment()) ++next;
    const Leaf* follower = next < leaves_.size() ? leaves_[next] : nullptr;
    // The targets of `for` and the parameters of `lambda` stay together.
    bool whole = leaf->level == levels_.back();
    bool parted = word_ != nullptr && whole && word_->level == leaf->level && word_->breaks != kNoBreak &&
                  word_->breaks != kComma && word_->breaks != kStrings;
    bool empty = leaf->opens() && follower == leaf->mate;
    ends_line_ =
        (leaf->breaks != kNoBreak && whole) || leaf->opens() || follower == nullptr || follower->closes();
    word_ = leaf;
    if (parted && !ends_line_ && next > at + 1) {
      for (const std::string& comment : leaf->comments) out_.push_back(own_line(comment));
      for (size_t i = at + 1; i < next; ++i) out_.push_back(leaves_[i]);
      leaf->comments.clear();
      out_.push_back(leaf);
      return next - 1;
    }
    carried_.insert(carried_.end(), leaf->comments.begin(), leaf->comments.end());
    leaf->comments.clear();
    out_.push_back(leaf);
    if (leaf->opens()) levels_.push_back(leaf->level + 1);
    if (!ends_line_ || carried_.empty()) return at;
    if (follower == nullptr) {
      leaf->comments = std::move(carried_);
    } else {
      size_t rest = 0;
      if (!empty) leaf->comments.push_back(carried_[rest++]);
      for (; rest < carried_.size(); ++rest) out_.push_back(own_line(carried_[rest]));
    }
    carried_.clear();
    return at;
  }

  Leaf* own_line(const std::string& comment) {
    Leaf& leaf = store_.emplace_back();
    leaf.kind = Leaf::Kind::kComment;
    leaf.text = comment;
    leaf.level = levels_.back();
    return &leaf;
  }

  std::vector<Leaf*>& leaves_;
  std::deque<Leaf>& store_;
  std::vector<Leaf*> out_;
  std::vector<std::string> carried_;  // that have no place yet
  const Leaf* word_ = nullptr;        // the last one
  bool ends_line_ = true;             // a line may end after it
  std::vector<uint32_t> levels_{0};   // of what stands in the open brackets
};

}  // namespace

void settle_comments(std::vector<Leaf*>& leaves, std::deque<Leaf>& store) { Settler(leaves, store).run(); }

}  // namespace mlc::format
