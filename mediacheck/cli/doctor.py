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
from mediacheck.scoring.inventory import RecogniserStatus, ScorerStatus, SpeakerModelStatus
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
    scorers: tuple[ScorerStatus, ...]
    recognisers: tuple[RecogniserStatus, ...]
    speaker_models: tuple[SpeakerModelStatus, ...]
    reference_sets: tuple[str, ...]
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

    Exit code 1 where something that mediacheck supports is missing. Scorers are optional: a missing one is named only.
    """
    diagnosis = diagnose()
    if json_:
        click.echo(serialise.to_json(diagnosis), nl=False)
    else:
        echo(render(diagnosis))
    return ExitCode.PASS if diagnosis.healthy else ExitCode.FAIL


def diagnose() -> Diagnosis:
    from mediacheck.contracts import list_contracts
    from mediacheck.references import shipped
    from mediacheck.scoring.inventory import recognisers, scorers, speaker_models
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
        scorers=scorers(),
        recognisers=recognisers(),
        speaker_models=speaker_models(),
        reference_sets=shipped(),
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
        ("scorers", ", ".join(scorer.id for scorer in diagnosis.scorers if scorer.available) or "none"),
        *((f"  {scorer.id}", _scorer_lack(scorer)) for scorer in diagnosis.scorers if not scorer.available),
        *((f"  {recogniser.id}", _recogniser(recogniser)) for recogniser in diagnosis.recognisers),
        *((f"  {model.id}", _speaker_model(model)) for model in diagnosis.speaker_models),
        ("reference sets", ", ".join(diagnosis.reference_sets) or "none found"),
        ("configuration", diagnosis.configuration_file or "no file"),
    ]
    rows += [
        (f"  {name}", "none" if (value := getattr(diagnosis.settings, name)) is None else f"{value}")
        for name in Settings.__struct_fields__
    ]
    width = max(len(label) for label, _ in rows)
    return "".join(f"{label:<{width}}  {printable(value)}\n" for label, value in rows)


def _scorer_lack(scorer: ScorerStatus) -> str:
    how = "" if scorer.extra is None else f"; pip install 'mediacheck[{scorer.extra}]'"
    return f"lacks {', '.join(scorer.missing)}{how}"


def _recogniser(recogniser: RecogniserStatus) -> str:
    if not recogniser.available:
        return f"not installed; pip install 'mediacheck[{recogniser.extra}]'"
    if recogniser.id == "openai-api":
        return "any endpoint, with --api-url"
    return f"models: {', '.join(recogniser.models) or 'none here; name a path with --model, or use --download'}"


def _speaker_model(model: SpeakerModelStatus) -> str:
    if not model.available:
        return f"not installed; pip install 'mediacheck[{model.extra}]'"
    here = ", ".join(model.models) or "none here; name a folder with --speaker-model, or use --download"
    return f"speaker models: {here}"
