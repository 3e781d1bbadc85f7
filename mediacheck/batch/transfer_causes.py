"""Why a transfer failed, in words of our own.

What the libraries say holds URLs with their signatures, users and passwords, and differs from version to version. So
nothing of it is handed on: an error is recognised by its status and its type, and gets a clause from the lists below.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["missing", "passing", "lasting"]


@dataclass(frozen=True)
class Cause:
    kind: Kind
    """``passing``: worth another try."""
    clause: str


DISK_FULL: Final = Cause("lasting", "there is no space left for a temporary copy")
BROKEN: Final = Cause("passing", "the connection broke off before the end")
_NO_SPACE = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}

# By the names of types, their bases included: a name needs no import, and the same ones recur in aiohttp, botocore,
# httpx and Python itself. The first row that fits anything in the chain of causes counts.
_BY_TYPE: tuple[tuple[Cause, frozenset[str]], ...] = (
    (
        Cause("lasting", "the server's certificate is not trusted"),
        frozenset({"SSLCertVerificationError", "ClientConnectorCertificateError"}),
    ),
    (
        Cause("lasting", "no credentials were found for it"),
        frozenset(
            {
                "NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "ProfileNotFound",
                "TokenRetrievalError", "UnauthorizedSSOTokenError", "SSOTokenLoadError", "DefaultCredentialsError",
                "RefreshError", "LocalTokenNotFoundError",
            }
        ),
    ),
    (Cause("lasting", "HF_HUB_OFFLINE forbids to ask the Hugging Face Hub"), frozenset({"OfflineModeIsEnabled"})),
    (
        Cause("lasting", "the URL is not a valid one"),
        frozenset({"ParamValidationError", "InvalidURL", "HFValidationError"}),
    ),
    (
        Cause("passing", "the bytes that came do not fit their checksum"),
        frozenset({"FlexibleChecksumError", "ChecksumError"}),
    ),
    (
        Cause("passing", "the server did not answer in time"),
        frozenset({"TimeoutError", "ConnectTimeoutError", "ReadTimeoutError", "TimeoutException"}),
    ),
    (Cause("passing", "the host was not found"), frozenset({"gaierror", "ClientConnectorDNSError"})),
    (
        Cause("passing", "the server cannot be reached"),
        frozenset({"ConnectionRefusedError", "ClientConnectorError", "EndpointConnectionError", "ConnectError"}),
    ),
    (
        BROKEN,
        frozenset(
            {
                "ConnectionError", "ClientConnectionError", "ClientPayloadError", "HTTPClientError", "IncompleteRead",
                "IncompleteReadError", "ResponseStreamingError", "SSLError", "TransportError",
            }
        ),
    ),
    (Cause("passing", "what the server answered cannot be read"), frozenset({"ResponseParserError"})),
)  # fmt: skip

# S3 says what may pass with codes, partly under the status 400.
_PASSING_CODES = {"InternalError", "RequestTimeout", "ServiceUnavailable", "SlowDown", "Throttling"}
_PASSING_STATUS = {408, 425, 429}
_DENIED_CODES = {"ExpiredToken", "InvalidToken", "RequestTimeTooSkewed"}


def cause_of(error: BaseException) -> Cause:
    """What an error of a file system amounts to."""
    chain = list(_chain(error))
    if any(isinstance(link, OSError) and link.errno in _NO_SPACE for link in chain):
        return DISK_FULL
    for link in chain:
        if answer := _answer(link):
            return _by_status(*answer)
    names = {kind.__name__ for link in chain for kind in type(link).__mro__}
    for cause, known in _BY_TYPE:
        if names & known:
            return cause
    if "FileNotFoundError" in names:
        return Cause("missing", "it is not there")
    if "PermissionError" in names:
        return Cause("lasting", "access was denied")
    return Cause("lasting", f"the file system failed with {type(error).__name__}")


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it: fsspec's file system for HTTP calls every failure a FileNotFoundError."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def _answer(error: BaseException) -> tuple[int, str] | None:
    """Status and code of an answer, as botocore, aiohttp, httpx or requests, and gcsfs keep them."""
    name, code = type(error).__name__, ""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        status = response.get("ResponseMetadata", {}).get("HTTPStatusCode")
        code = str(response.get("Error", {}).get("Code", ""))
    elif response is not None:
        status = getattr(response, "status_code", None)
    elif name == "ClientResponseError":
        status = getattr(error, "status", None)
    else:
        # Others have a code, too: aiohttp calls a body that is cut off a 400.
        status = getattr(error, "code", None) if name == "HttpError" else None
    return (status, code) if isinstance(status, int) and status >= 300 else None


def _by_status(status: int, code: str) -> Cause:
    if status in (404, 410):
        return Cause("missing", "there is no such bucket" if code == "NoSuchBucket" else "it is not there")
    if code in _DENIED_CODES:
        return Cause("lasting", f"access was denied ({status} {code})")
    if status in (401, 403):
        return Cause("lasting", f"access was denied ({status})")
    if status >= 500 or status in _PASSING_STATUS or code in _PASSING_CODES:
        return Cause("passing", f"the server answered {status}")
    return Cause("lasting", f"the server answered {status}")
