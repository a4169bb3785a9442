"""`new task` over many tables, untouched: how many pass `check`, how long their task.yaml is, how long it took. `python bench/new_tasks.py`.

Tables: the shared data beside the project where it is there, scikit-learn's, and those of vega-datasets, palmerpenguins and gapminder where they are installed.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
SHARED = (HERE.parent.parent / "shared/data").resolve()
FILES = (
    *("gsm8k/test.jsonl", "hotpotqa/hub_schema_100.json", "hotpotqa/dev_500.jsonl", "mediq/all_dev_good.jsonl", "agentclinic/agentclinic_medqa.jsonl"),
    *("humaneval/HumanEval.jsonl.gz", "countries/countries.json", "flags/png100px", "bbh/navigate.json", "bbh/geometric_shapes.json", "bbh/word_sorting.json"),
    *("bbh/multistep_arithmetic_two.json", "bbh/sports_understanding.json", "tau_airline/reservations.json", "tau_airline/users.json"),
)
HARNESS = (sys.executable, "-m", "agentharness")
PACKAGED = ("vega_datasets/_data", "palmerpenguins/data", "gapminder")


def sources(folder: Path) -> dict[str, Path]:
    """Name -> table."""
    out = {f"s{i}_{Path(name).stem.split('.')[0]}": SHARED / name for i, name in enumerate(FILES) if (SHARED / name).exists()}
    if importlib.util.find_spec("sklearn") is not None:
        from sklearn import datasets

        for name in ("iris", "wine", "breast_cancer", "diabetes"):
            loaded = getattr(datasets, f"load_{name}")()
            names = [*loaded.feature_names, "target"]
            labels = loaded.target_names if hasattr(loaded, "target_names") else None
            with (folder / f"{name}.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows([*row, labels[y] if labels is not None else y] for row, y in zip(loaded.data, loaded.target, strict=True))
            out[name] = folder / f"{name}.csv"
    for place in PACKAGED:
        spec = importlib.util.find_spec(place.split("/")[0])
        base = Path(spec.origin).parent / "/".join(place.split("/")[1:]) if spec is not None and spec.origin else Path("/nowhere")
        for path in sorted([*base.glob("*.csv"), *base.glob("*.json")]):
            if path.stat().st_size > 2000:
                out.setdefault(path.stem.replace(" ", "_"), path)
    return out


def main() -> None:
    """One line a table, then the sum."""
    green, lines, seconds = 0, [], []
    with tempfile.TemporaryDirectory() as name:
        cwd = Path(name)
        (cwd / "tasks").mkdir()
        found = sources(cwd)
        for task, path in found.items():
            began = time.monotonic()
            done = subprocess.run([*HARNESS, "new", "task", task, f"from={path}"], cwd=cwd, capture_output=True, text=True, check=False)
            seconds.append(time.monotonic() - began)
            told = subprocess.run([*HARNESS, "check", f"task={task}", "quiet=true"], cwd=cwd, capture_output=True, text=True, check=False)
            red = [" ".join(line.split()) for line in told.stdout.splitlines() if " red " in line[:24]] or told.stderr.splitlines()[-1:]
            green += done.returncode == 0 and told.returncode == 0
            file = cwd / "tasks" / task / "task.yaml"
            if file.exists():
                lines.append(len(file.read_text().splitlines()))
            said = done.stderr.strip() or next((line.strip() for line in done.stdout.splitlines() if "played" in line), "")
            print(json.dumps({"task": task, "code": done.returncode, "seconds": round(seconds[-1], 2), "said": said[:200], "red": red}), flush=True)
    total = {"tables": len(found), "green": green, "median_lines": statistics.median(lines), "most_lines": max(lines), "median_s": statistics.median(seconds)}
    print(json.dumps(total))


if __name__ == "__main__":
    main()
