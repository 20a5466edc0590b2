// SPDX-License-Identifier: Apache-2.0
// Which pages hold the positions of which sequence. A page is a number; what is in it is the cache's matter.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace mlc::vm {

// A sequence that is kept. Its n-th position lies in slot n of its pages, counted through; once a window has
// slid, the first `pinned` positions (the sink) stay and the others begin at slot `offset`.
struct PagedSequence {
  std::vector<int32_t> pages;
  int64_t length = 0;
  int64_t prefix = 0;  // positions, in whole pages, that a fork has made common property: they do not slide
  int64_t window = 0;  // positions that are kept; 0 is all of them
  int64_t sink = 0;    // positions at the beginning that stay, as asked for
  int64_t pinned = 0, offset = 0;
  // The token tree at its end, of which nothing has been accepted yet: the parent of each node, or -1.
  std::vector<int64_t> tree_parents;

  int64_t slot(int64_t position) const { return position < pinned ? position : position - pinned + offset; }
  int64_t used_slots() const { return length == 0 ? 0 : slot(length - 1) + 1; }
  int64_t kept_sink() const { return prefix > sink ? prefix : sink; }
};

class PageTable {
 public:
  PageTable(int64_t pages, int64_t page_size, bool windows_slide);

  // All of these either do what they say or refuse and change nothing. Errors: paged-cache-*.
  void clear();
  void add(int64_t id);
  void remove(int64_t id);
  // A page of which the first positions are to be copied into another one.
  struct Copy {
    int32_t from = 0, to = 0;
    int64_t positions = 0;  // 0: nothing is to be copied
  };
  // The child has the first `at` positions of the parent (-1: all of them): whole pages are shared, the rest
  // is copied.
  Copy fork(int64_t parent, int64_t child, int64_t at);
  Copy pop(int64_t id, int64_t count);
  void slide_window(int64_t id, int64_t window, int64_t sink);
  // Makes room for more positions, and slides the window over them. Returns the page slot of each (page *
  // size + slot), -1 for one that the window has passed already.
  std::vector<int32_t> append(int64_t id, int64_t count);
  // Where the positions from `first` to before `last` lie.
  std::vector<int32_t> slots(int64_t id, int64_t first, int64_t last) const;

  PagedSequence& at(int64_t id);
  const PagedSequence& at(int64_t id) const { return const_cast<PageTable*>(this)->at(id); }
  void check_no_tree(int64_t id) const;
  bool empty() const { return sequences_.empty(); }
  int64_t free_pages() const { return static_cast<int64_t>(free_.size()); }
  int64_t total_length() const;
  int64_t page_size() const { return page_size_; }

 private:
  int32_t place(const PagedSequence& sequence, int64_t slot) const;  // among the slots of all pages
  int32_t take();
  void release(int32_t page);
  void slide(PagedSequence& sequence);

  int64_t page_size_;
  bool windows_slide_;  // else windows are marked and nothing slides: layers look back by themselves
  std::map<int64_t, PagedSequence> sequences_;
  std::vector<int32_t> free_;
  std::vector<int32_t> users_;  // sequences that a page belongs to
};

}  // namespace mlc::vm
