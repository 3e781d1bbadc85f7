"""The Python API: measure, judge, validate, in this process.

There is no time or memory limit here, and a crash of a decoder takes the process with it; the command line runs every
file in a worker that can be killed (``mediacheck.workers``).
"""

from __future__ import annotations

import math
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, TypeGuard, cast

from mediacheck import serialise
from mediacheck.errors import PathError, UsageError
from mediacheck.expectation import Expectation, parse_expectation
from mediacheck.facts import MediaFacts
from mediacheck.facts_file import read_facts
from mediacheck.verdict import Report

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Source: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | npt.NDArray[np.generic]

_RATE_FOR_ARRAYS = "sample_rate= is for arrays; for a file without a header give raw='s16le:24000:1'"


class FileChangedError(PathError):
    """A file was written to while it was measured: its facts would be of no one file."""


Asked: TypeAlias = Expectation | Mapping[str, int | float | str | bool | Fraction]


def validate(
    source: Source,
    *,
    validator: str | os.PathLike[str] = "v2",
    contract: str | os.PathLike[str] | None = None,
    expect: Asked | None = None,
    raw: str | None = None,
    sample_rate: int | None = None,
    name: str | None = None,
) -> Report:
    """Measure a file and judge it.

    Example:
        >>> import mediacheck
        >>> report = mediacheck.validate("out.wav", validator="v2", expect={"samples": 48000})  # doctest: +SKIP
        >>> report.verdict  # doctest: +SKIP
        'pass'

    Args:
        source: a path; the bytes of a file; a binary file, read from where it stands; or a numpy array of samples,
            shape (n,) or (n, channels), with ``sample_rate``.
        validator: id of a validator that comes with mediacheck, or the path of your own.
        contract: id or path of what the model can produce.
        expect: what was asked for, as an ``Expectation`` or by the keys of ``--expect``: ``{"duration": "603/40"}``.
            A float counts as the decimal that Python prints for it.
        raw: layout of headerless PCM, ``"s16le:24000:1"`` (encoding, Hz, channels).
        sample_rate: Hz, for an array only.
        name: what the report calls the file; by default the file's own name.

    Returns:
        The report. Media that cannot be decoded gives a report with verdict ``fail``, not an exception.

    Raises:
        MediacheckError: a path, validator, contract, expectation or argument is wrong.
    """
    # Everything that can be wrong with the question is found before the file is decoded.
    from mediacheck.contracts import load_contract
    from mediacheck.judge import judge as judge_facts
    from mediacheck.validators import load_validator

    chosen = load_validator(_text(validator, "validator"))
    promise = None if contract is None else load_contract(_text(contract, "contract"))
    asked = expectation(expect)
    facts = measure(source, raw=raw, sample_rate=sample_rate, name=name)
    return judge_facts(facts, chosen, promise, asked)


def measure(
    source: Source, *, raw: str | None = None, sample_rate: int | None = None, name: str | None = None
) -> MediaFacts:
    """Measure a file: every fact, no opinion.

    Args and errors are those of ``validate``. A file that changes while it is measured is an error too.
    """
    from mediacheck import media

    if raw == "":
        raise UsageError("raw= is empty; give a layout such as 's16le:24000:1', or None")
    _require_text("raw", raw)
    _require_text("name", name)
    # JSON cannot hold halves of surrogate pairs.
    name = None if name is None else printable_name(name.encode("utf-8", "backslashreplace").decode())
    if isinstance(source, str | os.PathLike):
        if sample_rate is not None:
            raise UsageError(_RATE_FOR_ARRAYS)
        path = Path(_text(source, "source"))
        return _measure_file(path, name or printable_name(path.name), raw)
    if _is_array(source):
        if sample_rate is None:
            raise UsageError("an array of samples has no sample rate of its own; give sample_rate=24000, say")
        if raw is not None:
            raise UsageError("raw= is for files without a header; an array of samples needs none")
        if sample_rate != sample_rate:
            raise UsageError("sample_rate is NaN; give whole Hz above zero")
        return media.measure_array(source, sample_rate, name=name or "array")
    if sample_rate is not None:
        raise UsageError(_RATE_FOR_ARRAYS)
    with tempfile.NamedTemporaryFile(prefix="mediacheck-") as held:
        if isinstance(source, bytes | bytearray | memoryview):
            held.write(source if not isinstance(source, memoryview) else source.tobytes())
        elif hasattr(source, "read"):
            _copy(source, held)
        else:
            raise UsageError(
                f"an object of type {type(source).__name__} cannot be measured; "
                "give a path, bytes, a binary file or a numpy array"
            )
        held.flush()
        return media.measure(Path(held.name), name=name or _stream_name(source), raw=raw)


