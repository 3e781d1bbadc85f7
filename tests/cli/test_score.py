"""``mediacheck score``: what stays in the result, exit codes, and an endpoint that the test starts."""

from __future__ import annotations

import json
import threading
import wave
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import jsonschema
import pytest

from mediacheck import schema
from mediacheck.scoring.score import Scores, ScoresList
from tests.cli.run import mediacheck, one_line, write_cut_wav, write_wav
from tests.needs import needs_module

needs_asr = needs_module("jiwer", "soxr")
NO_ADDRESS = ("--asr", "openai-api", "--protocol", "none")


@dataclass
class Endpoint:
    """Speaks as much of ``/v1/audio/transcriptions`` as a client may ask of it."""

    url: str = ""
    says: str = "Hello world."
    status: int = 200
    body: bytes | None = None
    location: str | None = None
    fields: list[dict[str, str]] = field(default_factory=list)
    files: list[bytes] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
            message = BytesParser(policy=HTTP).parsebytes(head + data)
            found: dict[str, str] = {}
            for part in message.iter_parts():
                content = part.get_payload(decode=True)
                assert isinstance(content, bytes)
                if part.get_filename():
                    state.files.append(content)
                else:
                    found[str(part.get_param("name", header="content-disposition"))] = content.decode()
            state.fields.append(found)
            state.keys.append(self.headers.get("Authorization", ""))
            state.paths.append(self.path)
            answer = state.body if state.body is not None else json.dumps({"text": state.says}).encode()
            self.send_response(state.status)
            if state.location is not None:
                self.send_header("Location", state.location)
            self.end_headers()
            self.wfile.write(answer)

        def do_GET(self) -> None:
            state.paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"text": "hello"}')

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield state
    server.shutdown()
    server.server_close()


def by_endpoint(endpoint: Endpoint) -> tuple[str, ...]:
    return ("--asr", "openai-api", "--api-url", endpoint.url, "--model", "whisper-1", "--protocol", "whisper-basic")


