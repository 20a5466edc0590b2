# SPDX-License-Identifier: Apache-2.0
"""Texts of kernels for devices that mlc has no runtime for, under what compiles or runs them without such a device.

    python3 tests/kernel_texts/run.py MLC [KIND...] [--count N]

webgpu: run by wgpu (PyPI) on a device of Vulkan, which may be Mesa's for CPUs, and compared with the CPU
vulkan: glslangValidator makes SPIR-V, spirv-val checks it, and wgpu runs it
metal:  compiled by clang as C++ of `metal/metal_stdlib` and run on this CPU, compared
rocm:   compiled by clang for one of AMD's GPUs, with its own declarations and those of `rocm/hip`
What is not installed is said, and its kind skipped.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NUMBERS = {"float32": 1e-4, "float16": 2e-2}


def clang():
    """A clang that knows HIP and AMD's GPUs; None where there is none."""
    for name in ("clang++-19", "clang++"):
        if shutil.which(name):
            return name
    return None


def differs(record, name, found, numpy):
    """What is wrong with a result, "" if nothing is."""
    param = next(one for one in record["params"] if one["name"] == name)
    wanted = numpy.array(param["after"], dtype=param["dtype"])
    if wanted.dtype.kind == "f":
        near = NUMBERS[param["dtype"]]
        same = numpy.allclose(found.astype("float64"), wanted.astype("float64"), rtol=near, atol=10 * near)
    else:
        same = numpy.array_equal(found, wanted)
    if same:
        return ""
    at = int(numpy.argmax(found != wanted))
    return f"{name}[{at}] is {found[at]}, not {wanted[at]}"


class Wgpu:
    """A device that runs WGSL and SPIR-V."""

    def __init__(self):
        import numpy
        import wgpu

        self.numpy, self.wgpu = numpy, wgpu
        adapters = [one for one in wgpu.gpu.enumerate_adapters_sync() if one.info["backend_type"] == "Vulkan"]
        if not adapters:
            raise RuntimeError("wgpu finds no device of Vulkan (on Debian, `apt install mesa-vulkan-drivers` makes one of the CPU)")
        self.name = adapters[0].info["device"]
        features = [one for one in ("shader-f16",) if one in adapters[0].features]
        self.device = adapters[0].request_device_sync(required_features=features)

    def run(self, record, code, entry, uniform):
        """"" or what is wrong."""
        device, usage = self.device, self.wgpu.BufferUsage
        buffers, entries = [], []
        for param in record["params"]:
            data = self.numpy.array(param["before"], dtype=param["dtype"]).tobytes()
            data += b"\0" * (-len(data) % 4)
            flags = usage.STORAGE | usage.COPY_SRC
            buffers.append(device.create_buffer_with_data(data=data, usage=flags))
        if uniform:
            counted = self.numpy.array([record["grid"][0]], dtype="uint32").tobytes()
            buffers.append(device.create_buffer_with_data(data=counted, usage=usage.UNIFORM))
        pipeline = device.create_compute_pipeline(
            layout="auto", compute={"module": device.create_shader_module(code=code), "entry_point": entry}
        )
        layout = pipeline.get_bind_group_layout(0)
        for number, buffer in enumerate(buffers):
            entries.append({"binding": number, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}})
        group = device.create_bind_group(layout=layout, entries=entries)
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        work.set_bind_group(0, group)
        work.dispatch_workgroups(*record["grid"])
        work.end()
        device.queue.submit([encoder.finish()])
        for param, buffer in zip(record["params"], buffers):
            found = self.numpy.frombuffer(device.queue.read_buffer(buffer), dtype=param["dtype"])
            wrong = differs(record, param["name"], found[: len(param["after"])], self.numpy)
            if wrong:
                return wrong
        return ""


def check_webgpu(records, folder):
    gpu = Wgpu()
    print(f"webgpu: on {gpu.name}")
    for record in records:
        try:
            yield record, gpu.run(record, record["text"], "main_kernel", True)
        except Exception as error:  # what wgpu says has a class for each kind
            yield record, str(error).strip().split("\n")[0]


def check_vulkan(records, folder):
    compiler, validator = shutil.which("glslangValidator"), shutil.which("spirv-val")
    if compiler is None or validator is None:
        raise RuntimeError("no glslangValidator or spirv-val (on Debian, `apt install glslang-tools spirv-tools`)")
    for record in records:
        source, binary = folder / "kernel.comp", folder / "kernel.spv"
        source.write_text(record["text"])
        made = subprocess.run([compiler, "--target-env", "vulkan1.2", "-o", binary, source], capture_output=True, text=True, check=False)
        if made.returncode == 0:
            made = subprocess.run([validator, "--target-env", "vulkan1.2", binary], capture_output=True, text=True, check=False)
        yield record, "" if made.returncode == 0 else (made.stdout + made.stderr).strip()


