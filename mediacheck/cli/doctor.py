"""``mediacheck doctor``: what this machine has, and what is configured."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Literal

import click

from mediacheck import serialise
from mediacheck.cli.exits import ExitCode
from mediacheck.cli.outputs import echo
from mediacheck.cli.settings import Settings, from_file, resolve
from mediacheck.facts import Struct, Tag
from mediacheck.media.inventory import Capability, capabilities, libraries
from mediacheck.report.escape import printable
from mediacheck.version import __version__


class Diagnosis(Struct, kw_only=True):
    """What ``doctor`` found."""

    schema: Literal["mediacheck.doctor/1"] = "mediacheck.doctor/1"
    mediacheck: str
    python: str
    platform: str
    libraries: tuple[Tag, ...]
    capabilities: tuple[Capability, ...]
    validators: tuple[str, ...]
    contracts: tuple[str, ...]
    configuration_file: str | None
    settings: Settings

    @property
    def missing(self) -> tuple[Capability, ...]:
        return tuple(capability for capability in self.capabilities if not capability.available)

    @property
    def healthy(self) -> bool:
        return not self.missing and bool(self.validators) and bool(self.contracts)


@click.command("doctor")
@click.option("--json", "json_", is_flag=True, help="As JSON.")
def doctor_command(json_: bool) -> int:
    """Say what this machine has, and what is configured.

    Exit code 1 where something that mediacheck supports is missing.
    """
    diagnosis = diagnose()
    if json_:
        click.echo(serialise.to_json(diagnosis), nl=False)
    else:
        echo(render(diagnosis))
    return ExitCode.PASS if diagnosis.healthy else ExitCode.FAIL


def diagnose() -> Diagnosis:
    from mediacheck.contracts import list_contracts
    from mediacheck.validators import list_validators

    _, file = from_file(Path())
    return Diagnosis(
        mediacheck=__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        libraries=libraries(),
        capabilities=capabilities(),
        validators=tuple(f"{validator.id} ({validator.status})" for validator in list_validators()),
        contracts=tuple(contract.id for contract in list_contracts()),
        configuration_file=None if file is None else file.name,
        settings=resolve(),
    )


def render(diagnosis: Diagnosis) -> str:
    """The diagnosis as text."""
    rows = [
        ("mediacheck", diagnosis.mediacheck),
        ("python", f"{diagnosis.python} on {diagnosis.platform}"),
        *((library.key, library.value) for library in diagnosis.libraries),
    ]
    for kind in ("demuxer", "decoder"):
        found = [item.name for item in diagnosis.capabilities if item.kind == kind and item.available]
        rows.append((f"{kind}s", ", ".join(found)))
    missing = ", ".join(f"{item.kind} {item.name}" for item in diagnosis.missing)
    rows += [
        ("missing", missing or "nothing"),
        ("validators", ", ".join(diagnosis.validators) or "none found"),
        ("contracts", f"{len(diagnosis.contracts)}; see 'mediacheck contracts list'"),
        ("configuration", diagnosis.configuration_file or "no file"),
    ]
    rows += [
        (f"  {name}", "none" if (value := getattr(diagnosis.settings, name)) is None else f"{value}")
        for name in Settings.__struct_fields__
    ]
    width = max(len(label) for label, _ in rows)
    return "".join(f"{label:<{width}}  {printable(value)}\n" for label, value in rows)
