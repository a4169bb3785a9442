"""What a world with somebody to talk to needs: recorded conversations, a model before the record, an end that somebody else brings, prose that is said."""

from __future__ import annotations

from typing import Any

import pytest

from agentharness.env.verbs_respond import exchanges
from agentharness.errors import UserError

TEXT = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns: {rows: {id: public, talk: hidden}}
episode: {each: rows}
observe: "{{ vars.heard }}"
vars: {heard: "''"}
prose: answer
start:
  - respond: {role: user, to: "'Hello'", into: heard, prompt: "Be brief.", rule: "{{ row.talk[0].content }}"}
actions:
  tell:
    args: {text: string}
    prose: true
    do:
      - respond: {role: user, to: args.text, into: heard, prefer: model, recorded: {in: row.talk, chat: true}, prompt: "Be brief.", rule: "What?"}
      - end: {when: "'BYE' in vars.heard", value: vars.heard}
    say: "{{ vars.heard }}"
  leave:
    args: {why: string}
    do: [{end: args.why}]
rewards: {over: {scorer: equal, of: state.over, against: "true"}}
"""
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "policy"},
    {"role": "user", "content": "Good morning."},
    {"role": "assistant", "content": "What is your name?"},
    {"role": "user", "content": "Ada."},
    {"role": "assistant", "content": None, "tool_calls": [{}]},
    {"role": "tool", "content": "found"},
    {"role": "assistant", "content": "Your parcel has arrived."},
    {"role": "user", "content": "Good, BYE"},
    {"role": "assistant", "content": "Said to nobody."},
]
ROWS = {"rows.jsonl": [{"id": "a", "talk": TALK[1:]}]}


def test_a_conversation_is_what_the_user_wrote_next() -> None:
    assert exchanges(TALK) == [
        {"question": "What is your name?", "answer": "Ada."},
        {"question": "Your parcel has arrived.", "answer": "Good, BYE"},
    ]
    assert exchanges([]) == []
    assert exchanges(["no", {"role": "assistant"}, {"role": "user", "content": "x"}]) == [{"question": None, "answer": "x"}]


async def test_the_recorded_user_answers_and_brings_the_end(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(TEXT, ROWS), "a")
    assert play.text == "Good morning."
    for text, answer, over in (("tell me your NAME", "Ada.", False), ("Xyzzy", "What?", False), ("The parcel has arrived.", "Good, BYE", True)):
        out = await play.do("tell", text=text)
        assert (play.text, out.verdict, play.state["over"]) == (answer, "ok", over)
    assert play.state["submission"] == "Good, BYE"


async def test_a_model_answers_before_the_record_where_it_is_preferred(make_world: Any, begin: Any) -> None:
    replies = iter(["Hi.", "Ask me more.", "", "BYE"])

    async def ask(need: Any) -> Any:
        return {"text": next(replies)}

    voiced = frozenset({"user"})
    play = await begin(make_world(TEXT, ROWS, voiced=voiced), "a", ask=ask)
    assert play.text == "Hi."
    await play.do("tell", text="What is your name?")
    assert play.text == "Ask me more."
    await play.do("tell", text="What is your name?")
    assert (play.text, play.state["over"]) == ("What?", False)  # a model that says nothing leaves it to the rule
    await play.do("tell", text="What is your name?")
    assert play.state["over"]
    replies = iter(["Hi.", "never asked"])
    play = await begin(make_world(TEXT.replace("prefer: model", "prefer: record"), ROWS, voiced=voiced), "a", ask=ask)
    await play.do("tell", text="What is your name?")
    assert play.text == "Ada."


def test_prose_goes_where_it_is_marked(make_world: Any) -> None:
    assert make_world(TEXT, ROWS).answering == ("tell", "text")
    with pytest.raises(UserError, match="one of leave, tell must be named `answer`"):
        make_world(TEXT.replace("    prose: true\n", ""), ROWS)
    both = TEXT.replace("    do: [{end: args.why}]", "    prose: true\n    do: [{end: args.why}]")
    with pytest.raises(UserError, match="stands at one action, which takes one text"):
        make_world(both, ROWS)
    with pytest.raises(UserError, match="stands at one action, which takes one text"):
        make_world(TEXT.replace("args: {text: string}", "args: {text: integer}"), ROWS)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("prefer: model", "prefer: modle", "prefer must be record or model"),
        ("chat: true", "chat: yes", "chat is true"),
        ("chat: true", "chat: true, question: q", "goes without `question`"),
        ("{when: \"'BYE' in vars.heard\", value: vars.heard}", "{when: \"'BYE' in vars.heard\"}", "needs `value`"),
        ("value: vars.heard}", "valu: vars.heard}", "is no key of this verb (did you mean 'value'?)"),
        ("value: vars.heard}", "value: row.talk}", "cannot be shown to the agent"),
    ],
)
def test_mistakes_are_told(old: str, new: str, line: str, tmp_path: Any) -> None:
    from agentharness.env.reading import read_task
    from agentharness.env.world import build

    folder = tmp_path / "talk"
    folder.mkdir()
    assert old in TEXT
    (folder / "task.yaml").write_text(TEXT.replace(old, new), encoding="utf-8")
    (folder / "rows.jsonl").write_text('{"id": "a", "talk": []}\n', encoding="utf-8")
    with pytest.raises(UserError) as caught:
        build(read_task(folder))
    assert line in caught.value.line()
