"""The airline against its recordings: 50 lists of gold actions, 200 dialogues, 1,164 results of tools."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from harness import JsonDict, episodes, play, shown, table
from spawn import Server

from agentharness.env.base import BaseEnv
from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.score.total import score_all
from agentharness.types.move import Action, Need

ROOT = Path(__file__).parents[2]
DATA = (ROOT / "../shared/data/tau_airline").resolve()


@pytest.fixture(scope="module")
def recorded() -> list[JsonDict]:
    if not DATA.is_dir():
        pytest.skip("the shared data tau_airline is not on this machine")
    found: list[JsonDict] = json.loads((DATA / "gpt-4o-trajectories.json").read_bytes())
    return found


@pytest.fixture(scope="module")
def world(recorded: list[JsonDict]) -> World:
    """The real rows; the customer is played from outside."""
    return build(read_task(ROOT / "tasks/airline"), source=str(DATA), voiced=frozenset({"user"}))


async def replay(world: World, one: JsonDict) -> tuple[BaseEnv, list[tuple[str, str, str, str]]]:
    """A dialogue's assistant messages played in order, its customer's messages as the voice: (tool, verdict, what it gave, what was recorded)."""
    heard = iter([m["content"] for m in one["traj"] if m["role"] == "user"])

    async def ask(need: Need) -> Any:
        assert need.role == "user"
        return {"role": "user", "text": next(heard)}

    env = world.open(str(one["task_id"]), 0, ask)
    opening = await env.reset()
    assert f"The customer writes: {one['traj'][1]['content']}" in str(opening.parts[0]["text"])
    out: list[tuple[str, str, str, str]] = []
    for message, after in zip(one["traj"], [*one["traj"][1:], {}], strict=True):
        if message["role"] != "assistant":
            continue
        call = message["tool_calls"][0]["function"] if message.get("tool_calls") else None
        action = Action("tell", {"text": message["content"]}) if call is None else Action(call["name"], json.loads(call["arguments"]))
        seen = await env.step(action)
        if call is not None:
            out.append((action.name, env.log[-1][1].verdict, str(seen.parts[0]["text"]), after["content"]))
    return env, out


def same(given: str, recorded: str) -> bool:
    """Whether two results are the same JSON, or the same text."""
    try:
        return bool(json.loads(given) == json.loads(recorded))
    except ValueError:
        return given == recorded


def as_recorded(given: str) -> str:
    """A profile as the recorded one: the published users.json calls `state` what it was called `province` when the dialogues were recorded."""
    profile = json.loads(given)
    profile["address"]["province"] = profile["address"].pop("state")
    return json.dumps(profile)


async def test_all_200_recorded_rewards_and_every_result_of_a_tool(world: World, recorded: list[JsonDict]) -> None:
    rewards: Counter[tuple[float, float | None, bool]] = Counter()
    results: Counter[tuple[str, str]] = Counter()
    for one in recorded:
        env, played = await replay(world, one)
        right = score_all(world.rewards, world.full(env.row), env.state, world.goal(env.row, 0))["right"].value
        rewards[one["reward"], right, env.state["over"]] += 1
        for name, _, given, before in played:
            kind = "same" if same(given, before) else "same but for state" if name == "get_user_details" and same(as_recorded(given), before) else "other"
            results[name, kind] += 1
        assert {verdict for _, verdict, _, _ in played} <= {"ok", "missing"}
    # (recorded, ours, whether it ended): five dialogues were cut after 30 messages of the agent's, and score 0 in both
    assert rewards == {(1.0, 1.0, True): 84, (0.0, 0.0, True): 111, (0.0, 0.0, False): 5}
    assert results == {
        ("book_reservation", "same"): 53,
        ("calculate", "same"): 96,
        ("cancel_reservation", "same"): 69,
        ("get_reservation_details", "same"): 377,
        ("get_user_details", "same but for state"): 120,
        ("list_all_airports", "same"): 2,
        ("search_direct_flight", "same"): 141,
        ("search_onestop_flight", "same"): 38,
        ("send_certificate", "same"): 8,
        ("think", "same"): 92,
        ("transfer_to_human_agents", "same"): 48,
        ("update_reservation_baggages", "same"): 14,
        ("update_reservation_flights", "same"): 104,
        ("update_reservation_passengers", "same"): 2,
    }


def test_the_state_of_the_gold_actions_is_the_benchmarks_bit_for_bit(world: World, recorded: list[JsonDict]) -> None:
    """The recordings hold sha256 of the whole database after their gold actions, where the task has no outputs: 46 of the 50 tasks."""
    read = {name: json.loads((DATA / f"{name}.json").read_bytes()) for name in ("flights", "reservations", "users")}
    wanted = {str(one["task_id"]): digest for one in recorded if (digest := (one["info"]["reward_info"] or {}).get("info", {}).get("gt_data_hash"))}
    assert len(wanted) == 46
    for row, digest in wanted.items():
        goal = world.goal(row, 0)
        assert goal is not None
        edits = goal.get("edits", {})
        after = {name: {**rows, **{key: {**rows.get(key, {}), **patch} for key, patch in edits.get(name, {}).items()}} for name, rows in read.items()}
        after["users"] = {key: {**user, "address": {**user["address"]}} for key, user in after["users"].items()}
        for user in after["users"].values():
            user["address"]["province"] = user["address"].pop("state")
        assert hashlib.sha256(str(tuples(after)).encode()).hexdigest() == digest, row


def tuples(value: Any) -> Any:
    """The benchmark's form of a database for hashing: objects as pairs in the order of their keys, lists as tuples."""
    if isinstance(value, dict):
        return tuple((key, tuples(inner)) for key, inner in sorted(value.items()))
    return tuple(map(tuples, value)) if isinstance(value, list) else value


