"""Write inspection_digits.md: a map of digits (Figure 4.6), and planted outliers in a table.

    python docs/gallery/inspection_digits.py

Code on the page is run as it is shown; figures in the text come out of it.
"""

from __future__ import annotations

from importances_led import HERE, Page

PAGE = HERE / "inspection_digits.md"


def digits(page: Page) -> None:
    page.text("""
# A map of digits, and rows that do not belong

<!-- Written by docs/gallery/inspection_digits.py: change that, and run `make gallery`. -->

Figure 4.6 of the thesis places handwritten digits by their proximities: images that reach the same
leaves are close.
""")
    page.code("""
from sklearn.datasets import load_digits
from silvics import RandomForestClassifier
from silvics.inspection import outliers, prototypes, proximity_map

X, y = load_digits(return_X_y=True)
forest = RandomForestClassifier(500, oob_score=True, random_state=0).fit(X, y)
found = proximity_map(forest, X, y)
print(f"out-of-bag accuracy {forest.oob_score_:.3f}; eigenvalues {found.explained.round(3)}")
""")
    display = page["found"].plot()
    page.picture(display.figure_, "inspection-digits", "Digits, placed by their proximities")
    page.text("""
Two dimensions show a small part of a matrix of ten classes, so that classes overlap in the middle.
The mean proximity of an image to the others of its class says how compact a class is:
""")
    page.code("""
import numpy as np

closeness = 1 - outliers(forest, X, y, measure="mean").scores
for digit in range(10):
    print(digit, round(closeness[y == digit].mean(), 3), end="  ")
print()
centres = prototypes(forest, X, y)
print(centres.to_frame()[["class", "row", "score", "n_neighbors"]].head(3).to_string(index=False))
""")

    page.text("""
The thesis finds that digits 1 and 8 are the most dispersed. They are here, too.
""")
    means = [page["closeness"][page["y"] == digit].mean() for digit in range(10)]
    if set(sorted(range(10), key=means.__getitem__)[:2]) != {1, 8}:
        raise SystemExit("the text about digits 1 and 8 is no longer true")


def planted(page: Page) -> None:
    page.text("""
## Planted outliers

Take a table of flowers and give ten rows of two kinds the label of the other. A forest cannot put
them into leaves of their new class, so they are the outliers of that class:
""")
    page.code("""
from sklearn.datasets import load_iris

table, kind = load_iris(return_X_y=True, as_frame=True)
table, kind = table[kind != 1].reset_index(drop=True), kind[kind != 1].to_numpy(copy=True)
rng = np.random.default_rng(0)
wrong = np.sort(rng.choice(len(table), 10, replace=False))
kind[wrong] = 2 - kind[wrong]
forest = RandomForestClassifier(300, min_samples_leaf=5, random_state=0).fit(table, kind)
scores = outliers(forest, table, kind)
print("planted", wrong.tolist())
print("found  ", sorted(scores.to_frame()["row"][:10].tolist()))
""")
    same = set(page["scores"].to_frame()["row"][:10]) & set(page["wrong"])
    page.picture(page["scores"].plot().figure_, "inspection-outliers", "Outlier scores by row")
    page.text(f"""
{len(same)} of the 10 planted rows are among the first ten. The [guide](../inspection.md)
describes the measures.
""")


if __name__ == "__main__":
    page = Page()
    digits(page)
    planted(page)
    page.write(PAGE)
