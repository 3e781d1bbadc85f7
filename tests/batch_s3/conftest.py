"""A real S3 API on loopback, and a server in front of it that fails as it is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from mediacheck.batch import remote
from tests.batch_s3.faulty import Faulty, serving

BUCKET = "bench"
KEY = "AKIAIOSFODNN7EXAMPLE"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


@pytest.fixture(scope="session")
def moto_address() -> Iterator[tuple[str, int]]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield server.get_host_and_port()
    server.stop()


@pytest.fixture(scope="session")
def client(moto_address: tuple[str, int]) -> Any:
    """A client of the S3 API itself."""
    import boto3

    host, port = moto_address
    return boto3.client(
        "s3",
        endpoint_url=f"http://{host}:{port}",
        region_name="us-east-1",
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
    )


@pytest.fixture(scope="session")
def server(moto_address: tuple[str, int]) -> Iterator[Faulty]:
    with serving(Faulty(moto_address)) as made:
        yield made


@pytest.fixture
def store(client: Any, proxy: Faulty) -> Iterator[Any]:
    """The S3 API with one empty bucket."""
    client.create_bucket(Bucket=BUCKET)
    yield client
    for item in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=item["Key"])


@pytest.fixture
def proxy(server: Faulty, monkeypatch: pytest.MonkeyPatch) -> Faulty:
    """S3 as a user configures it, with the faulty server as its address. Nothing of the developer's own account."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "FSSPEC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    server.faults.clear()
    server.seen.clear()
    return server


@pytest.fixture
def new_file_systems() -> Iterator[None]:
    """fsspec keeps file systems by their arguments, whatever the environment said when they were made."""
    from s3fs import S3FileSystem

    S3FileSystem.clear_instance_cache()
    yield
    S3FileSystem.clear_instance_cache()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "RETRY_BASE_S", 0.01)
