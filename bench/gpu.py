# SPDX-License-Identifier: Apache-2.0
"""Kernels that nobody has scheduled, on a GPU, beside torch's in the same run.

    python bench/gpu.py build MLC FOLDER [--arch sm_90a] [--wheel PYTHON]
    python bench/gpu.py run MLC FOLDER

`build` needs no GPU: it makes the libraries of gpu_kernels.mlc, and prints of each kernel the seconds until its text is
there, and registers, spilled bytes and static shared memory as ptxas counts them; with `--wheel`, a Python that has
apache-tvm, the same of what dlight makes of the function there.

`run` needs a GPU and torch. Each kernel runs in two turns, mlc's and torch's, 30 times after 512 MiB have been written
(no result is in the cache); it prints the medians, their ratio (below 1 mlc is faster), what that is in TFLOP/s or GB/s,
and how far a corner of the result is from torch's in float32, relative to its largest number.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = str(HERE / "gpu_kernels.mlc")


def mlc_says(mlc, *arguments):
    done = subprocess.run([mlc, "run", KERNELS, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr or done.stdout)
    return json.loads(done.stdout)


def ptxas(text, arch):
    """Registers, spilled bytes, bytes of static shared memory of a file's kernels together."""
    number = arch.removeprefix("sm_")
    command = ["nvcc", "--cubin", "-O3", f"-gencode=arch=compute_{number},code=sm_{number}", "--use_fast_math"]
    done = subprocess.run([*command, "-Xptxas", "-v", "-o", "/dev/null", str(text)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return "nvcc fails"
    registers = max(int(each) for each in re.findall(r"Used (\d+) registers", done.stderr))
    spilled = sum(int(each) for each in re.findall(r"(\d+) bytes spill stores", done.stderr))
    shared = sum(int(each) for each in re.findall(r"(\d+) bytes smem", done.stderr))
    return f"{registers} registers, {spilled} B spilled, {shared} B shared"


# What the wheel makes of the same functions: dlight, for an architecture whose name is a number (others turn tensor cores off).
WHEEL = """
import json, pathlib, re, sys, time, types
import tvm
from tvm.s_tir import dlight as dl
source, folder = sys.argv[1:]
text = pathlib.Path(source).read_text()
text = text[: text.index("class Attended")].replace("import mlc.schedule\\n", "")
sys.argv = ["", "build", folder]
program = types.ModuleType("program")
exec(compile(text, source, "exec"), program.__dict__)
target = tvm.target.Target({"kind": "cuda", "arch": "sm_90", "max_num_threads": 1024, "max_threads_per_block": 1024,
                            "thread_warp_size": 32, "max_shared_memory_per_block": 49152}, host="llvm")
rules = [dl.gpu.Matmul(), dl.gpu.GEMV(), dl.gpu.Reduction(), dl.gpu.GeneralReduction(), dl.gpu.Transpose(), dl.gpu.Fallback()]
seconds = {}
for name, make in program.ROWS.items():
    begin = time.time()
    try:
        inputs, output = make()
        with target:
            mod = dl.ApplyDefaultSchedule(*rules)(tvm.IRModule({"main": program.te.create_prim_func([*inputs, output])}))
        made = tvm.compile(mod, target=target).mod.imports[0].inspect_source()
    except Exception as error:
        seconds[name] = type(error).__name__
        continue
    seconds[name] = time.time() - begin
    pathlib.Path(folder, name + ".dlight.cu").write_text(made)
print(json.dumps(seconds))
"""


def build(options):
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    seconds = mlc_says(options.mlc, "build", str(folder), options.arch)
    theirs = {}
    if options.wheel:
        done = subprocess.run([options.wheel, "-c", WHEEL, KERNELS, str(folder)], capture_output=True, text=True, check=True)
        theirs = json.loads(done.stdout.splitlines()[-1])
    for name, took in seconds.items():
        print(f"{name:20} {took:6.2f} s  {ptxas(folder / (name + '.cu'), options.arch)}")
        if isinstance(theirs.get(name), float):
            print(f"{'  dlight':20} {theirs[name]:6.2f} s  {ptxas(folder / (name + '.dlight.cu'), 'sm_90')}")
        elif name in theirs:
            print(f"{'  dlight':20} {theirs[name]}")


def numbers(torch, index, shape, dtype):
    """Those of gpu_kernels.mlc."""
    count = 1
    for each in shape:
        count *= each
    places = torch.arange(count, device="cuda") * (7 + 4 * index) % 17 - 8
    values = places if dtype == torch.int8 else places / 8
    return values.to(torch.float32).to(dtype).reshape(shape)


def peers(torch):
    """name: (a call, the same in float32, floating-point operations, bytes)."""
    functional, made = torch.nn.functional, {}
    types = {"f16": torch.float16, "bf16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32, "int8": torch.int8}

    def product(name, m, n, k, dtype, along_columns=False):
        a = numbers(torch, 0, (m, k), dtype)
        b = numbers(torch, 1, (k, n) if along_columns else (n, k), dtype)
        right = b if along_columns else b.t()
        call = lambda: a @ right
        if dtype == torch.int8:
            call = lambda: torch._int_mm(a, right)
        elif dtype == torch.float8_e4m3fn:
            one = torch.ones((), device="cuda")
            call = lambda: torch._scaled_mm(a, right, one, one, out_dtype=torch.float16)
        size = a.element_size()
        made[name] = (call, lambda: a.float() @ right.float(), 2 * m * n * k, size * (m * k + n * k) + 2 * m * n)

    def rows(name, shape, dtype, call, read=1, written=1):
        a = numbers(torch, 0, shape, dtype)
        size = a.numel() * a.element_size()
        made[name] = (lambda: call(a), lambda: call(a.float()), 0, int(size * (read + written)))

    for n in (512, 1024, 2048, 4096):
        product(f"gemm_f16_{n}", n, n, n, torch.float16)
    for n in (1024, 2048, 4096):
        product(f"gemm_bf16_{n}", n, n, n, torch.bfloat16)
    product("gemm_f16_nn_4096", 4096, 4096, 4096, torch.float16, along_columns=True)
    product("gemm_f8_4096", 4096, 4096, 4096, torch.float8_e4m3fn)
    product("gemm_i8_4096", 4096, 4096, 4096, torch.int8)
    def batched(name, count, m, n, k):
        a, b = numbers(torch, 0, (count, m, k), torch.float16), numbers(torch, 1, (count, k, n), torch.float16)
        made[name] = (lambda: a @ b, lambda: a.float() @ b.float(), 2 * count * m * n * k, 2 * count * (m * k + n * k + m * n))

    def convolved(name, images, pixels, channels, filters, window, stride):
        # The same numbers in the same places; torch takes channels first and looks at strides.
        a = numbers(torch, 0, (images, pixels, pixels, channels), torch.float16).permute(0, 3, 1, 2)
        w = numbers(torch, 1, (window, window, channels, filters), torch.float16).permute(3, 2, 0, 1)
        last = w.contiguous(memory_format=torch.channels_last)
        across = -(-pixels // stride)
        call = lambda x, f: functional.conv2d(x, f, stride=stride, padding=window // 2).permute(0, 2, 3, 1)
        operations = 2 * images * across**2 * channels * filters * window**2
        size = a.numel() + w.numel() + images * across**2 * filters
        made[name] = (lambda: call(a, last), lambda: call(a.float(), w.float()), operations, 2 * size)

    def attended(name, queries, keys, heads, kv_heads, width, causal, batch):
        shapes = [(batch, queries, heads, width), (batch, keys, kv_heads, width), (batch, keys, kv_heads, width)]
        q, k, v = (numbers(torch, i, shape, torch.float16).transpose(1, 2) for i, shape in enumerate(shapes))

        def call(*each):
            found = functional.scaled_dot_product_attention(*each, is_causal=causal, enable_gqa=heads != kv_heads)
            return found.transpose(1, 2)

        operations = 4 * batch * heads * queries * keys * width // (2 if causal else 1)
        size = 2 * q.numel() + k.numel() + v.numel()
        made[name] = (lambda: call(q, k, v), lambda: call(q.float(), k.float(), v.float()), operations, 2 * size)

    batched("bmm_f16_64x512", 64, 512, 512, 64)
    convolved("conv_f16_56x64", 32, 56, 64, 64, 3, 1)
    convolved("conv_f16_14x256", 32, 14, 256, 256, 3, 1)
    convolved("conv_f16_28x128_s2", 32, 28, 128, 256, 3, 2)
    for width in (128, 64):
        attended(f"attention_causal_d{width}", 2048, 2048, 32, 32, width, True, 4)
    attended("attention_full_d128", 2048, 2048, 32, 32, 128, False, 4)
    attended("attention_decode_d128", 1, 4096, 32, 8, 128, False, 32)
    for m in (1, 16, 64, 128):
        product(f"gemm_f16_m{m}", m, 4096, 4096, torch.float16)
    for name in ("float16", "float32", "int8"):
        dtype = types[name]
        other = numbers(torch, 1, (4096, 4096), dtype)
        rows(f"add_{name}", (4096, 4096), dtype, lambda a, b=other: a + b.to(a.dtype), read=2)
        rows(f"transpose_{name}", (8192, 8192), dtype, lambda a: a.t().contiguous())
    for name in ("float16", "float32"):
        dtype = types[name]
        scale, bias = (numbers(torch, index, (4096,), dtype) for index in (1, 2))
        rows(f"softmax_{name}", (4096, 4096), dtype, lambda a: torch.softmax(a, -1))
        rows(f"layer_norm_{name}", (4096, 4096), dtype,
             lambda a, g=scale, h=bias: functional.layer_norm(a, (4096,), g.to(a.dtype), h.to(a.dtype), 1e-5))
        rows(f"rms_norm_{name}", (4096, 4096), dtype, lambda a, g=scale: functional.rms_norm(a, (4096,), g.to(a.dtype), 1e-5))
        rows(f"sum_{name}", (4096, 4096), dtype, lambda a: a.sum(1), written=0)
    return made


def seconds_of(torch, call, flush):
    """The median of 30 calls, each after the cache has been written over."""
    for _ in range(3):
        call()
    times = []
    for _ in range(30):
        flush.zero_()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def run(options):
    import numpy as np
    import torch

    print(torch.cuda.get_device_name(0))
    flush, made = torch.empty(512 << 20, dtype=torch.uint8, device="cuda"), peers(torch)
    ours, theirs = [], []
    for _ in range(2):
        ours.append(mlc_says(options.mlc, "run", options.folder))
        theirs.append({name: seconds_of(torch, each[0], flush) for name, each in made.items() if name in ours[-1]})
    ratios = []
    for name in ours[0]:
        mine, peer = (min(turn[name] for turn in turns) for turns in (ours, theirs))
        _, exact, operations, size = made[name]
        want = exact()[tuple(slice(0, 64) for _ in exact().shape)].float().cpu().numpy()
        found = np.load(f"{options.folder}/{name}.npy")
        error = float(np.abs(found - want).max() / max(1e-30, np.abs(want).max()))
        speed = f"{operations / mine / 1e12:7.1f} TFLOP/s" if operations else f"{size / mine / 1e9:7.0f} GB/s   "
        ratios.append(mine / peer)
        print(f"{name:20} {mine * 1e6:8.1f} us  torch {peer * 1e6:8.1f} us  {mine / peer:5.2f}  {speed}  error {error:.1e}")
    print(f"{'geometric mean':20} {statistics.geometric_mean(ratios):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["build", "run"])
    parser.add_argument("mlc")
    parser.add_argument("folder")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--wheel", help="a Python that has apache-tvm")
    options = parser.parse_args()
    (build if options.what == "build" else run)(options)
