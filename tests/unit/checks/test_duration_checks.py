"""duration.*, sync.duration and audio.padding, with the story of 362 frames."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mediacheck.contracts import Contract, load_contract
from mediacheck.facts import AudioStream, SampleBounds
from tests.unit.factory import audio, case, run, video


@pytest.fixture(scope="module")
def h3() -> Contract:
    return load_contract("minimax-h3-ref2va")


def sound(samples: int = 482400, **changes: Any) -> AudioStream:
    return audio(samples, 32000, 2, **changes)


def aac(samples: int, low: int, high: int, rate: int = 48000, **changes: Any) -> AudioStream:
    bounds = SampleBounds(low=low, high=high, declared=False, reason="the codec's padding is not declared")
    return audio(samples, rate, codec="aac", lossy=True, frame_size=1024, samples_bounds=bounds, **changes)


class TestTheStory:
    def test_the_first_rule_rejected_a_right_track(self) -> None:
        result = run("duration.av_match@1", case(sound(), video(362)))
        assert (result.outcome, result.measured) == ("fail", "1/120")
        assert "603/40 s (15.075 s)" in result.message
        assert "181/12 s" in result.message
        assert "8.33 ms" in result.message

    def test_the_contract_knows_that_it_is_right(self, h3: Contract) -> None:
        result = run("duration.contract@1", case(sound(), video(362), contract=h3))
        assert (result.outcome, result.measured, result.expected) == ("pass", 482400, 482400)

    @pytest.mark.parametrize(
        ("samples", "words"),
        [(483200, "+800 samples = 1/40 s (0.025 s) too long"), (481600, "-800 samples = 1/40 s (0.025 s) too short")],
    )
    def test_one_latent_more_or_less(self, h3: Contract, samples: int, words: str) -> None:
        result = run("duration.contract@1", case(sound(samples), video(362), contract=h3))
        assert (result.outcome, result.severity) == ("fail", "error")
        assert words in result.message
        assert "482400 samples" in result.message

    def test_a_frame_less(self, h3: Contract) -> None:
        of = case(sound(), video(361), contract=h3)
        length, grid = run("duration.contract@1", of), run("video.frame_grid@1", of)
        assert length.outcome == grid.outcome == "fail"
        assert "+800" in length.message
        assert "362 frames (-1 in the file)" in length.message
        assert "361 frames are not on the grid 17n + 5" in grid.message

    def test_a_frame_less_with_the_samples_of_that_frame(self, h3: Contract) -> None:
        result = run("duration.contract@1", case(sound(481600), video(361), contract=h3))
        assert (result.outcome, result.measured, result.unit) == ("fail", 361, "frames")

    def test_the_contract_decides_the_lengths(self, h3: Contract) -> None:
        assert run("sync.duration@1", case(sound(), video(362), contract=h3)).outcome == "not_applicable"

    def test_a_count_within_what_the_container_leaves_open(self, h3: Contract) -> None:
        inside = sound(
            482405, samples_bounds=SampleBounds(low=482389, high=482421, declared=True, reason="milliseconds")
        )
        result = run("duration.contract@1", case(inside, video(362), contract=h3))
        assert result.outcome == "pass"
        assert "482405 samples (482389 to 482421: milliseconds): 482400 = 603/40 s" in result.message

    def test_one_latent_too_many_in_aac(self, h3: Contract) -> None:
        bounds = SampleBounds(low=483184, high=483216, declared=True, reason="milliseconds")
        over = sound(483200, lossy=True, frame_size=1024, priming=1024, samples_bounds=bounds)
        assert run("duration.contract@1", case(over, video(362), contract=h3)).outcome == "fail"


class TestRequests:
    def test_the_frames_that_were_asked_for_decide(self, h3: Contract) -> None:
        of = case(sound(), video(362), contract=h3, expect={"frames": 379})
        result = run("duration.contract@1", of)
        assert result.outcome == "fail"
        assert "expected 505600" in result.message
        assert "362 frames, expected 379" in result.message

    @pytest.mark.parametrize(("latents", "outcome"), [(603, "pass"), (604, "fail")])
    def test_latents_that_the_contract_computes(self, h3: Contract, latents: int, outcome: str) -> None:
        of = case(sound(), video(362), contract=h3, expect={"latents": latents})
        assert run("duration.contract@1", of).outcome == outcome

    def test_latents_that_drive_the_contract(self) -> None:
        codec = load_contract("mimi-moshi")
        right = case(audio(1920 * 25), contract=codec, expect={"latents": 25})
        wrong = case(audio(1920 * 25 - 1), contract=codec, expect={"latents": 25})
        assert run("duration.contract@1", right).outcome == "pass"
        assert run("duration.contract@1", wrong).outcome == "fail"

    def test_what_the_contract_does_not_know_stays_open(self, h3: Contract) -> None:
        of = case(sound(), video(362), contract=h3, expect={"tokens": 5})
        assert run("duration.contract@1", of).outcome == "inconclusive"

    def test_frames_that_the_model_cannot_make(self, h3: Contract) -> None:
        of = case(sound(), video(361), contract=h3, expect={"frames": 361})
        assert run("duration.contract@1", of).outcome == "fail"

    def test_tolerance_is_the_users_own(self, h3: Contract) -> None:
        near = case(sound(482401), video(362), contract=h3, expect={"tolerance": Fraction(1, 1000)})
        assert run("duration.contract@1", near).outcome == "pass"

    def test_without_a_contract(self) -> None:
        assert run("duration.contract@1", case(sound())).outcome == "not_applicable"
        assert run("video.frame_grid@1", case(video())).outcome == "not_applicable"

    def test_a_contract_without_the_stream_it_decides(self, h3: Contract) -> None:
        assert run("duration.contract@1", case(contract=h3)).outcome == "not_applicable"


def unverified() -> Contract:
    from mediacheck.contracts import list_contracts

    return next(c for c in list_contracts() if not c.enforceable and c.decides_samples and not c.decides_frames)


def test_an_unverified_contract_never_fails_a_file() -> None:
    contract = unverified()
    of = case(audio(480001, contract.sample_rate or 24000), video(24), contract=contract)
    assert run("sync.duration@1", of).outcome == "fail"
    for name in ("media.streams@1", "duration.contract@1", "audio.format@1", "video.frame_grid@1"):
        result = run(name, of)
        assert result.outcome != "fail" or result.severity == "warning"


class TestAvMatch:
    @pytest.mark.parametrize(("samples", "outcome"), [(48000, "pass"), (48024, "pass"), (48025, "fail")])
    def test_one_millisecond_is_allowed(self, samples: int, outcome: str) -> None:
        assert run("duration.av_match@1", case(audio(samples), video(48))).outcome == outcome

    def test_needs_both(self) -> None:
        assert run("duration.av_match@1", case(audio())).outcome == "not_applicable"
        assert run("duration.av_match@1", case(video())).outcome == "not_applicable"


class TestSync:
    @pytest.mark.parametrize(
        ("samples", "outcome", "severity"),
        [
            (48000, "pass", "error"),
            (50400, "pass", "error"),
            (50401, "fail", "warning"),
            (64000, "fail", "warning"),
            (64001, "fail", "error"),
            (36000, "fail", "warning"),
            (35999, "fail", "error"),
        ],
    )
    def test_a_tenth_of_a_second_warns_and_a_quarter_fails(self, samples: int, outcome: str, severity: str) -> None:
        result = run("sync.duration@1", case(audio(samples), video(48)))
        assert (result.outcome, result.severity) == (outcome, severity)

    def test_short_clips_fail_by_the_quarter_alone(self) -> None:
        result = run("sync.duration@1", case(audio(2400), video(1, timeline=None)))
        assert (result.outcome, result.severity) == ("fail", "error")


class TestExpected:
    def test_nothing_asked(self) -> None:
        assert run("duration.expected@1", case(audio())).outcome == "not_applicable"

    @pytest.mark.parametrize(("samples", "outcome"), [(48000, "pass"), (47999, "fail"), (48001, "fail")])
    def test_lossless_is_exact_to_the_sample(self, samples: int, outcome: str) -> None:
        assert run("duration.expected@1", case(audio(samples), expect={"samples": 48000})).outcome == outcome
        assert run("duration.expected@1", case(audio(samples), expect={"duration": Fraction(2)})).outcome == outcome

    def test_between_two_samples_either_will_do(self) -> None:
        asked = {"duration": Fraction(1, 7)}
        for samples, outcome in ((3428, "pass"), (3429, "pass"), (3427, "fail"), (3430, "fail")):
            assert run("duration.expected@1", case(audio(samples), expect=asked)).outcome == outcome

    def test_a_crop_of_533_samples(self) -> None:
        crop = audio(436800, 32000)
        asked = {"duration": Fraction(437333, 32000)}
        result = run("duration.expected@1", case(crop, expect=asked))
        assert result.outcome == "fail"
        assert "533 samples too short" in result.message
        wide = {**asked, "tolerance": Fraction(1, 24)}
        assert run("duration.expected@1", case(crop, expect=wide)).outcome == "pass"

    @pytest.mark.parametrize(("samples", "outcome"), [(48128, "pass"), (49023, "pass"), (49025, "fail")])
    def test_a_codec_pads_up_to_one_frame(self, samples: int, outcome: str) -> None:
        stream = aac(samples, samples - 1023, samples)
        assert run("duration.expected@1", case(stream, expect={"samples": 48000})).outcome == outcome
        assert run("duration.expected@1", case(stream, expect={"duration": Fraction(1)})).outcome == outcome

    def test_video_is_frames_over_rate(self) -> None:
        asked = {"max_duration": Fraction(5, 3), "frames": 40}
        assert run("duration.expected@1", case(video(40), expect=asked)).outcome == "pass"
        result = run("duration.expected@1", case(video(41), expect=asked))
        assert result.outcome == "fail"
        assert "+1 frame too many" in result.message
        assert "too long" in result.message

    def test_a_variable_rate_is_read_off_the_clock(self) -> None:
        stream = video(24, duration=Fraction(1401, 1000), constant_rate=False)
        slack = {"duration": Fraction(1401, 1000) + Fraction(1, 12288)}
        assert run("duration.expected@1", case(stream, expect=slack)).outcome == "pass"
        assert run("duration.expected@1", case(stream, expect={"duration": Fraction(7, 5)})).outcome == "fail"

    def test_duration_holds_for_every_stream(self) -> None:
        result = run("duration.expected@1", case(audio(), video(36), expect={"duration": Fraction(2)}))
        assert (result.outcome, result.stream) == ("fail", 1)

    @pytest.mark.parametrize(
        "expect", [{"samples": 1}, {"frames": 1}, {"duration": Fraction(1)}, {"max_duration": Fraction(1)}]
    )
    def test_a_missing_stream_misses_its_length(self, expect: dict[str, Any]) -> None:
        assert run("duration.expected@1", case(expect=expect)).outcome == "fail"

    @pytest.mark.parametrize("name", ["latents", "tokens"])
    def test_latents_without_a_contract_stay_open(self, name: str) -> None:
        assert run("duration.expected@1", case(audio(), expect={name: 3})).outcome == "inconclusive"


class TestADurationThatTheContractTakes:
    """MMAudio's 8 s are 345 latents of 1024 samples at 44.1 kHz: 5888/735 s, and no other count is right."""

    MMAUDIO = load_contract("mmaudio-44k")
    ASKED: ClassVar = {"duration": Fraction(8)}

    @pytest.mark.parametrize(
        ("samples", "outcome"), [(353280, "pass"), (353279, "fail"), (353281, "fail"), (352800, "fail")]
    )
    def test_the_contracts_own_answer_is_what_was_asked_for(self, samples: int, outcome: str) -> None:
        of = case(audio(samples, 44100), contract=self.MMAUDIO, expect=self.ASKED)
        assert run("duration.contract@1", of).outcome == outcome
        result = run("duration.expected@1", of)
        assert (result.outcome, result.severity, result.expected) == (outcome, "error", "5888/735")
        assert "expected 5888/735 s (8.010884 s)" in result.message
        assert "what contract mmaudio-44k gives for 8 s" in result.message

    def test_a_miss_is_told_in_samples_of_the_contracts_answer(self) -> None:
        of = case(audio(353281, 44100), contract=self.MMAUDIO, expect=self.ASKED)
        assert "1/44100 s (0.000023 s) = 1 sample too long" in run("duration.expected@1", of).message

    def test_a_codec_pads_up_to_one_frame_beyond_it(self) -> None:
        for samples, outcome in ((353280 + 1000, "pass"), (353280 + 2048, "fail")):
            stream = aac(samples, samples - 1023, samples, 44100)
            of = case(stream, contract=self.MMAUDIO, expect=self.ASKED)
            assert run("duration.expected@1", of).outcome == outcome

    def test_a_stream_that_it_does_not_decide_is_held_against_the_duration_itself(self) -> None:
        sound, clip = audio(353280, 44100), video(192)
        assert run("duration.expected@1", case(sound, clip, contract=self.MMAUDIO, expect=self.ASKED)).outcome == "pass"
        short = run("duration.expected@1", case(sound, video(191), contract=self.MMAUDIO, expect=self.ASKED))
        assert (short.outcome, short.stream) == ("fail", 1)

    def test_a_limit_stays_the_users_own(self) -> None:
        of = case(audio(353280, 44100), contract=self.MMAUDIO, expect={**self.ASKED, "max_duration": Fraction(8)})
        result = run("duration.expected@1", of)
        assert result.outcome == "fail"
        assert "expected at most 8 s" in result.message

    def test_pictures_follow_from_seconds_too(self, tmp_path: Path) -> None:
        path = tmp_path / "clips.toml"
        path.write_text(
            'schema = "mediacheck.contract/1"\nid = "clips"\n[video]\nfps = 16\n'
            '[request]\nseconds = { domain = "seconds" }\n[formulas]\nframes = "4 * ceil(seconds * 4) + 1"\n'
        )
        contract = load_contract(path)
        for frames, outcome in ((81, "pass"), (80, "fail"), (82, "fail")):
            of = case(video(frames, 16), contract=contract, expect={"duration": Fraction(5)})
            assert run("duration.contract@1", of).outcome == outcome
            assert run("duration.expected@1", of).outcome == outcome

    def test_what_the_model_cannot_be_asked_for_is_held_against_the_duration_itself(self) -> None:
        contract = load_contract("ace-step-v1")
        of = case(audio(441, 44100, 2), contract=contract, expect={"duration": Fraction(1, 100)})
        assert run("duration.contract@1", of).outcome == "fail"
        assert run("duration.expected@1", of).outcome == "pass"

    def test_a_contract_that_takes_no_seconds_leaves_the_duration_to_the_file(self, h3: Contract) -> None:
        for asked, outcome in ((Fraction(603, 40), "pass"), (Fraction(15), "fail")):
            of = case(sound(), contract=h3, expect={"duration": asked})
            assert run("duration.expected@1", of).outcome == outcome

    def test_a_request_of_frames_does_not_speak_for_the_duration(self, h3: Contract) -> None:
        of = case(sound(), contract=h3, expect={"latents": 603, "duration": Fraction(15)})
        assert run("duration.contract@1", of).outcome == "pass"
        assert run("duration.expected@1", of).outcome == "fail"
        of = case(sound(), video(362), contract=h3, expect={"frames": 362, "duration": Fraction(15)})
        assert run("duration.contract@1", of).outcome == "pass"
        assert "audio lasts 603/40 s (15.075 s), expected 15 s" in run("duration.expected@1", of).message

    def test_an_unverified_answer_turns_a_miss_into_a_warning_only(self, tmp_path: Path) -> None:
        path = tmp_path / "told.toml"
        path.write_text(
            'schema = "mediacheck.contract/1"\nid = "told"\nstatus = "unverified"\n[audio]\nsample_rate = 24000\n'
            '[request]\nseconds = { domain = "seconds" }\n[formulas]\nsamples = "1000 * ceil(seconds * 24)"\n'
        )
        contract = load_contract(path)
        asked = {"duration": Fraction(1201, 1000)}
        for samples, found in ((29000, ("fail", "warning")), (28824, ("pass", "error")), (29001, ("fail", "error"))):
            result = run("duration.expected@1", case(audio(samples), contract=contract, expect=asked))
            assert (result.outcome, result.severity) == found


