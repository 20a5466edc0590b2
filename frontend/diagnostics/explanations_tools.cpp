// SPDX-License-Identifier: Apache-2.0
// Errors of tensor expressions, builds and the command line. Those of schedules and passes stand in their files.
#include "frontend/diagnostics/explanation_tables.h"

namespace mlc::diagnostics {
namespace {

constexpr Explanation rows[] = {
    {"assertion-failed", "The condition of an `assert` is not true; the message shows the values in it.",
     "n = 3\nassert n > 5", "n = 7\nassert n > 5", true},
    {"block-handle-gone", "A primitive has taken this block out of the program.",
     "double = sch.get_sblock(\"double\")\nsch.compute_inline(double)\nsch.get_loops(double)",
     "sch.compute_inline(\"double\")\nsch.get_loops(\"product\")", true, true},
    {"c-compiler-failed",
     "The text that the target `c` made was refused by the compiler, whose words follow: a defect of mlc, or options of "
     "the target that the compiler does not take.",
     "", ""},
    {"cannot-write", "The system refused to write the file.", "", ""},
    {"empty-file", "The file has no text.", "", ""},
    {"function-exists", "A global function is registered under a name once.",
     "tvm.register_global_func(\"twice.f\", lambda: 1)\ntvm.register_global_func(\"twice.f\", lambda: 2)",
     "tvm.register_global_func(\"once.f\", lambda: 1)\ntvm.register_global_func(\"once.f\", lambda: 2, "
     "override=True)",
     true, true},
    {"index-map-not-bijective", "A change of layout moves every element to a place of its own.",
     "sch.transform_layout(\"double\", (\"write\", 0), lambda i, j: (i // 4, j))",
     "sch.transform_layout(\"double\", (\"write\", 0), lambda i, j: (j, i))", true, true},
    {"interrupted", "Ctrl-C stopped the program; the place is where it was then.", "", ""},
    {"link-failed", "The system's linker refused the file; the message is its own.", "", ""},
    {"load-failed", "The library cannot be loaded; the message is the system's.", "", ""},
    {"missing-key", "A dict has no value under this key. `get` gives None instead, `in` asks.",
     "{\"a\": 1}[\"b\"]", "{\"a\": 1}.get(\"b\")", true},
    {"negative-extent", "A dimension has no negative extent.", "from tvm import te\nte.placeholder((-8,))",
     "from tvm import te\nte.placeholder((8,))", true, true},
    {"no-backend", "Code is generated for the kinds of targets that `mlc targets` lists.", "", ""},
    {"no-c-compiler", "The target `c` compiles its text by `cc`, or by what the variable CC names.", "", ""},
    {"no-c-interface", "C functions are compiled for systems with ELF files, such as Linux.", "", ""},
    {"no-c-name",
     "With a header every exported function has a name in C: its own behind `--c-prefix`, or for `main` that "
     "of the "
     "library. It must be none that C, C++ or their libraries use.",
     "", ""},
    {"no-c-signature", "C has no type for vectors of numbers: such a value is passed in a buffer.", "", ""},
    {"no-exported-function", "A library for C needs a function with a name outside of the module.", "", ""},
    {"no-main-function", "`mlc build --emit exe` makes a program of the function `main`, or of the only one.",
     "", ""},
    {"no-module", "The commands that show and build a module take the last one that the program binds.", "",
     ""},
    {"not-a-module", "`--module` names an IRModule, a function or a schedule.", "", ""},
    {"not-exportable", "Only compiled modules can be written to a file.", "", ""},
    {"not-runnable", "Code for another machine is exported, not run.", "", ""},
    {"raised", "The program raised an exception that nothing caught.", "raise ValueError(\"no\")",
     "try:\n    raise ValueError(\"no\")\nexcept ValueError:\n    pass", true},
    {"te-missing-input", "A tensor that the function reads must be among its arguments.",
     "from tvm import te\nA = te.placeholder((8,), name=\"A\")\nB = te.compute((8,), lambda i: A[i] + "
     "1.0)\nte.create_prim_func([B])",
     "from tvm import te\nA = te.placeholder((8,), name=\"A\")\nB = te.compute((8,), lambda i: A[i] + "
     "1.0)\nte.create_prim_func([A, B])",
     true, true},
    {"te-nested-reduction",
     "A reduction is the whole value of an element; what is done with it is a tensor of its own.",
     "from tvm import te\nA = te.placeholder((8,))\nk = te.reduce_axis((0, 8))\nte.compute((1,), lambda i: "
     "te.sum(A[k], axis=k) + 1.0)",
     "from tvm import te\nA = te.placeholder((8,))\nk = te.reduce_axis((0, 8))\nS = te.compute((1,), lambda "
     "i: te.sum(A[k], axis=k))\nte.compute((1,), lambda i: S[i] + 1.0)",
     true, true},
    {"te-not-a-reduce-axis", "A reduction goes over axes that `te.reduce_axis` makes.",
     "from tvm import te\nA = te.placeholder((8,))\nk = te.thread_axis((0, 8), "
     "\"threadIdx.x\")\nte.compute((1,), lambda i: te.sum(A[i], axis=k))",
     "from tvm import te\nA = te.placeholder((8,))\nk = te.reduce_axis((0, 8))\nte.compute((1,), lambda i: "
     "te.sum(A[k], axis=k))",
     true, true},
    {"te-too-many-indices", "The function of a `te.compute` takes one index for each dimension of the shape.",
     "from tvm import te\nA = te.placeholder((8,))\nte.compute((8,), lambda i, j: A[i])",
     "from tvm import te\nA = te.placeholder((8,))\nte.compute((8,), lambda i: A[i])", true, true},
    {"unknown-attribute", "Nothing is known under this name of any operator; `has_attr` asks.",
     "tvm.ir.Op.get(\"tirx.exp\").get_attr(\"TNothing\")",
     "tvm.ir.Op.get(\"tirx.exp\").get_attr(\"TCallEffectKind\")", true, true},
    {"unknown-device", "The text names no device.", "tvm.device(\"cpux\")", "tvm.device(\"cpu\")", true,
     true},
    {"unknown-emit-kind", "`mlc build --emit` knows some kinds of output; the message lists them.", "", ""},
    {"unknown-operator", "There is no operator of this name.", "tvm.ir.Op.get(\"tirx.nothing\")",
     "tvm.ir.Op.get(\"tirx.exp\")", true, true},
    {"unknown-target", "The processor or feature is none that LLVM knows.", "", ""},
    {"unsupported-target", "There is no code generator for this kind of target.", "", ""},
};

}  // namespace

std::span<const Explanation> tools_explanations() { return rows; }

}  // namespace mlc::diagnostics
