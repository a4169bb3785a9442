"""Rewards by the state that gold actions reach, in a run: its scores, and what becomes of gold that cannot be played."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import episodes, play, table, write

TASK = """
corpus:
  rows: {source: {file: rows.jsonl}, key: id}
  orders: {source: {file: orders.jsonl}, key: id}
columns:
  rows: {id: public, actions: gold}
  orders: {id: public, status: public}
episode: {each: rows}
vars: {luck: "0"}
observe: "{{ row.id }}"
actions:
  cancel:
    args: {id: string}
    do:
      - draw: {luck: {int: [1, 1000000]}}
      - set: {in: orders, key: args.id, values: {status: "['cancelled', vars.luck]"}}
    else: "No such order."
  done:
    do:
      - end: "true"
goal: row.actions
rewards:
  orders: {scorer: equal, of: state.edits, against: goal.edits}
oracle:
  play: row.actions
  then: {done: {}}
licence: CC0-1.0
"""
CANCEL = '{"name": "cancel", "args": {"id": "%s"}}'
FILES = {
    "task.yaml": TASK,
    "rows.jsonl": "".join(
        f'{{"id": "{i}", "actions": [{", ".join(CANCEL % o for o in orders)}]}}\n' for i, orders in (("a", "xy"), ("b", "x"), ("c", "xq"), ("d", ""))
    ),
    "orders.jsonl": '{"id": "x", "status": "sent"}\n{"id": "y", "status": "paid"}\n',
}


@pytest.mark.parametrize("heavy", [False, True])
def test_the_final_rows_are_compared_with_the_goals(tmp_path: Path, heavy: bool) -> None:
    task = TASK.replace("  cancel:\n", "  cancel:\n    heavy: true\n") if heavy else TASK
    write(tmp_path / "tasks/shop", {**FILES, "task.yaml": task})
    done = play(tmp_path, "task=shop", "agent=oracle,noop", code=1)
    assert [(r["agent"], r["n"], r["mean"], r["errors"]) for r in table(done)] == [("oracle", "3", "1.000", "1 scorer"), ("noop", "3", "0.333", "1 scorer")]
    lines = {line["key"]["row"]: line for line in episodes(next(tmp_path.glob("results/shop-oracle-*")))}
    # the draws are the same: goal and play share the seed
    assert sorted(lines["a"]["final_state"]["edits"]["orders"]) == ["x", "y"]
    assert "edits" not in lines["d"]["final_state"]
    (error,) = (line for line in episodes(next(tmp_path.glob("results/shop-noop-*")), attempts=True) if line["key"]["row"] == "c")
    assert (error["status"], error["reward"]) == ("error:scorer", None)
    assert error["error"]["message"] == "goal: action 2 (cancel) is missing: No such order."
