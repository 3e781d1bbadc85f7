"""Who may import whom: a module imports only what stands above it, and only ``media`` touches a decoder."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "mediacheck"

# pytest_plugin is a front end as cli is, and takes its configuration and its care with output files from it.
ORDER = [
    "errors", "version", "suffixes", "resources", "serialise", "facts", "spans", "media", "expectation", "arithmetic",
    "contracts", "verdict", "checks", "validators", "judge", "validators_lock", "facts_file", "references", "scoring",
    "api", "worker_process", "workers", "measuring", "isolated", "batch", "gate", "schema", "explain", "report", "cli",
    "pytest_plugin", "__main__",
]  # fmt: skip
MEDIA_MAY = {"errors", "serialise", "facts", "spans", "media"}
DECODERS = {"av", "soundfile", "xxhash"}
HEAVY = {
    "aiohttp", "ctranslate2", "faster_whisper", "fsspec", "jiwer", "librosa", "matplotlib", "numba", "onnxruntime",
    "pesq", "pyarrow", "pyloudnorm", "pystoi", "ray", "resemblyzer", "s3fs", "scipy", "soxr", "speechbrain",
    "speechmos", "torch", "torchaudio", "whisper", "whisper_normalizer", "zhconv",
}  # fmt: skip
MAY_BE_HEAVY = {
    "batch/engines/cluster.py": {"ray"},
    "batch/engines/on_ray.py": {"ray"},
    "batch/export.py": {"pyarrow"},
    "batch/manifest/parquet.py": {"pyarrow"},
    "batch/remote.py": {"aiohttp", "fsspec", "s3fs"},
}
"""Besides the scorers: what each of these alone knows of, inside of functions."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path, *, on_import: bool = False) -> set[str]:
    """Every module that the file imports at run time, type checking aside; ``on_import``: outside of functions."""
    tree = ast.parse(path.read_text())
    left_out = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    if on_import:
        functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
        left_out |= {id(inner) for function in functions for inner in ast.walk(function)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "mediacheck":
                found |= {f"mediacheck.{alias.name}" for alias in node.names}
            else:
                found.add(node.module)
    return found


@pytest.mark.parametrize("path", MODULES, ids=[str(path.relative_to(PACKAGE)) for path in MODULES])
def test_imports(path: Path) -> None:
    own = layer(path)
    names = imported(path)
    tops = {name.partition(".")[0] for name in names}
    assert not {name.partition(".")[0] for name in imported(path, on_import=True)} & HEAVY
    if own != "scoring":
        allowed = MAY_BE_HEAVY.get(path.relative_to(PACKAGE).as_posix(), set())
        assert tops & HEAVY <= allowed
    if own not in ("media", "api"):
        assert not tops & DECODERS
    if own not in ("media", "api", "scoring", "gate"):
        assert "numpy" not in tops
    if own == "__init__":
        return
    ours = {name.split(".")[1] for name in names if name.startswith("mediacheck.")} & set(ORDER)
    if own == "media":
        assert ours <= MEDIA_MAY
    else:
        below = [name for name in ours if ORDER.index(name) > ORDER.index(own)]
        assert below == []


def test_every_module_has_its_place() -> None:
    assert {layer(path) for path in MODULES} - {"__init__"} == set(ORDER)
