"""Words and files to a RunConfig, and the one line for each mistake."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentharness import canon
from agentharness.config.args import from_config, parse, split
from agentharness.config.run_config import FREE_KEYS, IDENTITY_KEYS, Ref, RunConfig, Timeouts, Voice, identity, to_config
from agentharness.errors import UserError


def test_a_task_is_enough() -> None:
    config = parse(["task=atlas"])
    assert config.task == Ref(names=("atlas",))
    assert (config.agent.name, config.model.name, config.limit, config.samples, config.seed) == ("oracle", None, None, 1, 0)
    assert (config.concurrency, config.timeouts, config.agent_errors) == (64, Timeouts(attempt=120.0, call=600.0, attempts=8), "zero")


def test_values_are_typed_by_their_field() -> None:
    words = "task=a limit=3 samples=2 dry=true fresh=False out=7 timeouts.attempt=5 timeouts.attempts=2 retry=env,layer,env rename.a.b=c"
    config = parse(words.split())
    assert (config.limit, config.samples, config.dry, config.fresh, config.out) == (3, 2, True, False, "7")
    assert config.timeouts == Timeouts(attempt=5.0, call=600.0, attempts=2)
    assert config.retry == ("env", "layer")
    assert config.rename == {"a.b": "c"}
    assert parse(["task=a", "limit=null", "out=null"]).limit is None


def test_names_are_a_comma_list_and_options_go_to_all() -> None:
    config = parse(
        [
            "task=atlas, digits",
            "task.limits.turns=8",
            "agent.temperature=0.2",
            "agent.stop=no",
            "model=x:7b,y",
            "model.top=1",
            'agent.extra={"a": [1]}',
            'agent.tag="5"',
        ]
    )
    assert config.task == Ref(names=("atlas", "digits"), options={"limits": {"turns": 8}})
    assert config.agent == Ref(names=("oracle",), options={"temperature": 0.2, "stop": "no", "tag": "5", "extra": {"a": [1]}})
    assert config.model == Ref(names=("x:7b", "y"), options={"top": 1})


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", "task: is missing (write task=NAME)"),
        ("task=a limt=3", "unknown key 'limt' (did you mean 'limit'?)"),
        ("task=a --limit=3", "unknown key '--limit' (did you mean 'limit'?)"),
        ("task=a limit.x=3", "unknown key 'limit.x' (write limit=VALUE)"),
        ("task=a task..x=3", "unknown key 'task..x' (write task.KEY=VALUE)"),
        ("task=a rename.=3", "unknown key 'rename.' (write rename.KEY=VALUE)"),
        ("task=a timeouts.atempt=3", "unknown key 'timeouts.atempt' (did you mean 'timeouts.attempt'?)"),
        ("task=a limit", "'limit' is no key=value (write limit=VALUE)"),
        ("--dry", "'--dry' is no key=value (write dry=true)"),
        ("atlas", "'atlas' is no key=value (write key=VALUE, such as task=atlas)"),
        ("task=a limit=", "limit: has no value (write limit=VALUE, or leave it out)"),
        ("task=a limit=2 limit=2", "limit: is given twice (keep one)"),
        ("task=a task.name=b", "task.name: sets what another key sets too (keep one)"),
        ("task=a task.x=1 task.x.y=2", "task.x.y: sets what another key sets too (keep one)"),
        ("task=a limit=-1", "limit: must be at least 1, not -1"),
        ("task=a limit=x", "limit: must be a whole number, not 'x'"),
        ("task=a limit=1.5", "limit: must be a whole number, not '1.5'"),
        ("task=a samples=0", "samples: must be at least 1, not 0"),
        ("task=a concurrency=0", "concurrency: must be at least 1, not 0"),
        ("task=a seed=9223372036854775808", "seed: must be less than 9223372036854775808, not 9223372036854775808"),
        ("task=a dry=yes", "dry: must be true or false, not 'yes'"),
        ("task=a timeouts.call=soon", "timeouts.call: must be a number, not 'soon'"),
        ("task=a timeouts.call=0", "timeouts.call: must be more than 0.0, not 0.0"),
        ("task=a timeouts.call=.inf", "timeouts.call: must be a finite number, not inf"),
        ("task=a timeouts=3", "timeouts: must be a mapping, not 3"),
        ("task=a retry=foo", "retry: must be 'env', 'layer', 'scorer' or 'agent', not 'foo'"),
        ("task=a agent_errors=null", "agent_errors: must be 'zero' or 'none', not 'null'"),
        ("task=a base_url=localhost:8000", "base_url: must start with http:// or https:// and name a server"),
        ("task=a base_url=http://me:pw@host/v1", "base_url: must hold no key or password"),
        ("task=a base_url=http://host/v1?api_key=s", "base_url: must hold no key or password"),
        ("task=a key_env=sk-123", "key_env: must be the name of an environment variable, such as OPENAI_API_KEY"),
        ("task=a,a", "task: names 'a' twice"),
        ("task=a model=m,m", "model: names 'm' twice"),
        ("task=a,", "task: has an empty name"),
        ("task.limits.turns=3", "task: names no task"),
        ("task=a task.x=[1", "task.x: is not JSON"),
        ("task=a config=nope.yaml", "nope.yaml: cannot be read: No such file or directory"),
        ("task=a config=nope.json", "nope.json: cannot be read: No such file or directory"),
    ],
)
def test_each_mistake_is_one_line_that_names_the_key(words: str, line: str) -> None:
    with pytest.raises(UserError) as e:
        parse(words.split())
    assert e.value.line().startswith(line)
    assert "\n" not in e.value.line()


def test_the_message_never_repeats_what_may_be_a_key() -> None:
    for word in ("key_env=sk-secret", "base_url=http://me:sk-secret@host"):
        with pytest.raises(UserError) as e:
            parse(["task=a", word])
        assert "sk-secret" not in e.value.line()


def test_the_command_line_lies_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("task: {name: atlas, limits: {turns: 8, time: 60}}\nagent: random\nlimit: 5\nretry: [env]\ntimeouts: {attempt: 5}\n")
    config = parse([f"config={file}", "task=digits", "task.limits.turns=3", "agent.p=0.5", "limit=null", "timeouts.attempts=2", "retry=layer"])
    assert config.task == Ref(names=("digits",), options={"limits": {"turns": 3, "time": 60}})
    assert config.agent == Ref(names=("random",), options={"p": 0.5})
    assert (config.limit, config.retry) == (None, ("layer",))
    assert config.timeouts == Timeouts(attempt=5.0, attempts=2)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("task: a\nlimt: 3\n", "{file}:2:7: unknown key 'limt' (did you mean 'limit'?)"),
        ("task: a\nlimit: '3'\n", "{file}:2:8: limit: must be a whole number, not '3'"),
        ("task: a\nsamples: true\n", "{file}:2:10: samples: must be a whole number, not True"),
        ("task: a\ntimeouts:\n  attempt: x\n", "{file}:3:12: timeouts.attempt: must be a number, not 'x'"),
        ("task: a\ntimeouts:\n  call_s: 3\n", "{file}:3:11: unknown key 'timeouts.call_s' (did you mean 'call'?)"),
        ("task: [1]\n", "{file}:1:7: task: must be a name, a list of names, or {{name: …, option: value}}"),
        ("- task\n", "{file}:1:1: holds no keys (write `key: value` lines, as in `task: atlas`)"),
        ("task: a\ntask: b\n", "{file}:2:1: the key 'task' stands twice (remove one)"),
    ],
)
def test_a_mistake_in_the_file_has_its_place(tmp_path: Path, text: str, line: str) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as e:
        parse([f"config={file}"])
    assert e.value.line() == line.format(file=file)


def test_a_mistake_of_the_command_line_over_a_file_names_the_key_alone(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text("task: a\nlimit: 3\n")
    with pytest.raises(UserError) as e:
        parse([f"config={tmp_path / 'run.yaml'}", "limit=0"])
    assert e.value.line() == "limit: must be at least 1, not 0"


def test_a_manifest_repeats_its_run(tmp_path: Path) -> None:
    config = parse(["task=atlas", "task.a.b=😀", "seed=4", "rename.x=y", "model=m"])
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"schema": 1, "config": to_config(config), "invocations": []}))
    assert parse([f"config={manifest}"]) == config
    assert parse([f"config={manifest}", "limit=2"]).limit == 2
    manifest.write_text("{")
    with pytest.raises(UserError, match=r"manifest\.json: is not JSON"):
        parse([f"config={manifest}"])


def test_defaults_are_left_out_and_identity_holds_them() -> None:
    config = parse(["task=a", "limit=3", "timeouts.call=9"])
    assert to_config(config) == {"task": "a", "limit": 3, "timeouts": {"call": 9.0}}
    expected: dict[str, Any] = {"task": "a", "agent": "oracle", "model": [], "data": None, "source": None, "split": None, "rename": {}, "seed": 0, "round": 0}
    assert identity(config) == expected
    assert identity(parse(["task=a", "limit=9", "concurrency=2"])) == expected
    assert identity(parse(["task=a", "seed=1"])) != expected


def test_every_key_is_of_one_kind_and_described() -> None:
    assert sorted([*IDENTITY_KEYS, *FREE_KEYS]) == sorted(RunConfig.model_fields)
    for model in (RunConfig, Timeouts, Voice):
        assert all(field.description for field in model.model_fields.values())


@settings(max_examples=40)
@given(st.lists(st.text(max_size=12), max_size=4))
def test_any_words_are_split_or_a_users_error(words: list[str]) -> None:
    try:
        assert all(value for value in split(words).values())
        parse(words)
    except UserError as e:
        line = e.line()
        assert "\n" not in line


NAME = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=","), min_size=1, max_size=6)
VALUE = st.recursive(st.none() | st.booleans() | st.integers() | NAME, lambda v: st.lists(v, max_size=3) | st.dictionaries(NAME, v, max_size=3), max_leaves=5)
REF = st.builds(
    lambda names, options: Ref(names=tuple(names), options=options),
    st.lists(NAME, min_size=1, max_size=3, unique=True),
    st.dictionaries(NAME.filter(lambda k: k != "name"), VALUE, max_size=3),
)


@settings(max_examples=40)
@given(REF, REF, st.integers(1, 9) | st.none(), st.dictionaries(NAME, NAME, max_size=2), st.sampled_from([(), ("env",), ("scorer", "env")]))
def test_the_nested_form_reads_back_as_the_same_run(task: Ref, agent: Ref, limit: int | None, rename: dict[str, str], retry: Any) -> None:
    config = RunConfig(task=task, agent=agent, limit=limit, rename=rename, retry=retry)
    assert from_config(canon.loads(canon.dumps(to_config(config)))) == config


def test_a_manifest_goes_on_where_it_lies(tmp_path: Path) -> None:
    folder = tmp_path / "moved"
    folder.mkdir()
    manifest = {"identity": {"task": "atlas"}, "config": {"task": "atlas", "out": "results/old", "limit": 3}}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    config = parse([f"config={folder}/manifest.json"])
    assert (config.out, config.limit, config.task.names) == (str(folder), 3, ("atlas",))
    assert parse([f"config={folder}/manifest.json", "out=other"]).out == "other"
    # A file that is no run's manifest says itself where results go.
    (folder / "mine.json").write_text(json.dumps({"config": manifest["config"]}))
    assert parse([f"config={folder}/mine.json"]).out == "results/old"


@pytest.mark.parametrize("key", ["limit", "samples", "round", "seed"])
def test_numbers_that_no_machine_counts_to_are_refused(key: str) -> None:
    with pytest.raises(UserError) as e:
        parse(["task=atlas", f"{key}={10**19}"])
    assert e.value.line() == f"{key}: must be less than {2**63}, not {10**19}"
