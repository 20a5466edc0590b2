// SPDX-License-Identifier: Apache-2.0
// The names in scope while printing: every variable gets its own name, or the name and the first free
// suffix; a frame that ends gives its names back.
#pragma once

#include "ir/core/visit.h"

namespace mlc::print {

namespace ffi = ::tvm::ffi;

// One level of scoping: a function, a loop, a block, a branch.
struct Frame {
  const ffi::Object* node = nullptr;  // null: the root of what is printed
  size_t insert_at = 0;               // where the text of its current statement starts; npos: not begun
  std::string waiting;                // declarations for its first statement, while it has not begun
  int depth = 0;
  size_t defined = 0;  // how many definitions there were when it began
};

// `hint_0x55d0c3a1b2c0`
std::string with_address(std::string_view hint, const ffi::Object* node);

// What a name may be called in a text: other characters become `_`.
std::string as_identifier(std::string_view hint);

// Does the buffer stand for a tensor of te, which has no name in a text?
bool is_tensor_expression(const ir::VarNode* buffer);

class Names {
 public:
  // `alias`: what functions of graphs call their module.
  explicit Names(std::string_view alias);

  // Null when the variable has no name yet.
  const std::string* find(const ir::VarNode* var) const;
  const ir::ForNode* loop_of(const ir::VarNode* var) const;
  // Gives `var` a name in the innermost frame (or in frame number `frame`).
  const std::string& define(const ir::VarNode* var, std::string_view hint);
  const std::string& define_in(size_t frame, const ir::VarNode* var, std::string_view hint);
  // A name that is an expression, such as `A.strides[0]`; takes no name from others.
  void define_as(const ir::VarNode* var, std::string text);
  void define_loop(const ir::ForNode* loop);
  // From here on every name ends in the address of its variable, as `x_0x55d0c3a1b2c0`.
  void show_addresses() { addresses_ = true; }
  void reserve(std::string_view name) { taken_.emplace(name, 1); }

  void push(const ffi::Object* node, int depth, size_t insert_at);
  void pop();
  Frame& innermost() { return frames_.back(); }
  std::vector<Frame>& frames() { return frames_; }
  // The innermost frame that encloses every use of `var` below `root`; 0 when there is none.
  size_t frame_of_uses(const ir::VarNode* var, const ir::Any& root);
  // True when `var` is used outside of `node` below `root`.
  bool used_outside(const ir::VarNode* var, const ffi::Object* node, const ir::Any& root);

 private:
  struct Name {
    std::string text;
    std::string hint;  // empty: not taken from the pool
    int suffix = 0;
    const ir::ForNode* loop = nullptr;
  };
  std::string pick(std::string_view hint, Name& name);
  void release(const ir::VarNode* var);
  void find_uses(const ir::Any& root);

  std::unordered_map<const ir::VarNode*, Name> names_;
  std::unordered_map<std::string, int> taken_;  // name in use -> 1; hint -> first suffix worth trying
  std::unordered_map<std::string, int> next_;
  std::vector<std::vector<const ir::VarNode*>> defined_;  // by frame
  std::vector<Frame> frames_;
  bool addresses_ = false;
  bool uses_known_ = false;  // uses_ is of uses_of_, found when first asked for
  const ffi::Object* uses_of_ = nullptr;
  std::unordered_map<const ir::VarNode*, std::vector<const ffi::Object*>> uses_;  // nodes around all uses
};

}  // namespace mlc::print
