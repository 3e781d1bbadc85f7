from __future__ import annotations

from mediacheck.checks.asked import contract_severity
from mediacheck.checks.registry import (
    Case,
    NoParameters,
    Result,
    check,
    combined,
    failed,
    lowered,
    not_applicable,
    of_stream,
    passed,
)
from mediacheck.facts import AudioStream


@check("audio.format", 1, NoParameters)
def audio_format(case: Case, parameters: NoParameters) -> Result:
    """Sample rate and channels are as asked for."""
    expect, contract = case.expect, case.contract
    results: list[Result] = []
    for name, unit, asked, given in (
        ("sample_rate", "Hz", expect.sample_rate, contract.sample_rates if contract else ()),
        ("channels", "channels", expect.channels, (contract.channels,) if contract and contract.channels else ()),
    ):
        if asked is not None:
            results += _compare(case, name, unit, (asked,), "was asked for") or [
                failed(f"no audio stream, but {_words(name, (asked,))} was asked for", expected=asked, unit=unit)
            ]
        elif contract is not None and given:
            why = f"is what contract {contract.id} gives"
            severity = contract_severity(contract)
            results += [lowered(result, severity) for result in _compare(case, name, unit, given, why)]
    if not results:
        asked_nothing = not case.facts.audio and contract is not None
        return not_applicable("no audio stream" if asked_nothing else "not asked for")
    return combined(results)


def _compare(case: Case, name: str, unit: str, wanted: tuple[int, ...], why: str) -> list[Result]:
    streams = case.facts.audio
    return [of_stream(_one(stream, name, unit, wanted, why), stream, len(streams)) for stream in streams]


def _one(stream: AudioStream, name: str, unit: str, wanted: tuple[int, ...], why: str) -> Result:
    measured = stream.sample_rate if name == "sample_rate" else stream.channels
    expected = wanted[0] if len(wanted) == 1 else " or ".join(str(value) for value in wanted)
    if measured in wanted:
        return passed(f"{_words(name, (measured,))}, as wanted", measured=measured, expected=expected, unit=unit)
    return failed(
        f"{_words(name, (measured,))}, but {_words(name, wanted)} {why}",
        measured=measured,
        expected=expected,
        unit=unit,
    )


def _words(name: str, values: tuple[int, ...]) -> str:
    text = " or ".join(str(value) for value in values)
    if name == "sample_rate":
        return f"sample rate {text} Hz"
    return f"{text} channel{'' if values == (1,) else 's'}"
