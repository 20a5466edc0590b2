# SPDX-License-Identifier: Apache-2.0
"""make.py PROGRAM LIBTVM_FFI VERSION TVM_FFI_VERSION OUT: a Debian package and a Python wheel of the built program.

Both hold the program and the tvm-ffi library that it loads (`lib/mlc`, which its RUNPATH names); stripped, without the
build tree. The wheel adds the Python module `mlc`, which needs apache-tvm-ffi for `mlc.load`, and the libraries that
manylinux (PEP 600) does not promise.
"""
import base64
import gzip
import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
MANYLINUX = re.compile(r"lib(c|m|dl|rt|pthread|util|z|gcc_s|stdc\+\+)\.so\.\d+|ld-linux.*")
SUMMARY = "TVM's language as one native program: compiles, runs and explores TVMScript without Python"


def stripped(source, library, folder):
    target = folder / source.name
    # The build's RUNPATH ends with where tvm-ffi lies on this machine, so that a copy of the program starts.
    content = source.read_bytes()
    here = b":" + str(library.parent).encode() + b"\0"
    if source != library and content.count(here) != 1:
        raise SystemExit(f"the RUNPATH of {source} does not end with {library.parent}, which packages leave out")
    target.write_bytes(content.replace(here, b"\0" * len(here)))
    target.chmod(0o755)
    subprocess.run(["strip", "--strip-unneeded", target], check=True)
    return target


def loaded(program):
    """The paths of the libraries that the program loads, tvm-ffi aside."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [path for path in re.findall(r"=> (/\S+)", listed) if "tvm_ffi" not in path]


def shared_libraries(program):
    """The Debian packages of the libraries that the program loads, by `dpkg-query -S`."""
    packages = set()
    for path in loaded(program):
        for name in (path, str(pathlib.Path(path).resolve()), path.removeprefix("/usr"), "/usr" + path):
            owner = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True, check=False).stdout
            if owner:
                packages.add(owner.split(":")[0])
                break
        else:
            raise SystemExit(f"no Debian package holds {path}, which the program loads")
    return sorted(packages)


def texts(built):
    """The page for man and what shells complete, which the program itself knows."""
    def said(*words):
        return subprocess.run([built, *words], capture_output=True, check=True).stdout

    return {
        "share/man/man1/mlc.1.gz": gzip.compress(said("help", "--man"), mtime=0),
        "share/bash-completion/completions/mlc": said("completion", "bash"),
        "share/zsh/vendor-completions/_mlc": said("completion", "zsh"),
        "share/fish/vendor_completions.d/mlc.fish": said("completion", "fish"),
    }


def deb(program, library, built, version, out, scratch):
    root = scratch / "root"
    for path, text in texts(built).items():
        (root / "usr" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "usr" / path).write_bytes(text)
    for path, source in (("usr/bin/mlc", program), ("usr/lib/mlc/libtvm_ffi.so", library)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, root / path)
    documents = root / "usr/share/doc/mlc"
    documents.mkdir(parents=True)
    shutil.copyfile(HERE.parent.parent / "LICENSE", documents / "copyright")
    architecture = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) // 1024
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/control").write_text(
        f"Package: mlc\nVersion: {version}\nArchitecture: {architecture.strip()}\nSection: devel\nPriority: optional\n"
        f"Maintainer: the mlc project <mlc@localhost>\nInstalled-Size: {size}\n"
        f"Depends: {', '.join(shared_libraries(program))}\nRecommends: libzmq5\nDescription: {SUMMARY}\n"
    )
    made = out / f"mlc_{version}_{architecture.strip()}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zzstd", "--build", root, made], check=True, stdout=subprocess.DEVNULL)
    return made


def wheel(program, library, version, tvm_ffi_version, out):
    glibc = platform.libc_ver()[1].replace(".", "_")
    tag = f"py3-none-manylinux_{glibc}_{platform.machine()}"
    info = f"mlc-{version}.dist-info"
    data = f"mlc-{version}.data"
    module = (HERE / "mlc/__init__.py").read_text().replace("@VERSION@", version)
    files = {
        "mlc/__init__.py": module.encode(),
        f"{data}/scripts/mlc": program.read_bytes(),
        f"{data}/data/lib/mlc/libtvm_ffi.so": library.read_bytes(),
        f"{info}/METADATA": (
            f"Metadata-Version: 2.1\nName: mlc\nVersion: {version}\nSummary: {SUMMARY}\nLicense: Apache-2.0\n"
            f"Requires-Python: >=3.9\nRequires-Dist: apache-tvm-ffi>={tvm_ffi_version.split('.post')[0]}\n"
        ).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: mlc\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{info}/LICENSE": (HERE.parent.parent / "LICENSE").read_bytes(),
    }
    for path in map(pathlib.Path, loaded(program)):
        if not MANYLINUX.fullmatch(path.name):
            files[f"{data}/data/lib/mlc/{path.name}"] = path.read_bytes()
    record = []
    made = out / f"mlc-{version}-{tag}.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name or ".so" in name else 0o100644) << 16
            archive.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
        archive.writestr(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    return made


def main():
    program, library, version, tvm_ffi_version, out = sys.argv[1:]
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        built = pathlib.Path(program).resolve()
        program, library = (stripped(pathlib.Path(each), pathlib.Path(library), scratch) for each in (program, library))
        for made in (wheel(program, library, version, tvm_ffi_version, out), deb(program, library, built, version, out, scratch)):
            print(f"{made} ({made.stat().st_size / 1e6:.1f} MB)")


main()
