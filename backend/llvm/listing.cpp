// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/listing.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "backend/llvm/listing_parts.h"

namespace mlc::llvm_backend {

namespace {

// Entries, what they share, and what hands arguments to threads have such names; no kernel has (emit_entry.cpp,
// emit_c_entry.cpp, emit_parallel.cpp).
bool is_entry_name(std::string_view name) {
  return name.starts_with("__tvm_ffi_") || name.starts_with("mlc_") || name.ends_with("_parallel_task") ||
         name.find("_compute") == std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

uint32_t number(std::string_view text) {
  uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The text between the n-th pair of quotes.
std::string quoted(std::string_view text, int n) {
  for (;; --n) {
    size_t begin = text.find('"');
    size_t end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
    if (end == std::string_view::npos) return "";
    if (n == 0) return std::string(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
}

// Assembly as LLVM writes it, comments included: they say where loops begin and which instructions spill.
class AssemblyReader {
 public:
  std::vector<ListedFunction> read(std::string_view text) {
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      read_line(line);
    }
    return std::move(functions_);
  }

 private:
  // Where a comment begins, which depends on the architecture.
  static size_t comment_of(std::string_view line) {
    for (std::string_view mark : {"# ", "#=", "// ", "//=", "@ ", "@="})
      if (size_t at = line.find(mark); at != std::string_view::npos) return at;
    return line.size();
  }

  void read_line(std::string_view line) {
    size_t end = comment_of(line);
    std::string_view comment = line.substr(end), code = trimmed(line.substr(0, end));
    if (comment.find("Inner Loop Header") != std::string_view::npos) header_ = label_;
    if (code.empty()) return;
    if (code.starts_with(".type") && (code.ends_with("@function") || code.ends_with("%function"))) {
      std::string_view name = trimmed(code.substr(5));
      coming_ = name.substr(0, name.find(','));
      return;
    }
    if (code.ends_with(':')) return read_label(code, comment);
    if (code.starts_with(".file")) {
      std::string_view rest = trimmed(code.substr(5));
      std::string second = quoted(rest, 1);
      files_[number(rest)] = second.empty() ? quoted(rest, 0) : second;
      return;
    }
    if (code.starts_with(".loc")) {
      std::string_view rest = trimmed(code.substr(4));
      file_ = files_[number(rest)];
      line_ = number(trimmed(rest.substr(std::min(rest.find_first_of(" \t"), rest.size()))));
      return;
    }
    if (code.starts_with('.') || open_ == nullptr) return;
    std::string text(code);
    std::ranges::replace(text, '\t', ' ');
    open_->lines.push_back({text, false, file_, line_});
    if (comment.find("Spill") != std::string_view::npos) ++open_->spills;
    if (comment.find("Reload") != std::string_view::npos) ++open_->reloads;
    // The jump back to where an innermost loop begins ends it.
    if (!header_.empty() && text.ends_with(header_)) {
      auto begin = std::ranges::find(open_->lines, header_ + ":", &ListedLine::text);
      open_->loops.push_back({static_cast<size_t>(begin - open_->lines.begin()), open_->lines.size()});
      header_.clear();
    }
  }

  void read_label(std::string_view code, std::string_view comment) {
    std::string name(code.substr(0, code.size() - 1));
    if (!coming_.empty() && name == coming_) {
      functions_.push_back({.name = name, .is_entry = is_entry_name(name), .lines = {}, .loops = {}});
      open_ = &functions_.back();
      coming_.clear();
      header_.clear();
      line_ = 0;
      return;
    }
    if (name.starts_with(".Lfunc_end") || name.starts_with("Lfunc_end")) open_ = nullptr;
    bool is_block = name.find("BB") != std::string::npos;
    if (!is_block || open_ == nullptr) return;
    label_ = name;
    header_.clear();
    if (comment.find("Inner Loop Header") != std::string_view::npos) header_ = label_;
    open_->lines.push_back({std::string(code), true, "", 0});
  }

  std::map<uint32_t, std::string> files_;
  std::vector<ListedFunction> functions_;
  ListedFunction* open_ = nullptr;  // whose lines are read
  std::string coming_;              // the function whose label is to come
  std::string label_, header_;      // the last label; of the innermost loop that is being read
  std::string file_;
  uint32_t line_ = 0;
};

std::string text_of(const llvm::Instruction& instruction, llvm::ModuleSlotTracker& slots) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  instruction.print(stream, slots);
  // What hangs on it as metadata is numbers of a table that is not shown.
  for (std::string_view mark :
       {", !dbg !", ", !tbaa !", ", !llvm.loop !", ", !alias.scope !", ", !noalias !"}) {
    size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    size_t end = text.find_first_not_of("0123456789", at + mark.size());
    text.erase(at, end == std::string::npos ? end : end - at);
  }
  return std::string(trimmed(text));
}

// In one line, and without advice that is for C.
std::string sentence_of(std::string text) {
  if (size_t at = text.find(" Use #pragma"); at != std::string::npos) {
    size_t end = text.find('\n', at);
    text.erase(at, end == std::string::npos ? end : end - at);
  }
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// Keeps what the vectorisers say, and what else is said as it was.
class RemarkHandler final : public llvm::DiagnosticHandler {
 public:
  explicit RemarkHandler(std::vector<Remark>& remarks) : remarks_(remarks) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* remark = llvm::dyn_cast<llvm::DiagnosticInfoOptimizationBase>(&info);
    if (remark == nullptr) return false;
    bool is_wanted = remark->isPassed() ? isPassedOptRemarkEnabled(remark->getPassName())
                                        : isMissedOptRemarkEnabled(remark->getPassName());
    if (!is_wanted) return true;
    Remark made;
    made.function = remark->getFunction().getName().str();
    made.done = remark->isPassed();
    made.text = sentence_of(remark->getMsg());
    if (remark->isLocationAvailable()) {
      made.file = remark->getLocation().getRelativePath().str();
      made.line = remark->getLocation().getLine();
    }
    if (std::ranges::find(remarks_, made) == remarks_.end()) remarks_.push_back(std::move(made));
    return true;
  }
  bool isPassedOptRemarkEnabled(llvm::StringRef pass) const override {
    return pass == "loop-vectorize" || pass == "slp-vectorizer" || pass == "loop-unroll";
  }
  bool isMissedOptRemarkEnabled(llvm::StringRef pass) const override { return pass == "loop-vectorize"; }
  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override { return pass == "loop-vectorize"; }
  bool isAnyRemarkEnabled() const override { return true; }

 private:
  std::vector<Remark>& remarks_;
};

}  // namespace

size_t ListedFunction::instructions() const {
  return static_cast<size_t>(std::ranges::count(lines, false, &ListedLine::is_label));
}

std::vector<ListedFunction> list_assembly(std::string_view text) { return AssemblyReader().read(text); }

std::vector<ListedFunction> list_ir(const llvm::Module& module) {
  std::vector<ListedFunction> functions;
  llvm::ModuleSlotTracker slots(&module);
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    std::string name = function.getName().str();
    ListedFunction listed{.name = name, .is_entry = is_entry_name(name), .lines = {}, .loops = {}};
    slots.incorporateFunction(function);
    for (const llvm::BasicBlock& block : function) {
      if (&block != &function.getEntryBlock()) {
        std::string label =
            block.hasName() ? block.getName().str() : std::to_string(slots.getLocalSlot(&block));
        listed.lines.push_back({label + ":", true, "", 0});
      }
      for (const llvm::Instruction& instruction : block) {
        ListedLine line{.text = text_of(instruction, slots), .file = ""};
        if (const llvm::DILocation* at = instruction.getDebugLoc()) {
          line.file = at->getFilename().str();
          line.line = at->getLine();
        }
        listed.lines.push_back(std::move(line));
      }
    }
    functions.push_back(std::move(listed));
  }
  return functions;
}

std::unique_ptr<llvm::DiagnosticHandler> remark_handler(std::vector<Remark>& remarks) {
  return std::make_unique<RemarkHandler>(remarks);
}

}  // namespace mlc::llvm_backend
