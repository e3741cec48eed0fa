"""Plots of results. matplotlib is imported when the first plot is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from silvics._names import one_line


def new_axes(ax: Any, width: float, height: float) -> Any:
    """Return the user's axes, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Plots need matplotlib. Install it with: pip install matplotlib."
        ) from error
    return pyplot.figure(figsize=(width, height), layout="constrained").add_subplot()


def degrees(by_degree: np.ndarray, names: np.ndarray, unit: str, ax: Any = None) -> Any:
    """Draw a heat map of importances by variable and degree, as in Figure 6.3."""
    shown = by_degree[:, : _n_degrees(by_degree)]
    n, k = shown.shape
    ax = new_axes(ax, 2.2 + 0.45 * max(k, 6), 1.2 + 0.32 * n)
    image = ax.imshow(shown, cmap="Blues", vmin=0, aspect="auto")
    _name_rows(ax, names)
    ax.set_xticks(range(k))
    ax.set_xlabel("degree: other variables tested above")
    ax.figure.colorbar(image, ax=ax, label=f"importance ({unit})")
    return ax


def stacked(
    by_degree: np.ndarray, names: np.ndarray, errors: np.ndarray, unit: str, ax: Any = None
) -> Any:
    """Draw stacked bars of the importances of each variable by degree."""
    shown = by_degree[:, : _n_degrees(by_degree)]
    n, k = shown.shape
    ax = new_axes(ax, 6.4, 1.2 + 0.32 * n)
    colors = _shades(k)
    left = np.zeros(n)
    for degree in range(k):
        ax.barh(np.arange(n), shown[:, degree], left=left, color=colors[degree], label=str(degree))
        left = left + shown[:, degree]
    if errors.any():
        ax.errorbar(left, np.arange(n), xerr=errors, fmt="none", ecolor="black", capsize=2)
    _name_rows(ax, names)
    ax.invert_yaxis()
    ax.set_xlabel(f"importance ({unit})")
    if 1 < k <= 12:
        ax.legend(title="degree", fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def bars(
    values: np.ndarray,
    names: np.ndarray,
    label: str,
    ax: Any = None,
    colors: Any = None,
    legend: dict[str, str] | None = None,
) -> Any:
    """Draw a bar for each value, the first on top.

    ``colors`` are the colors of the bars; ``legend`` has the color of each kind of bar.
    """
    ax = new_axes(ax, 6.4, 1.2 + 0.32 * len(values))
    ax.barh(np.arange(len(values)), values, color=colors)
    _name_rows(ax, names)
    ax.invert_yaxis()
    ax.set_xlabel(label)
    if legend:
        from matplotlib.patches import Patch

        handles = [Patch(color=color, label=kind) for kind, color in legend.items()]
        ax.legend(handles=handles, fontsize="small", loc="lower right")
    return ax


def lines(
    x: np.ndarray,
    values: np.ndarray,
    names: np.ndarray,
    x_label: str,
    unit: str,
    ax: Any = None,
) -> Any:
    """Draw a line for each variable, as in Figures 6.2, 7.1 and 7.2."""
    ax = new_axes(ax, 6.4, 4.4)
    for j, name in enumerate(names):
        ax.plot(x, values[:, j], marker="o", markersize=3.5, label=shown_name(name))
    ax.set_xticks(x if len(x) <= 20 else x[:: len(x) // 10])
    ax.set_xlabel(shown_name(x_label))
    ax.set_ylabel(f"importance ({unit})")
    ax.set_ylim(bottom=0)
    if len(names) <= 20:
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def curves(
    x: np.ndarray,
    values: np.ndarray,
    parts: np.ndarray | None,
    names: np.ndarray | None,
    x_label: str,
    y_label: str,
    ax: Any = None,
    whole: str = "all",
) -> Any:
    """Draw a curve, with a label, and a thinner one for each of its parts."""
    ax = new_axes(ax, 6.4, 4.4)
    if parts is not None and names is not None and len(names) <= 20:
        for c, name in enumerate(names):
            ax.plot(x, parts[:, c], linewidth=0.9, alpha=0.8, label=shown_name(name))
    ax.plot(x, values, color="black", linewidth=1.8, label=whole)
    ax.set_xlabel(shown_name(x_label))
    ax.set_ylabel(shown_name(y_label))
    if len(ax.get_lines()) > 1:
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def steps(
    curves: list[tuple[np.ndarray, np.ndarray, str]], x_label: str, y_label: str, ax: Any = None
) -> Any:
    """Draw distribution functions: x, y and the label of each."""
    ax = new_axes(ax, 6.4, 4.4)
    for x, y, label in curves:
        ax.step(x, y, where="post", linewidth=1.2, label=shown_name(label))
    ax.set_xlabel(shown_name(x_label))
    ax.set_ylabel(shown_name(y_label))
    if len(curves) > 1:
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))
    return ax


def reliability(tables: dict[str, np.ndarray], ax: Any = None) -> Any:
    """Draw shares of a class by mean probabilities; the area of a point is its number of rows."""
    ax = new_axes(ax, 5.2, 4.8)
    ax.plot([0, 1], [0, 1], color="gray", linewidth=0.8, linestyle="--")
    largest = max((float(of[:, 2].max(initial=1)) for of in tables.values()), default=1.0)
    for name, of in tables.items():
        (line,) = ax.plot(of[:, 0], of[:, 1], linewidth=1.2, label=shown_name(name))
        sizes = 10 + 60 * of[:, 2] / largest
        ax.scatter(of[:, 0], of[:, 1], s=sizes, color=line.get_color())
    ax.set_xlabel("mean predicted probability")
    ax.set_ylabel("share of rows of the class")
    ax.legend(fontsize="small", loc="upper left")
    return ax


def points(
    x: np.ndarray,
    y: np.ndarray,
    labels: np.ndarray | None,
    x_label: str,
    y_label: str,
    ax: Any = None,
) -> Any:
    """Draw points, in a color for each class; numbers and many classes are shades."""
    ax = new_axes(ax, 6.4, 4.8)
    size = float(np.clip(4000 / max(len(x), 1), 1.0, 24.0))
    style = {"s": size, "linewidths": 0, "rasterized": len(x) > 5000}
    classes = np.zeros(0) if labels is None else np.unique(labels)
    if 0 < len(classes) <= 20 and labels is not None:
        colors = _class_colors(len(classes))
        for color, name in zip(colors, classes, strict=True):
            of_class = labels == name
            ax.scatter(x[of_class], y[of_class], color=color, label=shown_name(name), **style)
        ax.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5), markerscale=2)
    elif labels is None:
        ax.scatter(x, y, color="tab:blue", **style)
    else:
        codes = labels if labels.dtype.kind in "fiu" else np.searchsorted(classes, labels)
        ax.scatter(x, y, c=codes, cmap="viridis", **style)
    ax.set_xlabel(shown_name(x_label))
    ax.set_ylabel(shown_name(y_label))
    return ax


