"""The live line: plain and seldom where the stream is no terminal, one line on a terminal."""

from __future__ import annotations

import io

from agentharness.report.live import Live
from agentharness.types.episode import Facts


class Clock:
    def __init__(self) -> None:
        self.t = 0.0

    def __call__(self) -> float:
        return self.t


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def facts(id: str, status: str = "completed", reward: float | None = 1.0, tokens: int = 0) -> Facts:
    return Facts(id, id, 0, status, reward, {}, {}, {"prompt_tokens": tokens, "completion_tokens": 1}, 0.0, 1.0, {})


def test_a_plain_line_every_five_seconds_and_at_the_end() -> None:
    clock, out = Clock(), io.StringIO()
    with Live(3, stream=out, clock=clock) as live:
        live.tick(in_flight=2)
        live.update(facts("a", tokens=1500))
        assert out.getvalue() == ""
        clock.t = 5.0
        live.update(facts("b", "error:model", None))
        assert out.getvalue() == "1/3 done · 2 in flight · mean 1.000 · 1.5k tokens · 1 errors · 5.0s\n"
        clock.t = 7.0
        live.update(facts("b", reward=0.0))
        live.tick(in_flight=0, retries=4)
    assert out.getvalue().splitlines()[1:] == ["2/3 done · 0 in flight · mean 0.500 · 1.5k tokens · 0 errors · 4 retries · 7.0s"]


def test_a_short_run_writes_no_plain_line() -> None:
    out = io.StringIO()
    with Live(1, stream=out, clock=Clock()) as live:
        live.update(facts("a"))
    assert out.getvalue() == ""


def test_not_enabled_it_is_silent_and_still_counts() -> None:
    clock, out = Clock(), Terminal()
    with Live(2, enabled=False, stream=out, clock=clock) as live:
        clock.t = 60.0
        live.update(facts("a"))
    assert out.getvalue() == ""
    assert live.line().startswith("1/2 done")


def test_agents_errors_and_unscored_episodes_are_done_but_not_in_the_mean() -> None:
    live = Live(4, enabled=False, clock=Clock())
    for f in (facts("a"), facts("b", "error:agent", 0.0), facts("c", reward=None), facts("d", reward=float("nan")), facts("a")):
        live.update(f)
    assert live.line() == "4/4 done · mean 1.000 · 5 tokens · 1 errors · 0.0s"
    assert Live(4, enabled=False, clock=Clock()).line() == "0/4 done · mean — · 0 tokens · 0 errors · 0.0s"


def test_calls_and_tokens_move_before_the_first_episode_ends() -> None:
    live = Live(4, enabled=False, clock=Clock())
    live.tick(in_flight=3, tokens=1200, calls=1, retries=0)
    assert live.line() == "0/4 done · 3 in flight · mean — · 1 calls · 1.2k tokens · 0 errors · 0.0s"
    # What has ended is counted by its facts, and no more among what goes on.
    live.update(facts("a", tokens=999))
    live.tick(in_flight=2, tokens=200, calls=2, retries=1)
    assert live.line() == "1/4 done · 2 in flight · mean 1.000 · 2 calls · 1.2k tokens · 0 errors · 1 retries · 0.0s"


def test_on_a_terminal_the_line_is_drawn_and_gone_at_the_end() -> None:
    clock, out = Clock(), Terminal()
    with Live(2, stream=out, clock=clock) as live:
        clock.t = 0.2
        live.update(facts("a"))
        assert "1/2 done" in out.getvalue()
        live.above("a [word] that stays")
    assert "a [word] that stays" in out.getvalue()
    assert out.getvalue().rstrip().endswith(("\x1b[2K", "\x1b[?25h"))


def test_a_word_goes_between_plain_lines() -> None:
    out = io.StringIO()
    with Live(2, stream=out, clock=Clock()) as live:
        live.above("word")
    assert out.getvalue() == "word\n"
