"""Manifests as people have them: each line an item, with what is wrong with it."""

from mediacheck.batch.manifest.manifest import Manifest
from mediacheck.batch.manifest.opening import open_manifest
from mediacheck.batch.manifest.options import FORMATS, ManifestOptions

__all__ = ["FORMATS", "Manifest", "ManifestOptions", "open_manifest"]
