// SPDX-License-Identifier: Apache-2.0
// Modules of Python, and packages for it, that mlc leaves out: why, and what serves instead.
#include <algorithm>
#include <string_view>

#include "frontend/script/core/importer.h"
#include "ir/core/split_words.h"

namespace mlc::script {
namespace {

struct Row {
  std::string_view names;  // separated by blanks
  std::string_view why;
};

constexpr Row rows[] = {
    {"asyncio sched _thread selectors select trio",
     "threads of a script (`threading`) take turns; loops of compiled code run on many (`T.parallel`)"},
    {"pty pexpect", "programs are started without a terminal: `subprocess` starts them"},
    {"socket socketserver ssl http ftplib smtplib email requests aiohttp httpx xmlrpc",
     "scripts have no network"},
    {"marshal shelve dill cloudpickle joblib",
     "`pickle` and `json` write values, `tvm.ir.save_json` modules, `np.save` arrays"},
    {"cffi mmap cython numba pybind11",
     "there are no C extensions: `tvm.runtime.load_module` loads compiled libraries"},
    {"dis imp pkgutil runpy code codeop tokenize symtable tracemalloc pdb",
     "programs do not read program text: `inspect` and `traceback` tell of functions and errors, `mlc` with "
     "no "
     "arguments opens a session"},
    {"cProfile profile pstats",
     "`time.perf_counter()` and `timeit` measure, and `mlc bench` measures functions"},
    {"array", "`numpy` arrays hold numbers of one type, `struct` packs them"},
    {"nose doctest", "tests are functions with `assert`, under `pytest`, `unittest` or `mlc test`"},
    {"decimal cmath", "numbers are int (64 bits), bool and float; `fractions` is here"},
    {"zoneinfo locale gettext", "`datetime.timezone` has fixed offsets, and texts are English"},
    {"sqlite3 dbm configparser tomllib xml zipfile tarfile gzip bz2 lzma zlib yaml toml",
     "`json` and `csv` read and write structured text, `open()` all else"},
    {"tkinter turtle curses readline matplotlib seaborn plotly PIL cv2 ipywidgets tqdm rich",
     "a script prints text"},
    {"torch torchvision tensorflow keras jax jaxlib flax transformers onnx onnxruntime safetensors",
     "models are not imported from Python packages"},
    {"sympy sklearn pandas polars networkx numexpr cupy", "of the packages for numbers `numpy` is here"},
    {"triton cutlass pycuda", "kernels are written in TVMScript here"},
};

}  // namespace

std::string_view why_left_out(std::string_view module) {
  std::string_view root = module.substr(0, module.find('.'));
  for (const Row& row : rows) {
    if (ir::has_word(row.names, root)) return row.why;
  }
  return {};
}

}  // namespace mlc::script
