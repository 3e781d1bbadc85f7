"""Samples in memory: numpy's arrays."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike

from mediacheck.errors import UsageError
from mediacheck.facts import ContainerFacts, FileFacts, Libraries, MediaFacts
from mediacheck.media.audio_meter import AudioMeter
from mediacheck.media.channels import MAX_CHANNELS, is_measurable, names_of
from mediacheck.media.pcm import sound_facts
from mediacheck.media.scales import SCALES

# By numpy's name of a sample's type, without its byte order.
ARRAY_SCALES = {
    "u1": SCALES["u8"],
    "i2": SCALES["s16"],
    "i4": SCALES["s32"],
    # As float32, which holds every float16.
    "f2": SCALES["flt"],
    "f4": SCALES["flt"],
    "f8": SCALES["dbl"],
}


def measure_array(samples: ArrayLike, sample_rate: int, *, name: str) -> MediaFacts:
    """Measure samples in memory.

    Args:
        samples: shape (n,) or (n, channels); floats with full scale 1.0, or int16 / int32 / uint8 as stored.
        sample_rate: Hz.
        name: what the facts call them.

    Raises:
        UsageError: the array or the rate is none of these.
    """
    array = np.asarray(samples)
    scale = ARRAY_SCALES.get(array.dtype.str[1:])
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not 1 <= array.shape[1] <= MAX_CHANNELS or scale is None:
        raise UsageError(
            f"an array of shape {np.shape(samples)} and type {array.dtype} is not audio; "
            "give (n,) or (n, channels) of float16, float32, float64, int16, int32 or uint8"
        )
    if isinstance(sample_rate, bool) or int(sample_rate) != sample_rate or not is_measurable(int(sample_rate), 1):
        raise UsageError(f"sample_rate {sample_rate!r} is not a whole number of Hz above zero")
    meter = AudioMeter(names_of(array.shape[1]), int(sample_rate), scale)
    stored = np.float32 if array.dtype.itemsize == 2 and array.dtype.kind == "f" else array.dtype.newbyteorder("=")
    values = np.ascontiguousarray(array, stored)
    meter.input.add_interleaved(values.ctypes.data, len(values))
    stream = sound_facts(meter, int(sample_rate), codec=None, sample_format=array.dtype.name)
    data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).tobytes()
    return MediaFacts(
        libraries=Libraries(numpy=np.__version__),
        file=FileFacts(name=name, bytes=len(data), sha256=hashlib.sha256(data).hexdigest()),
        container=ContainerFacts(format="array", completeness="an array in memory declares no length"),
        streams=(stream,),
    )
