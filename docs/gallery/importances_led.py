"""Write importances_led.md: section 6.5 of the thesis, and what chapter 7 makes of it.

    python docs/gallery/importances_led.py

Code on the page is run as it is shown; figures in the text come out of it.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot
from scipy.stats import norm

from silvics import ForestClassifier
from silvics.importance import asymptotic_importances, copies

HERE = Path(__file__).resolve().parent
FIGURES = HERE.parent / "figures" / "gallery"

# Table 6.2: the column of equation 6.10, and 10,000 trees for K = 1, ..., 7.
TABLE_6_2 = np.loadtxt(HERE / "table_6_2.csv", delimiter=",", skiprows=1, usecols=range(1, 9))
PRINTED_EXACT, PRINTED = TABLE_6_2[:, 0], TABLE_6_2[:, 1:]


class Page:
    """Text, code that is run as it is shown, tables and pictures, in this order."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.names: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """What the code on the page has called so."""
        return self.names[name]

    def text(self, text: str) -> None:
        """Paragraphs and lists, filled anew: figures in them are of any length."""
        for part in re.split(r"\n\n|\n(?=- )", text.strip()):
            indent = "  " if part.startswith("- ") else ""
            filled = textwrap.fill(
                " ".join(part.split()),
                120,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            if indent and self.parts[-1].startswith("- "):
                self.parts[-1] += "\n" + filled
            else:
                self.parts.append(filled)

    def code(self, code: str) -> None:
        """Show code, run it, show what it prints."""
        code = code.strip()
        out = io.StringIO()
        with redirect_stdout(out):
            exec(code, self.names)
        self.parts.append(f"```python\n{code}\n```")
        printed = "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())
        if printed:
            self.parts.append(f"```text\n{printed}\n```")

    def table(self, head: Sequence[str], rows: Iterable[Sequence[Any]], text_columns=1) -> None:
        align = ["---"] * text_columns + ["---:"] * (len(head) - text_columns)
        lines = [head, align, *rows]
        self.parts.append("\n".join(f"| {' | '.join(map(str, row))} |" for row in lines))

    def picture(self, figure: Any, name: str, alt: str) -> None:
        path = FIGURES / f"{name}.png"
        FIGURES.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=90)
        pyplot.close(figure)
        if path.stat().st_size > 80_000:
            raise SystemExit(f"{path} is too large: {path.stat().st_size:,} bytes")
        self.parts.append(f"![{alt}](../figures/gallery/{name}.png)")

    def write(self, path: Path) -> None:
        path.write_text("\n\n".join(self.parts) + "\n")


def given(names: Sequence[str]) -> str:
    """A set of variables, in words."""
    return ", ".join(names) if names else "nothing"


def context_table(page: Page, found: Any, top: int) -> None:
    rows = found.by_context(top=top).itertuples()
    page.table(
        ["variable", "given", "weight", "information", "importance"],
        [
            (r.variable, given(r.given), f"{r.weight:.4f}", f"{r.information:.4f}",
             f"{r.importance:.4f}")
            for r in rows
        ],
        text_columns=2,
    )  # fmt: skip


def panels(width: float, height: float, n: int = 2, **parameters: Any) -> tuple[Any, Any]:
    return pyplot.subplots(1, n, figsize=(width, height), layout="constrained", **parameters)


# ---- pictures


def display(ax: Any, importances: np.ndarray, most: float, title: str) -> Any:
    """The seven segments, dark where they are important."""
    ends = [
        ((0, 2), (1, 2)), ((0, 1), (0, 2)), ((1, 1), (1, 2)), ((0, 1), (1, 1)),
        ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 0), (1, 0)),
    ]  # fmt: skip
    colors = matplotlib.colormaps["Blues"]
    for j, (a, b) in enumerate(ends):
        (x0, y0), (x1, y1) = a, b
        dx, dy = 0.12 * (x1 - x0), 0.12 * (y1 - y0)
        ax.plot(
            [x0 + dx, x1 - dx], [y0 + dy, y1 - dy], linewidth=17, solid_capstyle="butt",
            color=colors(importances[j] / most),
        )  # fmt: skip
        dark = importances[j] > 0.55 * most
        ax.text(
            (x0 + x1) / 2, (y0 + y1) / 2, f"X{j + 1}", ha="center", va="center",
            fontsize=8, color="white" if dark else "black",
        )  # fmt: skip
    ax.set_title(title, fontsize=10)
    ax.set(xlim=(-0.25, 1.25), ylim=(-0.2, 2.2), aspect="equal")
    ax.axis("off")


def cardinalities(sizes: Sequence[int], splits: str) -> np.ndarray:
    """Importances of X1, of L levels, and of X2, where Y = X2 = (X1 < L / 2) (Figure 7.8)."""
    found = []
    for n in sizes:
        x = np.arange(n)
        y = (x < n / 2).astype(int)
        found.append(asymptotic_importances(np.column_stack([x, y]), y, splits=splits).importances)
    return np.array(found)


# ---- the page


def importances(page: Page) -> None:
    page.text("""
