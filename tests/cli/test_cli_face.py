"""The terminal as a face: words above a live line, and the table."""

from __future__ import annotations

import pytest

from agentharness.cli.face import Terminal
from agentharness.stats.cell import Cell
from agentharness.stats.summary import Summary
from agentharness.types.face import Face


def test_words_go_to_stdout_and_above_the_line_while_it_lives(capsys: pytest.CaptureFixture[str]) -> None:
    face: Face = Terminal()
    face.say("before")
    with face.live(3) as live:
        live.tick(in_flight=1)
        face.say("between")
    face.say("after")
    assert capsys.readouterr() == ("before\nafter\n", "between\n")


def test_the_line_ends_with_its_context_even_by_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    face = Terminal(quiet=True)
    with pytest.raises(ValueError, match="x"), face.live(3):
        raise ValueError("x")
    face.say("after")
    assert capsys.readouterr() == ("after\n", "")


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().table([Cell("atlas", "oracle", "", Summary(planned=1, n=1, rows=1, mean=1.0, coverage=1.0), "results/x")])
    out = capsys.readouterr().out
    assert out.splitlines()[3].split()[:4] == ["atlas", "oracle", "1", "1.000"]
    assert "results: results/x" in out