def _class_colors(n: int) -> Any:
    from matplotlib import colormaps

    return colormaps["tab10" if n <= 10 else "tab20"](np.arange(n))


def _n_degrees(by_degree: np.ndarray) -> int:
    """Return the number of degrees up to the last one with an importance."""
    some = np.flatnonzero(by_degree.any(axis=0))
    return int(some[-1]) + 1 if some.size else 1


def _name_rows(ax: Any, names: np.ndarray) -> None:
    ax.set_yticks(range(len(names)), labels=[shown_name(name) for name in names])


def shown_name(name: Any) -> str:
    """Return a name that matplotlib shows unchanged.

    Matplotlib reads text between dollars as a formula and hides labels that begin with an
    underscore.
    """
    text = one_line(str(name)).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def _shades(n: int) -> Any:
    """Return colors from dark, for low degrees, to light."""
    from matplotlib import colormaps

    return colormaps["Blues"](np.linspace(0.95, 0.3, n))


def arrows(sources: list[str], ends: list[str], values: np.ndarray, ax: Any = None) -> Any:
    """Draw arrows between points on a circle, wider and darker for larger values."""
    ax = new_axes(ax, 7.0, 7.0)
    names = list(dict.fromkeys(name for pair in zip(sources, ends, strict=True) for name in pair))
    angles = np.linspace(0.0, 2.0 * np.pi, len(names), endpoint=False)
    place = dict(zip(names, zip(np.cos(angles), np.sin(angles), strict=True), strict=True))
    largest = values.max(initial=0.0) or 1.0
    shades = 0.25 + 0.75 * np.clip(values / largest, 0.0, 1.0)
    for source, end, shade in zip(sources, ends, shades.tolist(), strict=True):
        style = {
            "arrowstyle": "-|>", "connectionstyle": "arc3,rad=0.12", "color": "tab:blue",
            "alpha": shade, "linewidth": 0.4 + 2.0 * shade, "shrinkA": 5.0, "shrinkB": 7.0,
        }  # fmt: skip
        ax.annotate("", place[end], place[source], arrowprops=style)
    for name, angle in zip(names, angles.tolist(), strict=True):
        x, y = place[name]
        ax.plot(x, y, "o", color="0.3", markersize=5)
        on_left = x < -1e-9
        ax.text(
            1.05 * x, 1.05 * y, shown_name(name), fontsize="small", rotation_mode="anchor",
            rotation=np.degrees(angle) + 180.0 * on_left, ha="right" if on_left else "left",
            va="center",
        )  # fmt: skip
    ax.set_xlim(-1.35, 1.35)
    ax.set_ylim(-1.35, 1.35)
    ax.set_aspect("equal")
    ax.axis("off")
    ax.set_title(f"{len(values)} edges of the largest importance")
    return ax
