"""Reference sets: known-good outputs and texts that candidates are held against."""
