// SPDX-License-Identifier: Apache-2.0
// Errors of arrays (`np`).
#include "frontend/diagnostics/explanation_tables.h"

namespace mlc::diagnostics {
namespace {

constexpr Explanation rows[] = {
    {"ambiguous-truth", "An array of several elements is neither true nor false as a whole.",
     "import numpy as np\nif np.array([1, 0]):\n    pass",
     "import numpy as np\nif np.array([1, 0]).any():\n    pass", true},
    {"axis-out-of-range", "An array has as many axes as dimensions, counted from 0, or from -1 at the end.",
     "import numpy as np\nnp.zeros((2, 3)).sum(axis=2)", "import numpy as np\nnp.zeros((2, 3)).sum(axis=1)",
     true},
    {"bad-axes", "A permutation of axes names each axis once.",
     "import numpy as np\nnp.zeros((2, 3)).transpose(0, 0)",
     "import numpy as np\nnp.zeros((2, 3)).transpose(1, 0)", true},
    {"bad-cast", "The values would lose something in the new type, which this operation does not allow.",
     "import numpy as np\na = np.array([1])\na += 1.5", "import numpy as np\na = np.array([1.0])\na += 1.5",
     true},
    {"bad-shape", "One dimension at most is inferred, with -1.",
     "import numpy as np\nnp.zeros(6).reshape(-1, -1)", "import numpy as np\nnp.zeros(6).reshape(2, -1)",
     true},
    {"float-error", "`np.errstate` or `np.seterr` asked for errors where a result is not a finite number.",
     "", ""},
    {"negative-dimension", "The extents of an array are not negative.",
     "import numpy as np\nnp.zeros((2, -1))", "import numpy as np\nnp.zeros((2, 1))", true},
    {"negative-power", "An integer to a negative power is a fraction: make it a float.",
     "import numpy as np\nnp.array([2]) ** -1", "import numpy as np\nnp.array([2.0]) ** -1", true},
    {"negative-seed", "Seeds are not negative.", "import numpy as np\nnp.random.default_rng(-1)",
     "import numpy as np\nnp.random.default_rng(1)", true},
    {"no-common-dtype", "No type holds the values of both.", "", ""},
    {"not-a-scalar", "Only an array of one element is a number.",
     "import numpy as np\nnp.array([1, 2]).item()", "import numpy as np\nnp.array([1, 2])[0].item()", true},
    {"not-an-array", "Arrays hold numbers and bools.", "import numpy as np\nnp.array([{}])",
     "import numpy as np\nnp.array([1])", true},
    {"ragged-array", "The rows of an array have one length.", "import numpy as np\nnp.array([[1, 2], [3]])",
     "import numpy as np\nnp.array([[1, 2], [3, 4]])", true},
    {"seed-out-of-range", "A seed is a number from 1 to 2**31 - 1.", "", ""},
    {"shape-mismatch",
     "The shapes do not go together. From the last axis on, extents are equal or one of them is 1.",
     "import numpy as np\nnp.zeros((2, 3)) + np.zeros(2)",
     "import numpy as np\nnp.zeros((2, 3)) + np.zeros((2, 1))", true},
    {"too-many-dimensions", "Lists inside lists make the dimensions of an array, 64 at most.",
     "import numpy as np\nx = 1\nfor i in range(65):\n    x = [x]\nnp.array(x)",
     "import numpy as np\nx = 1\nfor i in range(64):\n    x = [x]\nnp.array(x)", true},
    {"too-many-indices", "An array has one index for each dimension.",
     "import numpy as np\nnp.zeros(3)[0, 0]", "import numpy as np\nnp.zeros(3)[0]", true},
    {"unsupported-dtype", "Arrays are of bools, integers, floats and bfloat16.",
     "import numpy as np\nnp.zeros(2, \"complex64\")", "import numpy as np\nnp.zeros(2, \"float32\")", true},
    {"wrong-ufunc", "Only a function of two arguments can fold an array.",
     "import numpy as np\nnp.negative.reduce(np.zeros(2))", "import numpy as np\nnp.add.reduce(np.zeros(2))",
     true},
};

}  // namespace

std::span<const Explanation> array_explanations() { return rows; }

}  // namespace mlc::diagnostics
