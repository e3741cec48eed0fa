"""``silvics fit``."""

from __future__ import annotations

from typing import Any

from silvics.cli.progress import Bar
from silvics.recipe_forests import ForestClassifier, ForestRegressor
from silvics.reporting.reading import check_not_read, read_table
from silvics.reporting.subject import subject_of


def run(options: Any) -> dict[str, Any]:
    """Grow a forest, and save it."""
    check_not_read("--model", options.model, options.data)
    subject = subject_of(
        read_table(options.data), options.target, task=options.task, types=options.types,
        drop=options.drop, weight=options.weight,
    )  # fmt: skip
    kind = ForestClassifier if subject.is_classification else ForestRegressor
    with Bar(quiet=options.quiet or options.json) as bar:
        forest = kind(
            options.recipe, n_estimators=options.trees, random_state=options.seed,
            n_jobs=options.jobs, progress=lambda done, total: bar("growing", done, total),
            engine=options.engine, resume=options.resume,
        ).fit(subject.X, subject.y, subject.weights)  # fmt: skip
    forest.set_params(progress=None)
    forest.save(options.model)
    found = {
        "model": options.model, "task": subject.task, "rows": subject.n,
        "columns": [column.name for column in subject.inputs], "left_out": dict(subject.left_out),
        "trees": len(forest), "digest": forest.digest(),
    }  # fmt: skip
    if not options.quiet and not options.json:
        print(f"{found['trees']} trees on {subject.n:,} rows and {len(subject.inputs)} columns")
        for remark in subject.remarks:
            print(remark.replace("`", ""))
        for name, why in subject.left_out:
            print(f"left out: {name} ({why})")
        print(f"saved as {options.model}")
    return found
