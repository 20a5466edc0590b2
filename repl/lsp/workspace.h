// SPDX-License-Identifier: Apache-2.0
// The files of a program beside the one that is open: what its imports name, and who imports it. Files are read, never
// run; one that the editor has open is as it stands there.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/lsp/document.h"

namespace mlc::lsp {

// The path of a `file:` address, "" for others: a text that is not saved yet.
std::string path_of_uri(std::string_view uri);
std::string uri_of_path(const std::filesystem::path& path);

// A name in a file; of a file as a whole, kNone.
struct Origin {
  Document* document = nullptr;
  uint32_t entity = kNone;
  bool operator==(const Origin&) const = default;
};

class Workspace {
 public:
  // `open`: what the editor has open, by its address. `mlcpath`: the folders of MLCPATH.
  Workspace(std::map<std::string, Document>& open, std::string mlcpath, const std::vector<std::string>& builtins)
      : open_(open), mlcpath_(std::move(mlcpath)), builtins_(builtins) {}

  // Before a request: what the one before was given may go.
  void begin();

  // Where a dotted name that a document imports is made: "part.scale", through what part imports itself. Nothing for
  // the library's, and for files that are not there.
  std::optional<Origin> origin(const Document& from, std::string_view path);
  // Where an entity of the document is made: where that is imported from, else it is that.
  Origin origin(Document& from, uint32_t entity);

  // What can be imported from beside the document: its modules and packages, by name.
  std::vector<std::string> modules(const Document& from);
  // What a module that the document can import binds, in order of place; none where it is the library's or not there.
  std::vector<const Entity*> members(const Document& from, std::string_view module);

  // Every other place that names it: spans of documents that are open, or lie beside it.
  struct Mention {
    Document* document = nullptr;
    uint32_t begin = 0, end = 0;
    uint32_t import = kNone;  // the entity of that document which brings it in; kNone behind a dot
  };
  std::vector<Mention> mentions(const Origin& origin);

 private:
  struct Kept {
    std::filesystem::file_time_type time;
    uintmax_t size = 0;
    std::unique_ptr<Document> document;
  };

  Document* file(const std::filesystem::path& path);  // null where it cannot be read
  std::vector<std::filesystem::path> folders_of(const Document& from) const;
  std::optional<std::filesystem::path> module_file(const Document& from, std::string_view module) const;
  std::optional<Origin> follow(const Document& from, std::string_view path, int left);

  std::map<std::string, Document>& open_;
  std::string mlcpath_;
  const std::vector<std::string>& builtins_;
  std::map<std::string, Kept> kept_;                 // by path
  std::vector<std::unique_ptr<Document>> replaced_;  // by a newer text, and still looked at
};

}  // namespace mlc::lsp
