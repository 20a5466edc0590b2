// SPDX-License-Identifier: Apache-2.0
#include "repl/lsp/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "ir/core/files.h"
#include "repl/shell/program.h"

namespace mlc::lsp {

namespace fs = std::filesystem;

namespace {

constexpr uintmax_t kMostBytes = uintmax_t{4} << 20;  // of a file that is looked at
constexpr size_t kMostFiles = 500;                    // of a folder
constexpr int kMostDepth = 3;                         // of folders inside of one another
constexpr int kMostSteps = 16;                        // from import to import
constexpr size_t kMostKept = 64;                      // files, from request to request

}  // namespace

std::string path_of_uri(std::string_view uri) {
  if (!uri.starts_with("file://")) return "";
  uri.remove_prefix(7);
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    bool escaped = uri[i] == '%' && i + 2 < uri.size() &&
                   std::isxdigit(static_cast<unsigned char>(uri[i + 1])) != 0 &&
                   std::isxdigit(static_cast<unsigned char>(uri[i + 2])) != 0;
    path += escaped ? static_cast<char>(digit(uri[i + 1]) * 16 + digit(uri[i + 2])) : uri[i];
    if (escaped) i += 2;
  }
  return path;
}

std::string uri_of_path(const fs::path& path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri = "file://";
  for (char c : path.string())
    uri += kPlain.find(c) != kPlain.npos ? std::string(1, c)
                                         : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return uri;
}

void Workspace::begin() {
  replaced_.clear();
  if (kept_.size() > kMostKept) kept_.clear();
}

Document* Workspace::file(const fs::path& path) {
  std::error_code failed;
  for (auto& [uri, document] : open_) {
    std::string other = path_of_uri(uri);
    if (!other.empty() && (path == other || fs::equivalent(path, other, failed))) return &document;
  }
  auto time = fs::last_write_time(path, failed);
  uintmax_t size = failed ? 0 : fs::file_size(path, failed);
  if (failed || size > kMostBytes || !fs::is_regular_file(path, failed)) {
    return nullptr;
  }
  Kept& kept = kept_[path.string()];
  if (kept.document && kept.time == time && kept.size == size) return kept.document.get();
  std::string text = ir::read_file(path).value_or("");
  if (kept.document) replaced_.push_back(std::move(kept.document));
  kept = {time, size, std::make_unique<Document>(uri_of_path(path), std::move(text), 0, builtins_)};
  return kept.document.get();
}

// Where the document's imports are looked for, in order.
std::vector<fs::path> Workspace::folders_of(const Document& from) const {
  std::vector<fs::path> folders;
  std::error_code ignored;
  if (std::string path = path_of_uri(from.uri); !path.empty()) {
    // A file of a package is imported from where the outermost package lies.
    fs::path own = fs::path(path).parent_path(), root = own;
    while (root.has_relative_path() && fs::is_regular_file(root / "__init__.mlc", ignored))
      root = root.parent_path();
    folders.push_back(root);
    if (root != own) folders.push_back(own);
  }
  for (std::string_view rest = mlcpath_; !rest.empty();) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

std::optional<fs::path> Workspace::module_file(const Document& from, std::string_view module) const {
  std::vector<fs::path> folders;
  size_t dots = std::min(module.find_first_not_of('.'), module.size());
  if (dots > 0) {  // one dot is the folder of the file, each further one the folder around that
    std::string path = path_of_uri(from.uri);
    fs::path folder = fs::path(path).parent_path();
    for (size_t i = 1; i < dots; ++i) folder = folder.parent_path();
    module.remove_prefix(dots);
    if (!path.empty() && !module.empty()) folders.push_back(folder);
  } else if (repl::is_library_module(module)) {
    return std::nullopt;
  } else {
    folders = folders_of(from);
  }
  std::string inner(module);
  std::ranges::replace(inner, '.', '/');
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    for (const fs::path& each : {folder / inner / "__init__.mlc", folder / (inner + ".mlc")})
      if (fs::is_regular_file(each, ignored)) return each.lexically_normal();
  }
  return std::nullopt;
}

