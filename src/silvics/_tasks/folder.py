"""A folder of finished trees, from which an interrupted fit continues.

Each tree is a file of its own, which takes its name when it is complete. The file ``task.json``
says what determines the trees, so that a folder is not used for another task.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from silvics import _core
from silvics._predicting.grown_forest import Work
from silvics._tasks import encoding
from silvics._warnings import warn_user
from silvics.model_file import container
from silvics.model_file.container import ModelFileError

_TASK = "task.json"


class TreeFolder:
    """Finished trees by their numbers.

    Parameters
    ----------
    path : str or path
        The folder. It is made if it does not exist.
    task : dict of str to str
        What determines the trees; see ``fingerprint.of_task``.
    """

    def __init__(self, path: str | os.PathLike[str], task: dict[str, str]) -> None:
        self.path = Path(path)
        text = json.dumps({"format": "silvics-trees", "task": task}, indent=1, sort_keys=True)
        self._task = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            known = self._known_task()
        except OSError as error:
            raise ValueError(f"resume={str(path)!r} cannot be used as a folder: {error}") from error
        if known is None:
            self._write_task(text)
        elif known != task:
            self._refuse(known, task)

    def _known_task(self) -> dict[str, str] | None:
        """Return the task of the folder; None if the folder is empty."""
        try:
            content = json.loads((self.path / _TASK).read_text(encoding="utf-8"))
            task = content["task"] if content["format"] == "silvics-trees" else None
        except FileNotFoundError:
            if any(not name.name.startswith(".") for name in self.path.iterdir()):
                raise ValueError(
                    f"resume={str(self.path)!r} is a folder with other files and no {_TASK}. Use a "
                    "new or an empty folder."
                ) from None
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{self.path / _TASK} cannot be read ({error}). Remove the folder, or use another "
                "one."
            ) from error
        return task if isinstance(task, dict) else {}

    def _write_task(self, text: str) -> None:
        beside = self.path / f".{_TASK}.{os.getpid()}-{os.urandom(4).hex()}"
        try:
            with open(beside, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, self.path / _TASK)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise OSError(
                error.errno, f"resume: {beside} cannot be written: {error.strerror}"
            ) from error

    def _refuse(self, known: dict[str, str], task: dict[str, str]) -> None:
        names = sorted(
            name for name in known.keys() | task.keys() if known.get(name) != task.get(name)
        )
        shown = [
            f"{name} ({known.get(name, 'none')} there, {task.get(name, 'none')} here)"
            for name in names
        ]
        raise ValueError(
            f"resume={str(self.path)!r} has the trees of another task. It differs in: "
            f"{', '.join(shown[:5])}{' and others' if len(shown) > 5 else ''}. Use another folder, "
            "or the same data and parameters."
        )

    def file(self, number: int) -> Path:
        """Return the file of a tree."""
        return self.path / f"tree-{number:07d}.silvics"

    def write(self, number: int, tree: _core.Tree, work: Work) -> None:
        """Write a finished tree."""
        shape, arrays = encoding.tree_arrays([tree], [work])
        content = {**shape, "number": number, "task": self._task}
        metadata = {"format": "silvics-task", "content": json.dumps(content)}
        try:
            container.write(self.file(number), metadata, arrays, sync=False)
        except OSError as error:
            raise OSError(
                error.errno,
                f"resume: {self.file(number)} cannot be written: {error.strerror}. The finished "
                "trees in the folder can be used again",
            ) from error

    def read(self, number: int) -> tuple[_core.Tree, Work] | None:
        """Return a finished tree, or None if there is none. A damaged file is grown again."""
        path = self.file(number)
        try:
            content, arrays = self._content(path)
            if content.pop("number", None) != number or content.pop("task", None) != self._task:
                container.refuse("it has another tree")
            trees, work = encoding.trees_of(content, arrays)
            return trees[0], work[0]
        except FileNotFoundError:
            return None
        except (ModelFileError, OSError, IndexError) as error:
            warn_user(f"resume: {path} cannot be read, and the tree is grown again: {error}")
            return None

    def _content(self, path: Path) -> tuple[dict[str, Any], Any]:
        with open(path, "rb") as file:
            return encoding.decode(file.read())
