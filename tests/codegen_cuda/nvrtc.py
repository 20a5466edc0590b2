# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's compilers, where they are installed: CUDA C++ to PTX (libnvrtc) and PTX to code (ptxas). Neither needs a GPU."""
import ctypes
import ctypes.util
import os
import pathlib
import shutil
import subprocess
import tempfile


def toolkit():
    """The folder of the CUDA toolkit; None where there is none."""
    for folder in [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]:
        if folder and (pathlib.Path(folder) / "include" / "cuda_fp16.h").exists():
            return pathlib.Path(folder)
    return None


def library():
    """libnvrtc; None where there is none."""
    folder = toolkit()
    if folder is None:
        return None
    found = sorted((folder / "lib64").glob("libnvrtc.so*")) + [ctypes.util.find_library("nvrtc")]
    for path in found:
        try:
            return ctypes.CDLL(str(path)) if path else None
        except OSError:
            continue
    return None


def compile_text(text, arch, ptx=False, options=()):
    """(code, log): of CUDA C++ for `arch` such as "sm_90a"; the code is None where it is refused."""
    nvrtc = library()
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel.cu", 0, None, None)
    include = toolkit() / "include"
    words = [f"--gpu-architecture={arch}", "-std=c++17", f"-I{include}", f"-I{include / 'cccl'}", "-default-device", *options]
    array = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
    failed = nvrtc.nvrtcCompileProgram(program, len(words), array)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    code = None
    if not failed:
        get_size, get = ((nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX) if ptx else (nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN))
        get_size(program, ctypes.byref(size))
        made = ctypes.create_string_buffer(size.value)
        get(program, made)
        code = made.raw
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code, log.value.decode()


def assemble(ptx, arch):
    """What ptxas says against a text; "" where it takes it."""
    ptxas = shutil.which("ptxas") or str(toolkit() / "bin" / "ptxas")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "kernel.ptx"
        source.write_text(ptx)
        done = subprocess.run([ptxas, "-c", "-arch", arch, str(source), "-o", f"{folder}/kernel.cubin"],
                              capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr + done.stdout