@needs_asr
def test_an_endpoint_is_asked_for_the_text(endpoint: Endpoint, tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", 1.5, 24000)
    ran = mediacheck(
        "score", "a.wav", "--text", "hello, big world", *by_endpoint(endpoint), "--json", "-",
        cwd=tmp_path, OPENAI_API_KEY="secret-key",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    wer = ran.json["scores"][0]
    assert (wer["scorer"], wer["status"], wer["unit"]) == ("wer", "measured", "errors/word")
    assert wer["counts"] == {"substitutions": 0, "deletions": 1, "insertions": 0, "hits": 2, "reference": 3}
    assert wer["hypothesis"] == "Hello world."
    assert wer["identity"]["model"] == {"id": "whisper-1", "sha256": None}
    assert [score["scorer"] for score in ran.json["scores"]] == ["wer", "cer"]
    jsonschema.validate(ran.json, schema.schema_of(Scores))
    # Words and characters are counted in one transcript: one request.
    assert endpoint.fields == [{"model": "whisper-1", "language": "en", "response_format": "json", "temperature": "0"}]
    assert endpoint.paths == ["/v1/audio/transcriptions"]
    assert endpoint.keys == ["Bearer secret-key"]
    assert b"secret-key" not in ran.out
    with wave.open(BytesIO(endpoint.files[0])) as sent:
        assert (sent.getframerate(), sent.getnchannels(), sent.getsampwidth(), sent.getnframes()) == (
            16000,
            1,
            2,
            24000,
        )


@needs_asr
@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (500, b"", "the endpoint answers 500 Internal Server Error"),
        (200, b"<html>", "the endpoint's answer is no JSON with a text"),
        (200, b'{"text": null}', "the endpoint's answer is no JSON with a text"),
        (200, b"[]", "the endpoint's answer is no JSON with a text"),
    ],
)
def test_an_answer_without_a_text_is_not_measured(
    status: int, body: bytes, reason: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.status, endpoint.body = status, body
    write_wav(tmp_path / "a.wav")
    ran = mediacheck(
        "score", "a.wav", "--text", "hello", "--scorer", "wer", *by_endpoint(endpoint), "--json", "-", cwd=tmp_path
    )
    assert ran.code == 3
    assert ran.json["scores"] == [{"status": "not_measured", "scorer": "wer", "reason": reason, "transient": True}]
    assert "wer: none of 1 files was scored" in ran.err


@needs_asr
@pytest.mark.parametrize("status", [401, 404])
def test_an_endpoint_that_refuses_everything_is_wrong_configuration(
    status: int, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.status = status
    write_wav(tmp_path / "a.wav")
    ran = mediacheck("score", "a.wav", "--text", "hello", *by_endpoint(endpoint), "--quiet", cwd=tmp_path)
    assert ran.code == 2
    assert "check --api-url, --model and OPENAI_API_KEY" in one_line(ran)


@needs_asr
def test_nobody_at_the_address_is_not_measured(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    ran = mediacheck(
        "score", "a.wav", "--text", "hello", "--asr", "openai-api", "--api-url", "http://127.0.0.1:9/v1",
        "--model", "m", "--protocol", "none", "--json", "-", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 3
    assert "cannot be reached" in ran.json["scores"][0]["reason"]


@needs_asr
def test_what_has_no_score_stays_in_the_result(endpoint: Endpoint, tmp_path: Path) -> None:
    write_wav(tmp_path / "good.wav")
    write_wav(tmp_path / "reference.wav", 2.0)
    write_cut_wav(tmp_path / "cut.wav")
    (tmp_path / "silent.wav").write_bytes(silence())
    (tmp_path / "text.wav").write_text("no sound")
    ran = mediacheck(
        "score", "good.wav", "cut.wav", "silent.wav", "text.wav", "missing.wav", "--text", "hello world",
        "--reference", "reference.wav", *by_endpoint(endpoint), "--json", "-", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 1
    jsonschema.validate(ran.json, schema.schema_of(ScoresList))
    statuses = {
        result["subject"]["name"]: {score["scorer"]: score["status"] for score in result["scores"]}
        for result in ran.json["results"]
    }
    measured, missing = "measured", "not_measured"
    ids = ("wer", "cer", "duration_ratio")
    assert statuses == {
        "good.wav": dict.fromkeys(ids, measured),
        "cut.wav": dict.fromkeys(ids, missing),
        "silent.wav": {"wer": measured, "cer": measured, "duration_ratio": missing},
        "text.wav": dict.fromkeys(ids, missing),
        "missing.wav": dict.fromkeys(ids, missing),
    }
    verdicts = [result["validation"]["verdict"] for result in ran.json["results"]]
    assert verdicts == ["pass", "fail", "fail", "fail", "unreadable"]
    summaries = {summary["scorer"]: summary for summary in ran.json["summaries"]}
    assert summaries["wer"]["coverage"] == "2/5"
    assert summaries["wer"]["corpus"]["value"] == 0.5
    assert summaries["duration_ratio"]["coverage"] == "1/5"
    assert summaries["duration_ratio"]["mean"]["value"] == 0.5
    # The silent file was not sent.
    assert len(endpoint.files) == 1


@needs_asr
def test_a_missing_candidate_alone_is_inconclusive(endpoint: Endpoint, tmp_path: Path) -> None:
    ran = mediacheck("score", "missing.wav", "--text", "hello", *by_endpoint(endpoint), "--json", "-", cwd=tmp_path)
    assert ran.code == 3
    assert ran.json["subject"] == {"name": "missing.wav", "bytes": None, "sha256": None}
    assert ran.json["scores"][0]["reason"] == "missing.wav does not exist; check the path"


@needs_asr
def test_texts_come_from_a_manifest(endpoint: Endpoint, tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav", "c.wav"):
        write_wav(tmp_path / name)
    (tmp_path / "m.jsonl").write_text(
        '{"audio_filepath": "elsewhere/a.wav", "text": "hello world"}\n\n{"audio": "b.wav", "text": "good bye"}\n'
    )
    ran = mediacheck(
        "score", "a.wav", "b.wav", "c.wav", "--text-file", "m.jsonl", "--scorer", "wer", *by_endpoint(endpoint),
        "--json", "out.json", cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 3
    results = json.loads((tmp_path / "out.json").read_bytes())["results"]
    assert [result["scores"][0].get("value") for result in results] == [0.0, 1.0, None]
    assert results[2]["scores"][0]["reason"] == "no text was given for this candidate"
    assert "wer: 2/3 scored; corpus 0.5000" in ran.text


@needs_asr
def test_a_file_name_that_two_candidates_have_finds_no_text(endpoint: Endpoint, tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        write_wav(tmp_path / folder / "a.wav")
    (tmp_path / "m.jsonl").write_text('{"audio": "x/a.wav", "text": "hello world"}\n')
    ran = mediacheck(
        "score", "x", "y", "--text-file", "m.jsonl", "--scorer", "wer", *by_endpoint(endpoint), "--json", "-",
        cwd=tmp_path,
    )  # fmt: skip
    results = {result["subject"]["name"]: result["scores"][0]["status"] for result in ran.json["results"]}
    assert results == {"x/a.wav": "measured", "y/a.wav": "not_measured"}


def test_a_reference_that_is_broken_gives_no_score(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    write_cut_wav(tmp_path / "reference.wav")
    ran = mediacheck("score", "a.wav", "--reference", "reference.wav", "--json", "-", cwd=tmp_path)
    assert ran.code == 3
    assert ran.json["scores"][0]["reason"] == "reference: reference.wav failed validation (media.complete)"


def test_the_length_beside_a_reference(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", 1.5)
    write_wav(tmp_path / "reference.wav", 1.0)
    ran = mediacheck("score", "a.wav", "--reference", "reference.wav", cwd=tmp_path)
    assert ran.code == 0
    assert "duration_ratio  1.5000 ratio" in ran.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "there is nothing to score by"),
        (("--scorer", "mos"), "there is no scorer 'mos'"),
        (("--scorer", "wer"), "the scorer wer needs --text"),
        (("--scorer", "duration_ratio"), "the scorer duration_ratio needs --reference"),
        (("--text", "a", "--text-file", "a.txt"), "give one"),
        (("--text-file", "none.txt"), "cannot read --text-file none.txt"),
        (("--text-file", "bad.jsonl"), "bad.jsonl, line 2: write an object"),
        (("--text-file", "twice.jsonl"), "has a text already"),
        (("--text", "a", "--protocol", "wisper"), "there is no protocol"),
        pytest.param(("--text", "a", *NO_ADDRESS), "needs an address", marks=needs_asr),
        pytest.param(("--text", "a", *NO_ADDRESS, "--api-url", "file:///x"), "write an address", marks=needs_asr),
        (("--text", "a", "--language", "zh-CN"), "write a code of ISO 639"),
        (("--text", "a", "--language", "zho"), "write a code of ISO 639"),
        (("--reference", "none.wav"), "none.wav does not exist"),
        (("--reference", "a.wav", "--json", "a.wav"), "is one of the files to read"),
    ],
)
def test_a_wrong_question_is_one_sentence(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    (tmp_path / "bad.jsonl").write_text('{"audio": "a.wav", "text": "x"}\n{"audio": "b.wav"}\n')
    (tmp_path / "twice.jsonl").write_text('{"audio": "a.wav", "text": "x"}\n' * 2)
    ran = mediacheck("score", "a.wav", *arguments, cwd=tmp_path)
    assert ran.code == 2
    assert said in one_line(ran)


def test_a_missing_library_names_the_extra(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    hide = (
        "import importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'jiwer' else real(name, *more)"
    )
    ran = mediacheck(
        "score", "a.wav", "--text", "a", "--protocol", "none", "--json", "out.json", cwd=tmp_path, before=hide
    )
    assert ran.code == 2
    assert "pip install 'mediacheck[whisper]'" in one_line(ran)
    assert not (tmp_path / "out.json").exists()


def silence() -> bytes:
    held = BytesIO()
    with wave.open(held, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(bytes(16000))
    return held.getvalue()


@needs_asr
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(endpoint: Endpoint, tmp_path: Path, status: int) -> None:
    # Asked again by GET, an endpoint would answer for a sound that it never got.
    endpoint.status, endpoint.location = status, endpoint.url + "/elsewhere"
    write_wav(tmp_path / "a.wav")
    ran = mediacheck("score", "a.wav", "--text", "hello", *by_endpoint(endpoint), "--json", "-", cwd=tmp_path)
    assert ran.code == 3
    assert f"answers {status}" in ran.json["scores"][0]["reason"]
    assert set(endpoint.paths) == {"/v1/audio/transcriptions"}


@needs_asr
@pytest.mark.parametrize("key", ["sk-SECRET\n", "  sk-SECRET"])
def test_white_space_around_a_key_is_none_of_it(endpoint: Endpoint, tmp_path: Path, key: str) -> None:
    write_wav(tmp_path / "a.wav")
    ran = mediacheck(
        "score", "a.wav", "--text", "hello", *by_endpoint(endpoint), "--json", "-", cwd=tmp_path, OPENAI_API_KEY=key
    )
    assert endpoint.keys == ["Bearer sk-SECRET"]
    assert "SECRET" not in ran.text + ran.err


@needs_asr
@pytest.mark.parametrize("key", ["sk-SE\nCRET", "sk-SECRÈT", "sk\x7fSECRET"])
def test_a_key_that_no_header_holds_is_refused_and_not_quoted(endpoint: Endpoint, tmp_path: Path, key: str) -> None:
    write_wav(tmp_path / "a.wav")
    ran = mediacheck("score", "a.wav", "--text", "hello", *by_endpoint(endpoint), cwd=tmp_path, OPENAI_API_KEY=key)
    assert ran.code == 2
    assert "OPENAI_API_KEY" in one_line(ran)
    assert "SE" not in ran.err


@needs_asr
@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:99999/v1", "http://127.0.0.1:abc/v1", "http://[::1/v1", "http://h/o k", "http://h/é",
     "http://u:p@127.0.0.1/v1", "http://h/v1?key=1", "http://h/v1#f", "ftp://h/v1", "h"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    write_wav(tmp_path / "a.wav")
    ran = mediacheck("score", "a.wav", "--text", "x", *NO_ADDRESS, "--model", "m", "--api-url", url, cwd=tmp_path)
    assert ran.code == 2
    assert "--api-url" in one_line(ran)


@needs_asr
def test_half_a_character_from_an_endpoint_is_no_transcript(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.body = b'{"text": "hello \\ud800 world"}'
    write_wav(tmp_path / "a.wav")
    ran = mediacheck("score", "a.wav", "--text", "hello", *by_endpoint(endpoint), "--json", "-", cwd=tmp_path)
    assert ran.code == 3
    assert "no JSON with a text" in ran.json["scores"][0]["reason"]


@pytest.mark.parametrize(
    "options",
    [("--text-file", "m.jsonl"), ("--speakers", "m.jsonl"), ("--model", "m.jsonl"), ("--validator", "m.jsonl"),
     ("--speaker-model", "m.jsonl"), ("--contract", "m.jsonl")],
)  # fmt: skip
def test_no_input_is_overwritten(tmp_path: Path, options: tuple[str, str]) -> None:
    write_wav(tmp_path / "a.wav")
    written = '{"audio": "a.wav", "text": "hello", "speaker": "x"}\n'
    (tmp_path / "m.jsonl").write_text(written)
    ran = mediacheck("score", "a.wav", "--scorer", "loudness", *options, "--json", "m.jsonl", cwd=tmp_path)
    assert ran.code == 2
    assert (tmp_path / "m.jsonl").read_text() == written


@needs_asr
def test_what_a_folders_manifest_names_and_is_not_there_lowers_the_coverage(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    write_wav(folder / "a.wav")
    lines = [{"audio": f"{name}.wav", "text": "hello"} for name in ("a", "b", "c")]
    (folder / "m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = mediacheck(
        "score", "out", "--text-file", "out/m.jsonl", "--scorer", "cer", *by_endpoint(endpoint), "--json", "-",
        cwd=tmp_path,
    )  # fmt: skip
    assert ran.code == 3
    assert ran.json["summaries"][0]["coverage"] == "1/3"
    assert {m["name"] for m in ran.json["summaries"][0]["not_measured"]} == {"b.wav", "c.wav"}


@needs_asr
def test_a_text_goes_to_the_file_that_its_line_names(endpoint: Endpoint, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("a.wav", "sub/a.wav"):
        write_wav(tmp_path / name)
    lines = [{"audio": "a.wav", "text": "other"}, {"audio": "./sub/a.wav", "text": "hello\u2028world"}]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    for candidate in ("sub", "sub/a.wav", str(tmp_path / "sub/a.wav")):
        ran = mediacheck(
            "score", candidate, "--text-file", "m.jsonl", *by_endpoint(endpoint), "--json", "-", cwd=tmp_path
        )
        result = ran.json["results"][0] if candidate == "sub" else ran.json
        assert result["scores"][0]["text"] == "hello\u2028world"


@pytest.mark.parametrize("line", ['{"audio": "a.wav", "text": "\\ud800"}', '{"audio": "a\\u0000", "text": "x"}'])
def test_a_line_that_json_cannot_hold_again_is_refused(tmp_path: Path, line: str) -> None:
    write_wav(tmp_path / "a.wav")
    (tmp_path / "m.jsonl").write_text(line)
    ran = mediacheck("score", "a.wav", "--text-file", "m.jsonl", "--scorer", "loudness", cwd=tmp_path)
    assert ran.code == 2
    assert "line 1" in one_line(ran)


def test_standard_input_and_pipes_are_refused(tmp_path: Path) -> None:
    import os

    write_wav(tmp_path / "a.wav")
    assert "standard input" in one_line(mediacheck("score", "-", "--scorer", "loudness", cwd=tmp_path))
    os.mkfifo(tmp_path / "pipe.jsonl")
    ran = mediacheck("score", "a.wav", "--text-file", "pipe.jsonl", "--scorer", "loudness", cwd=tmp_path)
    assert ran.code == 2
    assert "no regular file" in one_line(ran)


def test_missing_candidates_of_one_name_are_told_apart(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav")
    gone = ["x/b.wav", "y/b.wav", str(tmp_path / "c.wav")]
    ran = mediacheck("score", "a.wav", *gone, "--scorer", "loudness", "--json", "-", cwd=tmp_path)
    assert ran.code == 3
    assert [result["subject"]["name"] for result in ran.json["results"]] == ["a.wav", "x/b.wav", "y/b.wav", "c.wav"]
    assert ran.json["summaries"][0]["coverage"] == "1/4"
    assert str(tmp_path) not in "".join(result["subject"]["name"] for result in ran.json["results"])