def test_all_50_lists_of_gold_actions_score_1(tmp_path: Path, recorded: list[JsonDict]) -> None:
    done = play(tmp_path, "task=airline", f"source={DATA}", "agent=oracle,noop", "out=r")
    assert [(r["agent"], r["n"], r["mean"], r["errors"]) for r in table(done)] == [("oracle", "50", "1.000", "0"), ("noop", "50", "0.000", "0")]
    lines = {line["key"]["row"]: line for line in episodes(tmp_path / "r/airline-oracle")}
    for one in recorded[:50]:
        played = [(s["action"], s["args"]) for s in lines[str(one["task_id"])]["steps"] if s.get("action") not in (None, "tell", "transfer_to_human_agents")]
        gold = [(a["name"], a["kwargs"]) for a in one["info"]["task"]["actions"] if a["name"] != "transfer_to_human_agents"]
        assert played == gold


@pytest.fixture(scope="module")
def demo() -> World:
    return build(read_task(ROOT / "tasks/airline"), data="demo")


LEG = {"flight_number": "HAT902", "date": "2024-05-20"}
BOOK: JsonDict = {
    "user_id": "ada_holm_1001",
    "origin": "BOS",
    "destination": "DEN",
    "flight_type": "one_way",
    "cabin": "economy",
    "flights": [LEG],
    "passengers": [{"first_name": "Ada", "last_name": "Holm", "dob": "1980-02-03"}],
    "payment_methods": [{"payment_id": "gift_card_12", "amount": 90}],
    "total_baggages": 0,
    "nonfree_baggages": 0,
    "insurance": "no",
}
UPDATE: JsonDict = {"reservation_id": "AAA111", "cabin": "economy", "flights": [LEG], "payment_id": "gift_card_12"}


@pytest.mark.parametrize(
    ("name", "args", "verdict", "said"),
    [
        ("book_reservation", BOOK | {"user_id": "nobody"}, "missing", "Error: user not found"),
        ("book_reservation", BOOK | {"flights": [LEG | {"flight_number": "X"}]}, "missing", "Error: flight X not found"),
        ("book_reservation", BOOK | {"flights": [LEG | {"date": "2024-06-01"}]}, "missing", "Error: flight HAT902 not found on date 2024-06-01"),
        ("book_reservation", BOOK | {"flights": [{"flight_number": "HAT906", "date": "2024-05-20"}]}, "ok", "not available on date 2024-05-20"),
        ("book_reservation", BOOK | {"passengers": BOOK["passengers"] * 2}, "ok", "Error: not enough seats on flight HAT902"),
        ("book_reservation", BOOK | {"payment_methods": [{"payment_id": "x", "amount": 90}]}, "missing", "Error: payment method x not found"),
        ("book_reservation", BOOK | {"payment_methods": [{"payment_id": "gift_card_12", "amount": 151}]}, "ok", "not enough balance"),
        ("book_reservation", BOOK | {"insurance": "yes", "nonfree_baggages": 1}, "ok", "total price is 170, but paid 90"),
        ("update_reservation_flights", UPDATE | {"reservation_id": "X"}, "missing", "Error: reservation not found"),
        ("update_reservation_flights", UPDATE | {"payment_id": "x"}, "missing", "Error: payment method not found"),
        ("update_reservation_flights", UPDATE | {"payment_id": "certificate_13"}, "ok", "Error: certificate cannot be used to update reservation"),
        ("update_reservation_flights", UPDATE | {"cabin": "business"}, "ok", "Error: gift card balance is not enough"),
        ("update_reservation_baggages", {"reservation_id": "X", "total_baggages": 1, "nonfree_baggages": 0, "payment_id": "x"}, "missing", "not found"),
        ("update_reservation_passengers", {"reservation_id": "BBB222", "passengers": BOOK["passengers"]}, "missing", "number of passengers does not match"),
        ("update_reservation_passengers", {"reservation_id": "X", "passengers": BOOK["passengers"]}, "missing", "Error: reservation not found"),
        ("cancel_reservation", {"reservation_id": "X"}, "missing", "Error: reservation not found"),
        ("send_certificate", {"user_id": "x", "amount": 5}, "missing", "Error: user not found"),
        ("search_direct_flight", {"origin": "BOS", "destination": "SEA", "date": "2024-05-20"}, "ok", "[]"),
        ("search_onestop_flight", {"origin": "BOS", "destination": "SEA", "date": "soon"}, "ok", "[]"),
        ("calculate", {"expression": "2 *"}, "ok", "Error: this is no arithmetic"),
        ("calculate", {"expression": "(3 + 4) / 3"}, "ok", "2.33"),
    ],
)
async def test_what_the_tools_refuse_changes_nothing(name: str, args: JsonDict, verdict: str, said: str, demo: World) -> None:
    env = await begin(demo, "0")
    seen = await env.step(Action(name, args))
    assert env.log[-1][1].verdict == verdict
    assert said in str(seen.parts[0]["text"])
    assert "edits" not in env.state


