"""``mediacheck contracts``: what models and codecs can produce, and what a request gives."""

from __future__ import annotations

from fractions import Fraction

import click

from mediacheck.arithmetic import parse_number
from mediacheck.cli.exits import ExitCode
from mediacheck.contracts import (
    Contract,
    DurationLimit,
    Example,
    Outcome,
    Quantity,
    Reachability,
    Variable,
    list_contracts,
    load_contract,
)
from mediacheck.errors import UsageError
from mediacheck.facts import Struct
from mediacheck.report.escape import printable
from mediacheck.serialise import to_json

_COUNTS = ("frames", "latents", "tokens", "input_samples")


class ContractSummary(Struct, frozen=True, kw_only=True):
    """One line of ``contracts list --json``."""

    id: str
    status: str
    enforceable: bool
    digest: str
    title: str


class Answer(Struct, frozen=True, kw_only=True):
    """What ``contracts expect --json`` prints: ``outcome`` to a request, ``reachability`` to a count of samples."""

    contract: ContractSummary
    outcome: Outcome | None = None
    reachability: Reachability | None = None


@click.group("contracts")
def contracts_group() -> None:
    """What models and codecs can produce, sample for sample."""


@contracts_group.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(as_json: bool) -> None:
    """List the contracts that are shipped. Only verified ones can fail a file."""
    contracts = list_contracts()
    if as_json:
        click.echo(to_json([_summary(contract) for contract in contracts]).decode(), nl=False)
        return
    width = max(len(contract.id) for contract in contracts)
    for contract in contracts:
        click.echo(printable(f"{contract.id:<{width}}  {contract.status:<18}  {contract.title}"))


