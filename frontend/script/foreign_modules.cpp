// SPDX-License-Identifier: Apache-2.0
// Modules of Python, and packages for it, that mlc leaves out: why, and what serves instead.
#include <algorithm>
#include <string_view>

#include "frontend/script/importer.h"

namespace mlc::script {
namespace {

struct Row {
  std::string_view names;  // separated by blanks
  std::string_view why;
};

constexpr Row rows[] = {
    {"threading multiprocessing concurrent asyncio queue sched _thread selectors select signal trio",
     "a script runs on one thread; loops of compiled code run on many (`T.parallel`)"},
    {"subprocess pty pexpect shlex", "scripts start no other programs"},
    {"socket socketserver ssl urllib http ftplib smtplib email requests aiohttp httpx xmlrpc",
     "scripts have no network"},
    {"pickle marshal shelve copyreg dill cloudpickle joblib",
     "objects of scripts have no pickled form: `json` writes values, `tvm.ir.save_json` modules, `np.save` "
     "arrays"},
    {"ctypes cffi mmap cython numba pybind11",
     "there are no C extensions: `tvm.runtime.load_module` loads compiled libraries"},
    {"ast dis inspect importlib imp pkgutil runpy code codeop tokenize symtable traceback linecache "
     "tracemalloc pdb",
     "programs do not look into their own text or frames: an error shows the chain of calls, `mlc` with no "
     "arguments "
     "opens a session"},
    {"cProfile profile pstats timeit", "`time.perf_counter()` measures, and `mlc bench` measures functions"},
    {"unittest nose doctest", "tests are functions with `assert`, under `pytest` or `mlc test`"},
    {"decimal fractions cmath numbers", "numbers are int (64 bits), bool and float"},
    {"datetime calendar zoneinfo locale gettext", "`time.time()` gives the seconds since 1970"},
    {"sqlite3 dbm csv configparser tomllib xml html zipfile tarfile gzip bz2 lzma zlib yaml toml",
     "`json` reads and writes structured text, `open()` all else"},
    {"tkinter turtle curses readline matplotlib seaborn plotly PIL cv2 IPython ipywidgets tqdm rich",
     "a script prints text"},
    {"torch torchvision tensorflow keras jax jaxlib flax transformers onnx onnxruntime safetensors",
     "models are not imported from Python packages"},
    {"scipy sympy sklearn pandas polars networkx numexpr cupy",
     "of the packages for numbers `numpy` is here"},
    {"triton cutlass pycuda", "kernels are written in TVMScript here"},
};

}  // namespace

std::string_view why_left_out(std::string_view module) {
  std::string_view root = module.substr(0, module.find('.'));
  for (const Row& row : rows) {
    for (size_t at = 0; at < row.names.size();) {
      size_t end = std::min(row.names.find(' ', at), row.names.size());
      if (row.names.substr(at, end - at) == root) return row.why;
      at = end + 1;
    }
  }
  return {};
}

}  // namespace mlc::script
