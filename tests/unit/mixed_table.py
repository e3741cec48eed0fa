"""One table with columns of every sort and holes in most, in the forms that libraries give it."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

N_ROWS = 90
NAMES = ["whole", "real", "flag", "tree", "day", "count", "soil"]


def columns():
    """Lists of Python's own objects, None where there is nothing."""
    random = np.random.default_rng(0)
    words = np.array(["oak", "elm", "yew", "ash", "", "Linden, old"], dtype=object)
    start = datetime(2019, 12, 31, 23, 0)
    return {
        "whole": with_holes(random.integers(-50, 50, N_ROWS).tolist(), 5),
        "real": with_holes((random.normal(size=N_ROWS).round(2)).tolist(), 4),
        "flag": with_holes((random.random(N_ROWS) < 0.4).tolist(), 7),
        "tree": with_holes(words[random.integers(0, 6, N_ROWS)].tolist(), 6),
        "day": with_holes([start + timedelta(hours=7 * i * i % 600) for i in range(N_ROWS)], 8),
        "count": random.integers(0, 9, N_ROWS).tolist(),
        "soil": words[random.integers(0, 3, N_ROWS)].tolist(),
    }


def with_holes(values, every):
    return [None if i % every == 1 else value for i, value in enumerate(values)]


def target():
    """Something that each column says a part of."""
    table = columns()
    z = np.zeros(N_ROWS)
    z += [(v is None) + 0.5 * (v or 0 > 10) / 50 for v in table["whole"]]
    z += [v or -1.0 for v in table["real"]]
    z += [{True: 2.0, False: 0.0, None: 1.0}[v] for v in table["flag"]]
    z += [{"oak": 3, "yew": 3, None: 2}.get(v, 0) for v in table["tree"]]
    z += [0 if v is None else v.hour / 8 for v in table["day"]]
    z += [v % 4 for v in table["count"]]
    z += [2 * (v == "elm") for v in table["soil"]]
    return np.digitize(z, [2.0, 4.0, 6.0]).astype(float)


def objects():
    X = np.empty((N_ROWS, len(NAMES)), dtype=object)
    for j, cells in enumerate(columns().values()):
        X[:, j] = cells
    return X


def pandas_of_numpy():
    table = columns()
    return pd.DataFrame(
        {
            "whole": np.array([np.nan if v is None else v for v in table["whole"]]),
            "real": np.array([np.nan if v is None else v for v in table["real"]]),
            "flag": pd.Series(table["flag"], dtype=object),
            "tree": pd.Series(table["tree"], dtype=object),
            "day": pd.Series(pd.to_datetime(table["day"])),
            "count": np.array(table["count"], dtype=np.int8),
            "soil": pd.Series(table["soil"], dtype=object),
        }
    )


def pandas_nullable():
    return pandas_of_numpy().astype(
        {"whole": "Int16", "real": "Float64", "flag": "boolean", "tree": "string", "count": "UInt8"}
    )


def pandas_of_arrow():
    return pyarrow().to_pandas(types_mapper=pd.ArrowDtype)


def pandas_categories():
    """Declared in another order, and with a level that is nowhere."""
    frame = pandas_of_numpy()
    for name in ("tree", "soil"):
        declared = ["yew", "none such", "oak", "Linden, old", "elm", "", "ash"]
        frame[name] = pd.Categorical(frame[name], categories=declared)
    return frame


def polars():
    return pl.DataFrame(columns())


def polars_categories():
    return polars().with_columns(pl.col("tree", "soil").cast(pl.Categorical))


def pyarrow():
    return pa.table(columns())


def pyarrow_dictionaries():
    table = pyarrow()
    for name in ("tree", "soil"):
        at = table.column_names.index(name)
        table = table.set_column(at, name, table[name].dictionary_encode())
    return table


FORMS = {
    form.__name__: form
    for form in (
        *(objects, pandas_of_numpy, pandas_nullable, pandas_of_arrow, pandas_categories),
        *(polars, polars_categories, pyarrow, pyarrow_dictionaries),
    )
}
FRAMES = {name: form for name, form in FORMS.items() if form is not objects}


def chosen(frame, names):
    """Columns by name, of a frame of any library."""
    return frame.select(names) if hasattr(frame, "select") else frame[names]


def renamed(frame, names):
    if isinstance(frame, pd.DataFrame):
        return frame.set_axis(names, axis=1)
    if isinstance(frame, pl.DataFrame):
        return frame.rename(dict(zip(frame.columns, names, strict=True)))
    return frame.rename_columns(names)
