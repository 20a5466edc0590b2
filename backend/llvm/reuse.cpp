// SPDX-License-Identifier: Apache-2.0
#include "backend/llvm/reuse.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include "backend/artefact/build_record.h"
#include "backend/artefact/cache.h"
#include "backend/llvm/pch.h"
#include "backend/llvm/target_machine.h"
#include "ir/core/refusal.h"

namespace mlc::llvm_backend {

static constexpr ir::Refusals refusals{
    "RuntimeError",
    {
        {.name = "code-forgotten",
         .message = "the code of `{}` was in the cache a moment ago, and is no longer",
         .help = "build once more; another process has removed it",
         .meaning = "Machine code that an earlier build has left in the cache was found, and removed by "
                    "somebody before it was "
                    "used."},
    }};
MLC_REFUSALS(llvm_reuse, refusals);

namespace {

namespace record = backend::record;

// The value that all functions of a group have under a key, or "".
std::string attribute(const ir::IRModule& group, const char* name) {
  for (const auto& [var, fn] : group->functions)
    if (auto value = ir::attr(fn, name)) return std::string(value->cast<ir::String>());
  return "";
}

// Spans of a function before it is lowered: those of its code are among them, since passes copy them.
void each_span(const ir::IRModule& mod, const std::function<void(ir::Span)>& use) {
  std::map<std::string_view, ir::PrimFunc> functions;  // by name, since the module has no order of its own
  for (const auto& [var, fn] : mod->functions)
    if (auto tensor = fn.as<ir::PrimFunc>())
      functions[{var->name_hint.data(), var->name_hint.size()}] = *tensor;
  for (const auto& [name, fn] : functions) {
    use(fn->span);
    ir::post_order(
        fn->body, [&](const ir::Expr& e) { use(e->span); }, [&](const ir::Stmt& s) { use(s->span); });
  }
}

// What was found, until it is used: another process may remove entries in between.
struct Found {
  std::mutex lock;
  std::map<std::string, Code> codes;
};
Found& found() {
  static Found all;
  return all;
}

std::string bytes_of(const Code& code) {
  std::string bytes;
  record::put(bytes, code.functions.size());
  for (const std::string& name : code.functions) record::put(bytes, name);
  record::put(bytes, code.parallel ? 1 : 0);
  record::put(bytes, code.weights ? 1 : 0);
  record::put(bytes, code.openblas ? 1 : 0);
  record::put(bytes, code.onednn ? 1 : 0);
  record::put(bytes, code.host ? 1 : 0);
  record::put(bytes, code.object);
  return bytes;
}
std::optional<Code> code_of(std::string_view bytes) {
  record::Reader reader{bytes};
  Code code;
  for (uint64_t left = reader.number(); left > 0 && reader.whole; --left)
    code.functions.emplace_back(reader.text());
  code.parallel = reader.number() == 1;
  code.weights = reader.number() == 1;
  code.openblas = reader.number() == 1;
  code.onednn = reader.number() == 1;
  code.host = reader.number() == 1;
  code.object = std::string(reader.text());
  return reader.whole ? std::optional(std::move(code)) : std::nullopt;
}

std::optional<Code> read_code(const std::string& key) {
  std::optional<backend::BuildCache> cache = backend::BuildCache::of_user();
  std::optional<std::string> bytes = cache ? cache->find(key) : std::nullopt;
  return bytes ? code_of(*bytes) : std::nullopt;
}

}  // namespace

bool has_code_keys(const ir::IRModule& mod) {
  return !attribute(mod, kCode).empty() || !attribute(mod, kCodeKey).empty();
}

std::string code_key(const ir::IRModule& mod, std::string_view text, std::string_view settings,
                     const ir::Target& target) {
  // A library that is read from a folder may change while this program stays the same.
  if (std::getenv("MLC_STDLIB") != nullptr) return "";
  // Line tables name files, lines and columns.
  const ir::SourceMap& sources = ir::SourceMap::current();
  std::string places;
  ir::Span last;
  each_span(mod, [&](ir::Span span) {
    if (!span || span == last) return;
    last = span;
    ir::Position at = sources.position(span.file, span.begin);
    places += fmt::format("{}:{}:{}\n", sources.file(span.file).name, at.line, at.column);
  });
  const Machine& machine = machine_for(target);
  return backend::BuildCache::key(
      {"code", std::string(text), std::string(settings), places, std::string(ir::target_text(target)),
       machine.machine->getTargetCPU().str(), machine.machine->getTargetFeatureString().str()});
}

bool find_code(const std::string& key) {
  std::lock_guard hold(found().lock);
  if (found().codes.contains(key)) return true;
  std::optional<Code> code = read_code(key);
  if (code) found().codes.emplace(key, std::move(*code));
  return code.has_value();
}

std::optional<Code> take_code(const ir::IRModule& group) {
  std::string key = attribute(group, kCode);
  if (key.empty()) return std::nullopt;
  std::optional<Code> code;
  {
    std::lock_guard hold(found().lock);
    if (auto node = found().codes.extract(key)) code = std::move(node.mapped());
  }
  if (!code) code = read_code(key);
  if (!code)
    throw ir::refuse(refusals["code-forgotten"], (*group->functions.begin()).first->name_hint.c_str());
  each_span(group, [&](ir::Span span) {
    if (span) code->places.push_back(span);
  });
  return code;
}

void keep_code(const ir::IRModule& group, const Code& code) {
  std::string key = attribute(group, kCodeKey);
  std::optional<backend::BuildCache> cache = backend::BuildCache::of_user();
  if (!key.empty() && cache) cache->keep_bytes(key, bytes_of(code));
}

}  // namespace mlc::llvm_backend
