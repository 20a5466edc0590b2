// SPDX-License-Identifier: Apache-2.0
// IR to text. What is printed is TVMScript that parses back to an equal value; for the tensor dialect the
// text is TVM 0.27's, byte for byte. Linear in the size of what is printed.
#pragma once

#include <tvm/ffi/reflection/access_path.h>

#include "ir/core/module.h"
#include "ir/registry/api.h"

namespace mlc::print {

namespace ffi = ::tvm::ffi;
using ffi::reflection::AccessPath;

enum class Dialect : uint8_t {
  kCurrent,  // TVM 0.27: tirx, T.sblock, s_tir=True
  kClassic,  // books and courses: tir, T.block, T.alloc_buffer
};

// The parameters of script(); names and defaults are TVM's.
struct PrintOptions {
  std::string name;        // of the function or module; empty: its own
  bool show_meta = false;  // the numbers of tensors, in a section of their own
  std::string ir_prefix = "I";
  std::string tir_prefix = "T";
  std::string relax_prefix = "R";
  std::string module_alias = "cls";  // in functions of graphs; empty: the module's name itself
  bool show_all_ty = true;           // of variables in graphs, also types that follow from their values
  ir::Host* host = nullptr;          // asked for those types
  std::string int_dtype = "int32";       // integers of this type print bare
  std::string float_dtype = "void";      // floats of this type print bare
  std::string buffer_dtype = "float32";  // not spelled out where a buffer is made
  bool verbose_expr = false;             // a lone expression is preceded by its variables
  int indent_spaces = 4;
  bool print_line_numbers = false;
  int num_context_lines = -1;  // lines kept around what is underlined; negative: all
  bool syntax_sugar = true;
  bool use_pep695 = false;  // `def f[n](...)` instead of `n = TypeVar("n")`
  Dialect dialect = Dialect::kCurrent;
  bool show_object_address = false;  // names end in their variable's address: `x_0x55d0c3a1b2c0`
  // What to put carets under, wherever it is printed, and statements to put a comment at: by node, or by
  // where it stands below the root.
  std::vector<ffi::ObjectRef> underline;
  std::vector<std::pair<ffi::ObjectRef, std::string>> annotate;
  std::vector<AccessPath> underline_paths;
  std::vector<std::pair<AccessPath, std::string>> annotate_paths;
};

// Modules, functions, statements, expressions, buffers, types, ranges, iterators, regions, targets, and
// the numbers, strings, lists and dicts that attributes hold. No newline at the end.
std::string script(const ir::Any& node, const PrintOptions& options = {});

// What `str` and `repr` of an IR value show.
std::string text_of(const ir::Any& node);
// Whether script() knows how to print it.
bool printable(const ir::Any& node);

// A complete file: real imports, then the module (or each of several) ready to be parsed.
std::string file_text(const ir::IRModule& mod, const PrintOptions& options = {});

// `<root>.body.seq[0]`
std::string path_text(const AccessPath& path);

// `text` as a double-quoted literal.
std::string literal(std::string_view text);
// As TVM prints it: at most 17 significant digits, whole numbers with `.0`; "inf", "nan" in quotes.
std::string float_text(double value);

// AccessPath for scripts.
std::span<const ir::ApiRow> access_path_rows();
// Attrs, DictAttrs and their methods.
std::span<const ir::ApiRow> attrs_rows();
// assert_structural_equal and get_first_structural_mismatch.
std::span<const ir::ApiRow> mismatch_rows();
// Adds script(), show() and the rest to ApiRegistry::global().
void register_api();

}  // namespace mlc::print
