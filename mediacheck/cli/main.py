"""The command ``mediacheck``: finds the command asked for, and turns every way to end into an exit code."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import FrameType

import click

from mediacheck.cli.debug import debug_wanted, want_debug
from mediacheck.cli.exits import ExitCode
from mediacheck.errors import InstallationError, MediacheckError
from mediacheck.report.escape import printable
from mediacheck.version import __version__

# Where each command lives, and what `--help` says of it: listing them must not import them.
_COMMANDS = {
    "validate": ("mediacheck.cli.validate:validate_command", "Measure media files, judge them and report."),
    "measure": ("mediacheck.cli.measure:measure_command", "Measure media files: facts only, no opinion."),
    "judge": ("mediacheck.cli.judge:judge_command", "Judge saved facts again; nothing is decoded."),
    "score": ("mediacheck.cli.score:score_command", "Compute how good files are, beside a text or a reference."),
    "batch": ("mediacheck.cli.batch:batch_group", "Validate and score every item of a manifest, durably."),
    "gate": ("mediacheck.cli.gate:gate_command", "Decide by a policy whether a run may replace another."),
    "calibrate": ("mediacheck.cli.calibrate:calibrate_command", "Propose a policy from runs of one system."),
    "references": ("mediacheck.cli.references:references_group", "List and verify sets of reference recordings."),
    "validators": ("mediacheck.cli.validators:validators_group", "List, show, compare and freeze validators."),
    "contracts": ("mediacheck.cli.contracts:contracts_group", "List and show contracts, and what they expect."),
    "explain": ("mediacheck.cli.explain:explain_command", "Explain a check or a rule: what, why, how to fix it."),
    "doctor": ("mediacheck.cli.doctor:doctor_command", "Say what this machine has, and what is configured."),
}


class _Commands(click.Group):
    """A group that imports a command when it is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, attribute = _COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="mediacheck")
@click.option("--debug", is_flag=True, help="Show a traceback where mediacheck itself fails (also MEDIACHECK_DEBUG=1).")
def app(debug: bool) -> None:
    """Is this the media it claims to be, whole and sound? Exact facts, a named validator, a verdict.

    Exit codes: 0 pass, 1 fail, 2 wrong usage or configuration, 3 inconclusive, 4 mediacheck itself failed,
    130 interrupted.
    """
    if debug:
        want_debug()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: without the program's name; those of the process by default.
    """
    _prepare_process()
    try:
        result = app.main(
            args=None if arguments is None else list(arguments), prog_name="mediacheck", standalone_mode=False
        )
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        _print_error(error.format_message())
        return ExitCode.USAGE
    except click.ClickException as error:
        return _refuse(_usage_sentence(error))
    except InstallationError as error:
        _say(str(error))
        return ExitCode.TOOL_FAILED
    except MediacheckError as error:
        return _refuse(str(error))
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        return _reader_gone()
    except SystemExit as error:
        # click ends the process itself, with 1, where a reader went away; 1 would say that a file is bad.
        if error.code == ExitCode.FAIL:
            return _reader_gone()
        raise
    except Exception as error:
        return _tool_failed(error)
    return result if isinstance(result, int) else ExitCode.PASS


def _reader_gone() -> int:
    """Whoever read our output went away. Flushing what is left at exit would only complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return ExitCode.TOOL_FAILED


def _prepare_process() -> None:
    # Where a standard stream is closed, the next file or pipe that is opened would take its number, and whatever a
    # library prints would go there.
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    # A name that the terminal's encoding cannot show must not end the run.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """SIGTERM ends as Ctrl-C does: workers are killed, nothing half-written stays."""
    raise KeyboardInterrupt


def _usage_sentence(error: click.ClickException) -> str:
    sentence = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return sentence
    joint = " See" if sentence.endswith("?") else "; see"
    return f"{sentence}{joint} '{context.command_path} --help'"


def _refuse(sentence: str) -> int:
    _say(sentence)
    return ExitCode.USAGE


def _tool_failed(error: Exception) -> int:
    if debug_wanted():
        import traceback

        with suppress(OSError):
            traceback.print_exception(error)
    if isinstance(error, OSError) and error.strerror:
        where = f" ({error.filename})" if error.filename else ""
        _say(f"the system refused: {error.strerror}{where}")
    else:
        _say(
            f"internal error: {type(error).__name__}: {error}; this is a bug in mediacheck: "
            "please report it with what the same command prints under MEDIACHECK_DEBUG=1"
        )
    return ExitCode.TOOL_FAILED


def _say(sentence: str) -> None:
    """One line on standard error, whatever the sentence holds."""
    _print_error(f"mediacheck: {printable(' '.join(sentence.split()))}")


def _print_error(text: str) -> None:
    # Standard error may be full or gone; the exit code still says how it went.
    with suppress(OSError):
        click.echo(text, err=True)
