"""Write three reports into docs/_static/reports: python docs/gallery/reports.py.

The tables come with silvics and with scikit-learn, so that every page can be made again anywhere.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.datasets import load_diabetes

import silvics
from silvics.datasets import load_penguins, load_seattle_weather

FOLDER = Path(__file__).parents[1] / "_static" / "reports"


def tables():
    X, y = load_penguins(return_X_y=True)
    yield "penguins", X, pd.Series(y, name="species"), {"title": "What tells penguins apart?"}
    X, y = load_seattle_weather(return_X_y=True)
    yield "weather", X, pd.Series(y, name="temp_max"), {
        "title": "How warm will the day be?", "time": "date",
    }  # fmt: skip
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    yield (
        "diabetes",
        X,
        y.rename("progression"),
        {"title": "What predicts the progression of diabetes?"},
    )


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, X, y, settings in tables():
        found = silvics.report(X, y, **settings)
        (FOLDER / f"{name}.html").write_text(found.to_html(), encoding="utf-8")
        print(found)


if __name__ == "__main__":
    main()
