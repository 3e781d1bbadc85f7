"""Where manifests, outputs and references lie, local paths and URLs, and which of them a manifest may lead to."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from typing import BinaryIO
from urllib.parse import unquote

from mediacheck.api import printable_name
from mediacheck.batch.errors import ManifestError

# Two letters at least: "C:/x" is no URL.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_LOCAL_SCHEMES = frozenset({"file", "local"})
# Of these the part after "?" or "#" belongs to no path; in the keys of an object store it does.
_WEB_SCHEMES = frozenset({"http", "https"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def is_remote(place: str) -> bool:
    """Whether it is a URL."""
    return "://" in place and _SCHEME.match(place) is not None


def local_place(name: str) -> str:
    """What a user named, absolute from the working folder; a URL as it is."""
    return name if is_remote(name) else os.path.abspath(name)


def base_of(manifest: str) -> str:
    """The folder or URL prefix from which a manifest's relative paths count."""
    if not is_remote(manifest):
        place = os.path.abspath(manifest)
        return place if os.path.isdir(place) else os.path.dirname(place)
    scheme, parts = _split(manifest)
    return f"{scheme}://" + "/".join(parts[:-1] or parts)


def file_name(place: str) -> str:
    """The last part of its path, printable."""
    return printable_name(_split(place)[1][-1] if is_remote(place) else os.path.basename(place))


def join(base: str, relative: str) -> str:
    """``relative`` from ``base``; an absolute path or a URL is itself. ``..`` leads up in URLs too."""
    if is_remote(relative):
        return relative
    if os.path.isabs(relative) or not is_remote(base):
        return _tidy(os.path.join(base, relative))
    scheme, rest = base.split("://", 1)
    parts = rest.rstrip("/").split("/")
    for part in relative.split("/"):
        # Above the host or the bucket there is nothing: such a path stays as it is, and no root holds it.
        if part == ".." and len(parts) > 1 and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return f"{scheme}://" + "/".join(parts)


def printable(place: str) -> str:
    """For messages: without what a URL holds of passwords and signatures; bytes that are not UTF-8 as ``\\xff``."""
    if not is_remote(place):
        return printable_name(place)
    scheme, rest = place.split("://", 1)
    if scheme.lower() in _WEB_SCHEMES:
        rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    authority, separator, path = rest.partition("/")
    return printable_name(f"{scheme}://{authority.rpartition('@')[2]}{separator}{path}")


def inside(place: str, roots: Iterable[str]) -> bool:
    """Whether a place lies in one of the roots: see ``Roots``."""
    return Roots(roots).hold(place)


