"""Two small real tables that come with the package."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from silvics._frames import frame_of

_NUMBERS, _WHOLE, _TEXTS, _DATES = "numbers", "whole numbers", "texts", "dates"

_PENGUINS = {
    "species": _TEXTS, "island": _TEXTS, "bill_length_mm": _NUMBERS, "bill_depth_mm": _NUMBERS,
    "flipper_length_mm": _NUMBERS, "body_mass_g": _NUMBERS, "sex": _TEXTS, "year": _WHOLE,
}  # fmt: skip
_WEATHER = {
    "date": _DATES, "precipitation": _NUMBERS, "temp_max": _NUMBERS, "temp_min": _NUMBERS,
    "wind": _NUMBERS, "weather": _TEXTS,
}  # fmt: skip


def load_penguins(*, return_X_y: bool = False) -> Any:
    """Load measurements of 344 penguins: categories, numbers and missing values.

    The target is the species: Adelie, Chinstrap or Gentoo. The inputs are the island and the sex,
    which are categories, and four measurements and the year. Nineteen cells are missing.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return the inputs and the target alone.

    Returns
    -------
    data : Bunch
        An object with the attributes ``data`` (a frame of pandas, polars or pyarrow, whichever is
        installed, in this order), ``target`` (an array of str), ``feature_names``,
        ``target_names`` and ``DESCR``.
    (X, y) : tuple if ``return_X_y`` is true
        ``data`` and ``target``.

    Notes
    -----
    Collected at Palmer Station, Antarctica, by K. Gorman and the Palmer Station LTER; prepared by
    A. Horst, A. Hill and K. Gorman (2020). The data are in the public domain (CC0 1.0).

    Examples
    --------
    >>> from silvics import RandomForestClassifier
    >>> from silvics.datasets import load_penguins
    >>> X, y = load_penguins(return_X_y=True)
    >>> forest = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.95
    True
    """
    description = "344 penguins of three species. Public domain (CC0 1.0)."
    return _loaded("penguins.csv", _PENGUINS, "species", description, return_X_y)


def load_seattle_weather(*, return_X_y: bool = False) -> Any:
    """Load the weather of Seattle on each day of 2012 to 2015: a date, numbers, one category.

    The target is the highest temperature of the day in degrees Celsius. The inputs are the date,
    the lowest temperature, precipitation, wind, and the kind of weather.

    Parameters
    ----------
    return_X_y : bool, default=False
        Whether to return the inputs and the target alone.

    Returns
    -------
    data : Bunch
        An object with the attributes ``data`` (a frame of pandas, polars or pyarrow, whichever is
        installed, in this order), ``target`` (an array of numbers), ``feature_names`` and
        ``DESCR``.
    (X, y) : tuple if ``return_X_y`` is true
        ``data`` and ``target``.

    Notes
    -----
    From the National Oceanic and Atmospheric Administration of the United States; a work of the
    government, in the public domain.

    Examples
    --------
    >>> from silvics.datasets import load_seattle_weather
    >>> table = load_seattle_weather()
    >>> table.feature_names
    ['date', 'precipitation', 'temp_min', 'wind', 'weather']
    """
    description = "Weather of Seattle, 2012 to 2015 (NOAA). Public domain."
    return _loaded("seattle_weather.csv", _WEATHER, "temp_max", description, return_X_y)


def _loaded(
    file: str, types: dict[str, str], target: str, description: str, return_X_y: bool
) -> Any:
    text = files("silvics.datasets").joinpath("data").joinpath(file).read_text(encoding="utf-8")
    names, *rows = csv.reader(text.splitlines())
    columns = {name: _column([row[j] for row in rows], types[name]) for j, name in enumerate(names)}
    y = np.array(columns.pop(target))
    X = frame_of(columns, None)
    if return_X_y:
        return X, y
    more = {"target_names": np.unique(y)} if types[target] == _TEXTS else {}
    return Bunch(data=X, target=y, feature_names=list(columns), DESCR=description, **more)


def _column(cells: list[str], type_: str) -> Any:
    if type_ == _NUMBERS:
        return np.array([np.nan if cell == "NA" else float(cell) for cell in cells])
    if type_ == _WHOLE:
        return np.array([int(cell) for cell in cells])
    if type_ == _DATES:
        return np.array([cell.replace("/", "-") for cell in cells], dtype="datetime64[s]")
    return [None if cell == "NA" else cell for cell in cells]
