"""respond: what a voice inside the world answers, from which source, and what it may read that nothing else may."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentharness.env.verbs_respond import exact, nearest
from agentharness.errors import EpisodeError, UserError
from agentharness.types.move import Action

TEXT = """
corpus: {rows: {source: {file: rows.jsonl}, key: id}}
columns: {rows: {id: public, complaint: public, dialogue: hidden, illness: gold}}
episode: {each: rows}
observe: "{{ row.complaint }}"
vars: {heard: "''"}
actions:
  ask:
    args: {question: string}
    do:
      - respond:
          role: patient
          to: args.question
          recorded: {in: row.dialogue, question: q, answer: a, match: MATCH}
    else: "I cannot say."
  beg:
    args: {question: string}
    do:
      - respond: {role: doctor, to: args.question, rule: "It is {{ row.illness }}, since you ask {{ asked }}", into: heard}
    say: "heard: {{ vars.heard }}"
  talk:
    args: {question: string}
    do:
      - respond: {role: patient, to: args.question, prompt: "You have {{ row.illness }}.", rule: "Hm."}
  answer:
    args: {text: string}
    do: [{end: args.text}]
rewards: {exact: {scorer: exact, against: row.illness}}
"""
ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "complaint": "It hurts.",
        "illness": "gout",
        "dialogue": [{"q": "Where does it hurt?", "a": "In my toe."}, {"q": "Do you drink beer?", "a": "Every evening."}],
    },
    {"id": "b", "complaint": "I am tired.", "illness": "flu", "dialogue": []},
]


def text(match: str = "nearest") -> str:
    return TEXT.replace("MATCH", match)


async def test_recorded_answers_are_found_by_the_nearest_question(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text(), {"rows.jsonl": ROWS}), "a")
    for question, answer in (
        ("where DOES it hurt", "In my toe."),
        ("Any beer?", "Every evening."),
        ("How old are you?", "I cannot say."),
        (" ", "I cannot say."),
    ):
        out = await play.do("ask", question=question)
        assert (play.text, out.verdict) == (answer, "ok" if answer != "I cannot say." else "missing")
    assert play.state["seen"] == []
    assert "said" not in play.state
    play = await begin(make_world(text("exact"), {"rows.jsonl": ROWS}), "a")
    await play.do("ask", question="where  does it HURT?")
    assert play.text == "In my toe."
    await play.do("ask", question="Any beer?")
    assert play.text == "I cannot say."


async def test_a_rule_may_tell_gold_and_nothing_else_may(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text(), {"rows.jsonl": ROWS}), "b")
    await play.do("beg", question="what is it?")
    assert play.text == "heard: It is flu, since you ask what is it?"
    assert play.state["vars"] == {"heard": "It is flu, since you ask what is it?"}
    for old, new in (
        ("to: args.question, rule", "to: row.illness, rule"),
        ('say: "heard: {{ vars.heard }}"', 'say: "{{ row.illness }}"'),
        ('else: "I cannot say."', 'else: "{{ row.dialogue[0].a }}"'),
    ):
        with pytest.raises(UserError, match="cannot be shown to the agent"):
            make_world(text().replace(old, new), {"rows.jsonl": ROWS})


async def test_a_model_plays_the_role_where_the_run_has_one(make_world: Any, begin: Any) -> None:
    world = make_world(text(), {"rows.jsonl": ROWS})
    assert world.voices == {"patient": False, "doctor": False}
    play = await begin(world, "a")
    await play.do("talk", question="Well?")
    assert play.text == "Hm."
    asked: list[Any] = []

    async def ask(need: Any) -> Any:
        asked.append((need.role, need.request))
        return {"role": need.role, "text": f"answer {len(asked)}", "usage": {"prompt_tokens": 5}}

    play = await begin(make_world(text(), {"rows.jsonl": ROWS}, voiced=frozenset({"patient"})), "a", ask=ask)
    await play.do("talk", question="Well?")
    await play.do("ask", question="Any beer?")
    out = await play.do("talk", question="And now?")
    assert play.text == "answer 2"
    assert out.answers == [{"role": "patient", "text": "answer 2", "usage": {"prompt_tokens": 5}}]
    assert asked[1] == (
        "patient",
        {
            "messages": [
                {"role": "system", "content": "You have gout."},
                {"role": "user", "content": "Well?"},
                {"role": "assistant", "content": "answer 1"},
                {"role": "user", "content": "And now?"},
            ]
        },
    )
    assert play.state["said"] == {"patient": [["Well?", "answer 1"], ["And now?", "answer 2"]]}


async def test_no_answer_is_a_question_that_finds_nothing(make_world: Any, begin: Any) -> None:
    async def ask(need: Any) -> Any:
        return {"text": ""}

    only = text().replace(', rule: "Hm."', "")
    assert make_world(only, {"rows.jsonl": ROWS}).voices == {"patient": True, "doctor": False}
    play = await begin(make_world(only, {"rows.jsonl": ROWS}, voiced=frozenset({"patient"})), "a", ask=ask)
    out = await play.do("talk", question="Well?")
    assert (out.verdict, play.text) == ("missing", "Nothing found.")
    play = await begin(make_world(only, {"rows.jsonl": ROWS}), "a")
    assert (await play.do("talk", question="Well?")).verdict == "missing"


async def test_a_rule_that_fails_is_the_tasks_fault(make_world: Any, begin: Any) -> None:
    play = await begin(make_world(text().replace("It is {{ row.illness }}", "{{ 1 / 0 }}"), {"rows.jsonl": ROWS}), "a")
    with pytest.raises(EpisodeError, match=r"actions\.beg"):
        await play.env.step(Action("beg", {"question": "x"}))


def test_gold_that_responders_read_belongs_to_the_world(make_world: Any) -> None:
    def versions(source: str, **more: str) -> tuple[str, str]:
        world = make_world(source, {"rows.jsonl": [{**ROWS[0], **more}, ROWS[1]]})
        return world.world, world.scoring

    was = versions(text())
    assert versions(text(), illness="arthritis")[0] != was[0]
    silent = text().replace("respond", "set")[: text().index("actions:")] + "actions:\n  answer: {args: {text: string}, do: [{end: args.text}]}\n"
    silent += "rewards: {exact: {scorer: exact, against: row.illness}}\n"
    assert versions(silent)[0] == versions(silent, illness="arthritis")[0]
    assert versions(text().replace("It is", "It may be"))[0] != was[0]


WORDS = st.lists(st.sampled_from(["is", "it", "the", "toe", "hand", "foot", "a", "hurts", "where", "when"]), max_size=6).map(" ".join)


@given(st.lists(WORDS, max_size=6), WORDS, st.floats(0, 1))
def test_nearest_is_the_first_of_the_likest(questions: list[str], asked: str, least: float) -> None:
    at = nearest(questions, asked, least)
    if asked.strip() and asked in questions:
        assert at is not None
        assert sorted(set(questions[at].split())) == sorted(set(asked.split()))
    if at is not None:
        assert nearest(questions[: at + 1], questions[at], 0.999) is not None
        assert set(questions[at].split()) & set(asked.split())
        assert questions.index(questions[at]) == at
    assert nearest([], asked, least) is None


def test_common_words_count_little() -> None:
    facts = ["1. Patient has a fever.", "2. Patient has a cough.", "3. Patient is a 40-year-old man."]
    assert nearest(facts, "Does the patient have a fever?", 0.3) == 0
    assert nearest(facts, "Any cough?", 0.3) == 1
    assert nearest(facts, "The patient has what?", 0.6) is None
    assert (exact(facts, "2. patient  HAS a cough."), exact(facts, "cough")) == (1, None)