@contracts_group.command("show")
@click.argument("contract", metavar="ID|FILE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show_command(contract: str, as_json: bool) -> None:
    """Show a contract: its sources, formulas, grid, examples, limits and notes."""
    loaded = load_contract(contract)
    if as_json:
        click.echo(to_json(loaded).decode(), nl=False)
        return
    click.echo("\n".join(printable(line) for line in _describe(loaded)))


@contracts_group.command("expect")
@click.argument("contract", metavar="ID|FILE")
@click.option("--frames", metavar="N", help="Frames of the picture.")
@click.option("--fps", metavar="F", help="Frames per second, where the caller chooses them.")
@click.option("--seconds", metavar="S", help="Length asked for: 15.075 or 603/40.")
@click.option("--latents", metavar="N", help="Latents or codes.")
@click.option("--tokens", metavar="N", help="Speech tokens.")
@click.option("--input-samples", metavar="N", help="Samples that a codec was given.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="Any other variable of the contract.")
@click.option("--samples", metavar="N", help="Ask backward: which request gives N samples (with --frames: of these)?")
@click.option("--route", metavar="NAME", help="Which of the contract's routes to take.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def expect_command(
    context: click.Context,
    /,
    contract: str,
    settings: tuple[str, ...],
    samples: str | None,
    route: str | None,
    as_json: bool,
    **named: str | None,
) -> None:
    """What a request gives; or, with --samples, whether any request gives that many.

    Exit code 1 where no request gives N samples.
    """
    loaded = load_contract(contract)
    request = _request(settings, named)
    if samples is None:
        outcome = loaded.forward(request, route=route)
        if as_json:
            click.echo(to_json(Answer(contract=_summary(loaded), outcome=outcome)).decode(), nl=False)
        else:
            click.echo("\n".join(printable(line) for line in _outcome_lines(loaded, outcome)))
        return
    if not request.keys() <= {"frames", "fps"}:
        raise UsageError("--samples asks backward, and goes with --frames, --fps and --route only")
    asked, frames = _whole("samples", parse_number(samples)), request.get("frames")
    answer = (loaded.only(route) if route else loaded).backward(
        samples=asked,
        frames=None if frames is None else _whole("frames", frames),
        fps=request.get("fps"),
    )
    if as_json:
        click.echo(to_json(Answer(contract=_summary(loaded), reachability=answer)).decode(), nl=False)
    else:
        click.echo("\n".join(printable(line) for line in _reachability_lines(loaded, answer, asked, frames)))
    context.exit(ExitCode.PASS if answer.reachable else ExitCode.FAIL)


def _request(settings: tuple[str, ...], named: dict[str, str | None]) -> dict[str, Fraction]:
    request = {name: parse_number(text) for name, text in named.items() if text is not None}
    for setting in settings:
        name, separator, text = (part.strip() for part in setting.partition("="))
        if not separator or not name:
            raise UsageError(f"--set {setting!r}: write NAME=VALUE")
        if name in request:
            raise UsageError(f"{name} is given twice")
        request[name] = parse_number(text)
    for name in _COUNTS:
        if name in request:
            _whole(name, request[name])
    return request


def _whole(name: str, value: Fraction) -> int:
    if value.denominator != 1 or value < 0:
        raise UsageError(f"--{name.replace('_', '-')} {value}: it must be a whole number, 0 or more")
    return int(value)


def _summary(contract: Contract) -> ContractSummary:
    return ContractSummary(
        id=contract.id,
        status=contract.status,
        enforceable=contract.enforceable,
        digest=contract.digest,
        title=contract.title,
    )


def _outcome_lines(contract: Contract, outcome: Outcome) -> list[str]:
    width = max([len("audio_seconds"), *(len(quantity.name) for quantity in outcome.values)])
    lines = [f"{quantity.name:<{width}}  {quantity.value}" for quantity in outcome.values]
    for name, seconds in (("audio_seconds", outcome.audio_seconds), ("video_seconds", outcome.video_seconds)):
        if seconds is not None:
            lines.append(f"{name:<{width}}  {_seconds(seconds)}")
    head = f"{contract.id} ({contract.status})" + (f", {outcome.route}" if len(contract.routes) > 1 else "")
    return [head, *(f"  {line}" for line in lines)]


def _reachability_lines(contract: Contract, answer: Reachability, samples: int, frames: Fraction | None) -> list[str]:
    asked = f"{samples} samples" + (f" with {frames} frames" if frames is not None else "")
    if answer.outcome is not None:
        return [f"{asked}: reachable", *_outcome_lines(contract, answer.outcome)]
    lines = [f"{asked}: no request of {contract.id} gives this"]
    for label, outcome in (("these frames", answer.at_frames), ("below", answer.below), ("above", answer.above)):
        if outcome is not None:
            values = ", ".join(f"{quantity.name} = {quantity.value}" for quantity in outcome.values)
            lines.append(f"  {label}: {values}")
    return lines


def _seconds(value: Fraction) -> str:
    """``603/40 s (15.075 s)``."""
    if value.denominator == 1:
        return f"{value} s"
    return f"{value} s ({float(value):.6f}".rstrip("0") + " s)"


def _describe(contract: Contract) -> list[str]:
    enforced = "files can fail by it" if contract.enforceable else "never fails a file"
    lines = [
        contract.id,
        f"  {contract.title}" if contract.title else "",
        f"  status     {contract.status}: {enforced}",
    ]
    rates = " or ".join(str(rate) for rate in contract.sample_rates)
    for label, text in (
        ("digest", contract.digest),
        ("audio", ", ".join(_audio_parts(contract, rates))),
        ("video", ", ".join(_video_parts(contract))),
        ("container", contract.container),
    ):
        lines.append(f"  {label:<10} {text}" if text else "")
    for route in contract.routes:
        lines += ["", f"  route {route.name}" + (f": {route.note}" if route.note else "")]
        lines += [f"    {_variable(variable)}" for variable in route.variables]
        lines += [f"    {formula.name} = {formula.expression}" for formula in route.formulas]
    if contract.examples:
        lines += ["", "  examples", *(f"    {_example(example)}" for example in contract.examples)]
    if contract.duration_limits:
        lines += ["", "  limits (information only)", *(f"    {_limit(limit)}" for limit in contract.duration_limits)]
    if contract.source:
        lines += ["", "  sources", *(f"    {source}" for source in contract.source)]
    if contract.notes:
        lines += ["", "  notes", *(f"    {line}" for line in contract.notes.splitlines())]
    # An empty line stands between the parts, and nowhere else.
    return [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]


def _audio_parts(contract: Contract, rates: str) -> list[str]:
    if contract.audio == "absent":
        return ["none"]
    parts: list[str] = [contract.audio] if contract.audio == "optional" else []
    parts += [f"{rates} Hz"] if rates else []
    parts += [f"channels {contract.channels}"] if contract.channels is not None else []
    parts += [f"hop {contract.hop} samples"] if contract.hop is not None else []
    return parts + ([f"{contract.latent_rate} latents per second"] if contract.latent_rate is not None else [])


def _video_parts(contract: Contract) -> list[str]:
    if contract.video == "absent":
        return ["none"]
    parts: list[str] = [contract.video] if contract.video == "optional" else []
    if contract.fps is not None:
        parts.append(f"{contract.fps} fps" + ("" if contract.fps_fixed else " unless the caller asks for another rate"))
    return parts + ([f"frames on the grid {contract.frame_grid}"] if contract.frame_grid is not None else [])


def _variable(variable: Variable) -> str:
    kind = {"count": "a whole number", "grid": f"on the grid {variable.grid}"}.get(variable.domain, variable.domain)
    text = f"{variable.name}: {variable.note or kind}" + (f" ({kind})" if variable.note else "")
    return text + (f", {variable.default} by default" if variable.default is not None else "")


def _example(example: Example) -> str:
    def listed(quantities: tuple[Quantity, ...]) -> str:
        return ", ".join(f"{quantity.name} = {quantity.value}" for quantity in quantities)

    return " gives ".join(part for part in (listed(example.request), listed(example.gives)) if part)


def _limit(limit: DurationLimit) -> str:
    if limit.low is None:
        return f"{limit.by}: up to {limit.high} {limit.unit}"
    return f"{limit.by}: {limit.low} to {limit.high} {limit.unit}"
