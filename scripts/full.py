"""`check limit=all` over every task of the shelf whose data is there; the table goes to docs/shelf.md: `python scripts/full.py`.

Tasks whose data lies on a hub are played from the shared data beside the project, in the hub's own schema.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = (ROOT.parent / "shared/data").resolve()
SOURCES = {
    "gsm8k": "gsm8k/test.jsonl",
    "hotpotqa": "hotpotqa/hub_schema_100.json",
    "mediq": "mediq/all_dev_good.jsonl",
    "agentclinic": "agentclinic/agentclinic_medqa.jsonl",
    "geolocate": "countries/countries.json",
    "bbh": "bbh/navigate.json",
}
TARGET = ROOT / "docs/shelf.md"


def main() -> int:
    """1 where a finding is red."""
    parts = ["# The shelf", "", "Made by `python scripts/full.py`: every task over all rows of its real data, checked without a model.", ""]
    code = 0
    with tempfile.TemporaryDirectory() as out:
        for folder in sorted(p.parent for p in ROOT.glob("tasks/*/task.yaml")):
            words = [f"task={folder.name}", "limit=all", f"out={out}"]
            if folder.name in SOURCES:
                if not (SHARED / SOURCES[folder.name]).exists():
                    parts += [f"## {folder.name}", "", "Its data is not on this machine.", ""]
                    continue
                words.append(f"source={SHARED / SOURCES[folder.name]}")
            done = subprocess.run([sys.executable, "-m", "agentharness", "check", *words], cwd=ROOT, capture_output=True, text=True, check=False)
            code = max(code, done.returncode)
            parts += [f"## {folder.name}", "", "```text", (done.stdout + done.stderr).rstrip(), "```", ""]
    TARGET.write_text("\n".join(parts), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
