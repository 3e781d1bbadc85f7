"""How the C library hands memory back: for processes that do nothing but measure."""

from __future__ import annotations

# mallopt(3), glibc.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_KEEP = 64 << 20


def keep_freed_memory() -> None:
    """Let the process keep what it frees, up to 64 MB.

    glibc gives an array of a second of sound back to the system as soon as it is freed, and the next one is made of
    fresh pages that the kernel clears first: 226,000 page faults for ten minutes of MP3 instead of 16,500, a sixth of
    the time and more. It does nothing where the C library is another.
    """
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    mallopt(_M_MMAP_THRESHOLD, _KEEP)
    mallopt(_M_TRIM_THRESHOLD, _KEEP)
