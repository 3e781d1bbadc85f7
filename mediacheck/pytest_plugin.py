"""The pytest plugin: ``assert_media``, the fixture ``mediacheck``, and ``--mediacheck-junit FILE``.

    from mediacheck.pytest_plugin import assert_media

    def test_greeting(tmp_path):
        synthesise("Good morning.", tmp_path / "out.wav")
        assert_media(tmp_path / "out.wav", expect={"sample_rate": 24000, "max_duration": 3})

pytest imports this module wherever mediacheck is installed. Until it is used, it imports nothing else of mediacheck,
prints nothing and starts no process. Media is measured in a worker process: a decoder that crashes fails one test.

PYTEST_DONT_REWRITE: no assert of mediacheck is one of the tests'.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mediacheck.api import Asked, Source
    from mediacheck.cli.settings import Settings
    from mediacheck.facts import MediaFacts
    from mediacheck.isolated import Isolated
    from mediacheck.verdict import Report

_WORKEROUTPUT = "mediacheck"


@dataclass(frozen=True)
class _Made:
    """A report that ``assert_media`` made."""

    test: str
    """The node id; empty outside of a test."""
    number: int
    """Among those of its process."""
    report: bytes
    """As JSON: it may come from another process."""


@dataclass(eq=False)
class _Session:
    """What the calls of one run of pytest share."""

    folder: Path
    """Where the configuration is looked for."""
    junit: Path | None = None
    made: list[_Made] = field(default_factory=list)
    lost: int = 0
    """Processes of pytest-xdist that ended without sending what they had."""
    _settings: Settings | None = None
    _isolated: Isolated | None = None

    def settings(self) -> Settings:
        """As for the command line: environment over ``mediacheck.toml`` or ``pyproject.toml``."""
        if self._settings is None:
            from mediacheck.cli.settings import resolve

            self._settings = resolve(folder=self.folder)
        return self._settings

    def isolated(self) -> Isolated:
        if self._isolated is None:
            from mediacheck.isolated import Isolated
            from mediacheck.measuring import Limits

            settings = self.settings()
            self._isolated = Isolated(Limits(settings.timeout, settings.memory_limit))
        return self._isolated

    def validator(self, given: str | os.PathLike[str] | None) -> str | os.PathLike[str]:
        return self._from_folder(self.settings().validator) if given is None else given

    def contract(self, given: str | os.PathLike[str] | None) -> str | os.PathLike[str] | None:
        configured = self.settings().contract
        return self._from_folder(configured) if given is None and configured is not None else given

    def _from_folder(self, name: str) -> str:
        """A path in the configuration counts from its folder: tests change theirs."""
        return str(self.folder / name) if os.sep in name or "/" in name or ".toml" in name else name

    def note(self, report: Report) -> None:
        from mediacheck.serialise import to_compact_json

        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
        self.made.append(_Made(test, len(self.made), to_compact_json(report)))

    def close(self) -> None:
        if self._isolated is not None:
            self._isolated.close()


_KEY = pytest.StashKey[_Session]()
# Runs of pytest may be nested (pytester), and assert_media may be called outside of any.
_sessions: list[_Session] = []


def _session() -> _Session:
    if not _sessions:
        _sessions.append(_Session(Path.cwd()))
    return _sessions[-1]


def assert_media(
    source: Source,
    *,
    validator: str | os.PathLike[str] | None = None,
    contract: str | os.PathLike[str] | None = None,
    expect: Asked | None = None,
    raw: str | None = None,
    sample_rate: int | None = None,
    name: str | None = None,
) -> Report:
    """Fail the test unless the verdict on a file is ``pass``; ``inconclusive`` fails too.

    The arguments are those of ``mediacheck.validate``. Validator, contract and limits that are not given come from the
    configuration (``MEDIACHECK_VALIDATOR``, ``[tool.mediacheck]`` in pytest's root folder, …).

    Returns:
        The report, whose warnings may be looked at.

    Raises:
        AssertionError: with the report as text.
        MediacheckError: a path, validator, contract, expectation or argument is wrong.
    """
    __tracebackhide__ = True
    session = _session()
    report = _validated(session, source, validator, contract, expect, raw, sample_rate, name)
    session.note(report)
    if report.verdict != "pass":
        raise AssertionError(_text(report))
    return report


def _validated(
    session: _Session,
    source: Source,
    validator: str | os.PathLike[str] | None,
    contract: str | os.PathLike[str] | None,
    expect: Asked | None,
    raw: str | None,
    sample_rate: int | None,
    name: str | None,
) -> Report:
    __tracebackhide__ = True
    from mediacheck.errors import MediacheckError

    try:
        return session.isolated().validate(
            source,
            validator=session.validator(validator),
            contract=session.contract(contract),
            expect=expect,
            raw=raw,
            sample_rate=sample_rate,
            name=name,
        )
    except MediacheckError as error:
        # Its sentence says all; where in mediacheck it was found out helps nobody.
        raise error.with_traceback(None) from None


def _text(report: Report) -> str:
    from click import unstyle

    from mediacheck.report.text import render

    return unstyle(render(report)).rstrip("\n")


class Mediacheck:
    """What the fixture ``mediacheck`` gives: the Python API, with media measured in a worker process."""

    def __init__(self, session: _Session) -> None:
        self._session = session

    def assert_media(
        self,
        source: Source,
        *,
        validator: str | os.PathLike[str] | None = None,
        contract: str | os.PathLike[str] | None = None,
        expect: Asked | None = None,
        raw: str | None = None,
        sample_rate: int | None = None,
        name: str | None = None,
    ) -> Report:
        """As the function ``assert_media``."""
        __tracebackhide__ = True
        return assert_media(
            source, validator=validator, contract=contract, expect=expect, raw=raw, sample_rate=sample_rate, name=name
        )

    def validate(
        self,
        source: Source,
        *,
        validator: str | os.PathLike[str] | None = None,
        contract: str | os.PathLike[str] | None = None,
        expect: Asked | None = None,
        raw: str | None = None,
        sample_rate: int | None = None,
        name: str | None = None,
    ) -> Report:
        """Measure and judge, whatever the verdict."""
        __tracebackhide__ = True
        return _validated(self._session, source, validator, contract, expect, raw, sample_rate, name)

    def measure(
        self, source: Source, *, raw: str | None = None, sample_rate: int | None = None, name: str | None = None
    ) -> MediaFacts:
        """Facts, no opinion."""
        return self._session.isolated().measure(source, raw=raw, sample_rate=sample_rate, name=name)

    def judge(
        self,
        facts: MediaFacts | str | os.PathLike[str],
        *,
        validator: str | os.PathLike[str] | None = None,
        contract: str | os.PathLike[str] | None = None,
        expect: Asked | None = None,
    ) -> Report:
        """Judge facts that were measured before, or the path of saved ones."""
        from mediacheck.api import judge

        session = self._session
        return judge(
            facts, validator=session.validator(validator), contract=session.contract(contract), expect=expect
        )


@pytest.fixture(scope="session")
def mediacheck(pytestconfig: pytest.Config) -> Mediacheck:
    """Validate, measure, judge and assert_media, with media measured in a worker process."""
    return Mediacheck(pytestconfig.stash[_KEY])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("mediacheck").addoption(
        "--mediacheck-junit",
        metavar="FILE",
        default=None,
        help="Write the reports of all assert_media calls as JUnit XML, a suite for each and a case for each check.",
    )


def pytest_configure(config: pytest.Config) -> None:
    named: str | None = config.getoption("mediacheck_junit")
    junit = None if named is None else Path(os.path.abspath(named))
    if junit is not None and not _is_worker(config):
        _prove(junit, named)
    session = _Session(config.rootpath, junit)
    config.stash[_KEY] = session
    _sessions.append(session)


def pytest_unconfigure(config: pytest.Config) -> None:
    session = config.stash.get(_KEY, None)
    if session is not None:
        session.close()
        _sessions.remove(session)


def _prove(junit: Path, named: str | None) -> None:
    from mediacheck.cli.outputs import prove_writable
    from mediacheck.errors import MediacheckError

    try:
        prove_writable(junit)
    except MediacheckError as error:
        raise pytest.UsageError(f"--mediacheck-junit {named}: {error}") from error


def _is_worker(config: pytest.Config) -> bool:
    """Whether this is a process that pytest-xdist started."""
    return hasattr(config, "workerinput")


def pytest_sessionfinish(session: pytest.Session) -> None:
    own = session.config.stash[_KEY]
    if own.junit is None or session.config.getoption("collectonly"):
        return
    if _is_worker(session.config):
        output: dict[str, Any] = session.config.workeroutput  # type: ignore[attr-defined]
        output[_WORKEROUTPUT] = [(one.test, one.number, one.report) for one in own.made]
        return
    _write(own.junit, own.made)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A process of pytest-xdist ended."""
    own = node.config.stash[_KEY]
    output = getattr(node, "workeroutput", None)
    if output is None:
        own.lost += 1
    else:
        own.made += [_Made(*one) for one in output.get(_WORKEROUTPUT, ())]


def _write(junit: Path, made: list[_Made]) -> None:
    from mediacheck.cli.outputs import write_file
    from mediacheck.report.junit import render
    from mediacheck.serialise import from_json
    from mediacheck.verdict import Report

    # The same file however the tests were spread over processes.
    ordered = sorted(made, key=lambda one: (one.test, one.number))
    reports = [from_json(one.report, Report) for one in ordered]
    names = [f"{one.test} {report.subject.name}".strip() for one, report in zip(ordered, reports, strict=True)]
    write_file(junit, render(reports, names))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    own = config.stash[_KEY]
    if own.junit is None or config.getoption("collectonly"):
        return
    terminalreporter.write_sep("-", f"mediacheck: {len(own.made)} reports in {own.junit}")
    if own.lost:
        terminalreporter.write_line(
            f"mediacheck: {own.lost} test process(es) crashed, and the reports made there are not in the file", red=True
        )
