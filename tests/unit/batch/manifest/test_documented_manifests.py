"""Every manifest that docs/reference/manifests.md shows is read as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from mediacheck.batch.manifest import FORMATS, ManifestOptions, open_manifest
from mediacheck.batch.manifest.options import KEYS
from tests.unit.batch.manifest.reading import problems, written

DOCUMENT = (Path(__file__).parents[4] / "docs" / "reference" / "manifests.md").read_text()
FILES = re.findall(r"```(?:json|csv|text) (\S+)\n(.*?)```", DOCUMENT, re.DOTALL)
COMMANDS = re.findall(r"```sh\n(mediacheck batch .*?)\n```", DOCUMENT)
FORMAT_OF = {
    "outputs.jsonl": "jsonl", "nemo.json": "nemo", "speech": "audiofolder", "outputs.csv": "csv", "data": "kaldi",
    "meta.lst": "seed-tts", "prompts.jsonl": "jsonl", "wavs": "folder", "roots.jsonl": "jsonl",
}  # fmt: skip


def options_of(command: str) -> tuple[str, ManifestOptions]:
    words = shlex.split(command)
    name, given = words[2], list(zip(words[3::2], words[4::2], strict=True))
    columns = [value.split("=", 1) for option, value in given if option == "--column"]
    return name, ManifestOptions(
        outputs=next((value for option, value in given if option == "--outputs"), None),
        roots=tuple(value for option, value in given if option == "--root"),
        groups=tuple(value for option, value in given if option == "--group"),
        columns=tuple((key, column) for key, column in columns),
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_read(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES:
        written(tmp_path, name, content)
    for name in ("wavs/u1.wav", "outputs/u1.flac"):
        written(tmp_path, name, "x")
    name, options = options_of(command)
    manifest = open_manifest(name, options)
    items = list(manifest.items())
    assert manifest.format == FORMAT_OF[name]
    assert problems(items) == {}
    assert items[0].entry.id in ("u1", "wavs/u1", "u1.wav")
    groups = {tag.key for item in items for tag in item.entry.groups}
    assert set(options.groups) <= groups


def test_every_format_and_key_is_there() -> None:
    assert {options_of(command)[0] for command in COMMANDS} == FORMAT_OF.keys()
    for name in (*FORMATS, *KEYS):
        assert f"`{name}`" in DOCUMENT
