"""dnsmos on its real models: against the networks asked directly, and by what noise does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mediacheck.scoring import Measured
from tests.needs import needs_module
from tests.unit.scoring.speech import RATE, noisy, reason, score, speech, value, wav

pytestmark = [
    needs_module("librosa", "onnxruntime", "soxr", "speechmos"),
    pytest.mark.xdist_group("dnsmos"),
]


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    found = score("dnsmos", wav(tmp_path_factory.mktemp("dnsmos") / "a.wav", speech()))
    assert isinstance(found, Measured)
    return found


def test_the_network_asked_directly(clean: Measured) -> None:
    """The published polynomials of DNSMOS P.835 over the network's three outputs, for one window of 9.01 s."""
    import onnxruntime
    import soxr
    import speechmos

    sound = soxr.resample(speech().astype(np.float32), RATE, 16000, quality="HQ")
    window = np.concatenate([sound] * 4)[: int(9.01 * 16000)]
    model = Path(speechmos.__file__).parent / "dnsmos_models" / "sig_bak_ovr.onnx"
    ((raw,),) = onnxruntime.InferenceSession(str(model)).run(None, {"input_1": window[None].astype(np.float32)})
    speech_raw, background_raw, overall_raw = (float(number) for number in raw)
    assert clean.value == pytest.approx(np.polyval([-0.06766283, 1.11546468, 0.04602535], overall_raw), abs=1e-4)
    beside = {detail.name: detail.value for detail in clean.details}
    assert beside["speech"] == pytest.approx(np.polyval([-0.08397278, 1.22083953, 0.0052439], speech_raw), abs=1e-4)
    expected = np.polyval([-0.13166888, 1.60915514, -0.39604546], background_raw)
    assert beside["background"] == pytest.approx(expected, abs=1e-4)
    assert 1.0 <= beside["p808"] <= 5.0


def test_both_models_stand_in_the_identity(clean: Measured) -> None:
    assert clean.identity.model is not None
    assert clean.identity.model.sha256 == "269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd"
    options = {tag.key: tag.value for tag in clean.identity.options}
    assert options["p808_model_sha256"] == "9246480c58567bc6affd4200938e77eef49468c8bc7ed3776d109c07456f6e91"


def test_noise_lowers_it(clean: Measured, tmp_path: Path) -> None:
    found = [value("dnsmos", wav(tmp_path / f"{snr}.wav", noisy(speech(), snr))) for snr in (20, 5)]
    assert clean.value > found[0] + 0.1 > found[1] + 0.3


def test_long_sound_is_heard_to_its_end(clean: Measured, tmp_path: Path) -> None:
    long = np.concatenate((np.tile(speech(), 2), noisy(np.tile(speech(), 2), 0)))
    assert value("dnsmos", wav(tmp_path / "a.wav", long)) < clean.value - 0.3


def test_full_scale_does_not_overflow(tmp_path: Path) -> None:
    square = np.where(np.arange(2 * 44100) // 50 % 2, 1.0, -1.0)
    assert 1.0 <= value("dnsmos", wav(tmp_path / "a.wav", square, 44100)) <= 5.0


def test_telephone_speech_is_remarked_upon(tmp_path: Path) -> None:
    found = score("dnsmos", wav(tmp_path / "a.wav", speech()[::2], 8000))
    assert isinstance(found, Measured)
    assert found.remark == "the file has 8000 Hz, and the network hears the missing band"


def test_what_has_no_value(tmp_path: Path) -> None:
    assert "it lasts 0.50 s" in reason("dnsmos", wav(tmp_path / "a.wav", speech()[2 * RATE : 2 * RATE + RATE // 2]))
    assert reason("dnsmos", wav(tmp_path / "b.wav", np.zeros(2 * RATE))) == "the candidate is silent"
