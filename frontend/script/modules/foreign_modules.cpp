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

constexpr Row foreign_modules_table[] = {
    {"threading _thread queue concurrent multiprocessing asyncio contextvars sched selectors select signal "
     "trio",
     "a script runs on one thread; loops of compiled code run on many (`T.parallel`)"},
    {"shlex", "`subprocess` takes a program as a list of words"},
    {"packaging", "versions are compared as tuples of numbers"},
    {"pty pexpect", "programs are started without a terminal: `subprocess` starts them"},
    {"socket socketserver ssl http urllib ftplib smtplib email requests aiohttp httpx xmlrpc",
     "scripts have no network"},
    {"pickle copyreg marshal shelve dill cloudpickle joblib",
     "`json` writes values, `tvm.ir.save_json` modules, `np.save` arrays"},
    {"ctypes cffi mmap cython numba pybind11",
     "there are no C extensions: `tvm.runtime.load_module` loads compiled libraries"},
    {"dis ast imp pkgutil runpy code codeop tokenize symtable keyword linecache tracemalloc pdb",
     "programs do not read program text: `inspect` and `traceback` tell of functions and errors, `mlc` with "
     "no arguments opens a session"},
    {"weakref", "an object goes with its last reference: keep it where it is needed"},
    {"timeit cProfile profile pstats",
     "`time.perf_counter()` measures, `time_evaluator` measures compiled functions, and `mlc bench` all of a "
     "file"},
    {"array", "`numpy` arrays hold numbers of one type, `struct` packs them"},
    {"unittest nose doctest", "tests are functions with `assert`, under `pytest` or `mlc test`"},
    {"fractions decimal cmath", "numbers are int, bool and float"},
    {"statistics", "`np.mean`, `np.median` and `np.std` are here"},
    {"scipy sympy sklearn pandas polars networkx graphlib numexpr cupy",
     "of the packages for numbers `numpy` is here"},
    {"datetime calendar zoneinfo", "`time.strftime` writes the date and the time"},
    {"locale gettext", "texts are English"},
    {"hmac", "`hashlib` has digests"},
    {"uuid secrets", "`random.Random(seed)` makes numbers that can be made again, `tempfile` fresh names"},
    {"base64 binascii codecs", "`bytes.hex`, `bytes.fromhex` and `str.encode` turn bytes into text and back"},
    {"difflib", "`tvm.ir.assert_structural_equal` and `mlc test` show where two texts or modules differ"},
    {"stat", "`os.path.isfile`, `os.path.isdir` and `os.stat` tell of files"},
    {"csv html sqlite3 dbm configparser tomllib xml zipfile tarfile gzip bz2 lzma zlib yaml toml",
     "`json` reads and writes structured text, `open()` all else"},
    {"tkinter turtle curses readline matplotlib seaborn plotly PIL cv2 ipywidgets tqdm rich",
     "a script prints text"},
    {"torchvision tensorflow keras jax jaxlib flax transformers onnxruntime",
     "models are not imported from Python packages; `safetensors` and `gguf` read weights"},
    {"triton cutlass pycuda", "kernels are written in TVMScript here"},
};

}  // namespace

std::string_view why_left_out(std::string_view module) {
  std::string_view root = module.substr(0, module.find('.'));
  for (const Row& row : foreign_modules_table) {
    if (ir::has_word(row.names, root)) return row.why;
  }
  return {};
}

}  // namespace mlc::script
