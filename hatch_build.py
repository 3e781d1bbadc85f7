"""Builds the compiled kernel into the package: for wheels, for editable installs, and as ``python hatch_build.py``.

It is C without headers of Python or of any library but C's own, so whatever C compiler there is will do: $CC, cc, gcc
or clang; where there is none, or it does not work, the one that comes with the package ``ziglang`` on PyPI.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

KERNEL = Path(__file__).parent / "mediacheck" / "media" / "kernel"
# By name: the library carries a digest of them in this order.
SOURCES = sorted(file for file in KERNEL.iterdir() if file.suffix in (".c", ".h"))
LIBRARY = KERNEL / {"win32": "kernel.native.dll", "darwin": "kernel.native.dylib"}.get(sys.platform, "kernel.native.so")
# No -ffast-math, no -march=native, no fused multiply-add: facts are the same on every machine. Without errno a square
# root is one instruction.
FLAGS = ("-std=gnu11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden", "-shared")
POSITION_INDEPENDENT = () if sys.platform == "win32" else ("-fPIC",)
ZIG = "ziglang==0.17.1"


def compilers() -> list[list[str]]:
    """The C compilers that may be there, the one that was asked for first."""
    asked = [shlex.split(os.environ["CC"])] if os.environ.get("CC") else []
    return asked + [[name] for name in ("cc", "gcc", "clang") if shutil.which(name)]


def compile_kernel(compiler: list[str], library: Path) -> str | None:
    """Compile to ``library``, whole or not at all; what the compiler said if it failed, else None."""
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in SOURCES)).hexdigest()
    files = [str(file) for file in SOURCES if file.suffix == ".c"]
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        built = Path(folder) / library.name
        command = [*compiler, *FLAGS, *POSITION_INDEPENDENT, f'-DSOURCE="{digest}"', "-o", str(built), *files]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            return str(error)
        if done.returncode:
            return done.stderr.strip() or f"{compiler[0]} ended with exit code {done.returncode}"
        # Renamed, not overwritten: a process that has the old one open keeps it.
        built.replace(library)
    return None


def working_compiler() -> list[str] | None:
    """The first that can compile the kernel."""
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers():
            if compile_kernel(compiler, Path(folder) / LIBRARY.name) is None:
                return compiler
    return None


def build() -> None:
    """Compile the kernel into the package.

    Raises:
        RuntimeError: no compiler works.
    """
    # Zig compiles for this very processor unless told otherwise.
    zig = [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]
    failed = []
    for compiler in [*compilers(), zig]:
        said = compile_kernel(compiler, LIBRARY)
        if said is None:
            return
        failed.append(f"{' '.join(compiler)}: {said}")
    raise RuntimeError("the kernel needs a C compiler, and none of these works:\n" + "\n".join(failed))


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:
    # Run by hand, or by a benchmark in another revision's tree: hatchling is not needed to compile.
    pass
else:

    class KernelHook(BuildHookInterface):  # type: ignore[misc, type-arg]
        def dependencies(self) -> list[str]:
            """What pip brings before it builds: a compiler, where there is none."""
            return [] if self.target_name != "wheel" or working_compiler() else [ZIG]

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if self.target_name != "wheel":
                return
            build()
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
            # The library is in no repository, and files that git ignores are left out unless named.
            build_data["artifacts"].append(f"/{LIBRARY.relative_to(self.root).as_posix()}")


if __name__ == "__main__":
    build()