async def test_what_the_tools_change(demo: World) -> None:
    env = await begin(demo, "0")
    for payments, number in (([("certificate_13", 50), ("gift_card_12", 40)], "HATHAT"), ([("credit_card_11", 90)], "HATHAU")):
        methods = [{"payment_id": name, "amount": amount} for name, amount in payments]
        seen = await env.step(Action("book_reservation", BOOK | {"payment_methods": methods}))
        assert json.loads(str(seen.parts[0]["text"]))["reservation_id"] == number
    await env.step(Action("cancel_reservation", {"reservation_id": "HATHAU"}))
    await env.step(Action("update_reservation_flights", UPDATE))
    await env.step(
        Action("update_reservation_baggages", {"reservation_id": "AAA111", "total_baggages": 4, "nonfree_baggages": 2, "payment_id": "gift_card_12"})
    )
    for certificate in ("certificate_3221322", "certificate_3221323"):
        seen = await env.step(Action("send_certificate", {"user_id": "ada_holm_1001", "amount": 70}))
        assert str(seen.parts[0]["text"]) == f"Certificate {certificate} added to user ada_holm_1001 with amount 70."
    edits = env.state["edits"]
    user, made = edits["users"]["ada_holm_1001"], edits["reservations"]
    assert user["reservations"] == ["AAA111", "HATHAT", "HATHAU"]
    # 150 - 40 by booking + 15 back for the cheaper flight - 100 for two bags
    assert {name: method.get("amount") for name, method in user["payment_methods"].items()} == {
        "credit_card_11": None,
        "gift_card_12": 25,
        "certificate_3221322": 70,
        "certificate_3221323": 70,
    }
    assert made["HATHAT"]["flights"] == [{**LEG, "price": 90, "origin": "BOS", "destination": "DEN"}]
    assert (made["HATHAU"]["status"], [p["amount"] for p in made["HATHAU"]["payment_history"]]) == ("cancelled", [90, -90])
    assert [p["amount"] for p in made["AAA111"]["payment_history"]] == [105, -15, 100]
    assert (made["AAA111"]["total_baggages"], made["AAA111"]["nonfree_baggages"]) == (4, 2)


async def test_the_recorded_customer_answers_and_ends_it(demo: World) -> None:
    env = await begin(demo, "1")
    for text, answer in (
        ("Please tell me your user id.", "ben_ruiz_1002"),
        ("Purple monkeys dance?", "You are ben_ruiz_1002. You want to cancel all your reservations"),
        ("It is cancelled: you get 1,180 dollars.", "Good."),
    ):
        seen = await env.step(Action("tell", {"text": text}))
        assert str(seen.parts[0]["text"]).startswith(answer)
    assert env.state["over"]
    assert env.state["submission"] == "customer"
    (reward,) = score_all(demo.rewards, demo.full("1"), env.state, demo.goal("1", 0)).values()
    assert reward.value == 0.0  # said what to say, and did nothing


async def begin(world: World, row: str) -> BaseEnv:
    async def nobody(need: Need) -> Any:
        raise AssertionError(f"asked {need}")

    env = world.open(row, 0, nobody)
    await env.reset()
    return env


def test_a_model_plays_the_customer(tmp_path: Path, server: Server) -> None:
    words = ("task=airline", "data=demo", "agent=tools", "model=say:You get 1180 Dollars.", "responder.user=say:Fine ###STOP###", f"base_url={server.url}")
    done = play(tmp_path, *words, "out=r")
    assert [(r["n"], r["mean"], r["turns"], r["errors"]) for r in table(done)] == [("5", "0.000", "1.0", "0")]
    line = episodes(tmp_path / "r")[1]
    assert line["final_state"]["vars"]["told"] == ["you get 1180 dollars."]
    assert [step.get("action") for step in line["steps"]] == [None, "tell"]
    assert shown(line)[1] == "Fine"
    assert line["final_state"]["said"]["user"][0] == ["Hi! How can I help you today?", "Fine ###STOP###"]
    system = server.last()["body"]["messages"][0]["content"]
    assert "You are " in system
    assert "###STOP###" in system
