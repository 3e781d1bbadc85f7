"""Media and manifests behind URLs: whole objects, or the reason why there is none.

fsspec reads them, with a library for each kind of store (s3fs, gcsfs, huggingface_hub, aiohttp). What it offers for
cached, chained and partly read files is left aside: an object is copied to a temporary file from end to end, the
copy is held against the size that the store states, and against what the store says of the object afterwards.

A file system keeps an event loop in a thread and open connections, which a fork does not carry over. So they are made
in the worker that reads, by its first call of ``state`` or ``fetched``; the process that starts workers calls neither.
``open_binary`` is for that process, and reads in a short-lived one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final, TypeVar
from urllib.parse import unquote, urlsplit

from mediacheck.batch.errors import RemoteError
from mediacheck.batch.transfer_causes import Cause, cause_of
from mediacheck.errors import MediacheckError
from mediacheck.workers import Pool, WorkerFailure

T = TypeVar("T")

TRIES: Final = 4
RETRY_BASE_S = 0.5
"""Before the second try; doubled before each further one. Up to a half is taken off by chance, so that workers that
failed together do not come back together."""
CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 60.0
"""Without one byte; a transfer as a whole may take as long as it takes."""
TEMPORARY_PREFIX: Final = "mediacheck-remote-"
"""Of the temporary files. A killed process leaves them behind."""

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,15}")
_WEB = ("http", "https")
_S3 = ("s3", "s3a")
_GOOGLE = ("gs", "gcs")
_HUB = ("hf",)
_INSTALLS = {
    **dict.fromkeys((*_S3, *_WEB), "'mediacheck[remote]'"),
    **dict.fromkeys(_GOOGLE, "'mediacheck[remote]' gcsfs"),
    **dict.fromkeys(_HUB, "'mediacheck[remote]' huggingface_hub"),
}

# What stores say of an object, best first. Any of these changes with the bytes …
_FINGERPRINTS = (
    "ETag", "etag", "md5Hash", "content_md5", "Content-MD5", "Digest", "xet_hash", "blob_id", "sha", "generation",
    "VersionId", "version_id",
)  # fmt: skip
# … and these only where the clock has moved on by what the store counts in.
_TIMES = (
    "LastModified", "Last-Modified", "last_modified", "mtime", "modified", "modify", "modificationTime", "updated",
    "created", "uploaded_at", "ino",
)  # fmt: skip


class RemoteMissing(MediacheckError):
    """The object is not there: one clause."""


class RemoteUnavailable(MediacheckError):
    """The object cannot be had whole: one clause why. It never holds the URL, a key or a token."""


class _Failed(Exception):
    """A try failed for a reason that is known already."""

    def __init__(self, cause: Cause) -> None:
        super().__init__(cause)
        self.cause = cause


def state(url: str) -> str:
    """What tells whether an object is still the same, without reading it.

    Taken before the object is read, and kept, it shows in a later run that nothing has to be read again.

    Returns:
        Its size with a fingerprint (``ETag``, an MD5, a generation), else with its times; ``""`` where the store
        offers neither: then only reading tells.

    Raises:
        RemoteMissing: it is not there.
        RemoteUnavailable: after the retries.
        RemoteError: nothing here reads such URLs.
    """
    return _with_retries(lambda: _Object.at(url).look().state)


@contextlib.contextmanager
def fetched(url: str, folder: Path | None = None) -> Iterator[Path]:
    """The whole object in a temporary file with the suffix of its name, which is gone afterwards.

    Args:
        url: one object.
        folder: for the file; None: the system's folder for such files. A worker that is killed leaves its file, so the
            process that starts workers should give them a folder, and remove it at the end.

    Raises:
        RemoteMissing: it is not there.
        RemoteUnavailable: after the retries; or there is no room for the file.
        RemoteError: nothing here reads such URLs.
    """
    path = _temporary(url, folder)
    try:
        _fetch(url, path)
        yield path
    finally:
        path.unlink(missing_ok=True)


def open_binary(url: str) -> BinaryIO:
    """The whole object as an open file that can be read and sought in; for manifests.

    It is fetched in a process of its own, so that no thread and no library stays in this one: workers can still be
    forked from it.

    Raises:
        RemoteMissing: it is not there.
        RemoteUnavailable: after the retries; or there is no room for the copy.
        RemoteError: nothing here reads such URLs.
    """
    path = _temporary(url, None)
    try:
        # A daemon, as workers are, may have no children; it has no workers to fork either.
        if multiprocessing.current_process().daemon:
            _fetch(url, path)
        else:
            _fetch_in_a_process(url, path)
        return path.open("rb")
    finally:
        path.unlink(missing_ok=True)


def _fetch_in_a_process(url: str, path: Path) -> None:
    with Pool(_fetch_pair, timeout_s=None) as pool:
        for _, outcome in pool.run([(url, path)]):
            if isinstance(outcome, WorkerFailure):
                raise outcome.error or RemoteUnavailable(f"the process that read it {outcome.message}")


def _fetch_pair(task: tuple[str, Path]) -> None:
    _fetch(*task)


def _temporary(url: str, folder: Path | None) -> Path:
    try:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, suffix=_suffix(url), dir=folder)
    except OSError as error:
        raise RemoteUnavailable(f"no temporary file can be made for a copy: {error.strerror}") from None
    os.close(handle)
    return Path(name)


def _suffix(url: str) -> str:
    web = url.partition("://")[0].lower() in _WEB
    name = unquote(urlsplit(url).path) if web else url.partition("?versionId=")[0]
    suffix = PurePosixPath(name).suffix
    return suffix if _SUFFIX.fullmatch(suffix) else ""


def _fetch(url: str, target: Path) -> None:
    _with_retries(lambda: _fetch_once(url, target))


def _fetch_once(url: str, target: Path) -> None:
    remote = _Object.at(url)
    before = remote.look()
    remote.copy_to(target)
    came = target.stat().st_size
    if before.size is not None and came != before.size:
        raise _Failed(Cause("passing", f"{came:,} bytes came where {before.size:,} were stated"))
    if remote.look() != before:
        raise _Failed(Cause("passing", "it changed while it was read"))


@dataclass(frozen=True)
class _Looks:
    """What a store says of an object now."""

    size: int | None
    state: str


@dataclass(frozen=True)
class _Object:
    """An object in the file system that reads it."""

    system: Any
    path: str
    scheme: str

    @classmethod
    def at(cls, url: str) -> _Object:
        # Not by fsspec.url_to_fs: it takes a "::" in a name for a chain of file systems, which would lead out of the
        # roots that the user allowed.
        scheme, _, rest = url.partition("://")
        scheme = scheme.lower()
        kind, options = _implementation(scheme)
        url = f"{scheme}://{rest}"
        try:
            system = kind(**kind._get_kwargs_from_urls(url), **options)
        except (TypeError, ValueError):
            raise RemoteError(f"{scheme}:// needs more than a URL to be read; copy the files to a folder") from None
        if scheme in _S3:
            # One place retries, and one only: 4 tries here times 5 there would be 20.
            system.retries = 1
        return cls(system, kind._strip_protocol(url), scheme)

    def look(self) -> _Looks:
        # Some would answer from a listing that they made earlier.
        if self.scheme in _S3 + _HUB:
            info = self.system.info(self.path, refresh=True)
        else:
            self.system.invalidate_cache()
            info = self.system.info(self.path)
        if info.get("type", "file") != "file":
            raise _Failed(Cause("lasting", "it is a folder, or something else that is no file"))
        return _Looks(info.get("size"), _state(info))

    def copy_to(self, target: Path) -> None:
        try:
            self.system.get_file(self.path, str(target))
        except FileNotFoundError:
            if not target.parent.is_dir():
                raise _Failed(Cause("lasting", "the folder for the temporary copy is gone")) from None
            raise


def _state(info: dict[str, Any]) -> str:
    said = {
        key: value.isoformat() if isinstance(value, datetime) else str(value)
        for key, value in info.items()
        if value not in (None, "", b"")
    }
    # A weak ETag stands for all bytes that mean the same.
    weak = [key for key in _FINGERPRINTS if said.get(key, "").startswith("W/")]
    strong = [key for key in _FINGERPRINTS if key in said and key not in weak]
    kept = strong[:1] or [*weak, *(key for key in _TIMES if key in said)]
    if not kept:
        return ""
    return " ".join(f"{key}={said[key]}" for key in ["size", *kept] if key in said)


def _implementation(scheme: str) -> tuple[Any, dict[str, Any]]:
    """The class of a file system, and what to make one with."""
    try:
        import fsspec

        return fsspec.get_filesystem_class(scheme), _options(scheme)
    except ImportError:
        wanted = _INSTALLS.get(scheme)
        how = f"install it with: pip install {wanted}" if wanted else "the documentation of fsspec names it"
        raise RemoteError(f"reading {scheme}:// needs a library that is not installed; {how}") from None
    except ValueError:
        raise RemoteError(f"nothing here reads {scheme}://; use s3://, gs://, hf://, https:// or a file") from None


def _options(scheme: str) -> dict[str, Any]:
    """For the constructor of a file system. What the user configured for fsspec goes before."""
    from fsspec.config import conf

    configured = conf.get(scheme, {})
    if scheme in _S3:
        config = {
            "connect_timeout": CONNECT_TIMEOUT_S,
            "read_timeout": READ_TIMEOUT_S,
            "retries": {"total_max_attempts": 1, "mode": "standard"},
        }
        # With more, a large object is read in parts of 50 MB that all stand in memory.
        return {"config_kwargs": config | configured.get("config_kwargs", {}), "max_concurrency": 1}
    if scheme in _WEB:
        from aiohttp import ClientTimeout

        client = {
            "timeout": ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S, sock_read=READ_TIMEOUT_S),
            # A compressed transfer would have another length than the file.
            "headers": {"Accept-Encoding": "identity"},
        }
        return {"client_kwargs": client | configured.get("client_kwargs", {})}
    if scheme in _GOOGLE:
        # Left to itself, gcsfs goes on without credentials where it finds none.
        return {"token": configured.get("token", "google_default")}
    return {}


def _with_retries(attempt: Callable[[], T]) -> T:
    for number in range(TRIES):
        try:
            return attempt()
        except (MediacheckError, MemoryError):
            raise
        except Exception as error:
            cause = error.cause if isinstance(error, _Failed) else cause_of(error)
        # Outside of the handler: what the libraries said, URLs and all, must not be chained to our error.
        if cause.kind == "missing":
            raise RemoteMissing(cause.clause)
        if cause.kind == "lasting":
            raise RemoteUnavailable(cause.clause)
        if number + 1 < TRIES:
            time.sleep(RETRY_BASE_S * 2**number * random.uniform(0.5, 1.0))
    raise RemoteUnavailable(f"{cause.clause} (tried {TRIES} times)")
