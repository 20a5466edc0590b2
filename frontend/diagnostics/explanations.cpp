// SPDX-License-Identifier: Apache-2.0
#include "frontend/diagnostics/explanations.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontend/diagnostics/explanation_tables.h"

namespace mlc::diagnostics {
namespace {

// Errors of a function's text. In order of name; a test runs every example.
constexpr Explanation rows[] = {
    {"assert-without-message",
     "An assert of a function is checked when the compiled code runs; its message is all that a person sees "
     "then.",
     "assert n > 0", "assert n > 0, \"n must be positive\""},
    {"bad-access-mask", "A mask of an access says whether memory is read, written or both.",
     "T.evaluate(A.access_ptr(\"x\"))", "T.evaluate(A.access_ptr(\"rw\"))"},
    {"bad-annotation", "What stands after the colon of a variable must be a type of numbers, or `T.let`.",
     "x: T.handle = h", "x: T.let = h\nT.evaluate(x)"},
    {"bad-domain", "The domain of a block's axis is an extent or `(begin, end)`.",
     "for i in range(16):\n    with T.sblock(\"b\"):\n        vi = T.axis.spatial((0, 16, 2), i)\n        "
     "A[vi] = 1.0",
     "for i in range(16):\n    with T.sblock(\"b\"):\n        vi = T.axis.spatial((0, 16), i)\n        A[vi] "
     "= 1.0"},
    {"bad-hardware-layout",
     "Registers and special memories of a GPU or NPU hold tiles of fixed shapes; the message names those "
     "that "
     "fit.",
     "", ""},
    {"bad-lanes", "A vector has at least two lanes; one lane is a scalar.", "T.evaluate(T.Broadcast(n, 1))",
     "T.evaluate(T.Broadcast(n, 4))"},
    {"bad-let", "`T.Let` gives one variable a value inside one expression.", "T.evaluate(T.Let(n, where={}))",
     "m = T.int32()\nT.evaluate(T.Let(m + 1, where={m: n}))"},
    {"bad-literal",
     "A constant is written as a number; only infinities and not-a-number are written as text.",
     "A[0] = T.float32(\"one\")", "A[0] = T.float32(\"inf\")"},
    {"bad-loop-dtype",
     "The `dtype` of a loop chooses between int32 and uint32. Another type comes from the bounds.",
     "for i in T.serial(4, dtype=\"int64\"):\n    A[i] = 1.0", "for i in range(T.int64(4)):\n    A[i] = 1.0"},
    {"bad-loop-kind", "The kinds of a loop are numbered from 0 to 4; `tirx.ForKind` names them.", "", ""},
    {"bad-parameter-type", "A parameter is a buffer, a pointer or a number, and says so with a name of `T`.",
     "@T.prim_func(s_tir=True)\ndef f(n: int):\n    T.evaluate(0)",
     "@T.prim_func(s_tir=True)\ndef f(n: T.int32):\n    T.evaluate(n)"},
    {"bad-return-type", "The type of a result is a name of `T`, or None.",
     "@T.prim_func(s_tir=True)\ndef f(n: T.int32) -> \"x\":\n    return n",
     "@T.prim_func(s_tir=True)\ndef f(n: T.int32) -> T.int32:\n    return n"},
    {"bad-scope-id",
     "The number of a block, warp or thread of a kernel: its extents are positive and as many as the names "
     "that are bound.",
     "", ""},
    {"bad-sequence", "A sequence node has two statements or more; one statement stands for itself.", "", ""},
    {"bad-swizzle", "A swizzle is three numbers of bits that fit into an address.", "", ""},
    {"bad-target", "A function assigns to names, to tuples of names and to elements of buffers.",
     "A[0].x, y = 1, 2", "x, y = 1, 2\nA[0] = T.float32(x + y)"},
    {"bad-type-parameter", "A type parameter of a function stands for one 64-bit dimension.", "", ""},
    {"bad-unroll", "A loop is unrolled by a positive factor, or by as much as the compiler likes (True).",
     "for i in T.serial(4, unroll=0):\n    A[i] = 1.0", "for i in T.serial(4, unroll=2):\n    A[i] = 1.0"},
    {"bad-view", "A view shows memory with another shape, and needs as many elements as the memory has.", "",
     ""},
    {"block-after-lowering",
     "A pass that works on plain loops was given a function that has blocks. Lower blocks first: "
     "ConvertBlocksToOpaque, LowerOpaqueBlock.",
     "", ""},
    {"block-without-realization",
     "A block with `no_realize=True` is a definition alone: nothing runs it, so nothing is bound to its "
     "iterators and no condition guards it.",
     "with T.sblock(\"b\", no_realize=True):\n    T.where(n > 0)\n    A[0] = 1.0",
     "with T.sblock(\"b\"):\n    T.where(n > 0)\n    A[0] = 1.0"},
    {"branch-without-if", "`T.Then` and `T.Else` are the parts of a `T.If`, and hold its statements.",
     "with T.Then():\n    T.evaluate(n)", "with T.If(n > 0):\n    with T.Then():\n        T.evaluate(n)"},
    {"buffer-as-value",
     "A buffer is memory, not a number: name one of its elements, or its address `A.data`.", "A[0] = A + 1.0",
     "A[0] = A[1] + 1.0"},
    {"buffer-not-flat",
     "Generated code addresses memory by one index. FlattenBuffer brings buffers to one dimension.", "", ""},
    {"cannot-bind",
     "Plain assignment makes a variable of the compiled function, which holds a number. A value of the "
     "script stays one under `T.meta_var`.",
     "x = T.float32\nT.evaluate(x(1))", "x = T.meta_var(T.float32)\nT.evaluate(x(1))"},
    {"copy-shape-mismatch", "A copy of tiles reads as many elements along each axis as it writes.", "", ""},
    {"division-by-zero", "The divisor is the constant 0.", "T.evaluate(n // 0)", "T.evaluate(n // 2)"},
    {"endless-expansion", "An inlined function whose statements call it again has no end.", "", ""},
    {"entered-twice", "A builder or a function that is built by calls is entered with `with`, one at a time.",
     "", ""},
    {"function-without-name", "A function is found in its module by its name.",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith IRBuilder() as ib, "
     "I.ir_module():\n    with T.prim_func():\n        T.evaluate(0)",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith IRBuilder() as ib, "
     "I.ir_module():\n    with T.prim_func():\n        T.func_name(\"f\")"},
    {"if-without-then", "A branch by calls needs `T.Then`; `T.Else` may be missing.",
     "with T.If(n > 0):\n    pass", "with T.If(n > 0):\n    with T.Then():\n        T.evaluate(n)"},
    {"indentation", "The lines of a block begin in the same column, deeper than the line that opens it.", "",
     ""},
    {"index-not-integer", "Elements of a buffer are counted: an index is an integer.", "A[0.5] = 1.0",
     "A[0] = 1.0"},
    {"index-out-of-range",
     "A constant index lies outside of the buffer: the first element of a dimension is 0, the last its "
     "extent minus 1. Negative indices do not count from the end.",
     "A[-1] = 1.0", "A[15] = 1.0"},
    {"integer-division",
     "Integers can be divided in two ways, which differ on negative numbers; `/` does not say which is "
     "meant.",
     "T.evaluate(n / 2)", "T.evaluate(n // 2)\nT.evaluate(T.truncdiv(n, 2))"},
    {"lanes-not-constant",
     "A slice that is stored into becomes a vector, whose length is part of its type and must be known now.",
     "A[0:n] = T.Broadcast(T.float32(1), 4)", "A[n:n + 4] = T.Broadcast(T.float32(1), 4)"},
    {"left-out", "A part of Python that is not in this language.", "import asyncio\nasync def f():\n    pass",
     "def f():\n    pass"},
    {"let-without-value", "`T.let` names a value once and for all, so the value stands beside it.",
     "x: T.let", "x: T.let = n + 1\nT.evaluate(x)"},
    {"kernel-source",
     "The source of a CUDA kernel would have to be compiled here. Build it elsewhere, and call it by its "
     "name.",
     "T.call_kernel(\"k.cu\", [[1], [128]], A.data, kernel_name=\"k\")",
     "T.evaluate(T.call_packed(\"k\", A.data))"},
    {"literal-out-of-range", "The type cannot hold this constant.", "T.evaluate(T.int8(200))",
     "T.evaluate(T.uint8(200))"},
    {"loop-variable-in-block",
     "A block with iterators is a unit that schedules move: its body sees its own iterators, not the loops "
     "around it.",
     "for i in range(16):\n    with T.sblock(\"b\"):\n        vi = T.axis.spatial(16, i)\n        A[i] = 1.0",
     "for i in range(16):\n    with T.sblock(\"b\"):\n        vi = T.axis.spatial(16, i)\n        A[vi] = "
     "1.0"},
    {"missing-annotation", "Every parameter says its type.",
     "@T.prim_func(s_tir=True)\ndef f(n):\n    T.evaluate(0)",
     "@T.prim_func(s_tir=True)\ndef f(n: T.int32):\n    T.evaluate(n)"},
    {"missing-argument", "A call lacks an argument that has no default.", "T.evaluate(T.exp())",
     "T.evaluate(T.exp(A[0]))"},
    {"needs-s-tir", "Buffers of blocks exist in functions that schedules work on.",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    C = T.sblock_alloc_buffer((4,))\n    C[0] = "
     "A[0]",
     "@T.prim_func\ndef f(A: T.Buffer((4,), \"float32\")):\n    C = T.alloc_buffer((4,))\n    C[0] = A[0]"},
    {"no-attribute", "The object has nothing of that name: it is misspelt, or was renamed since.",
     "T.evaluate(T.sqrtt(A[0]))", "T.evaluate(T.sqrt(A[0]))"},
    {"no-builder", "Functions and modules by calls are put into a builder.",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith T.prim_func():\n    "
     "T.evaluate(0)",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith IRBuilder() as ib:\n "
     "   with T.prim_func():\n        T.evaluate(0)"},
    {"no-definition", "A text to parse defines a function or a module.",
     "import tvm\ntvm.script.from_source(\"x = 1\")",
     "import tvm\ntvm.script.from_source(\"@T.prim_func\\ndef f():\\n    pass\")"},
    {"no-effect",
     "The statement adds nothing to the function. What the script computes while the function is read stays "
     "in the script.",
     "None", "T.evaluate(n)"},
    {"no-layout", "A method asks where elements lie, and the buffer does not say: give it a layout.", "", ""},
    {"no-limits", "The type has no smallest or largest value.", "T.evaluate(T.max_value(\"bool\"))",
     "T.evaluate(T.max_value(\"int8\"))"},
    {"no-result",
     "A builder has a result as soon as the `with` of its function, module or statement has ended.",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith IRBuilder() as ib:\n "
     "   pass\nib.get()",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith IRBuilder() as ib:\n "
     "   T.evaluate(0)\nib.get()"},
    {"no-such-attribute", "Buffers have methods that other variables lack.", "T.evaluate(n.vload([0]))",
     "T.evaluate(A.vload([0]))"},
    {"no-such-function", "The module has no function of that name.", "import tvm\ntvm.IRModule({})[\"main\"]",
     "import tvm\nprint(\"main\" in tvm.IRModule({}))"},
    {"no-such-parameter", "`T.match_buffer` looks at a parameter of this function as a buffer.",
     "p: T.let = A.data\nC = T.match_buffer(p, (16,))", "C = T.match_buffer(h, (16,))\nC[0] = 1.0"},
    {"not-a-buffer", "Only buffers have elements.", "n[0] = 1", "A[0] = 1.0"},
    {"not-a-class", "`@I.ir_module` stands above a class.", "@I.ir_module\ndef f():\n    pass",
     "@I.ir_module\nclass M:\n    pass"},
    {"not-a-condition", "A condition is a comparison or a bool.", "if A:\n    A[0] = 1.0",
     "if A[0] > 0.0:\n    A[0] = 1.0"},
    {"not-a-context", "`with` opens blocks, attributes and threads in a function.", "with n:\n    A[0] = 1.0",
     "with T.sblock(\"b\"):\n    A[0] = 1.0"},
    {"not-a-decorator", "The name works on the definition below it.",
     "import tvm\ntvm.script.tirx.prim_func(lambda x: x)", "@T.prim_func\ndef f():\n    pass"},
    {"not-a-function", "A module holds functions. Numbers and names of the script stand above it.",
     "@I.ir_module\nclass M:\n    N = 4",
     "import tvm\nN = 4\nfrom tvm.script import ir as I\n\n@I.ir_module\nclass M:\n    pass"},
    {"not-a-loop", "A loop of the compiled function counts: it runs over `range` or a loop of `T`.",
     "for i in [1, 2]:\n    A[i] = 1.0", "for i in range(1, 3):\n    A[i] = 1.0"},
    {"not-a-loop-variable",
     "`T.axis.remap` takes each axis' domain from the loop that it is bound to, so it is bound to loop "
     "variables.",
     "for i in range(16):\n    with T.sblock(\"b\"):\n        vi = T.axis.remap(\"S\", [i + 1])\n        "
     "A[vi] = 1.0",
     "for i in range(15):\n    with T.sblock(\"b\"):\n        vi = T.axis.spatial(16, i + 1)\n        A[vi] "
     "= 1.0"},
    {"not-a-permutation", "An order of dimensions names each of them once.", "", ""},
    {"not-assignable", "Only mutable scalars and elements of buffers can change.",
     "for i in range(4):\n    i += 1", "i: T.int32 = 0\ni += 1"},
    {"not-at-top-of-block",
     "What describes a block (axes, regions, its condition, its init) stands at its top, where it holds for "
     "the whole block.",
     "with T.sblock(\"b\"):\n    for i in range(4):\n        T.reads(A[0])\n        A[0] = A[0] + 1.0",
     "with T.sblock(\"b\"):\n    T.reads(A[0])\n    for i in range(4):\n        A[0] = A[0] + 1.0"},
    {"not-at-top-of-function", "Attributes of a function stand at its top.",
     "if n > 0:\n    T.func_attr({\"k\": 1})", "T.func_attr({\"k\": 1})\nA[0] = 1.0"},
    {"not-classic",
     "TVM 0.13 to 0.18 had no words for layouts, scope ids, tile primitives, loops with a step and later "
     "operators; a module that has them prints in the dialect of today only.",
     "", ""},
    {"not-constant", "The value must be known while the function is read.", "T.static_assert(n > 0, \"n\")",
     "assert n > 0, \"n\""},
    {"not-constructible", "Objects of this class are made by others, not by calling it.", "", ""},
    {"not-entered", "Frames are left in the reverse order in which they were entered; `with` sees to that.",
     "", ""},
    {"not-subscriptable", "Only buffers, tuples and lists have elements.", "A[0] = n[0]", "A[0] = A[1]"},
    {"not-text", "A file is text in UTF-8.", "", ""},
    {"open-slice",
     "The length of a vector is part of its type, so a slice that is stored into has both ends.",
     "A[0:] = T.Broadcast(T.float32(1), 16)", "A[0:16] = T.Broadcast(T.float32(1), 16)"},
    {"outside-block", "Axes, regions and init describe a block.", "T.reads(A[0])",
     "with T.sblock(\"b\"):\n    T.reads(A[0])\n    B[0, 0] = A[0]"},
    {"outside-ir-module", "Attributes of a module stand in its class.",
     "import tvm\nfrom tvm.script import ir as I\nI.module_attrs({\"k\": 1})",
     "@I.ir_module\nclass M:\n    I.module_attrs({\"k\": 1})"},
    {"outside-prim-func", "Loops, blocks and stores are parts of a function under `@T.prim_func`.",
     "import tvm\nfrom tvm.script import tirx as T\nT.evaluate(0)", "with T.sblock(\"b\"):\n    A[0] = 1.0"},
    {"private-function-with-symbol",
     "A private function is not visible outside of its module and has no symbol.",
     "@T.prim_func(private=True)\ndef f():\n    T.func_attr({\"global_symbol\": \"f\"})",
     "@T.prim_func\ndef f():\n    T.func_attr({\"global_symbol\": \"g\"})"},
    {"ptx-operands",
     "The PTX instruction has these modifiers, but takes other operands with them; the notes list what it "
     "takes.",
     "", ""},
    {"python-function",
     "A module may keep functions that CPython runs beside its tensor functions; there is no CPython here.",
     "import tvm\nfrom tvm.script import ir as I\n@I.ir_module\nclass M:\n    @I.pyfunc\n    def g(self, "
     "x):\n"
     "        return x",
     "@I.ir_module\nclass M:\n    @T.prim_func\n    def g(x: T.int32):\n        T.evaluate(x)"},
    {"quoted-dimension",
     "A quoted dimension gives a name to a size of an argument, so it stands in the signature.",
     "C = T.alloc_buffer((\"m\",), \"float32\")", "C = T.alloc_buffer((n,), \"float32\")\nC[0] = 1.0"},
    {"redefined-function", "The functions of a module have different names.",
     "@I.ir_module\nclass M:\n    @T.prim_func\n    def f():\n        pass\n    @T.prim_func\n    def f():\n "
     "       pass",
     "@I.ir_module\nclass M:\n    @T.prim_func\n    def f():\n        pass\n    @T.prim_func\n    def g():\n "
     "       pass"},
    {"redefined-variable",
     "A name means one thing in its scope. Mutable scalars can be assigned again, with the same type.",
     "x: T.let = n\nx: T.let = n + 1", "x: T.let = n\ny: T.let = x + 1\nA[y] = 1.0"},
    {"region-as-value",
     "A region names a part of a buffer, for T.reads, T.writes and T.match_buffer. Only where it is one "
     "vector, "
     "along the last dimension and of a length that is known, is it a value.",
     "A[0] = B[0]", "A[0] = B[0, 0]"},
    {"region-in-branch",
     "`T.device_entry()` opens a region that reaches to the end of the function, so one branch of an `if` "
     "cannot "
     "hold it.",
     "if n > 0:\n    T.device_entry()\n    bx = T.cta_id([4])",
     "T.device_entry()\nbx = T.cta_id([4])\nif n > 0:\n    A[bx] = 1.0"},
    {"repeated-attribute", "An attribute is set once.", "T.func_attr({\"k\": 1})\nT.func_attr({\"k\": 2})",
     "T.func_attr({\"k\": 2})"},
    {"repeated-block-part", "A block has one of each: T.reads, T.writes, T.where, T.init.",
     "with T.sblock(\"b\"):\n    T.reads(A[0])\n    T.reads(A[1])\n    B[0, 0] = A[0] + A[1]",
     "with T.sblock(\"b\"):\n    T.reads(A[0], A[1])\n    B[0, 0] = A[0] + A[1]"},
    {"repeated-branch", "A branch has one `T.Then` and at most one `T.Else`.",
     "with T.If(n > 0):\n    with T.Then():\n        T.evaluate(n)\n    with T.Then():\n        "
     "T.evaluate(n)",
     "with T.If(n > 0):\n    with T.Then():\n        T.evaluate(n)\n    with T.Else():\n        "
     "T.evaluate(n)"},
    {"repeated-parameter", "A variable is a parameter once.", "", ""},
    {"return-without-value", "A function ends at its last statement; `return` gives a value.", "return",
     "return n"},
    {"scope-extent-mismatch",
     "The ids of a device region agree on how many there are: warps times lanes make the threads of a block.",
     "", ""},
    {"second-result", "A builder builds one function, module or statement.",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith IRBuilder() as ib:\n "
     "   T.evaluate(1)\n    T.evaluate(2)",
     "import tvm\nfrom tvm.script.ir_builder import IRBuilder, tirx as T, ir as I\nwith IRBuilder() as ib:\n "
     "   T.evaluate(1)"},
    {"shift-out-of-range", "A shift moves by less than the number of bits, and not backwards.",
     "T.evaluate(n << 40)", "T.evaluate(n << 4)"},
    {"slice-with-step", "A region of a buffer is a box without gaps.", "x: T.let = A[0:8:2]",
     "x: T.let = A[T.Ramp(0, 2, 4)]"},
    {"static-assert", "A condition that the function's author demands does not hold.",
     "T.static_assert(1 == 2, \"sizes differ\")", "T.static_assert(1 == 1)"},
    {"swapped-arguments",
     "Two arguments stand in each other's place: a shape comes before its data type, a thread before its "
     "extent, "
     "an extent before the loop that it is bound to.",
     "C = T.match_buffer(h, \"float32\", (4,))\nC[0] = 1.0",
     "C = T.match_buffer(h, (4,), \"float32\")\nC[0] = 1.0"},
    {"syntax", "The text does not fit the grammar; the caret stands where reading stopped.", "", ""},
    {"te-in-function", "A reduction of te is turned into a block by create_prim_func; functions hold loops.",
     "", ""},
    {"thread-extent-mismatch", "All launches of one thread axis have the same number of threads.",
     "t = T.env_thread(\"threadIdx.x\")\nwith T.launch_thread(t, 4):\n    A[t] = 1.0\nwith "
     "T.launch_thread(t, 8):\n    A[t] = 2.0",
     "t = T.env_thread(\"threadIdx.x\")\nwith T.launch_thread(t, 8):\n    A[t] = 1.0\nwith "
     "T.launch_thread(t, 8):\n    A[t] = 2.0"},
    {"too-deep", "Constructs inside one another beyond what any reader can follow: name parts of them.", "",
     ""},
    {"too-large", "The text is larger than any program.", "", ""},
    {"too-many-arguments", "The function takes fewer arguments.", "", ""},
    {"type-mismatch", "Two types that must agree do not.", "T.evaluate(~A[0])", "T.evaluate(~n)"},
    {"unclosed", "A bracket or string is opened and never closed.", "", ""},
    {"undecorated-class", "A class in a text to parse is a module and says so with `@I.ir_module`.", "", ""},
    {"undecorated-function", "A function of a module is under `@T.prim_func`.",
     "@I.ir_module\nclass M:\n    def f():\n        pass",
     "@I.ir_module\nclass M:\n    @T.prim_func\n    def f():\n        pass"},
    {"undefined-function", "A function that a module declares must be defined before the module ends.", "",
     ""},
    {"undefined-name",
     "The name has no meaning here: it is misspelt, or its loop, branch or block has ended.",
     "for i in range(4):\n    A[i] = 1.0\nA[i] = 2.0", "for i in range(4):\n    A[i] = 1.0\n    A[i] = 2.0"},
    {"undefined-variable",
     "The variable exists, but nothing gives it a value before it is used: no parameter, no shape, no loop.",
     "m = T.int32()\nA[m] = 1.0", "m: T.int32 = 3\nA[m] = 1.0"},
    {"undetectable-access",
     "The address of a buffer leaves the block, so what the block reads and writes cannot be found. Write it "
     "down.",
     "with T.sblock(\"b\"):\n    T.evaluate(T.call_extern(\"int32\", \"g\", A.data))\nA[0] = 1.0",
     "with T.sblock(\"b\"):\n    T.reads(A[0:16])\n    T.writes(A[0:16])\n    "
     "T.evaluate(T.call_extern(\"int32\", \"g\", A.data))"},
    {"unknown-axis-kind", "`T.axis.remap` knows `S` (spatial) and `R` (reduce).",
     "for i in range(16):\n    with T.sblock(\"b\"):\n        vi = T.axis.remap(\"Q\", [i])\n        A[vi] = "
     "1.0",
     "for i in range(16):\n    with T.sblock(\"b\"):\n        vi = T.axis.remap(\"S\", [i])\n        A[vi] = "
     "1.0"},
    {"unknown-dtype", "No data type has this name.", "A[0] = T.Cast(\"flot32\", n)",
     "A[0] = T.Cast(\"float32\", n)"},
    {"unknown-iter-type", "No kind of iterator has this name.", "T.iter_var(\"v\", None, \"Spatial\", \"\")",
     "v = T.iter_var(\"v\", T.Range(0, 4), \"DataPar\", \"\")\nA[0] = 1.0"},
    {"unknown-keyword", "The function has no argument of this name.",
     "for i in T.serial(4, annotation={}):\n    A[i] = 1.0",
     "for i in T.serial(4, annotations={}):\n    A[i] = 1.0"},
    {"unknown-scope", "A scope of execution of a kernel; the message lists those that there are.", "", ""},
    {"unknown-thread-axis",
     "Threads of a device have axes blockIdx, threadIdx and vthread, each with .x, .y and .z.",
     "for i in T.thread_binding(4, thread=\"threadIdx.w\"):\n    A[i] = 1.0",
     "for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n    A[i] = 1.0"},
    {"unpack-mismatch", "What is taken apart needs as many names as it has parts.",
     "for i, j in T.grid(4, 4):\n    with T.sblock(\"b\"):\n        vi = T.axis.remap(\"SS\", [i, j])\n"
     "        A[0] = 1.0",
     "for i, j in T.grid(4, 4):\n    with T.sblock(\"b\"):\n        vi, vj = T.axis.remap(\"SS\", [i, j])\n"
     "        A[vi * 4 + vj] = 1.0"},
    {"unsupported", "TVM has this and mlc does not, yet. The message says what it is.", "", ""},
    {"unsupported-expression", "An expression of Python that no compiled function can hold.",
     "A[(k := 0)] = 1.0", "A[0] = 1.0"},
    {"unsupported-operand", "The operator has no meaning for a value of this kind.", "", ""},
    {"unsupported-operator", "The operator has no meaning for these values.", "T.evaluate(n ** 2)",
     "T.evaluate(n * n)"},
    {"unsupported-parameter", "A compiled function is called with all its arguments, by position.",
     "@T.prim_func(s_tir=True)\ndef f(n: T.int32 = 3):\n    T.evaluate(n)",
     "@T.prim_func(s_tir=True)\ndef f(n: T.int32):\n    T.evaluate(n)"},
    {"unsupported-statement", "A statement of Python that no compiled function can hold.",
     "for i in range(4):\n    A[i] = 1.0\nelse:\n    A[0] = 2.0",
     "for i in range(4):\n    A[i] = 1.0\nA[0] = 2.0"},
    {"vector-index", "A vector of elements lies along the last dimension.",
     "B[T.Ramp(0, 1, 4), 0] = T.Broadcast(T.float32(1), 4)",
     "B[0, T.Ramp(0, 1, 4)] = T.Broadcast(T.float32(1), 4)"},
    {"wrong-arguments", "The number of arguments does not fit.",
     "for i in range(1, 2, 3, 4):\n    A[i] = 1.0", "for i in range(1, 4):\n    A[i] = 1.0"},
    {"wrong-number-of-bindings", "Each iterator of a block has one binding.", "", ""},
    {"wrong-number-of-indices", "An element of a buffer has one index for each dimension.", "A[0, 0] = 1.0",
     "A[0] = 1.0"},
    {"wrong-number-of-strides", "A buffer has one stride for each dimension, or none.",
     "C = T.match_buffer(h, (4,), strides=[4, 1])",
     "C = T.match_buffer(h, (4, 4), strides=[4, 1])\nC[0, 0] = 1.0"},
    {"wrong-number-of-targets", "As many names as values.", "for i, j in T.grid(4):\n    A[i] = 1.0",
     "for i, j in T.grid(4, 4):\n    A[i] = 1.0"},
    {"wrong-type", "A value of another kind was expected here.", "A[0] = \"text\"", "A[0] = 1.0"},
};

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    out.append("    ").append(text.substr(0, end)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

std::span<const Explanation> explanations() {
  static const std::vector<Explanation> all = [] {
    std::vector<Explanation> joined(std::begin(rows), std::end(rows));
    for (std::span<const Explanation> table :
         {script_explanations(), array_explanations(), tools_explanations()})
      joined.insert(joined.end(), table.begin(), table.end());
    std::sort(joined.begin(), joined.end(),
              [](const Explanation& a, const Explanation& b) { return a.name < b.name; });
    return joined;
  }();
  return all;
}

const Explanation* explanation(std::string_view name) {
  std::span<const Explanation> all = explanations();
  auto found =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const Explanation& row, std::string_view wanted) { return row.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

namespace {

std::string examples(std::string_view wrong, std::string_view right, bool schedule) {
  if (wrong.empty()) return "";
  std::string text = "\nwrong:\n" + indented(wrong);
  if (!right.empty()) text += "\nright:\n" + indented(right);
  bool uses_schedule = wrong.find("sch.") != std::string_view::npos;
  if (schedule && uses_schedule) text += "\n`sch` is a schedule of this:\n" + indented(kScheduleHead);
  return text;
}

}  // namespace

std::string explain(const Explanation& entry) {
  return fmt::format("error {}\n\n  {}\n", entry.name, entry.meaning) +
         examples(entry.wrong, entry.right, entry.schedule);
}

std::string explain(const ir::Refusal& rule) {
  std::string message;  // with dots for what the program fills in
  for (size_t at = 0; at < rule.message.size(); ++at) {
    if (rule.message[at] == '{') {
      at = std::min(rule.message.find('}', at), rule.message.size());
      message += "…";
    } else {
      message += rule.message[at];
    }
  }
  std::string text = fmt::format("error {}\n\n  {}\n", rule.name, message);
  if (!rule.meaning.empty()) text += fmt::format("\n  {}\n", rule.meaning);
  if (!rule.help.empty()) text += fmt::format("\nhelp: {}\n", rule.help);
  return text + examples(rule.wrong, rule.right, true);
}

std::string example_program(const ir::Refusal&, std::string_view example) {
  return std::string(kScheduleHead) + std::string(example) + "\n";
}

std::string example_program(const Explanation& entry, std::string_view example) {
  if (entry.schedule) return std::string(kScheduleHead) + std::string(example) + "\n";
  if (entry.script) return std::string(example) + "\n";
  std::string imports = "from tvm.script import ir as I, tirx as T\n\n";
  if (example.starts_with("import")) return std::string(example) + "\n";
  if (example.starts_with("@") || example.starts_with("def")) return imports + std::string(example) + "\n";
  return imports + std::string(kExampleHead) + indented(example);
}

}  // namespace mlc::diagnostics
