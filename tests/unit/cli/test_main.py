import io
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import silvics
from silvics.cli.main import main
from silvics.datasets import load_penguins


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("cli")
    X, y = load_penguins(return_X_y=True)
    table = pl.from_pandas(X).with_columns(species=pl.Series(y.tolist()))
    table.write_csv(found / "penguins.csv")
    assert main(["fit", str(found / "penguins.csv"), "--target", "species", "--trees", "20",
                 "--model", str(found / "m.silvics"), "--quiet"]) == 0  # fmt: skip
    return found


def test_help_loads_no_numerical_library():
    code = (
        "import sys; from silvics.cli.main import parser; parser().format_help(); "
        "print([m for m in ('numpy', 'sklearn', 'silvics._core') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_report(folder, capsys):
    command = ["report", str(folder / "penguins.csv"), "--target", "species", "--sections", "data"]
    assert main([*command, "--out", str(folder / "r"), "--no-rows"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("What predicts species?")
    assert "report.html" in out
    assert (folder / "r" / "report.html").exists()
    assert main([*command, "--out", str(folder / "r"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["about"]["n_rows"] == 344
    assert found == json.loads((folder / "r" / "report.json").read_text())


def test_predict_writes_files_and_the_standard_output(folder, capsysbinary):
    command = ["predict", str(folder / "m.silvics"), str(folder / "penguins.csv")]
    assert main([*command, "--keep", "species", "--probabilities"]) == 0
    found = pl.read_csv(io.BytesIO(capsysbinary.readouterr().out))
    assert found.columns == ["species", "prediction", "p_Adelie", "p_Chinstrap", "p_Gentoo"]
    assert (found["species"] == found["prediction"]).mean() > 0.97
    assert main([*command, "--out", str(folder / "p.parquet")]) == 0
    assert pl.read_parquet(folder / "p.parquet").height == 344


def test_standard_input(folder, monkeypatch, capsysbinary):
    lines = (folder / "penguins.csv").read_bytes().splitlines(keepends=True)[:4]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"".join(lines))))
    assert main(["predict", str(folder / "m.silvics"), "-"]) == 0
    assert capsysbinary.readouterr().out == b"prediction\nAdelie\nAdelie\nAdelie\n"


def test_fit_continues_from_a_folder(folder, tmp_path, capsys):
    def digest(*more):
        arguments = ["--target", "species", "--model", str(tmp_path / "m.silvics"), "--json", *more]
        assert main(["fit", str(folder / "penguins.csv"), *arguments]) == 0
        return json.loads(capsys.readouterr().out)["digest"]

    trees = tmp_path / "trees"
    digest("--trees", "4", "--resume", str(trees))
    assert len(list(trees.glob("tree-*"))) == 4
    assert digest("--trees", "9", "--resume", str(trees)) == digest("--trees", "9")
    assert len(list(trees.glob("tree-*"))) == 9


def test_fit_on_a_cluster_that_is_not_there(folder, tmp_path, capsys, monkeypatch):
    pytest.importorskip("distributed")
    from silvics._tasks import connecting

    monkeypatch.setattr(connecting, "_PATIENCE", 1)
    arguments = ["--target", "species", "--model", str(tmp_path / "m.silvics"), "--quiet"]
    assert main(["fit", str(folder / "penguins.csv"), *arguments,
                 "--engine", "tcp://127.0.0.1:9"]) == 1  # fmt: skip
    assert "No Dask scheduler answers" in capsys.readouterr().err


def test_models_predict_the_tables_they_were_fitted_to(tmp_path, capsys):
    """``fit`` changes the types of columns; ``predict`` does the same."""
    table = pl.DataFrame(
        {
            "zip": [1234560 + k % 6 for k in range(60)],
            "price": [f"{1000 + 7 * k:,}" for k in range(60)],
            "code": ["A1" if k % 2 else "22" for k in range(60)],
            "y": [float(k % 6) for k in range(60)],
        }
    )
    table.write_csv(tmp_path / "t.csv")
    table.filter(pl.col("code") == "22").write_csv(tmp_path / "some.csv")
    model = str(tmp_path / "m.silvics")
    assert main(["fit", str(tmp_path / "t.csv"), "--target", "y", "--task", "regression",
                 "--types", "zip=category", "--trees", "5", "--model", model]) == 0  # fmt: skip
    assert len(silvics.load(model)._variables.levels[0]) == 6
    for name in ("t.csv", "some.csv"):
        assert main(["predict", model, str(tmp_path / name), "--quiet"]) == 0
    assert main(["predict", model, str(tmp_path / "t.csv"), "--keep", "zip"]) == 0
    capsys.readouterr()


def test_impute(folder, capsys):
    out = folder / "full.csv"
    assert main(["impute", str(folder / "penguins.csv"), "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["filled"] == 19
    assert sum(pl.read_csv(out).null_count().row(0)) == 0
    command = ["impute", str(folder / "penguins.csv"), "--method", "proximity"]
    assert main([*command, "--target", "species", "--out", str(out)]) == 0
    assert pl.read_csv(out).columns == pl.read_csv(folder / "penguins.csv").columns


def test_convert_and_info(folder, capsys):
    model = str(folder / "m.silvics")
    for kind in ("json", "c", "silvics"):
        out = str(folder / f"model.{kind}")
        assert main(["convert", model, "--to", kind, "--out", out]) == 0
    assert json.loads((folder / "model.json").read_text())
    capsys.readouterr()
    assert main(["info", model, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["digest"] == silvics.load(model).digest()
    assert found["classes"] == ["Adelie", "Chinstrap", "Gentoo"]
    assert main(["info", model]) == 0
    assert "trees: 20" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["report", "none.csv", "--target", "y"], "There is no file none.csv"),
        (["report", "{folder}/penguins.csv", "--target", "speceis"], "Did you mean 'species'?"),
        (["predict", "{folder}/penguins.csv", "{folder}/penguins.csv"], "valid model file"),
        (
            ["predict", "{folder}/m.silvics", "{folder}/penguins.csv", "--keep", "z"],
            "no column 'z'",
        ),
        (["info", "none.silvics"], "none.silvics"),
        (
            ["predict", "{folder}/m.silvics", "{folder}/penguins.csv", "--out", "{folder}/a/b.csv"],
            "There is no folder {folder}/a.",
        ),
        (
            [
                "fit",
                "{folder}/penguins.csv",
                "--target",
                "species",
                "--model",
                "m",
                "--weight",
                "island",
            ],
            "The column 'island' must have numbers",
        ),
    ],
)
def test_errors_are_one_line(folder, capsys, command, message):
    assert main([part.format(folder=folder) for part in command]) == 1
    error = capsys.readouterr().err
    assert error.startswith("silvics: error: ")
    assert message.format(folder=folder) in error


@pytest.mark.parametrize(
    ("command", "replaced"),
    [
        (["predict", "m.silvics", "t.csv", "--out", "t.csv"], "--out t.csv would replace t.csv"),
        (["predict", "m.silvics", "t.csv", "--out", "link.csv"], "link.csv would replace t.csv"),
        (["predict", "m.silvics", "t.csv", "--out", "m.silvics"], "would replace m.silvics"),
        (["impute", "t.csv", "--out", "./t.csv"], "--out ./t.csv would replace t.csv"),
        (["fit", "t.csv", "--target", "species", "--model", "t.csv"], "--model t.csv would"),
        (["convert", "m.silvics", "--to", "json", "--out", "m.silvics"], "replace m.silvics"),
    ],
)
def test_files_that_are_read_are_not_replaced(
    folder, tmp_path, monkeypatch, capsys, command, replaced
):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_bytes((folder / "penguins.csv").read_bytes())
    Path("m.silvics").write_bytes((folder / "m.silvics").read_bytes())
    Path("link.csv").symlink_to("t.csv")
    assert main(command) == 1
    assert replaced in capsys.readouterr().err
    for name, before in (("t.csv", "penguins.csv"), ("m.silvics", "m.silvics")):
        assert Path(name).read_bytes() == (folder / before).read_bytes()


def test_interrupts_have_their_own_status(monkeypatch, capsys):
    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr("silvics.cli.info.run", interrupted)
    assert main(["info", "m.silvics"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_all_commands(shell, capsys):
    assert main(["--completion", shell]) == 0
    out = capsys.readouterr().out
    for command in ("report", "fit", "predict", "impute", "convert", "info", "target"):
        assert command in out


def test_completion_in_bash(tmp_path, capsys):
    main(["--completion", "bash"])
    script = tmp_path / "completion"
    Path(script).write_text(capsys.readouterr().out)
    line = f"source {script}; COMP_WORDS=(silvics rep); COMP_CWORD=1; _silvics; echo $COMPREPLY"
    run = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["report"]
