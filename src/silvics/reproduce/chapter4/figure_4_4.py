"""Figure 4.4: bias and variance of forests, and the correlation of their trees, against K."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from silvics import ExtraTreesRegressor, RandomForestRegressor
from silvics.bias_variance import decompose_over
from silvics.datasets import SumOfNormals
from silvics.reproduce.outcome import Row, Statement
from silvics.reproduce.settings import Settings

FORESTS = {"RF": RandomForestRegressor, "ETs": ExtraTreesRegressor}
PANELS = (1, 2)


def measure(settings: Settings) -> dict[str, Any]:
    """Return the parts of the error for each K, and how far each K is from the best one."""
    found: dict[str, Any] = {}
    for name, forest in FORESTS.items():
        curve = decompose_over(
            forest(10), SumOfNormals(), "max_features",
            settings.pick(tiny=[1, 4, 8, 10], small=list(range(1, 11)), paper=list(range(1, 11))),
            n_samples=50,
            n_learning_sets=settings.pick(tiny=10, small=100, paper=100),
            n_test=settings.pick(tiny=100, small=1000, paper=1000),
            random_state=settings.seed, n_jobs=settings.n_jobs,
        )  # fmt: skip
        found[name] = {"K": list(curve.values)} | {
            part: [result.averages[part] for result in curve.results]
            for part in ("error", "bias", "variance", "rho")
        }
        found[name]["standard_error"] = [r.standard_errors["error"] for r in curve.results]
    return found


def best(curve: Mapping[str, Any]) -> int:
    """Return the K of the smallest error."""
    return int(curve["K"][curve["error"].index(min(curve["error"]))])


def compare(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Row]:
    """Return the best K, which is what the thesis prints, and the curves."""
    rows = [Row(f"best K of {name}", printed["best_K"][name], best(ours[name])) for name in ours]
    for name, curve in ours.items():
        for part in ("error", "bias", "variance", "rho"):
            rows += [
                Row(f"{name}, {part} at K = {k}", None, value)
                for k, value in zip(curve["K"], curve[part], strict=True)
                if k in (1, printed["best_K"][name])
            ]
    return rows


def judge(ours: Mapping[str, Any], printed: Mapping[str, Any]) -> list[Statement]:
    """Judge what section 4.3.2 says about the figure."""
    found = []
    for name, curve in ours.items():
        claimed, at = printed["best_K"][name], best(curve)
        there, least = (curve["K"].index(k) for k in (claimed, at))
        excess = curve["error"][there] - curve["error"][least]
        error = curve["standard_error"][there]
        found += [
            Statement(
                f"the best K of {name} is {claimed}",
                excess <= 2 * error,
                f"K = {at}; K = {claimed} is worse by {excess:.3f}, standard error {error:.3f}",
                "the curve has another minimum",
            ),
            Statement(
                f"a small K of {name} has a high bias and a low variance",
                curve["bias"][0] > curve["bias"][-1]
                and curve["variance"][0] < curve["variance"][-1],
                f"bias {curve['bias'][0]:.2f} to {curve['bias'][-1]:.2f}, variance "
                f"{curve['variance'][0]:.2f} to {curve['variance'][-1]:.2f}",
            ),
        ]
    pairs = list(zip(ours["ETs"]["rho"], ours["RF"]["rho"], strict=True))
    found.append(
        Statement(
            "trees of ETs are less correlated than those of RF at every K",
            all(ets < rf for ets, rf in pairs),
            f"at {sum(ets < rf for ets, rf in pairs)} of {len(pairs)}",
        )
    )
    least = {name: min(curve["error"]) for name, curve in ours.items()}
    found.append(
        Statement(
            "ETs have a lower error than RF",
            least["ETs"] < least["RF"],
            f"{least['ETs']:.2f} and {least['RF']:.2f}",
        )
    )
    return found


def draw(axes: list[Any], ours: Mapping[str, Any], printed: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Draw the parts of the error, and the correlations."""
    for color, (name, curve) in zip(("C0", "C3"), ours.items(), strict=True):
        for part, style in (("error", "-"), ("bias", "--"), ("variance", ":")):
            axes[0].plot(curve["K"], curve[part], style, color=color, label=f"{part} ({name})")
        axes[1].plot(curve["K"], curve["rho"], color=color, label=name)
    axes[1].set_title("correlation of two trees, rho(x)")
    axes[0].legend(loc=(0.3, 0.17), fontsize=6, ncols=2)
    axes[1].legend()
    for ax in axes:
        ax.set_xlabel("K")