def check_metal(records, folder):
    import numpy

    compiler = clang()
    if compiler is None:
        raise RuntimeError("no clang (on Debian, `apt install clang-19`)")
    # Lanes that a warp's reduction leaves out exchange what they have never set.
    options = ["-std=c++17", "-O1", "-shared", "-fPIC", "-fwrapv", "-ftrivial-auto-var-init=zero", "-Wno-unknown-attributes"]
    for number, record in enumerate(records):
        library = folder / f"metal{number}.so"
        source = folder / "kernel.metal.cpp"
        source.write_text(record["text"] + metal_entry(record))
        words = [compiler, *options, "-I", HERE / "metal", source]
        made = subprocess.run([*words, "-o", library], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            yield record, made.stderr.split("\n")[0]
            continue
        yield record, run_native(record, library, numpy)


def metal_entry(record):
    """A function of C that runs all threads of a launch."""
    params = ", ".join(f"void* p{i}" for i in range(len(record["params"])))
    args = ", ".join(f"(decltype(first_of<{i}>(main_kernel)))p{i}" for i in range(len(record["params"])))
    grid, block = (", ".join(map(str, record[key])) for key in ("grid", "block"))
    return f'\nextern "C" void launch({params}) {{\n  run_blocks({{{grid}}}, {{{block}}}, [=](uint3 b, uint3 t) {{ main_kernel({args}, b, t); }});\n}}\n'


def run_native(record, library, numpy):
    """Of a library whose `launch` takes the memory of all parameters."""
    script = (
        "import ctypes, json, sys, numpy\n"
        "record = json.load(sys.stdin)\n"
        "arrays = [numpy.array(p['before'], dtype=p['dtype']) for p in record['params']]\n"
        "ctypes.CDLL(sys.argv[1]).launch(*[ctypes.c_void_p(a.ctypes.data) for a in arrays])\n"
        "print(json.dumps([a.astype('float64').tolist() if a.dtype.kind == 'f' else a.tolist() for a in arrays]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, library], input=json.dumps(record), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"it ends with {done.returncode} {done.stderr[-200:]}"
    for param, found in zip(record["params"], json.loads(done.stdout)):
        wrong = differs(record, param["name"], numpy.array(found, dtype=param["dtype"]), numpy)
        if wrong:
            return wrong
    return ""


def check_rocm(records, folder):
    compiler = clang()
    if compiler is None:
        raise RuntimeError("no clang (on Debian, `apt install clang-19`)")
    source = folder / "kernel.hip"
    words = [compiler, "-x", "hip", "--cuda-device-only", "--offload-arch=gfx90a", "-nogpulib", "-nogpuinc", "-O1", "-S", "-I", HERE / "rocm"]
    for record in records:
        source.write_text(record["text"])
        made = subprocess.run([*words, source, "-o", folder / "kernel.s"], capture_output=True, text=True, check=False)
        yield record, "" if made.returncode == 0 else made.stderr.split("\n")[0]


CHECKS = {"webgpu": check_webgpu, "vulkan": check_vulkan, "metal": check_metal, "rocm": check_rocm}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mlc")
    parser.add_argument("kinds", nargs="*", default=list(CHECKS))
    parser.add_argument("--count", type=int, default=20, help="random kernels of each kind")
    args = parser.parse_args()
    passed = failed = 0
    for kind in args.kinds:
        made = subprocess.run([args.mlc, "run", HERE / "corpus.mlc", kind, str(args.count)], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            print(f"FAILED {kind}: {made.stderr}")
            failed += 1
            continue
        records = json.loads(made.stdout)
        for record in records:
            if "refused" in record:
                print(f"{kind}: {record['name']} is refused: {record['refused']}")
        records = [record for record in records if "text" in record]
        if len(records) < args.count // 2:
            print(f"FAILED {kind}: only {len(records)} kernels")
            failed += 1
        try:
            with tempfile.TemporaryDirectory() as folder:
                for record, wrong in CHECKS[kind](records, pathlib.Path(folder)):
                    passed, failed = passed + (not wrong), failed + bool(wrong)
                    if wrong:
                        print(f"FAILED {kind}: {record['name']}: {wrong}")
        except (ImportError, RuntimeError) as reason:
            print(f"SKIPPED {kind}: {reason}")
            continue
        print(f"{kind}: {len(records)} kernels")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