std::optional<Origin> Workspace::follow(const Document& from, std::string_view path, int left) {
  if (path.empty() || left == 0) return std::nullopt;
  if (auto whole = module_file(from, path)) {
    Document* module = file(*whole);
    return module == nullptr ? std::nullopt : std::optional(Origin{module, kNone});
  }
  size_t dot = path.rfind('.');
  if (dot == path.npos) return std::nullopt;
  std::optional<Origin> module = follow(from, path.substr(0, dot), left - 1);
  if (!module || module->entity != kNone) return std::nullopt;
  const Index& index = module->document->index();
  auto found = index.scopes[0].names.find(syntax::Symbol(path.substr(dot + 1)));
  if (found == index.scopes[0].names.end()) return std::nullopt;
  const Entity& entity = index.entities[found->second];
  if (entity.kind == Kind::kImport)
    if (auto further = follow(*module->document, entity.path, left - 1)) return further;
  return Origin{module->document, found->second};
}

std::optional<Origin> Workspace::origin(const Document& from, std::string_view path) {
  return follow(from, path, kMostSteps);
}

Origin Workspace::origin(Document& from, uint32_t entity) {
  const Entity& made = from.index().entities[entity];
  if (made.kind == Kind::kImport)
    if (auto found = origin(from, made.path)) return *found;
  return {&from, entity};
}

std::vector<std::string> Workspace::modules(const Document& from) {
  std::vector<std::string> found;
  std::string own = fs::path(path_of_uri(from.uri)).stem().string();
  for (const fs::path& folder : folders_of(from)) {
    std::error_code failed;
    size_t looked = 0;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end && looked < kMostFiles;
         at.increment(failed), ++looked) {
      std::string name = at->path().stem().string();
      bool is_module = at->path().extension() == ".mlc" && name != own && name != "__init__";
      if (is_module || fs::is_regular_file(at->path() / "__init__.mlc", failed)) found.push_back(name);
      failed.clear();
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<const Entity*> Workspace::members(const Document& from, std::string_view module) {
  std::vector<const Entity*> found;
  std::optional<Origin> file = origin(from, module);
  if (!file || file->entity != kNone) return found;
  const Index& index = file->document->index();
  for (const auto& [name, entity] : index.scopes[0].names) found.push_back(&index.entities[entity]);
  std::ranges::sort(found, {}, &Entity::begin);
  return found;
}

std::vector<Workspace::Mention> Workspace::mentions(const Origin& origin) {
  std::vector<Mention> found;
  if (origin.entity == kNone) return found;
  const Entity& entity = origin.document->index().entities[origin.entity];
  if (entity.scope != 0) return found;
  std::string name = entity.name;
  std::vector<Document*> others;
  for (auto& [uri, document] : open_) others.push_back(&document);
  std::error_code failed;
  std::string path = path_of_uri(origin.document->uri);
  size_t looked = 0;
  if (!path.empty())
    for (fs::recursive_directory_iterator at(folders_of(*origin.document).front(), failed), end;
         !failed && at != end && looked < kMostFiles; at.increment(failed), ++looked) {
      bool hidden = at->path().filename().string().starts_with('.');
      if (at->is_directory(failed) && (hidden || at.depth() >= kMostDepth)) at.disable_recursion_pending();
      if (!hidden && at->path().extension() == ".mlc")
        if (Document* other = file(at->path()); other != nullptr) others.push_back(other);
    }
  std::ranges::sort(others, {}, [](const Document* each) -> const std::string& { return each->uri; });
  others.erase(std::unique(others.begin(), others.end()), others.end());
  std::string ending = "." + name;
  for (Document* other : others) {
    if (other == origin.document) continue;
    const Index& index = other->index();
    for (uint32_t i = 0; i < index.entities.size(); ++i) {
      const Entity& import = index.entities[i];
      if (import.kind != Kind::kImport || !import.path.ends_with(ending)) continue;
      if (this->origin(*other, import.path) != std::optional(origin)) continue;
      for (const Use* use : index.uses_of(i)) found.push_back({other, use->begin, use->end, i});
    }
    for (const Member& member : index.members)
      if (member.path.ends_with(ending) && this->origin(*other, member.path) == std::optional(origin))
        found.push_back({other, member.begin, member.end});
  }
  return found;
}

}  // namespace mlc::lsp
