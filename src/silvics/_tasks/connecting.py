"""The connection to a Dask cluster that ``engine`` names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

# Seconds in which a scheduler has to answer.
_PATIENCE = 15
_MEANING = (
    'engine must be None, the address of a Dask scheduler such as "tcp://10.0.0.1:8786", or "dask" '
    "for the current client"
)


def check_engine(engine: Any) -> None:
    """Raise ValueError or ImportError unless ``engine`` can be used."""
    if engine is None:
        return
    if not isinstance(engine, str) or (engine != "dask" and "://" not in engine):
        raise ValueError(f"{_MEANING}, got {engine!r}.")
    try:
        import distributed
    except ImportError as error:
        raise ImportError(f"engine={engine!r} needs Dask: pip install 'silvics[dask]'.") from error
    try:
        distributed.get_worker()
    except ValueError:
        return
    raise ValueError(
        "engine cannot be used inside a task of Dask, whose worker would wait for itself. Set "
        "engine=None there."
    )


@contextmanager
def connected(engine: str) -> Iterator[Any]:
    """Connect to the cluster; a connection that is made here is closed at the end."""
    import distributed

    if engine == "dask":
        try:
            client = distributed.get_client(timeout=_PATIENCE)
        except ValueError as error:
            raise ValueError(
                'engine="dask" uses the current client of Dask, and there is none. Make a '
                "distributed.Client first, or pass the address of the scheduler."
            ) from error
        yield client
        return
    try:
        client = distributed.Client(engine, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError, ImportError) as error:
        raise ConnectionError(
            f"No Dask scheduler answers at engine={engine!r}: {error}. Check the address, and that "
            "the scheduler runs the same version of Dask."
        ) from error
    try:
        yield client
    finally:
        with suppress(Exception):  # a lost scheduler does not hide what came before
            client.close(timeout=3)