def judge(
    facts: MediaFacts | str | os.PathLike[str],
    *,
    validator: str | os.PathLike[str] = "v2",
    contract: str | os.PathLike[str] | None = None,
    expect: Asked | None = None,
) -> Report:
    """Judge facts that were measured before; nothing is decoded.

    The report is the same, to the byte, as the one that ``validate`` gives for the file.

    Args:
        facts: what ``measure`` returned, or the path of saved facts (``mediacheck validate --facts DIR``).
        validator: as for ``validate``.
        contract: as for ``validate``.
        expect: as for ``validate``.

    Raises:
        MediacheckError: the saved facts, the validator, the contract or the expectation is wrong.
    """
    from mediacheck.contracts import load_contract
    from mediacheck.judge import judge as judge_facts
    from mediacheck.validators import load_validator

    chosen = load_validator(_text(validator, "validator"))
    promise = None if contract is None else load_contract(_text(contract, "contract"))
    asked = expectation(expect)
    measured = facts if isinstance(facts, MediaFacts) else read_facts(Path(_text(facts, "facts")))
    return judge_facts(measured, chosen, promise, asked)


def expectation(expect: Asked | None) -> Expectation | None:
    """What was asked for, from a mapping or as it is; None where nothing was.

    Raises:
        UsageError: an unknown key, or a value that is not of its kind.
    """
    if expect is None:
        return None
    if isinstance(expect, Expectation):
        # A struct does not check what it is made with.
        values = {name: getattr(expect, name) for name in Expectation.__struct_fields__}
        expect = {name: value for name, value in values.items() if value is not None}
    if not isinstance(expect, Mapping):
        raise UsageError(
            "expect= must be a mapping such as {'duration': '603/40'}, or an Expectation, "
            f"not {type(expect).__name__}"
        )
    asked = parse_expectation([f"{key}={_value_text(value)}" for key, value in expect.items()])
    return None if asked.empty else asked


def printable_name(name: str) -> str:
    """A file name that JSON can hold: bytes that are not UTF-8 are written as ``\\xff``."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def kind_of(mode: int) -> str:
    """What is there that is no regular file, by its mode: ``a folder``, ``a FIFO``, …"""
    if stat.S_ISDIR(mode):
        return "a folder"
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"


def _measure_file(path: Path, name: str, raw: str | None) -> MediaFacts:
    from mediacheck import media

    before = _state(path)
    try:
        facts = media.measure(path, name=name, raw=raw)
    except PathError:
        raise
    except OSError as error:
        # A disk or a network that gives out while the file is read is no bug of ours.
        raise PathError(f"{path} cannot be read: {error.strerror or error}; check the disk and try again") from error
    # Size, checksum and samples are read one after the other: a file that is cut in between would still look whole.
    if _state(path) != before:
        raise FileChangedError(f"{path} changed while it was measured; measure it when it is written to its end")
    return facts


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _value_text(value: int | float | str | bool | Fraction) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and math.isfinite(value):
        # "1e-07" is how Python prints it; numbers are read without powers of ten.
        return f"{Decimal(repr(float(value))):f}"
    return serialise.fraction_text(value) if isinstance(value, Fraction) else str(value)


def _text(path: str | os.PathLike[str], argument: str) -> str:
    try:
        text = os.fspath(path)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise UsageError(f"{argument}= must be a string or a path, not {type(path).__name__}")
    if not text or "\0" in text:
        raise UsageError(f"{argument}= is {text!r}, which names nothing")
    return text


def _require_text(argument: str, value: object) -> None:
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{argument}= must be a string, not {type(value).__name__}")


def _is_array(source: object) -> TypeGuard[npt.NDArray[Any]]:
    # numpy stays out of processes that do not use it: the type is known by its module.
    return type(source).__module__.partition(".")[0] == "numpy"


def _copy(source: Any, held: Any) -> None:
    try:
        shutil.copyfileobj(cast(BinaryIO, source), held)
    except TypeError as error:
        raise UsageError("the file was opened as text; open it with mode 'rb'") from error
    except ValueError as error:
        # Closed, or opened for writing (io.UnsupportedOperation is a ValueError).
        raise UsageError(f"the file cannot be read ({error}); open it with mode 'rb'") from error


def _stream_name(source: object) -> str:
    if isinstance(source, bytes | bytearray | memoryview):
        return "bytes"
    name = getattr(source, "name", None)
    return printable_name(Path(name).name) if isinstance(name, str) and name else "stream"
