"""Write network_dream4.md: a network of DREAM4, inferred and compared with the true one.

    python docs/gallery/network_dream4.py FOLDER

FOLDER has dream4_net1.parquet, with a column for each gene, and dream4_net1_gold.parquet, whose
rows are the edges. Code on the page is run as it is shown; figures in the text come out of it.
"""

from __future__ import annotations

import sys
from contextlib import chdir
from pathlib import Path

import numpy as np
from importances_led import HERE, Page, panels
from importances_strobl import must
from matplotlib import pyplot

TOP = 40  # edges in the picture


def inference(page: Page, folder: Path) -> None:
    page.text("""
# A network of DREAM4

<!-- Written by docs/gallery/network_dream4.py: change that, and run `make gallery`. -->

The DREAM4 challenge asked for the networks behind simulated expression data: who regulates whom?
GENIE3 (section 7.3.3 of the thesis) was the best method of its part with 100 genes and 100
samples, each a perturbation of all genes. This page infers the first of its five networks, and
compares it with the true one, as the challenge did.
""")
    with chdir(folder):
        page.code("""
import pandas as pd
from silvics.network import genie3

expression = pd.read_parquet("dream4_net1.parquet")  # your copy
gold = pd.read_parquet("dream4_net1_gold.parquet")
print(expression.shape, len(gold), "edges")
network = genie3(expression, n_estimators=1000, random_state=0, n_jobs=2)
print(network.edges(top=8).round(3).to_string(index=False))
""")
    if page["expression"].shape != (100, 100) or len(page["gold"]) != 176:
        raise SystemExit("These are not the tables that the page is about.")
    page.text("""
Every gene is predicted from the 99 others by a forest of 1,000 trees. An edge has the importance of
its regulator in the forest of its target, as a part of the target's variance.

## How good is the ranking?
""")


def comparison(page: Page) -> None:
    page.code("""
accuracy = network.accuracy(gold)
print(f"AUPR {accuracy.aupr:.3f}, AUROC {accuracy.auroc:.3f}; density {accuracy.density:.3f}")
true = set(map(tuple, gold.to_numpy()))
ranked = network.edges()
found = [pair in true for pair in zip(ranked["regulator"], ranked["target"])]
for top in (10, 50, 100, 200):
    print(f"true among the first {top}: {sum(found[:top])}")
""")
    accuracy, found = page["accuracy"], np.array(page["found"])
    true, ranked = page["true"], page["ranked"]
    pairs = list(zip(ranked["regulator"], ranked["target"], strict=True))[:100]
    turned = sum(pair not in true and pair[::-1] in true for pair in pairs)
    wrong = 100 - int(found[:100].sum())
    must(accuracy.aupr > 4 * accuracy.density and accuracy.auroc > 0.7, "accuracy")
    page.text(f"""
The area under the precision-recall curve is {accuracy.aupr:.2f}, where a random ranking has
{accuracy.density:.3f}. The ranking is good at its top only: of the first ten edges,
{found[:10].sum()} are true; of the first hundred, {found[:100].sum()}. Of the {wrong} false ones
among these, {turned} are true edges in the wrong direction. Importances say that two genes vary
together, given others, and only weakly which one regulates the other.
""")
    figure, axes = panels(8.4, 3.9)
    network = page["network"]
    network.plot(axes[0], top=TOP)
    axes[0].set_title(f"the first {TOP} edges", fontsize=10)
    accuracy.plot(axes[1])
    axes[1].axhline(accuracy.density, linestyle="--", color="0.5")
    axes[1].set_title("precision and recall; dashed: by chance", fontsize=10)
    page.picture(figure, "network-dream4", "The first edges, and precision against recall")


def variables(page: Page) -> None:
    page.text("""
## More variables at a node

The thesis advises to draw several variables at a node, so that direct influences hide indirect
ones. The default is the square root of their number; here are other numbers, with fewer trees.
""")
    page.code("""
for max_features in (1, "sqrt", 0.33, None):
    other = genie3(
        expression, n_estimators=200, max_features=max_features, random_state=0, n_jobs=2
    ).accuracy(gold)
    print(f"{str(max_features):>5}: AUPR {other.aupr:.3f}, AUROC {other.auroc:.3f}")
""")
    page.text("""
A single network does not decide which one is best. [Accuracy and time](../studies/networks.md) has
all five networks, and [Networks](../networks.md) the options.
""")


def main(folder: Path) -> None:
    page = Page()
    inference(page, folder)
    comparison(page)
    variables(page)
    page.write(HERE / "network_dream4.md")
    pyplot.close("all")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
