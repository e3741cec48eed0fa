"""Forests on random patches of Parquet files: memory, passes, time, accuracy.

python benchmarks/patches.py build/patches --write docs/studies/patches.md

The files are written first, unless the folder has them. Every measurement is a process of its own,
whose largest resident memory is that of `getrusage`.
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

N_COLUMNS, N_FILES, GROUP = 60, 24, 250_000
BUDGET = "1GB"
KEYS = ("seconds", "cpu_seconds", "largest_gb", "accuracy", "passes", "of_files", "growing_mb",
        "planned_mb", "tree_mb")  # fmt: skip
MARK = "<!-- table -->"
FOREST = {"n_estimators": 100, "max_samples": 120_000, "max_columns": 0.5, "min_samples_leaf": 5}


def rows(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that depend on 12 of 60 columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, N_COLUMNS), dtype=np.float32)
    score = X[:, :6].sum(axis=1) + 2 * X[:, 6] * X[:, 7] + np.abs(X[:, 8:12]).sum(axis=1) - 3.2
    return X, (score + rng.standard_normal(n) > 0).astype(np.int8)


def write(folder: Path, n_rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True)
    names = [f"x{j}" for j in range(N_COLUMNS)]
    for k in range(N_FILES):
        writer = None
        for g in range(n_rows // N_FILES // GROUP):
            X, y = rows(1000 * k + g, GROUP)
            table = pa.table([*X.T.copy(), y], names=[*names, "y"])
            writer = writer or pq.ParquetWriter(
                folder / f"part-{k}.parquet",
                table.schema,
                compression="snappy",  # random numbers cannot be compressed
                use_dictionary=False,
            )
            writer.write_table(table)
        writer.close()


def bare(folder: Path) -> dict:
    """Decode all columns with pyarrow, and do nothing with them."""
    import pyarrow.parquet as pq

    start, n = time.monotonic(), 0
    for path in sorted(folder.glob("*.parquet")):
        file = pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
        for batch in file.iter_batches(batch_size=1 << 15):
            n += batch.num_rows
    return {"rows": n, "seconds": time.monotonic() - start}


def patches(folder: Path, **settings) -> dict:
    import pandas as pd

    import silvics

    start = time.monotonic()
    forest = silvics.RandomPatchesClassifier(
        **FOREST | settings, max_memory=BUDGET, random_state=0, n_jobs=2
    ).fit(silvics.scan(folder), y="y")
    fitted = time.monotonic() - start
    X, y = rows(10**6, 100_000)
    accuracy = forest.score(pd.DataFrame(X, columns=forest.feature_names_in_), y)
    size = sum(path.stat().st_size for path in folder.glob("*.parquet"))
    return {
        "seconds": fitted,
        "accuracy": accuracy,
        "passes": forest.n_passes_,
        "bytes_read": forest.bytes_read_,
        "of_files": forest.bytes_read_ / size,
    }


def one_pass(folder: Path) -> dict:
    """A single pass that fills the patches of 20 trees."""
    return patches(folder, n_estimators=20, max_depth=1)


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


def in_memory(n: int, library: str) -> dict:
    X, y = rows(0, n)
    test = rows(10**6, 100_000)
    start = time.monotonic()
    settings = {"n_estimators": 100, "min_samples_leaf": 5, "n_jobs": 2, "random_state": 0}
    if library == "silvics":
        from silvics import ExtraTreesClassifier as Forest
    else:
        from sklearn.ensemble import RandomForestClassifier as Forest
    forest = Forest(**settings).fit(X, y)
    return {"seconds": time.monotonic() - start, "accuracy": forest.score(*test)}


def measured(name: str, *arguments: str) -> dict:
    """Run one measurement in a process of its own."""
    command = [sys.executable, __file__, "--measure", name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(name: str, arguments: list[str]) -> None:
    found = {
        "bare": lambda: bare(Path(arguments[0])),
        "patches": lambda: patches(Path(arguments[0])),
        "building": lambda: building(arguments[0]),
        "one_pass": lambda: one_pass(Path(arguments[0])),
        "silvics": lambda: in_memory(int(arguments[0]), "silvics"),
        "sklearn": lambda: in_memory(int(arguments[0]), "sklearn"),
    }[name]()
    used = resource.getrusage(resource.RUSAGE_SELF)
    found["cpu_seconds"] = used.ru_utime + used.ru_stime
    found["largest_gb"] = used.ru_maxrss * 1024 / 1e9
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(sys.argv[2], sys.argv[3:])
        sys.exit()
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=54_000_000)
    parser.add_argument("--in-memory", type=int, default=250_000)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--delete", action="store_true", help="delete the files at the end")
    given = parser.parse_args()
    if not given.folder.exists():
        write(given.folder, given.rows)
    folder, n = str(given.folder), str(given.in_memory)
    size = sum(path.stat().st_size for path in given.folder.glob("*.parquet"))
    print(f"{size / 1e9:.2f} GB in files", flush=True)
    wanted = {
        "growth of one tree, Extra-Trees": ("building", "extra_trees"),
        "growth of one tree, CART": ("building", "cart"),
        "pyarrow decodes all columns": ("bare", folder),
        "one pass, 20 trees of depth 1": ("one_pass", folder),
        "100 trees on patches": ("patches", folder),
        f"silvics, {n} rows in memory": ("silvics", n),
        f"scikit-learn, {n} rows in memory": ("sklearn", n),
    }
    found = {}
    for name, arguments in wanted.items():
        found[name] = measured(*arguments)
        print(name, found[name], flush=True)
    if given.delete:
        for path in given.folder.glob("*.parquet"):
            path.unlink()
        given.folder.rmdir()
    lines = [
        "| measured | seconds | processor seconds | largest memory, GB | accuracy | passes | "
        "bytes read / bytes of files | growing, MB | planned, MB | tree, MB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, of in found.items():
        cells = [f"{of[key]:.4g}" if key in of else "" for key in KEYS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    print("\n".join(lines))
    if given.write is not None:
        before = given.write.read_text().split(MARK)[0] if given.write.exists() else ""
        given.write.write_text(before + MARK + "\n\n" + "\n".join(lines) + "\n")
