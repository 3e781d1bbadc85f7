"""Work that is not mediacheck, of one kind each, for the question whether the machine itself does two things at once.

``python loads.py KIND [FILE]``; imports nothing of ours. Each takes about two seconds on a machine of 2023.
"""

import sys


def cpu() -> None:
    """Interpreter only: everything stays in the first-level cache."""
    total = 0
    for number in range(40_000_000):
        total += number & 7


def arrays() -> None:
    """What a meter does: passes over blocks of one second, which fit in the second- or third-level cache."""
    import numpy as np

    block = np.random.default_rng(1).standard_normal((2, 48_000))
    spare = np.empty_like(block)
    for _ in range(6_000):
        np.multiply(block, 0.5, out=spare)
        np.abs(spare, out=spare)
        spare.sum()
        np.einsum("ck,ck->c", block, block)


def memory() -> None:
    """Copies of 256 MB: as fast as the memory allows."""
    import numpy as np

    source = np.ones(32_000_000)
    target = np.empty_like(source)
    for _ in range(25):
        np.copyto(target, source)


def allocate() -> None:
    """Fresh pages again and again: the kernel has to map and clear them."""
    import numpy as np

    for _ in range(1_500):
        np.ones(500_000)


def decode(path: str) -> None:
    """The decoder alone, one thread, samples thrown away."""
    import av

    with av.open(path) as container:
        for stream in container.streams:
            stream.codec_context.thread_count = 1
        for packet in container.demux():
            packet.decode()


if __name__ == "__main__":
    kind, path = sys.argv[1].partition(":")[::2]
    globals()[kind](*([path] if path else []))