class TestTheRouteOfARequest:
    """ACE-Step decodes at 44.1 kHz and saves at 48 kHz: the file's own rate tells which of the two it is."""

    @pytest.mark.parametrize(("samples", "rate"), [(1318912, 44100), (1435551, 48000)])
    def test_the_sample_rate_chooses_it(self, samples: int, rate: int) -> None:
        contract = load_contract("ace-step-v1")
        for extra, outcome in ((0, "pass"), (1, "fail")):
            of = case(audio(samples + extra, rate, 2), contract=contract, expect={"duration": Fraction(30)})
            for check in ("duration.contract@1", "duration.expected@1"):
                assert run(check, of).outcome == outcome

    def test_a_rate_that_is_none_of_the_contracts_chooses_none(self) -> None:
        of = case(audio(960000, 32000, 2), contract=load_contract("ace-step-v1"), expect={"duration": Fraction(30)})
        assert "expected 1435551" in run("duration.contract@1", of).message

    def test_a_route_of_the_rate_that_takes_no_such_request_is_asked_backwards(self, tmp_path: Path) -> None:
        path = tmp_path / "two.toml"
        path.write_text(
            'schema = "mediacheck.contract/1"\nid = "two"\n[audio]\n'
            '[[route]]\nname = "timed"\nsample_rate = 48000\n[route.request]\nseconds = { domain = "seconds" }\n'
            '[route.formulas]\nsamples = "ceil(seconds) * 48000"\n'
            '[[route]]\nname = "coded"\nsample_rate = 24000\n[route.request]\ntokens = {}\n'
            '[route.formulas]\nsamples = "480 * tokens"\n'
        )
        of = case(audio(48480, 24000), contract=load_contract(path), expect={"duration": Fraction(101, 50)})
        assert run("duration.contract@1", of).outcome == "pass"
        assert run("duration.expected@1", of).outcome == "pass"