# Seven segments: exact importances of a display

<!-- Written by docs/gallery/importances_led.py: change that, and run `make gallery`. -->

A seven-segment display shows the digits 0 to 9, all with the same probability. Which segment has
the most information about the digit? Section 6.5 of the thesis answers this with forests of 10,000
trees.
Since the table below *is* the distribution, nothing has to be estimated: `silvics.importance`
computes the importances of infinitely many trees.
""")
    page.code("""
import numpy as np
import pandas as pd
from silvics.importance import asymptotic_importances

digits = "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
X = pd.DataFrame([list(map(int, lit)) for lit in digits.split()])
X.columns = [f"X{j}" for j in range(1, 8)]
y = np.arange(10)

found = asymptotic_importances(X, y)
print(found)
""")
    found = page["found"]
    last = asymptotic_importances(page["X"], page["y"], K=7)
    page.text(f"""
The unit is bits. The digit has log2(10) = {np.log2(10):.4f} of them, and the importances add up to
just that: together the segments determine the digit, and each bit is attributed to the segment
whose test gives it, averaged over all orders of the tests (Theorems 6.1 and 6.2). X5, the lower
left, is the
most important segment, X6 the least.
""")
    figure, axes = panels(4.6, 3.0)
    most = max(found.importances.max(), last.importances.max()) * 1.05
    display(axes[0], found.importances, most, "K = 1")
    display(axes[1], last.importances, most, "K = 7")
    page.picture(figure, "led-display", "The segments, shaded by importance, for K = 1 and K = 7")


def printed_and_grown(page: Page) -> None:
    page.text("""
## Comparison with the thesis and with forests

K is the number of variables drawn at a node, of which the best is taken (`max_features`). At K = 1
the choice is random; at K = 7 the best segment always wins. `masking` computes all of Table 6.2.
""")
    page.code("""
from silvics.importance import masking

masked = masking(X, y)
print(masked)
""")
    page.text("The exact importances, with the values printed in the thesis in brackets:")
    exact = page["masked"].importances  # [K - 1, variable]
    page.table(
        ["", "equation 6.10", *(f"K = {K}" for K in range(1, 8))],
        [
            (f"X{j + 1}", f"{exact[0, j]:.4f} ({PRINTED_EXACT[j]:.3f})",
             *(f"{exact[K, j]:.3f} ({PRINTED[j, K]:.3f})" for K in range(7)))
            for j in range(7)
        ],
    )  # fmt: skip
    page.text("""
The printed columns for K = 1 to 7 are means of 10,000 trees, so they vary a little. A recipe grows
the same trees. The importances of a tree are fractions of their sum; in bits, those of each such
tree add up to H(Y), so that a fraction times log2(10) is in bits.
""")
    page.code("""
from silvics import ForestClassifier

