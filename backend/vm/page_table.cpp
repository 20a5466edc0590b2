// SPDX-License-Identifier: Apache-2.0
#include "backend/vm/page_table.h"

#include <algorithm>

#include "ir/core/refusal.h"

namespace mlc::vm {

static constexpr ir::Refusals refusals{
    "InternalError",
    {
        {.name = "paged-cache-no-sequence",
         .message = "the cache has no sequence {}",
         .help = "`vm.builtin.kv_state_add_sequence` adds one"},
        {.name = "paged-cache-sequence", .message = "the cache has a sequence {} already"},
        {.name = "paged-cache-full",
         .message = "the cache is full: {} pages are free",
         .help = "remove sequences, or make the cache with a larger `max_total_seq_len`"},
        {.name = "paged-cache-fork", .message = "sequence {} of {} positions cannot be forked at {}"},
        {.name = "paged-cache-fork-window",
         .message = "sequence {} has a sliding window, and can be forked up to position {}, the end of its "
                    "sink; {} is asked for"},
        {.name = "paged-cache-tree",
         .message = "sequence {} ends in a tree of tokens of which none has been accepted",
         .help = "`vm.builtin.attention_kv_cache_commit_accepted_token_tree_nodes` accepts a leaf, or -1 for "
                 "none"},
        {.name = "paged-cache-pop", .message = "{} positions are taken off sequence {}, which has {}"},
        {.name = "paged-cache-pop-window",
         .kind = "NotImplementedError",
         .message = "the window of sequence {} has slid: what it has passed is gone, and {} positions cannot "
                    "be taken off"},
        {.name = "paged-cache-window", .message = "a window of {} positions cannot have a sink of {}"},
        {.name = "paged-cache-window-twice", .message = "sequence {} has a sliding window already"},
        {.name = "paged-cache-append",
         .message = "{} positions are appended to sequence {}: there must be one at least"},
    }};
MLC_REFUSALS(vm_page_table, refusals);

namespace {

constexpr int32_t kLater = -1;  // a page that the window frees before anything is written

int64_t pages_for(int64_t slots, int64_t page_size) { return (slots + page_size - 1) / page_size; }

}  // namespace

PageTable::PageTable(int64_t pages, int64_t page_size, bool windows_slide)
    : page_size_(page_size), windows_slide_(windows_slide), users_(static_cast<size_t>(pages)) {
  clear();
}

void PageTable::clear() {
  sequences_.clear();
  std::fill(users_.begin(), users_.end(), 0);
  free_.clear();
  for (size_t page = users_.size(); page-- > 0;) free_.push_back(static_cast<int32_t>(page));
}

int32_t PageTable::take() {
  if (free_.empty()) throw refuse(refusals["paged-cache-full"], 0);
  int32_t page = free_.back();
  free_.pop_back();
  users_[static_cast<size_t>(page)] = 1;
  return page;
}

void PageTable::release(int32_t page) {
  if (--users_[static_cast<size_t>(page)] == 0) free_.push_back(page);
}

PagedSequence& PageTable::at(int64_t id) {
  auto found = sequences_.find(id);
  if (found == sequences_.end()) throw refuse(refusals["paged-cache-no-sequence"], id);
  return found->second;
}

void PageTable::check_no_tree(int64_t id) const {
  if (!at(id).tree_parents.empty()) throw refuse(refusals["paged-cache-tree"], id);
}

int64_t PageTable::total_length() const {
  int64_t total = 0;
  for (const auto& [id, sequence] : sequences_) total += sequence.length;
  return total;
}

void PageTable::add(int64_t id) {
  if (!sequences_.emplace(id, PagedSequence()).second) throw refuse(refusals["paged-cache-sequence"], id);
}

void PageTable::remove(int64_t id) {
  for (int32_t page : at(id).pages) release(page);
  sequences_.erase(id);
}

PageTable::Copy PageTable::fork(int64_t parent_id, int64_t child_id, int64_t position) {
  PagedSequence& parent = at(parent_id);
  if (sequences_.contains(child_id)) throw refuse(refusals["paged-cache-sequence"], child_id);
  if (position < -1 || position > parent.length)
    throw refuse(refusals["paged-cache-fork"], parent_id, parent.length, position);
  check_no_tree(parent_id);
  if (position == -1) position = parent.length;
  if (parent.window > 0 && position > parent.kept_sink())
    throw refuse(refusals["paged-cache-fork-window"], parent_id, parent.kept_sink(), position);
  int64_t whole = position / page_size_, rest = position % page_size_;
  if (rest > 0 && free_.empty()) throw refuse(refusals["paged-cache-full"], 0);
  PagedSequence child;
  child.length = position;
  child.prefix = whole * page_size_;
  child.pages.assign(parent.pages.begin(), parent.pages.begin() + whole);
  for (int32_t page : child.pages) ++users_[static_cast<size_t>(page)];
  parent.prefix = std::max(parent.prefix, child.prefix);
  Copy copy;
  if (rest > 0) {
    copy = {parent.pages[static_cast<size_t>(whole)], take(), rest};
    child.pages.push_back(copy.to);
  }
  sequences_.emplace(child_id, std::move(child));
  return copy;
}

PageTable::Copy PageTable::pop(int64_t id, int64_t count) {
  PagedSequence& sequence = at(id);
  if (count < 0 || count > sequence.length)
    throw refuse(refusals["paged-cache-pop"], count, id, sequence.length);
  check_no_tree(id);
  if (count == 0) return {};
  int64_t left = sequence.length - count;
  if (left < sequence.pinned) throw refuse(refusals["paged-cache-pop-window"], id, count);
  int64_t slots = left == 0 ? 0 : sequence.slot(left - 1) + 1;
  int64_t pages = pages_for(slots, page_size_), rest = slots % page_size_;
  // What is appended next goes into the last page: it must be this sequence's own.
  bool shared = rest > 0 && users_[static_cast<size_t>(sequence.pages[static_cast<size_t>(pages - 1)])] > 1;
  int64_t dropped = static_cast<int64_t>(sequence.pages.size()) - pages;
  bool frees = std::any_of(sequence.pages.end() - dropped, sequence.pages.end(),
                           [&](int32_t page) { return users_[static_cast<size_t>(page)] == 1; });
  if (shared && free_.empty() && !frees) throw refuse(refusals["paged-cache-full"], 0);
  for (; dropped > 0; --dropped) {
    release(sequence.pages.back());
    sequence.pages.pop_back();
  }
  sequence.length = left;
  if (left == 0) sequence.offset = 0;
  sequence.prefix = std::min(sequence.prefix, left / page_size_ * page_size_);
  if (!shared) return {};
  Copy copy{sequence.pages.back(), take(), rest};
  release(copy.from);
  sequence.pages.back() = copy.to;
  return copy;
}

void PageTable::slide_window(int64_t id, int64_t window, int64_t sink) {
  PagedSequence& sequence = at(id);
  int64_t stays = std::max(sink, sequence.prefix);
  if (window <= 0 || sink < 0 || stays >= window) throw refuse(refusals["paged-cache-window"], window, stays);
  if (sequence.window > 0) throw refuse(refusals["paged-cache-window-twice"], id);
  sequence.window = window;
  sequence.sink = sink;
}

// Forgets what the window has passed. The page in which the window begins is the last one of the sink or the
// one behind it.
void PageTable::slide(PagedSequence& sequence) {
  int64_t passed = sequence.length - sequence.window;
  if (!windows_slide_ || sequence.window == 0 || passed <= 0) return;
  if (sequence.offset == 0) sequence.pinned = sequence.offset = sequence.kept_sink();  // the first time
  int64_t sink_pages = pages_for(sequence.pinned, page_size_);
  int64_t begin = sequence.offset + passed;
  for (; begin / page_size_ > sink_pages; begin -= page_size_) {
    auto page = sequence.pages.begin() + sink_pages;
    if (*page != kLater) release(*page);
    sequence.pages.erase(page);
  }
  sequence.offset = begin;
  sequence.length = sequence.window;
}

int32_t PageTable::place(const PagedSequence& sequence, int64_t slot) const {
  int64_t page = sequence.pages[static_cast<size_t>(slot / page_size_)];
  return static_cast<int32_t>(page * page_size_ + slot % page_size_);
}

std::vector<int32_t> PageTable::append(int64_t id, int64_t count) {
  PagedSequence& sequence = at(id);
  if (count <= 0) throw refuse(refusals["paged-cache-append"], count, id);
  int64_t before = sequence.length;
  int64_t wanted = pages_for(sequence.slot(before + count - 1) + 1, page_size_);
  bool slides = windows_slide_ && sequence.window > 0;
  while (static_cast<int64_t>(sequence.pages.size()) < wanted)
    sequence.pages.push_back(free_.empty() && slides ? kLater : take());
  sequence.length += count;
  slide(sequence);
  for (int32_t& page : sequence.pages)
    if (page == kLater) page = take();
  std::vector<int32_t> where;
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = sequence.length - count + i, slot = -1;
    if (before + i < sequence.pinned)
      slot = before + i;  // a part of the sink that has not been there
    else if (position >= sequence.pinned)
      slot = sequence.slot(position);
    where.push_back(slot < 0 ? -1 : place(sequence, slot));
  }
  return where;
}

std::vector<int32_t> PageTable::slots(int64_t id, int64_t first, int64_t last) const {
  const PagedSequence& sequence = at(id);
  std::vector<int32_t> where;
  for (int64_t position = first; position < last; ++position)
    where.push_back(place(sequence, sequence.slot(position)));
  return where;
}

}  // namespace mlc::vm
