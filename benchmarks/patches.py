"""Forests on random patches of Parquet files: memory, passes, time, accuracy, workers.

python benchmarks/patches.py build/patches --write docs/studies/patches.md
python benchmarks/patches.py build/patches --only growth --rows 1666667 16666667

The files of a table of N rows are in the folder N, and are written first if it is not there. Every
measurement is a process of its own, whose largest resident memory is that of `getrusage`. The parts
are

    scan        a bare scan, passes, and 100 trees, of the first number of rows
    building    the memory of growing one tree
    budget      the forest that scikit-learn can grow in as much memory, and patches
    growth      seconds per value and memory by the number of rows
    workers     one and two workers of a Dask cluster on this machine
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

N_COLUMNS, MOST_FILES, GROUP = 60, 24, 250_000
N_TEST = 100_000
TITLES = {
    "seconds": "seconds", "cpu_seconds": "processor seconds", "largest_gb": "largest memory, GB",
    "per_value": "seconds per 10^6 values", "accuracy": "accuracy", "rows": "rows of a tree",
    "columns": "columns of a tree", "passes": "passes", "of_files": "bytes read / bytes of files",
    "growing_mb": "growing, MB", "planned_mb": "planned, MB", "tree_mb": "tree, MB",
    "workers_cpu": "processor seconds of the workers",
}  # fmt: skip
FOREST = {"n_estimators": 100, "max_samples": 120_000, "max_columns": 0.5, "min_samples_leaf": 5}
SHAPES = {
    "half of the columns": {},
    "half of the columns, K = sqrt": {"max_features": "sqrt"},
    "all columns": {"max_columns": 1.0},
    "shape chosen by a race": {"max_samples": "auto", "max_columns": "auto"},
}
PARTS = ("scan", "building", "budget", "growth", "workers")


# ---- data


def rows(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that depend on 12 of 60 columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, N_COLUMNS), dtype=np.float32)
    score = X[:, :6].sum(axis=1) + 2 * X[:, 6] * X[:, 7] + np.abs(X[:, 8:12]).sum(axis=1) - 3.2
    return X, (score + rng.standard_normal(n) > 0).astype(np.int8)


def many_rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    """The same in pieces, which need no memory beside the table."""
    X, y = np.empty((n, N_COLUMNS), np.float32), np.empty(n, np.int8)
    for k, first in enumerate(range(0, n, 20_000)):
        last = min(first + 20_000, n)
        X[first:last], y[first:last] = rows(k, last - first)
    return X, y


def written(folder: Path, n_rows: int) -> Path:
    """Return the folder of the files of a table, which are written if they are not there.

    Another process writes them: the largest memory of this one would count for those it starts.
    """
    folder = folder / str(n_rows)
    if not folder.exists():
        measured(f"{n_rows} rows, written", "write", folder, n_rows)
    return folder


def write(to: str, n: str) -> dict:
    """Write the files of a table to a folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder, n_rows, start = Path(to), int(n), time.monotonic()
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(parents=True)
    names = [f"x{j}" for j in range(N_COLUMNS)]
    n_files = min(MOST_FILES, -(-n_rows // GROUP))
    for k in range(n_files):
        left, g, writer = n_rows * (k + 1) // n_files - n_rows * k // n_files, 0, None
        while left > 0:
            X, y = rows(1000 * k + g, min(GROUP, left))
            table = pa.table([*X.T.copy(), y], names=[*names, "y"])
            writer = writer or pq.ParquetWriter(
                unfinished / f"part-{k:02}.parquet",
                table.schema,
                compression="snappy",  # random numbers cannot be compressed
                use_dictionary=False,
            )
            writer.write_table(table)
            left, g = left - len(y), g + 1
        writer.close()
    unfinished.rename(folder)
    return {"seconds": time.monotonic() - start}


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


# ---- measurements, each in a process of its own


def bare(folder: str) -> dict:
    """Decode all columns with pyarrow, and do nothing with them."""
    import pyarrow.parquet as pq

    start, n = time.monotonic(), 0
    for path in sorted(Path(folder).glob("*.parquet")):
        file = pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
        for batch in file.iter_batches(batch_size=1 << 15):
            n += batch.num_rows
    seconds = time.monotonic() - start
    return {"seconds": seconds, "per_value": 1e6 * seconds / n / N_COLUMNS}


def patches(folder: str, budget: str, settings: str) -> dict:
    """Fit a forest on patches of files, and predict other rows."""
    import pandas as pd

    import silvics

    start = time.monotonic()
    forest = silvics.RandomPatchesClassifier(
        **{"n_jobs": 2} | json.loads(settings), max_memory=budget, random_state=0
    )
    scanned = silvics.scan(folder)
    forest.fit(scanned, y="y")
    seconds = time.monotonic() - start
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9  # of the fit alone
    X, y = rows(10**6, N_TEST)
    return {
        "seconds": seconds,
        "largest_gb": largest,
        "per_value": 1e6 * seconds / scanned.source.n_rows() / N_COLUMNS,
        "accuracy": forest.score(pd.DataFrame(X, columns=forest.feature_names_in_), y),
        "rows": forest.max_samples_,
        "columns": forest.max_columns_,
        "passes": forest.n_passes_,
        "of_files": forest.bytes_read_ / size_of(Path(folder)),
    }


def on_workers(folder: str, n_workers: str, budget: str, settings: str) -> dict:
    """Fit a forest on the workers of a Dask cluster: processes of one thread each."""
    from dask.distributed import Client, LocalCluster

    def cpu():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    with (
        LocalCluster(
            int(n_workers), threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        address = cluster.scheduler_address
        client.run(__import__, "silvics")
        before = sum(client.run(cpu).values())
        found = patches(folder, budget, json.dumps({"engine": address} | json.loads(settings)))
        return found | {"workers_cpu": sum(client.run(cpu).values()) - before}


def in_status(name: str) -> int:
    """Return an entry of the memory of this process, in bytes (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(name + ":"))


def building(recipe: str) -> dict:
    """The memory of growing one tree on a patch that is in memory already (thesis 8.4)."""
    from silvics import RandomPatchesClassifier
    from silvics.patches import growing, plan

    X, y = rows(0, FOREST["max_samples"])
    largest = {}

    grow_some = growing.grow_some

    def measured_growth(*given):
        Path("/proc/self/clear_refs").write_text("5")  # the peak is that from here on
        before = in_status("VmRSS")
        grown = grow_some(*given)
        largest["growth"] = in_status("VmHWM") - before
        return grown

    growing.grow_some = measured_growth
    forest = RandomPatchesClassifier(
        recipe, 1, max_samples=1.0, max_columns=0.5, min_samples_leaf=5, random_state=0, n_jobs=1
    )
    forest.fit(X, y)
    size = plan.PatchSize(len(X), N_COLUMNS // 2, 0, 0)
    nodes = sum(tree.tree_.node_count for tree in forest.estimators_)
    return {
        "growing_mb": largest["growth"] / 1e6,
        "planned_mb": size.growth_bytes / 1e6,
        "tree_mb": nodes * plan.NODE_BYTES / 1e6,
    }


def in_memory(n: str, library: str, n_trees: str = "100") -> dict:
    """Fit a forest to so many rows in memory, and predict others."""
    X, y = many_rows(int(n))
    start = time.monotonic()
    settings = {"n_estimators": int(n_trees), "min_samples_leaf": 5, "n_jobs": 2, "random_state": 0}
    if library == "silvics":
        from silvics import ExtraTreesClassifier as Forest
    else:
        from sklearn.ensemble import RandomForestClassifier as Forest
    forest = Forest(**settings).fit(X, y)
    seconds = time.monotonic() - start
    right = [forest.score(*rows(10**6 + k, N_TEST // 5)) for k in range(5)]
    return {
        "seconds": seconds, "accuracy": float(np.mean(right)), "rows": int(n), "columns": N_COLUMNS,
    }  # fmt: skip


def measure(name: str, arguments: list[str]) -> None:
    known = {of.__name__: of for of in (write, bare, patches, on_workers, building, in_memory)}
    found = known[name](*arguments)
    used = resource.getrusage(resource.RUSAGE_SELF)
    found["cpu_seconds"] = used.ru_utime + used.ru_stime
    found.setdefault("largest_gb", used.ru_maxrss * 1024 / 1e9)
    print(json.dumps(found))


def measured(label: str, name: str, *arguments: object) -> dict:
    """Run one measurement in a process of its own, and print it."""
    command = [sys.executable, __file__, "--measure", name, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    print(label, {key: float(f"{value:.4g}") for key, value in found.items()}, flush=True)
    return {"measured": label} | found


# ---- parts


def part_scan(given: argparse.Namespace) -> list[dict]:
    folder = written(given.folder, given.rows[0])
    print(f"{size_of(folder) / 1e9:.2f} GB in files", flush=True)
    one_pass = json.dumps(FOREST | {"n_estimators": 20, "max_depth": 1})
    return [
        measured("pyarrow decodes all columns", "bare", folder),
        measured("20 trees of depth 1", "patches", folder, given.budget, one_pass),
        measured("100 trees on patches", "patches", folder, given.budget, json.dumps(FOREST)),
        measured(f"silvics, {given.in_memory} rows in memory", "in_memory", given.in_memory,
                 "silvics"),
    ]  # fmt: skip


def part_building(given: argparse.Namespace) -> list[dict]:
    del given
    return [measured(recipe, "building", recipe) for recipe in ("extra_trees", "cart")]


def largest_subsample(budget: float) -> int:
    """The rows on which scikit-learn's forest takes the budget, by fits to fewer rows."""
    small, large = 10_000, 30_000
    used = [
        measured(f"scikit-learn, {n} rows, for the size", "in_memory", n, "sklearn")["largest_gb"]
        for n in (small, large)
    ]
    per_row = (used[1] - used[0]) / (large - small)
    return int((0.97 * budget - used[0]) / per_row + small)


def part_budget(given: argparse.Namespace) -> list[dict]:
    folder = written(given.folder, given.rows[0])
    found = []
    if not given.without_sklearn:
        budget = float(given.budget.removesuffix("MB").removesuffix("GB"))
        budget /= 1000 if given.budget.endswith("MB") else 1
        n = largest_subsample(budget)
        found = [measured(f"scikit-learn, {n} rows in memory", "in_memory", n, "sklearn")]
    for label in given.shapes:
        settings = {"n_estimators": 100, "min_samples_leaf": 5} | SHAPES[label]
        found.append(
            measured(f"patches, {label}", "patches", folder, given.budget, json.dumps(settings))
        )
    return found


def part_growth(given: argparse.Namespace) -> list[dict]:
    found = []
    settings = json.dumps(FOREST | {"n_estimators": 20, "max_samples": 50_000})
    for n in given.rows:
        folder = written(given.folder, n)
        values = f"{n * N_COLUMNS:.1e} values"
        found += [
            measured(f"{values}, pyarrow decodes them", "bare", folder),
            measured(f"{values}, 20 trees on patches", "patches", folder, given.budget, settings),
        ]
    return found


def part_workers(given: argparse.Namespace) -> list[dict]:
    folder = written(given.folder, given.rows[0])
    plain = FOREST | {"n_estimators": 40, "n_jobs": 1}
    far = FOREST | {"n_estimators": 40}
    return [
        measured("this process, 1 thread", "patches", folder, given.budget, json.dumps(plain)),
        measured("this process, 2 threads", "patches", folder, given.budget, json.dumps(far)),
        *[
            measured(f"workers: {n}", "on_workers", folder, n, given.budget, json.dumps(far))
            for n in (1, 2)
        ],
    ]  # fmt: skip


# ---- tables


def table_of(found: list[dict]) -> str:
    keys = [key for key in TITLES if any(key in of for of in found)]
    lines = [
        "| measured | " + " | ".join(TITLES[key] for key in keys) + " |",
        "|---" * (len(keys) + 1) + "|",
    ]
    for of in found:
        cells = [f"{of[key]:.4g}" if key in of else "" for key in keys]
        lines.append(f"| {of['measured']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def put(page: Path, name: str, text: str) -> None:
    """Write a table between its marks, or at the end of the page."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before = page.read_text() if page.exists() else ""
    if begin not in before:
        before += f"\n{begin}\n{end}\n"
    head, rest = before.split(begin)
    page.write_text(head + begin + "\n\n" + text + "\n\n" + end + rest.split(end)[1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS)
    parser.add_argument("--rows", type=int, nargs="*", default=[54_000_000])
    parser.add_argument("--budget", default="1GB")
    parser.add_argument("--shapes", nargs="*", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--without-sklearn", action="store_true")
    parser.add_argument("--in-memory", type=int, default=250_000)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--delete", action="store_true", help="delete the files at the end")
    given = parser.parse_args()
    for name in given.only:
        table = table_of(globals()[f"part_{name}"](given))
        print(table, flush=True)
        if given.write is not None:
            put(given.write, name, table)
    if given.delete:
        for n in given.rows:
            for path in (given.folder / str(n)).glob("*.parquet"):
                path.unlink()
            (given.folder / str(n)).rmdir()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2], sys.argv[3:])
        sys.exit()
    main()