forest = ForestClassifier(
    "totally_randomized_multiway", max_features=1, n_estimators=10_000, random_state=0
)
forest.fit(X.to_numpy(), y)
each = np.array([tree.feature_importances_ for tree in forest]) * np.log2(10)  # bits
print(each.mean(axis=0).round(4))
""")
    rows, largest = [], 0.0
    for K in range(1, 8):
        forest = ForestClassifier(
            "totally_randomized_multiway", max_features=K, n_estimators=10_000, random_state=0
        ).fit(page["X"].to_numpy(), page["y"])
        trees = np.array([tree.feature_importances_ for tree in forest]) * np.log2(10)
        error = trees.std(axis=0, ddof=1) / 100
        off = np.abs(trees.mean(axis=0) - exact[K - 1])
        largest = max(largest, float((off / error).max()))
        from_printed = np.abs(PRINTED[:, K - 1] - exact[K - 1])
        rows.append(
            (K, f"{off.max():.4f}", f"{(off / error).max():.1f}", f"{from_printed.max():.4f}",
             f"{(from_printed / error).max():.1f}")
        )  # fmt: skip
    page.text("Largest distance from the exact importances among the seven segments:")
    page.table(
        ["K", "our 10,000 trees", "in standard errors", "the printed ones", "in standard errors"],
        rows,
    )
    chance = 1 - (1 - 2 * norm.sf(largest)) ** 49
    page.text(f"""
The largest of our 49 distances is {largest:.1f} standard errors; were they independent, one as
large would come up with probability {chance:.2f}. The exact computation has no such error.
""")


def masks(page: Page) -> None:
    masked = page["masked"]
    one, seven = masked.importances[0], masked.importances[-1]
    page.text("""
## Masking: a stronger variable is chosen instead of a weaker one

As K grows, the importances drift apart (Figure 6.2), though the segments and their information stay
the same.
""")
    page.picture(masked.plot().figure_, "led-masking", "Importances over K, as in Figure 6.2")
    ranks = [np.argsort(-of, kind="stable") for of in (one, seven)]
    order = [", ".join(f"X{j + 1}" for j in of) for of in ranks]
    names = masked.names
    up = [f"{names[j]} ({one[j]:.3f} to {seven[j]:.3f})" for j in range(7) if seven[j] > one[j]]
    down = [f"{names[j]} ({one[j]:.3f} to {seven[j]:.3f})" for j in range(7) if seven[j] <= one[j]]
    page.text(f"""
Up go {", ".join(up)}; down go {", ".join(down)}. The ranking changes from {order[0]} to {order[1]}.
The largest pairs of masked and masking variables at K = 7:
""")
    page.code("""
print(masked.pairs(K=7, top=8).round(4).to_string(index=False))
""")
    first = next(masked.pairs(K=7, top=1).itertuples())
    j = list(names).index(first.variable)
    page.text(f"""
`amount` is the decrease of entropy that the variable would have given at nodes where the other was
chosen instead. {first.variable} was passed over for {first.hidden_by} at nodes where its test would
have given
{first.amount:.3f} bits; its whole importance at K = 7 is {seven[j]:.3f}. {first.variable} may still
be tested further down, where less entropy is left.
""")


def by_degree(page: Page) -> None:
    one = page["found"]
    page.text("""
## By degree: the number of variables tested above

A variable can be tested first, or after others. `by_degree` decomposes its importance by the number
of other variables that were tested above (Figure 6.3; K = 1 left, K = 7 right).
""")
    page.code("""
greedy = asymptotic_importances(X, y, K=7)
print(found.by_degree.round(3))
""")
    seven = page["greedy"]
    figure, axes = panels(9.0, 3.5)
    most = max(one.by_degree.max(), seven.by_degree.max())
    for ax, of, K in zip(axes, (one, seven), (1, 7), strict=True):
        of.plot(ax, kind="degrees")
        ax.set(xlim=(-0.5, 6.5), xticks=range(7), title=f"K = {K}")
    page.picture(figure, "led-degrees", "Importances by degree for K = 1 and K = 7")
    d = one.by_degree
    roots = [f"X{j + 1}" for j in range(7) if seven.by_degree[j, 0] > 0]
    deepest = int(np.flatnonzero(seven.by_degree.any(axis=0))[-1])
    page.text(f"""
