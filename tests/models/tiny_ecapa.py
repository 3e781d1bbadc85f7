"""A small ECAPA-TDNN with random weights, in a folder as speechbrain keeps models.

No registry carries trained weights. Random ones find any two sounds alike: they test that a folder loads without a
network and how clips go through it, not similarity.
"""

from __future__ import annotations

from pathlib import Path

SETTINGS = """
{place}
n_mels: 80
compute_features: !new:speechbrain.lobes.features.Fbank
    n_mels: !ref <n_mels>
mean_var_norm: !new:speechbrain.processing.features.InputNormalization
    norm_type: sentence
    std_norm: False
embedding_model: !new:speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN
    input_size: !ref <n_mels>
    channels: [16, 16, 16, 16, 48]
    kernel_sizes: [5, 3, 3, 3, 1]
    dilations: [1, 2, 3, 4, 1]
    attention_channels: 8
    res2net_scale: 4
    se_channels: 8
    lin_neurons: 24
modules:
    compute_features: !ref <compute_features>
    mean_var_norm: !ref <mean_var_norm>
    embedding_model: !ref <embedding_model>
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        embedding_model: !ref <embedding_model>
    {paths}
"""


def save(folder: Path, *, names_the_hub: bool = False, seed: int = 1) -> Path:
    """Write ``hyperparams.yaml`` and ``embedding_model.ckpt`` into ``folder``.

    Args:
        folder: is made.
        names_the_hub: whether the settings name a repository on the Hub as the place of the weights, as those of
            published models do.
        seed: of the weights.
    """
    import torch
    from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN

    folder.mkdir(parents=True)
    place = "pretrained_path: speechbrain/spkrec-ecapa-voxceleb" if names_the_hub else ""
    paths = "paths:\n        embedding_model: !ref <pretrained_path>/embedding_model.ckpt" if names_the_hub else ""
    (folder / "hyperparams.yaml").write_text(SETTINGS.replace("{place}", place).replace("{paths}", paths))
    torch.manual_seed(seed)
    model = ECAPA_TDNN(
        input_size=80, channels=[16, 16, 16, 16, 48], kernel_sizes=[5, 3, 3, 3, 1], dilations=[1, 2, 3, 4, 1],
        attention_channels=8, res2net_scale=4, se_channels=8, lin_neurons=24,
    )  # fmt: skip
    torch.save(model.state_dict(), folder / "embedding_model.ckpt")
    return folder