class TestPadding:
    def test_undeclared_priming_is_named(self) -> None:
        result = run("audio.padding@1", case(aac(49152, 48129, 49152), expect={"samples": 48000}))
        assert (result.outcome, result.measured, result.expected) == ("fail", 49152, 48000)
        assert result.message == (
            "49152 samples, expected 48000: 1152 too many: 1024 (8/375 s) undeclared priming at the head "
            "and 128 of padding at the end"
        )

    def test_priming_is_seen_where_no_padding_is_needed(self) -> None:
        result = run("audio.padding@1", case(aac(10240 + 1024, 10241, 11264), expect={"samples": 10240}))
        assert result.outcome == "fail"
        assert "1024 (8/375 s) undeclared priming at the head and 0 of padding" in result.message

    @pytest.mark.parametrize("stream", [aac(48128, 47105, 48128), aac(47000, 45977, 47000)])
    def test_the_rest_of_the_last_frame_is_no_fault(self, stream: AudioStream) -> None:
        assert run("audio.padding@1", case(stream, expect={"samples": 48000})).outcome == "pass"

    def test_what_does_not_apply(self) -> None:
        assert run("audio.padding@1", case(aac(49152, 48129, 49152))).outcome == "not_applicable"
        assert run("audio.padding@1", case(audio(50000), expect={"samples": 48000})).outcome == "not_applicable"
        assert run("audio.padding@1", case(video(), expect={"samples": 48000})).outcome == "not_applicable"

    def test_the_contract_asks_by_its_frames(self, h3: Contract) -> None:
        over = audio(
            484352,
            32000,
            2,
            lossy=True,
            frame_size=1024,
            samples_bounds=SampleBounds(low=483329, high=484352, declared=False, reason="padding"),
        )
        result = run("audio.padding@1", case(over, video(362), contract=h3))
        assert result.outcome == "fail"
        assert "1024 (4/125 s) undeclared priming at the head and 928 of padding at the end" in result.message
