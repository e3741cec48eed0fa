"""Model files: small, safe to load, readable for ever, shared by whoever maps them.

A file is a safetensors container: a header in JSON, and arrays of numbers. Nothing in it is
executed, and nothing of it is believed before it is checked. See docs/model_files.md.
"""

from silvics.model_file.container import ModelFileError

__all__ = ["ModelFileError"]