class Roots:
    """Folders and URL prefixes that a manifest may lead to."""

    def __init__(self, roots: Iterable[str]) -> None:
        """
        Raises:
            ManifestError: a root names nothing.
        """
        self._folders: list[str] = []
        self._prefixes: list[tuple[str, list[str]]] = []
        # A manifest's files lie in few folders, and resolving links takes a system call for each part of a path.
        self._resolved: dict[str, str] = {}
        for root in roots:
            if not root or _CONTROL.search(root):
                raise ManifestError(f"--root {root!r} names nothing; name a folder or a URL prefix")
            if is_remote(root):
                scheme, parts = _split(root)
                if not parts[0] and scheme not in _LOCAL_SCHEMES and not any(parts):
                    raise ManifestError(f"--root {printable(root)} names no host or bucket; name one, and a path in it")
                self._prefixes.append((scheme, _without_end(parts)))
            else:
                self._folders.append(os.path.realpath(root))

    def hold(self, place: str) -> bool:
        """Whether it lies in one of them.

        Local paths are resolved, links too. A URL must have all parts of a root, and its rest must not climb out of
        it, however its dots and slashes are encoded.
        """
        if not is_remote(place):
            return self._hold_path(self._real(place))
        scheme, parts = _split(place)
        if _CONTROL.search(place) or "::" in place:
            # "a::b" names one file system within another to fsspec.
            return False
        if not any(
            scheme == allowed and parts[: len(prefix)] == prefix and _stays_below(parts[len(prefix) :])
            for allowed, prefix in self._prefixes
        ):
            return False
        return scheme not in _LOCAL_SCHEMES or self._hold_local_url(place)

    def _hold_path(self, real: str) -> bool:
        return any(real == folder or real.startswith(folder.rstrip("/") + "/") for folder in self._folders)

    def _hold_local_url(self, place: str) -> bool:
        """``file:///a/b``: links on the way must not lead out of the prefixes either."""
        real = os.path.realpath(_path_of(place))
        roots = ["/" + "/".join(prefix[1:]) for scheme, prefix in self._prefixes if scheme in _LOCAL_SCHEMES]
        return any(
            real == resolved or real.startswith(resolved.rstrip("/") + "/") for resolved in map(os.path.realpath, roots)
        )

    def _real(self, place: str) -> str:
        folder, name = os.path.split(place)
        if name in ("", ".", ".."):
            return os.path.realpath(place)
        if folder not in self._resolved:
            if len(self._resolved) >= 1024:
                self._resolved.clear()
            self._resolved[folder] = os.path.realpath(folder)
        full = os.path.join(self._resolved[folder], name)
        return os.path.realpath(full) if os.path.islink(full) else full


def unusable(place: str) -> str | None:
    """Why nothing can lie there, as a clause that goes on from the path; None where something may."""
    if "\0" in place:
        return "holds a NUL character"
    if is_remote(place):
        if _CONTROL.search(place):
            return "holds a control character; encode it"
        if "::" in place:
            return "chains file systems with '::', which is not allowed; name the file itself"
    return None


def open_binary(place: str) -> BinaryIO:
    """Open a manifest for reading.

    Raises:
        FileNotFoundError: it is not there.
        OSError: it cannot be read, or is no regular file.
        MediacheckError: what reads such a URL is not installed.
    """
    if is_remote(place):
        from mediacheck.batch.remote import RemoteMissing, RemoteUnavailable
        from mediacheck.batch.remote import open_binary as open_remote

        try:
            opened: BinaryIO = open_remote(place)
        except RemoteMissing as error:
            raise FileNotFoundError(errno.ENOENT, "it is not there") from error
        except RemoteUnavailable as error:
            raise OSError(errno.EIO, str(error)) from error
        return opened
    # A pipe without a writer would hang, and a device has no end.
    if not stat.S_ISREG(os.stat(place).st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    return open(place, "rb")


def _tidy(path: str) -> str:
    """Without ``.`` and doubled slashes; ``..`` stays, since behind a link it leads elsewhere than it reads."""
    if "//" not in path and "/." not in path and not path.endswith("/"):
        return path
    return path if ".." in path.split("/") else os.path.normpath(path)


def _split(url: str) -> tuple[str, list[str]]:
    """The scheme in lower case; host or bucket, and the parts of the path as they are written."""
    scheme, rest = url.split("://", 1)
    scheme = scheme.lower()
    if scheme in _WEB_SCHEMES:
        rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    return scheme, rest.split("/")


def _without_end(parts: list[str]) -> list[str]:
    while len(parts) > 1 and not parts[-1]:
        parts = parts[:-1]
    return parts


def _stays_below(parts: list[str]) -> bool:
    depth = 0
    for part in parts:
        for piece in re.split(r"[/\\]", _decoded(part)):
            if piece == "..":
                depth -= 1
                if depth < 0:
                    return False
            elif piece not in ("", "."):
                depth += 1
    return True


def _decoded(part: str) -> str:
    """Percent-encoding taken off as often as it was put on: some servers do so."""
    while "%" in part and (inner := unquote(part)) != part:
        part = inner
    return part


def _path_of(url: str) -> str:
    return "/" + url.split("://", 1)[1].partition("/")[2]
