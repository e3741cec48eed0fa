import json

import pytest

from silvics.cli import reproduce as command
from silvics.cli.main import main
from silvics.reproduce.running import reproduce


def test_the_list(capsys):
    assert main(["reproduce", "--list"]) == 0
    out = capsys.readouterr().out
    assert "table-3.1    3.6.2  Three splits of a toy problem" in out
    assert "Average ranks of all methods on small data sets [--data: optional diabetes, " in out
    assert "Accuracy on larger data sets [--data: needs mnist, isolet1, arcene; optional m" in out
    assert main(["reproduce", "--list", "--json"]) == 0
    found = {row["id"]: row for row in json.loads(capsys.readouterr().out)}
    assert found["table-3.1"]["line"] == 959
    assert found["table-3.1"]["optional_data"] == []
    assert "letter" in found["table-8.1"]["optional_data"]
    assert found["table-8.4"]["data"] == ["mnist"]


def test_an_item(tmp_path, capsys):
    out = tmp_path / "new"
    assert main(["reproduce", "Table 3.1", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "The finding holds" in text
    assert sorted(path.name for path in out.iterdir()) == [
        "index.md", "table-3.1.json", "table-3.1.md", "table-3.1.svg",
    ]  # fmt: skip
    assert main(["reproduce", "table-3.1", "--json", "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["holds"] is True


def test_several_items(tmp_path, capsys):
    names = ["table-3.1", "figure-4.4"]
    assert main(["reproduce", *names, "--scale", "tiny", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "2 of 2 items" in out
    assert "figure-4.4: The finding" in out


def test_items_without_their_data_are_listed(tmp_path, capsys):
    names = ["table-3.1", "figure-5.9"]
    assert main(["reproduce", *names, "--out", str(tmp_path)]) == 0
    assert "figure-5.9: not run. Figure 5.9 needs mnist.parquet." in capsys.readouterr().out
    assert "| not run | Figure 5.9 needs mnist.parquet." in (tmp_path / "index.md").read_text()
    assert main(["reproduce", "figure-5.9", "--out", str(tmp_path)]) == 1
    assert "--data FOLDER" in capsys.readouterr().err


def test_an_interrupt_keeps_what_is_finished(tmp_path, monkeypatch):
    done = []

    def interrupted(name, settings):
        if done:
            raise KeyboardInterrupt
        done.append(name)
        return reproduce(name, settings)

    monkeypatch.setattr(command, "reproduce", interrupted)
    assert main(["reproduce", "--chapter", "3", "--scale", "tiny", "--out", str(tmp_path)]) == 130
    assert (tmp_path / f"{done[0]}.md").exists()
    assert f"({done[0]}.md)" in (tmp_path / "index.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table-9.9"], "There is no item 'table-9.9'"),
        ([], "Name an item"),
        (["table-3.1", "--all"], "but not both"),
        (["--chapter", "1"], "have no items"),
        (["table-3.1", "--data", "no/folder"], "There is no folder no/folder"),
    ],
)
def test_errors(arguments, message, capsys, tmp_path):
    assert main(["reproduce", *arguments, "--out", str(tmp_path)]) == 1
    assert message in capsys.readouterr().err
