"""The command line, the Python API and the documents say the same."""

from __future__ import annotations

import inspect
import re

import click
import pytest

import mediacheck
from mediacheck.cli.batch import merge_command, run_command
from mediacheck.cli.calibrate import calibrate_command
from mediacheck.cli.gate import gate_command
from mediacheck.cli.judge import judge_command
from mediacheck.cli.main import app
from mediacheck.cli.measure import measure_command
from mediacheck.cli.score import score_command
from mediacheck.cli.settings import Choices, resolve
from mediacheck.cli.validate import validate_command
from mediacheck.expectation import Expectation
from tests.cli.run import ROOT

# Arguments of the API that are about objects in memory, and options that are about processes, files and terminals.
API_ONLY = {"source", "facts", "sample_rate", "name"}
CLI_ONLY = {"paths", "facts", "json_", "junit", "output", "quiet", "jobs", "timeout", "memory_limit"}
PAIRS = [
    (validate_command, mediacheck.validate),
    (measure_command, mediacheck.measure),
    (judge_command, mediacheck.judge),
]
COMMANDS = (
    validate_command,
    measure_command,
    judge_command,
    score_command,
    run_command,
    merge_command,
    gate_command,
    calibrate_command,
)
REFERENCE = (ROOT / "docs" / "reference" / "cli.md").read_text()


@pytest.mark.parametrize(
    ("command", "function"),
    PAIRS,
    ids=lambda item: getattr(item, "__name__", item.name if isinstance(item, click.Command) else ""),
)
def test_what_can_be_asked_of_one_can_be_asked_of_the_other(command: click.Command, function: object) -> None:
    options = {parameter.name for parameter in command.params} - CLI_ONLY
    arguments = set(inspect.signature(function).parameters) - API_ONLY  # type: ignore[arg-type]
    assert options == arguments


def test_the_default_validator_is_the_same() -> None:
    assert inspect.signature(mediacheck.validate).parameters["validator"].default == resolve(Choices()).validator


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_option_is_in_the_reference(command: click.Command) -> None:
    for parameter in command.params:
        for option in parameter.opts if isinstance(parameter, click.Option) else ():
            assert f"`{option}" in REFERENCE, option


def test_every_option_of_the_reference_exists() -> None:
    known = {
        option
        for command in (app, *COMMANDS)
        for p in command.params
        for option in (*p.opts, *p.secondary_opts)
    }
    mentioned = set(re.findall(r"--[a-z]+(?:-[a-z0-9]+)*", REFERENCE))
    assert mentioned - known - {"--help"} == set()


def test_every_expectation_is_in_the_reference() -> None:
    for key in Expectation.__struct_fields__:
        assert f"`{key}" in REFERENCE, key


def test_every_setting_is_in_the_reference() -> None:
    for key in Choices.__struct_fields__:
        assert f"`{key}`" in REFERENCE
        assert f"`MEDIACHECK_{key.upper()}`" in REFERENCE