(The two pictures have different scales: the darkest square is {d.max():.3f} bits on the left,
{most:.3f} on the right.)

- X5 has information in every position: {d[4, 0]:.3f} when tested first, and still {d[4, 6]:.3f}
  when tested last.
- X6 has little information anywhere: {d[5, 0]:.3f} first, {d[5, 6]:.3f} last.
- X7 looks like X4 when tested first ({d[6, 0]:.3f} both), but fades to {d[6, 6]:.3f}: the others
  have its information too.
- At K = 7 only {" and ".join(roots)} are ever tested first, and no entropy is left after
  {deepest + 1} tests. The   white squares are contexts that do not occur in these trees while there
  is entropy left; they do not mean that the variable is useless there.
""")


def by_context(page: Page) -> None:
    page.text("""
## By context: the set of variables tested above

The last level of the decomposition is one term for each variable and each set of others. At K = 1
the term is I(X; Y | set), times the probability that X is tested right after that set.
""")
    context_table(page, page["found"], 10)
    page.text("At K = 7 fewer sets occur, and these far more often:")
    context_table(page, page["greedy"], 10)
    page.text("The table also answers when X7 has no information left:")
    page.code("""
contexts = found.by_context()
silent = contexts[(contexts.variable == "X7") & (contexts.information < 1e-12)]
silent = silent.sort_values("degree", kind="stable")
print(silent.groupby("degree").size().to_dict())
print(silent.given.tolist()[:4])
""")
    silent = page["silent"]
    smallest = silent[silent.degree == silent.degree.min()]
    sets = " or ".join(f"{{{', '.join(names)}}}" for names in smallest.given.tolist())
    page.text(f"""
X7 is superfluous once {sets} {"is" if len(smallest) == 1 else "are"} known; with fewer segments
known, it always adds information.
""")


def relevant(page: Page) -> None:
    page.text("## Relevance")
    page.code("""
from silvics.importance import relevance

print(relevance(X, y))
without = asymptotic_importances(X.drop(columns=["X6", "X7"]), y)
print(f"without X6 and X7: {without.total:.4f} of {without.impurity:.4f} bits")
""")
    kinds = page["relevance"](page["X"], page["y"])
    weak = [str(n) for n, is_weak in zip(kinds.names, kinds.weakly, strict=True) if is_weak]
    page.text(f"""
Every segment is relevant. The strongly relevant ones have information that no set of others has:
without one of them, some digits look the same. {" and ".join(weak)} are weakly relevant: each can
be
left out, and here even both at once. At K = 1 they still have importances of
{page["found"].importances[5]:.3f} and {page["found"].importances[6]:.3f}, as they must: an
importance of zero means irrelevant in every context (Theorem 6.3), which is different from being
superfluous.
""")


def copied(page: Page) -> None:
    page.text("""
## Copies

This section adds copies of a variable. Figures 7.1 and 7.2: the importances of the
original variables as copies of X5 are added, and of the exclusive or of two variables as copies of
the first are added.
""")
    page.code("""
from silvics.importance import copies

more = copies(X, y, "X5", n_copies=5)
xor = copies([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], "x0", n_copies=5)
print(more.to_frame().round(4).to_string(index=False))
print(xor.to_frame().round(4).to_string(index=False))
""")
    figure, axes = panels(9.0, 3.4)
    page["more"].plot(axes[0])
    page["xor"].plot(axes[1])
    axes[0].set_title("the display")
    axes[1].set_title("exclusive or")
    page.picture(figure, "led-copies", "Importances over the number of copies")
    ten = copies(page["X"], page["y"], "X5", n_copies=10).importances
    smallest = int(np.flatnonzero(ten.argmin(axis=1) == 4)[0])
    of_all = ten[1, 4] * 2
    more, xor = page["more"].importances, page["xor"].importances
    page.text(f"""
