// SPDX-License-Identifier: Apache-2.0
#include "frontend/script/core/library.h"
#include "frontend/script/modules/classic_names.h"
#include "frontend/script/modules/global_functions.h"
#include "frontend/script/numpy/array.h"

namespace mlc::script {

void register_key_type();                            // hashing.cpp
std::span<const ir::ApiRow> standard_module_rows();  // modules.cpp
std::span<const ir::ApiRow> structural_rows();       // structural.cpp
std::span<const ir::ApiRow> random_rows();           // random.cpp
std::span<const ir::ApiRow> json_rows();             // json.cpp
std::span<const ir::ApiRow> import_rows();           // import.cpp
std::span<const ir::ApiRow> ir_rows();               // ir_api.cpp
std::span<const ir::ApiRow> file_rows();             // file.cpp
std::span<const ir::ApiRow> system_rows();           // system.cpp
std::span<const ir::ApiRow> folder_rows();           // folders.cpp
std::span<const ir::ApiRow> dtype_rows();            // dtype.cpp
std::span<const ir::ApiRow> crossing_rows();         // ffi_errors.cpp
void alias_crossings();
std::span<const ir::ApiRow> container_rows();   // containers_api.cpp
std::span<const ir::ApiRow> np_library_rows();  // numpy/library.cpp
std::span<const ir::ApiRow> np_print_rows();    // numpy/print.cpp
std::span<const ir::ApiRow> np_file_rows();     // numpy/file.cpp
std::span<const ir::ApiRow> testing_rows();
std::span<const ir::ApiRow> path_rows();         // paths.cpp
std::span<const ir::ApiRow> regex_rows();        // regex.cpp
std::span<const ir::ApiRow> frame_rows();        // frames.cpp
std::span<const ir::ApiRow> float_bytes_rows();  // float_bytes.cpp
std::span<const ir::ApiRow> clock_rows();        // clock.cpp
std::span<const ir::ApiRow> process_rows();      // process.cpp
std::span<const ir::ApiRow> tensor_operator_rows();
std::span<const ir::ApiRow> tensor_rows();  // tensor_api.cpp

void register_api() {
  register_key_type();
  ir::ApiRegistry& registry = ir::ApiRegistry::global();
  for (auto rows : {np_create_rows,   np_dtype_rows,
                    np_shape_rows,    np_ufunc_rows,
                    np_reduce_rows,   np_join_rows,
                    np_sort_rows,     np_linalg_rows,
                    np_library_rows,  np_print_rows,
                    np_file_rows,     np_random_rows,
                    np_refused_rows,  standard_module_rows,
                    ir_rows,          structural_rows,
                    file_rows,        random_rows,
                    json_rows,        folder_rows,
                    testing_rows,     path_rows,
                    regex_rows,       tensor_operator_rows,
                    tensor_rows,      import_rows,
                    dtype_rows,       container_rows,
                    system_rows,      frame_rows,
                    float_bytes_rows, clock_rows,
                    process_rows,     crossing_rows}) {
    registry.add(rows);
  }
  register_classic_names();
  alias_crossings();
  register_global_functions();
}

}  // namespace mlc::script
