"""``silvics convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from silvics.model_file.loading import load
from silvics.reporting.reading import check_not_read


def run(options: Any) -> dict[str, Any]:
    """Write a saved forest in another format."""
    check_not_read("--out", options.out, options.model)
    forest = load(options.model)
    out = Path(options.out)
    if options.to == "silvics":
        forest.save(out)
    elif options.to == "onnx":
        out.write_bytes(forest.to_onnx().SerializeToString())
    elif options.to == "treelite":
        out.write_bytes(forest.to_treelite().serialize_bytes())
    elif options.to == "json":
        out.write_text(forest.to_json(), encoding="utf-8")
    else:
        out.write_text(forest.to_c(), encoding="utf-8")
    size = out.stat().st_size
    if not options.quiet and not options.json:
        print(f"{out}: {size:,} bytes")
    return {"out": str(out), "format": options.to, "bytes": size}
