"""Tables 5.4 and 5.5 of the thesis: times of forests of other implementations, live.

    python benchmarks/implementations.py FOLDER [--trees 250] [--repeat 10] [--sets NAME,...]
                                         [--write docs/studies/implementations.md]

The protocol of section 5.4.2 on those of its data sets that are in the folder: three quarters of
the rows for learning, fully grown trees, sqrt(p) variables at a node, one thread. Times are
relative to scikit-learn's Random Forest. Every library that is found takes part: packages of
Python, ranger and randomForest through Rscript, and Weka through java. Libraries take turns within
a repeat. Reading files is not counted.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy.stats import gmean
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from tables import commit, header, line, machine, publish, read

# Those of the thesis with 250 to 70,000 rows; digits are taken apart in two.
SETS = (
    "arcene", "diabetes", "ionosphere", "isolet1", "letter", "liver", "madelon", "mnist",
    "mnist3vs8", "mnist4vs9", "musk2", "pendigits", "sonar", "spambase", "twonorm", "vehicle",
    "waveform",
)  # fmt: skip
WEKA = Path("/usr/share/java/weka.jar")

# Seconds of fit, seconds of predict, accuracy; or None if the library has no such forest.
Result = tuple[float, float, float]


class Data:
    """A split of a table into learning and test rows, as arrays and as files."""

    def __init__(self, X: np.ndarray, y: np.ndarray, seed: int) -> None:
        parts = train_test_split(X, y, train_size=0.75, stratify=y, random_state=seed)
        self.X, self.X_test, self.y, self.y_test = map(np.ascontiguousarray, parts)
        self.n_classes, self.seed = int(y.max()) + 1, seed
        self._folder = tempfile.TemporaryDirectory()

    def files(self, suffix: str) -> list[str]:
        """Write the two parts as .csv or .arff, once, and return their paths."""
        paths = [Path(self._folder.name) / f"{part}{suffix}" for part in ("train", "test")]
        if not paths[0].exists():
            for path, X, y in zip(paths, (self.X, self.X_test), (self.y, self.y_test), strict=True):
                names = [f"x{j}" for j in range(X.shape[1])]
                head = ",".join([*names, "y"])
                if suffix == ".arff":
                    kinds = "\n".join(f"@attribute {name} numeric" for name in names)
                    classes = ",".join(map(str, range(self.n_classes)))
                    head = f"@relation t\n{kinds}\n@attribute y {{{classes}}}\n@data"
                formats = ["%.9g"] * X.shape[1] + ["%d"]
                np.savetxt(path, np.column_stack([X, y]), formats, ",", header=head, comments="")
        return list(map(str, paths))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def of_python(make: Callable[[int, int, int], Any]) -> Callable[[Data, int, int], Result]:
    def run(data: Data, trees: int, k: int) -> Result:
        forest = make(trees, k, data.seed)
        fit, _ = timed(lambda: forest.fit(data.X, data.y))
        predict, labels = timed(lambda: forest.predict(data.X_test))
        return fit, predict, float(np.mean(labels == data.y_test))

    return run


def like_sklearn(package: str, algorithm: str) -> Callable[[Data, int, int], Result]:
    kind = getattr(import_module(package), f"{algorithm}Classifier")
    return of_python(
        lambda trees, k, seed: kind(trees, max_features=k, n_jobs=1, random_state=seed)
    )


class OpenCV:
    """RTrees of OpenCV, which has lost its Extra-Trees since the thesis."""

    def __init__(self, trees: int, k: int, seed: int) -> None:
        self._cv = import_module("cv2")
        self._cv.setRNGSeed(seed)
        self._cv.setNumThreads(1)
        self._forest = self._cv.ml.RTrees_create()
        self._forest.setActiveVarCount(k)
        self._forest.setMaxDepth(100)
        self._forest.setMinSampleCount(2)
        self._forest.setTermCriteria((self._cv.TERM_CRITERIA_MAX_ITER, trees, 0))

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self._forest.train(X, self._cv.ml.ROW_SAMPLE, y.astype(np.int32))

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self._forest.predict(X)[1].ravel().astype(int)


class YDF:
    def __init__(self, trees: int, k: int, seed: int) -> None:
        self._ydf = import_module("ydf")
        self._ydf.verbose(0)
        self._learner = self._ydf.RandomForestLearner(
            label="y", num_trees=trees, num_candidate_attributes=k, max_depth=-1, min_examples=1,
            num_threads=1, winner_take_all=False, compute_oob_performances=False, random_seed=seed,
        )  # fmt: skip

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        self._model = self._learner.train({"x": X, "y": y})

    def predict(self, X: np.ndarray) -> np.ndarray:
        shares = self._model.predict({"x": X}, num_threads=1)
        numbers = shares.argmax(axis=1) if shares.ndim == 2 else shares > 0.5
        return np.asarray(self._model.label_classes(), dtype=int)[numbers.astype(int)]


def r(library: str) -> Callable[[Data, int, int], Result]:
    script = Path(__file__).with_suffix(".R")

    def run(data: Data, trees: int, k: int) -> Result:
        given = ["Rscript", str(script), library, *data.files(".csv"), str(trees), str(k)]
        text = subprocess.run(given, capture_output=True, text=True, check=True).stdout
        return tuple(map(float, text.split("RESULT")[1].split()))  # type: ignore[return-value]

    return run


def weka(data: Data, trees: int, k: int) -> Result:
    """Times that Weka prints: of building, and of testing on the learning rows."""
    train, test = data.files(".arff")
    given = ["java", "-Xmx4g", "-cp", str(WEKA), "weka.classifiers.trees.RandomForest"]
    given += f"-I {trees} -K {k} -S {data.seed + 1} -t {train} -T {test} -o".split()
    text = subprocess.run(given, capture_output=True, text=True, check=True).stdout
    build, tested = map(float, re.findall(r"Time taken to .*: ([\d.]+) seconds", text)[:2])
    right = re.findall(r"Correctly Classified Instances.* ([\d.]+) +%", text)[-1]
    return build, tested * len(data.X_test) / len(data.X), float(right) / 100


def libraries() -> tuple[dict[str, Callable[[Data, int, int], Result]], list[str]]:
    """The contenders that are found, by name, and their versions."""
    found, versions = {}, []

    def packages(module: str, distribution: str) -> bool:
        try:
            import_module(module)
            versions.append(f"{distribution} {version(distribution)}")
        except ImportError:
            return False
        return True

    for name, package, distribution in (
        ("scikit-learn", "sklearn.ensemble", "scikit-learn"),
        ("silvics", "silvics", "silvics"),
        ("intelex", "sklearnex.ensemble", "scikit-learn-intelex"),
    ):
        if packages(package, distribution):
            found[f"{name} RF"] = like_sklearn(package, "RandomForest")
            found[f"{name} ET"] = like_sklearn(package, "ExtraTrees")
    if packages("cv2", "opencv-python-headless") and hasattr(import_module("cv2"), "ml"):
        found["OpenCV RF"] = of_python(OpenCV)
    if packages("ydf", "ydf"):
        found["YDF RF"] = of_python(YDF)
    for library, names in (
        ("ranger", {"ranger RF": "ranger", "ranger ET": "ranger-et"}),
        ("randomForest", {"randomForest RF": "randomForest"}),
    ):
        if (number := version_in_r(library)) is not None:
            versions.append(f"{library} {number}")
            found |= {name: r(kind) for name, kind in names.items()}
    if shutil.which("java") and WEKA.exists():
        found["Weka RF"] = weka
        versions.append(f"Weka {version_of_weka()}")
    return found, versions


def version_in_r(library: str) -> str | None:
    if shutil.which("Rscript") is None:
        return None
    script = f'cat(as.character(packageVersion("{library}")))'
    done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def version_of_weka() -> str:
    given = ["java", "-cp", str(WEKA), "weka.core.Version"]
    done = subprocess.run(given, capture_output=True, text=True, check=False)
    number = re.search(r"\d+\.\d+\.\d+", done.stdout)
    return number[0] if number else "of unknown version"


def sets(folder: Path, wanted: list[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for name in wanted:
        pair = re.fullmatch(r"mnist(\d)vs(\d)", name)
        if not (folder / f"{'mnist' if pair else name}.parquet").exists():
            continue
        table = read(folder, "mnist" if pair else name)
        X, y = table.X.to_numpy(dtype=np.float32, na_value=np.nan), np.asarray(table.y)
        if pair:
            kept = np.isin(y, [int(pair[1]), int(pair[2])])
            X, y = X[kept], y[kept]
        if np.isnan(X).any():
            X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        yield name, X, np.unique(y, return_inverse=True)[1]


def measured(X: np.ndarray, y: np.ndarray, contenders: dict[str, Any], chosen: Any) -> Any:
    """Means over the repeats of each contender: a failure is printed, and leaves it out."""
    results: dict[str, list[Result]] = {name: [] for name in contenders}
    k = max(1, int(X.shape[1] ** 0.5))
    for number in range(chosen.repeat):
        data = Data(X, y, number)
        for name, run in list(contenders.items())[:: -1 if number % 2 else 1]:
            try:
                results[name].append(run(data, chosen.trees, k))
            except Exception as error:
                print(f"{name}: {error!r:.300}", flush=True)
    return {
        name: tuple(fmean(values) for values in zip(*of, strict=True)) if of else None
        for name, of in results.items()
    }


def tables(chosen: Any) -> Iterator[str]:
    contenders, versions = libraries()
    warm_up = make_classification(200, random_state=0)
    for name, run in list(contenders.items()):
        if not name.startswith(("ranger", "random", "Weka")):  # loads the library
            run(Data(warm_up[0].astype(np.float32), warm_up[1], 0), 5, 4)
    wanted = chosen.sets.split(",") if chosen.sets else list(SETS)
    found = {}
    for name, X, y in sets(Path(chosen.folder), wanted):
        found[name] = (X.shape, measured(X, y, contenders, chosen))
        shown = {k: f"{v[0]:.2f} s" for k, v in found[name][1].items() if v}
        print(name, X.shape, shown, flush=True)
    yield from (
        "# Times of other implementations",
        "",
        "Tables 5.4 and 5.5 of the thesis, measured again: forests of "
        f"{chosen.trees} trees, fully grown, sqrt(p) variables at a node, one thread; three "
        f"quarters of the rows for learning, means over {chosen.repeat} splits, libraries in "
        f"turns. On {machine()}; silvics at {commit()}; {', '.join(versions)}. Written by "
        "`make bench-implementations DATA=folder`.",
        "",
        "RF is the Random Forest and ET Extra-Trees. Times are relative to scikit-learn's Random "
        "Forest, whose seconds are in the first column; 0.50 is half of its time. The processor "
        "was shared with other work, so that single figures waver.",
        "",
        "OpenCV no longer has Extra-Trees. ranger and randomForest are timed inside of R, without "
        "reading the file. Weka prints how long it took to build, and to test on the learning "
        "rows, in hundredths of a second. H2O needs a server, and OK3 and Orange 2 are no longer "
        "distributed.",
        "",
    )
    for title, at in (("Time of fit (Table 5.4)", 0), ("Time of predict (Table 5.5)", 1)):
        yield from (f"## {title}", "", *ratios(found, list(contenders), at), "")
    yield from ("## Accuracy", "", *accuracies(found, list(contenders)))


def ratios(found: dict[str, Any], names: list[str], at: int) -> Iterator[str]:
    base, *others = names
    yield from header(["data set", "rows", "columns"], [f"{base}, s", *others])
    columns: dict[str, list[float]] = {name: [] for name in others}
    for name, ((n, p), results) in found.items():
        seconds = results[base][at]
        cells = []
        for other in others:
            ratio = results[other][at] / seconds if results[other] else None
            cells.append("" if ratio is None else f"{ratio:.2f}")
            if ratio is not None:
                columns[other].append(max(ratio, 1e-3))
        yield line([name, n, p, f"{seconds:.3f}", *cells])
    means = [f"{gmean(columns[name]):.2f}" if columns[name] else "" for name in others]
    yield line(["geometric mean", "", "", "", *means])


def accuracies(found: dict[str, Any], names: list[str]) -> Iterator[str]:
    yield from header(["data set"], names)
    for name, (_, results) in found.items():
        yield line([name, *(f"{results[of][2]:.3f}" if results[of] else "" for of in names)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of Parquet files")
    parser.add_argument("--trees", type=int, default=250)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--sets", help="names, separated by commas; all by default")
    parser.add_argument("--write", type=Path)
    chosen = parser.parse_args()
    publish(list(tables(chosen)), chosen.write)


if __name__ == "__main__":
    main()
