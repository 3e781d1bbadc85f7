"""``python -m tests.mend_torchaudio``: make torchaudio importable beside a torch without CUDA.

speechbrain imports torchaudio. PyPI's torchaudio is built for CUDA, and its compiled part does not load where torch has
none (``libc10_cuda.so``); without that part everything that speechbrain needs of it works. This is for the test
environment only: who has torch for a processor takes torchaudio for one from the same index.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def mend() -> list[Path]:
    """Remove the compiled part where it cannot load, and say what was removed."""
    spec = find_spec("torchaudio")
    if spec is None or spec.origin is None:
        return []
    import torch

    if torch.version.cuda is not None:
        return []
    try:
        import torchaudio  # noqa: F401
    except (ImportError, OSError):
        compiled = sorted((Path(spec.origin).parent / "lib").glob("*.so"))
        for path in compiled:
            path.unlink()
        return compiled
    return []


if __name__ == "__main__":
    for path in mend():
        print(f"removed {path.name}: built for CUDA, which this torch has not")
