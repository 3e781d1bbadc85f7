from __future__ import annotations

from mediacheck.checks.asked import contract_severity
from mediacheck.checks.registry import (
    Case,
    NoParameters,
    Result,
    check,
    every_video,
    failed,
    lowered,
    not_applicable,
    passed,
)
from mediacheck.checks.wording import counted, signed
from mediacheck.facts import VideoStream


@check("video.frame_grid", 1, NoParameters)
def video_frame_grid(case: Case, parameters: NoParameters) -> Result:
    """The frame count is one that the model can make."""
    contract = case.contract
    if contract is None:
        return not_applicable("no contract")
    grid = contract.frame_grid
    if grid is None:
        return not_applicable("the contract has no frame grid")

    def judge(stream: VideoStream) -> Result:
        if grid.contains(stream.frames):
            return passed(
                f"{counted(stream.frames, 'frame')} are on the grid {grid.step}n + {grid.offset}",
                measured=stream.frames,
                unit="frames",
            )
        near = [count for count in grid.nearest(stream.frames) if count is not None]
        words = " and ".join(f"{count} ({signed(stream.frames - count)} in the file)" for count in near)
        return failed(
            f"{counted(stream.frames, 'frame')} are not on the grid {grid.step}n + {grid.offset} of contract "
            f"{contract.id}; the nearest are {words}",
            measured=stream.frames,
            expected=" or ".join(str(count) for count in near),
            unit="frames",
        )

    return lowered(every_video(case, judge), contract_severity(contract))
