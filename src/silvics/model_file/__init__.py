"""Writing and reading of model files.

A file is a safetensors container: a header in JSON, and arrays of numbers. It contains no code, and
all of its content is checked when it is read. See docs/model_files.md.
"""

from silvics.model_file.container import ModelFileError

__all__ = ["ModelFileError"]
