"""Parquet, through pyarrow."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from mediacheck.batch.errors import ManifestError
from mediacheck.batch.manifest.rows import Row
from mediacheck.batch.manifest.source import Source

# Rows that are held at once: texts are short, and what is embedded is not read.
_BATCH = 1024
_EMBEDDED = "the audio stands in the manifest itself; save it as files, and name those"


def column_names(source: Source) -> tuple[str, ...]:
    """
    Raises:
        ManifestError: pyarrow is not installed, or the file is no Parquet.
    """
    with _opened(source) as file:
        return tuple(file.schema_arrow.names)


def rows(source: Source, columns: Collection[str], paths: Collection[str]) -> Iterator[Row]:
    """Every row, with these columns of it.

    Args:
        source: the file.
        columns: that are read, of those that are there.
        paths: those of them that must hold paths; where they hold audio instead, it is not read.

    Raises:
        ManifestError: the file ends early, or is damaged.
    """
    with _opened(source) as file:
        kinds = {field.name: field.type for field in file.schema_arrow}
        embedded = [name for name in paths if name in kinds and _holds_bytes(kinds[name])]
        wanted = [name for name in kinds if name in columns and name not in embedded]
        problem = _EMBEDDED if embedded else None
        number = 0
        for batch in file.iter_batches(batch_size=_BATCH, columns=wanted):
            # Without a column a batch has rows all the same, but its list of them is empty.
            for values in batch.to_pylist() if wanted else [{}] * batch.num_rows:
                number += 1
                yield Row(f"row {number}", values, problem)


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    if find_spec("pyarrow") is None:
        raise ManifestError(
            "a manifest in Parquet needs the library pyarrow; install it with: pip install 'mediacheck[parquet]'"
        )
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with source.open() as stream:
        try:
            with ParquetFile(stream) as file:
                yield file
        except (ArrowException, OSError) as error:
            raise ManifestError(
                f"{source.name} is no Parquet that can be read to its end: {str(error).splitlines()[0]}"
            ) from error


def _holds_bytes(kind: Any) -> bool:
    """Of a column: binary, or a struct with a field of that kind, as ``datasets`` embeds audio."""
    from pyarrow import types

    if types.is_struct(kind):
        return any(_holds_bytes(kind.field(index).type) for index in range(kind.num_fields))
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))
