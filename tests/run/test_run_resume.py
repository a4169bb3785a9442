"""The same command goes on: what is played stays, what another run would be is refused."""

from __future__ import annotations

from pathlib import Path

from harness import episodes, play, refused, resume_of, run, sums, table, timeless
from spawn import Server

from agentharness import canon


def test_a_higher_limit_plays_the_rest_and_keeps_what_is_there(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 7)
    words = ("task=sums", "agent=tools", "model=calc", f"base_url={server.url}", "out=r")
    assert table(run(tmp_path, *words, "limit=3"))[0]["n"] == "3"
    first = (tmp_path / "r/episodes.jsonl").read_bytes()
    assert [line["key"]["row"] for line in episodes(tmp_path / "r")] == ["r000", "r001", "r002"]
    asked = server.stats()["requests"]
    assert table(play(tmp_path, *words))[0]["n"] == "7"
    assert server.stats()["requests"] - asked == 2 * 4
    assert (tmp_path / "r/episodes.jsonl").read_bytes().startswith(first)
    lines = episodes(tmp_path / "r")
    assert [(line["key"]["row"], line["final_state"]["submission"]) for line in lines] == [(f"r{i:03}", str(3 * i)) for i in range(7)]
    # A lower limit shows less and loses nothing.
    assert table(play(tmp_path, *words, "limit=2"))[0]["n"] == "2"
    assert episodes(tmp_path / "r") == lines
    whole = play(tmp_path, "task=sums", "agent=tools", "model=calc", f"base_url={server.url}", "out=once")
    assert timeless(episodes(tmp_path / "once")) == timeless(lines)
    asked = server.stats()["requests"]
    play(tmp_path, *resume_of(whole))
    assert server.stats()["requests"] == asked


def test_more_samples_are_more_episodes_of_the_same_groups(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    play(tmp_path, "task=sums", "agent=random", "samples=2", "out=r")
    before = timeless(episodes(tmp_path / "r"))
    done = play(tmp_path, "task=sums", "agent=random", "samples=4", "out=r")
    lines = episodes(tmp_path / "r")
    assert [(line["key"]["row"], line["key"]["sample"]) for line in lines] == [(f"r{i:03}", s) for i in range(3) for s in range(4)]
    assert [line for line in timeless(lines) if line in before] == before
    groups = {line["group"]: line["key"]["row"] for line in lines}
    assert sorted(groups.values()) == ["r000", "r001", "r002"]
    assert "the mean is over 3 rows, each the mean of its samples" in done.out


def test_another_run_in_the_same_folder_is_refused_with_what_differs(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 2)
    words = ("task=sums", "agent=tools", "model=say:0", f"base_url={server.url}", "out=r")
    play(tmp_path, *words)
    kept = (tmp_path / "r/episodes.jsonl").read_bytes()
    for more, differs in (
        (["agent.temperature=0.5"], ['agent: "', '" -> "']),
        (["seed=1"], ["seed: 0 -> 1"]),
        (["round=2"], ["round: 0 -> 2"]),
    ):
        told = refused(tmp_path, *words, *more)
        assert told.startswith("r: this folder holds another run: ")
        assert all(piece in told for piece in differs), told
        assert "fresh=true" in told
    other = refused(tmp_path, "task=sums", "agent=tools", "model=say:1", f"base_url={server.url}", "out=r")
    assert "agent: " in other
    (tmp_path / "tasks/sums/sums.jsonl").write_text('{"id": "r000", "a": 5, "b": 0, "total": 5}\n')
    assert "world: " in refused(tmp_path, *words)
    assert (tmp_path / "r/episodes.jsonl").read_bytes() == kept


def test_patience_speed_and_place_of_the_server_are_not_the_run(tmp_path: Path, server: Server) -> None:
    sums(tmp_path, 2)
    play(tmp_path, "task=sums", "agent=tools", "model=openai/say:0", f"base_url={server.url}", "out=r", "limit=1")
    more = ("concurrency=7", "timeouts.attempt=9", "timeouts.attempts=3")
    url = server.url.replace("127.0.0.1", "localhost")
    assert table(play(tmp_path, "task=sums", "agent=tools", "model=say:0", f"base_url={url}", "out=r", *more))[0]["n"] == "2"


def test_a_corrupt_line_is_told_by_file_and_number(tmp_path: Path) -> None:
    sums(tmp_path, 3)
    play(tmp_path, "task=sums", "out=r")
    file = tmp_path / "r/episodes.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + lines[1][:50] + b"\n" + lines[2])
    told = "r/episodes.jsonl:2: corrupt line (keep a copy of the file, then delete line 2: its episode is played again)"
    assert refused(tmp_path, "task=sums", "out=r") == told
    file.write_bytes(lines[0] + lines[2])
    assert table(play(tmp_path, "task=sums", "out=r"))[0]["n"] == "3"
    assert timeless(episodes(tmp_path / "r")) == timeless([canon.loads(line) for line in lines])


def test_fresh_starts_again_and_keeps_the_old_run(tmp_path: Path) -> None:
    sums(tmp_path, 2)
    play(tmp_path, "task=sums", "out=r", "limit=1")
    old = (tmp_path / "r/episodes.jsonl").read_bytes()
    done = play(tmp_path, "task=sums", "out=r", "seed=4", "fresh=true")
    assert "the run that was in r is kept in " in done.out
    assert (tmp_path / "r.1/episodes.jsonl").read_bytes() == old
    assert [line["key"]["seed"] for line in episodes(tmp_path / "r")] == [4, 4]
    # The command that resumes a fresh run does not start it afresh.
    play(tmp_path, *resume_of(done))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r", "r.1", "tasks"]


def test_episodes_scored_by_other_rewards_are_not_mixed(tmp_path: Path) -> None:
    task = sums(tmp_path, 3) / "task.yaml"
    play(tmp_path, "task=sums", "out=r", "limit=2")
    text = task.read_text()
    task.write_text(text.replace("reward: exact", "reward: [exact, contains]"))
    told = refused(tmp_path, "task=sums", "out=r")
    assert "its episodes were scored by v1:" in told
    assert "the task now scores by v1:" in told
    assert len(episodes(tmp_path / "r")) == 2
    task.write_text(text)
    assert table(play(tmp_path, "task=sums", "out=r"))[0]["n"] == "3"
    # Gold is part of the scoring as well.
    rows = tmp_path / "tasks/sums/sums.jsonl"
    rows.write_text(rows.read_text().replace('"total": 6', '"total": 7'))
    assert "scored by" in refused(tmp_path, "task=sums", "out=r")
