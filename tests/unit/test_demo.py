"""``make demo`` writes a report on the bundled table."""

import json

from silvics.demo import main


def test_the_demo_writes_a_report(tmp_path, capsys):
    main([str(tmp_path)])
    out = capsys.readouterr().out
    assert "What tells penguins apart?" in out
    assert "report.html" in out
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["sections"]["quality"]["values"]["scores"]["accuracy"]["value"] > 0.95