With one copy, X5 falls from {more[0, 4]:.3f} to {more[1, 4]:.3f}, though the two of them together
rise ({of_all:.3f}). From {smallest} copies on it has the lowest importance: an unimportant variable
may be an informative one with copies. Conversely, x1 of the exclusive or rises from
{xor[0, 1]:.3f} to {xor[5, 1]:.3f}: it has no information before x0 is known, and with copies, x0 is
nearly always known first. Computing this needs no copies and no trees: Proposition 7.5 uses only
the terms of the original table.
""")


def binary(page: Page) -> None:
    page.text("""
## Binary splits

Most forests cut an ordered variable in two instead of giving each level a branch. Table 7.2 has
three rows; X2 is Y, and X1 determines Y as well.
""")
    page.code("""
toy, output = [[0, 0], [1, 1], [2, 1]], [0, 1, 1]
for splits in ["multiway", "extra", "best", "encoded"]:
    print(f"{splits:9}", asymptotic_importances(toy, output, splits=splits).importances.round(6))
""")
    sizes = list(range(2, 33))
    extra, best = (cardinalities(sizes, splits) for splits in ("extra", "best"))
    multiway = cardinalities(sizes, "multiway")
    toy = asymptotic_importances(page["toy"], page["output"], splits="extra").importances
    page.text(f"""
Multiway trees give both the same importance, H(Y)/2. Extra-Trees draw a cut, and half of the cuts
of X1 have less information, so that X2 has a larger importance: {toy[0]:.6f} and {toy[1]:.6f}
(printed: 0.375 and 0.541). "best"
takes the best cut, as Random Forests do, and finds the informative one; "encoded" is the box on
binary
variables of section 7.2.3. With more levels in X1 and Y = X1 < L/2, the gap widens (Figure 7.8):
""")
    figure = pyplot.figure(figsize=(6.4, 3.6), layout="constrained")
    ax = figure.add_subplot()
    ax.plot(sizes, extra[:, 1], color="C3", label="X2, Extra-Trees")
    ax.plot(sizes, multiway[:, 0], color="0.6", linewidth=4, label="both, multiway")
    ax.plot(sizes, best[:, 0], color="black", linestyle=":", label="both, best cut")
    ax.plot(sizes, extra[:, 0], color="C0", label="X1, Extra-Trees")
    ax.set(xlabel="levels of X1", ylabel="importance (bits)", ylim=(0, 1))
    ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    page.picture(figure, "led-binary", "Importances over the number of levels, as in Figure 7.8")
    if not (np.allclose(best, multiway) and np.allclose(multiway[:, 0], multiway[:, 1])):
        raise SystemExit("The text on Figure 7.8 does not hold.")
    page.text(f"""
At {sizes[-1]} levels X1 has {extra[-1, 0]:.3f} and X2 {extra[-1, 1]:.3f}, though both determine Y.
For odd L the two outputs are not equally probable, and there is less than one bit to
share.

## Summary

- An importance is a mean over contexts. Look at the contexts (`by_degree`, `by_context`) before you
  interpret it.
- K = 1 and multiway splits treat all variables alike. With K > 1, a variable of low importance may
  be masked (`masking`).
- Zero importance means irrelevant only at K = 1; a superfluous variable may have a large importance
  (`relevance`).
- Copies share their importance (`copies`), and binary cuts lower the importance of variables with
  many levels (`splits="extra"`).

The next study is [a real table](importances_nursery.md).
""")


def main() -> None:
    page = Page()
    for part in (
        importances, printed_and_grown, masks, by_degree, by_context, relevant, copied, binary,
    ):  # fmt: skip
        part(page)
    page.write(HERE / "importances_led.md")


if __name__ == "__main__":
    main()
