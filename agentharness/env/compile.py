"""TaskSpec + Corpus -> rules: every expression, guard, enum and verb becomes a closure once, at load; every mistake in them is an error with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from agentharness import canon
from agentharness.corpus.load import Corpus
from agentharness.corpus.paths import parse, values
from agentharness.env import schema
from agentharness.env.distance import DistanceRule, distance_rule
from agentharness.env.expr import Compiled, Names, Value
from agentharness.env.fields import picker
from agentharness.env.legal import Legals, Offer
from agentharness.env.maker import Maker
from agentharness.env.record import follows, record
from agentharness.env.rules import Opening, OracleMove, OraclePlan, RewardRule, Rule, Rules
from agentharness.env.setup import compile_setup
from agentharness.env.spec import ActionRule, PathSpec
from agentharness.env.split import splitter
from agentharness.env.task import Task
from agentharness.env.verbs import compile_verbs, heavy
from agentharness.env.verbs_sql import listing
from agentharness.env.views import Rows
from agentharness.errors import closest
from agentharness.types.part import JsonDict


def compile_task(task: Task, corpus: Corpus, voiced: frozenset[str] = frozenset()) -> tuple[Rules, Maker]:
    """Compiles a task over its corpus. `voiced`: roles that a model plays. Raises UserError with the place in the user's file."""
    make = Maker(task, corpus, voiced)
    spec = task.spec
    if not spec.actions:
        raise make.fail("the task has no actions", ("actions",) if ("actions",) in task.places.known else (), "add `preset:`, or `actions:` of your own")
    derived = {name: _distinct(make, name) for name in sorted(spec.derive)}
    args = {name: _args(make, name) for name in sorted(spec.actions)}
    where = _where(make)
    make.recorded = {name: record(make, name, args, where) for name in sorted(spec.trajectories)}
    answering = _answering(make, args)
    opening = _opening(make)
    actions = {name: _action(make, name, spec.actions[name], schemas) for name, schemas in args.items()}
    rules = Rules(
        name=task.name,
        table=make.each,
        rows=Rows(corpus, spec.edges),
        derived=derived,
        opening=opening,
        actions=actions,
        legals=_legals(make, args, answering if spec.prose == "answer" else None),
        rewards={name: _reward(make, name) for name in spec.rewards},
        goal=_goal(make),
        setup=compile_setup(make, args),
        split=splitter(make),
        distances={name: _distance(make, name, path) for name, path in spec.distances.items()},
        oracle=_oracle(make, args),
        where=where,
        answering=answering,
        state_limit=spec.limits.state,
        assets=corpus.assets,
        heavy=frozenset(name for name, rule in actions.items() if rule.heavy),
        voices=make.voices,
    )
    for i, path in enumerate(spec.slices):
        _column(make, path, "slices", i)
    return rules, make


def _opening(make: Maker) -> Opening:
    spec, wanted = make.spec, make.rule()
    before: Names = {k: v for k, v in make.names.items() if k == "row" or k in spec.derive or k in make.corpus.tables}
    first = {name: make.expression(source, "vars", name, only=before) if isinstance(source, str) else source for name, source in spec.vars.items()}
    verbs = compile_verbs(make, spec.start, "start")
    observe = make.template(spec.observe, "observe")
    columns = make.corpus.tables[make.each].columns
    images = [(path, picker(make.field(path, [make.each], "images", i), columns)) for i, path in enumerate(spec.images)]
    return Opening(first, verbs, observe, images, make.tables(wanted), "results" in wanted, any(heavy(make, verb) for verb in spec.start))


def _action(make: Maker, name: str, written: ActionRule, schemas: dict[str, JsonDict]) -> Rule:
    path, wanted = ("actions", name), make.rule()
    if "{{" in written.description:
        raise make.fail("a description is no template", (*path, "description"), "it is the same in every episode; `say` and `observe` take {{ }}")
    rule = Rule(
        name=name,
        when=None if written.when is None else make.expression(written.when, *path, "when"),
        verbs=compile_verbs(make, written.do, *path, "do"),
        say=None if written.say is None else make.template(written.say, *path, "say"),
        else_=None if written.else_ is None else make.template(written.else_, *path, "else"),
        cost=make.expression(written.cost, *path, "cost") if isinstance(written.cost, str) else None,
        price=0 if isinstance(written.cost, str) else written.cost,
        heavy=written.heavy or any(heavy(make, verb) for verb in written.do),
        tables=(),
        results=False,
        by_place=False,
        by_found=False,
        still=False,
        place=f"actions.{name}",
    )
    rule.tables, rule.results = make.tables(wanted), "results" in wanted
    steady = {"at", *make.spec.derive, *(n for n, t in make.corpus.tables.items() if not t.scope)}
    rule.by_place = rule.say is not None and "at" in rule.say.names and rule.say.names <= steady
    rule.by_found = rule.say is not None and "results" in rule.say.names and rule.say.names <= steady - {"at"} | {"results"}
    rule.still = rule.cost is None and wanted <= steady | {"args"} and all(map(_stays, written.do)) and all(map(_finite, schemas.values()))
    return rule


def _stays(verb: JsonDict) -> bool:
    # Reads and changes nothing but where one stands and what was seen there.
    body = verb.get("reveal", {})
    if "goto" in verb:
        return "recorded" not in verb["goto"]
    return "reveal" in verb and (isinstance(body, str) or (body.get("of") in (None, "at") and body.get("frame") != "shown"))


def _finite(one: JsonDict) -> bool:
    return one["type"] == "boolean" or (one["type"] in ("string", "integer") and "enum" in one)


def _args(make: Maker, name: str) -> dict[str, JsonDict]:
    written = make.spec.actions[name].args
    return {arg: schema.normal(written[arg], make.place(("actions", name, "args", arg))) for arg in sorted(written)}


def _legals(make: Maker, args: dict[str, dict[str, JsonDict]], answering: tuple[str, str] | None) -> Legals:
    wanted = make.rule()
    before = {k: v for k, v in make.names.items() if k != "args"}
    offers: list[Offer] = []
    for name, schemas in args.items():
        written = make.spec.actions[name]
        enums: dict[schema.Hole, Compiled] = {}
        for hole, source in schema.holes(schemas).items():
            inner = ("enum",) if len(hole) == 1 else ("items", "enum")
            enums[hole] = make.expression(source, "actions", name, "args", hole[0], *inner, only=before)
        for arg in written.suggest:
            if arg not in schemas:
                raise make.fail(f"{name} has no argument {arg!r}", ("actions", name, "suggest", arg), closest(arg, schemas))
        suggest = {arg: make.expression(source, "actions", name, "suggest", arg, only=before) for arg, source in sorted(written.suggest.items())}
        prose = answering[1] if answering is not None and answering[0] == name else None
        offers.append(Offer(name, written.description, schemas, enums, suggest, prose))
    scoped = any(t.scope for t in make.corpus.tables.values())
    return Legals(offers, frozenset(wanted), make.tables(wanted), "row" in wanted or scoped)


def _answering(make: Maker, args: dict[str, dict[str, JsonDict]]) -> tuple[str, str] | None:
    marked = [name for name, written in make.spec.actions.items() if written.prose]
    if marked:
        name = marked[-1]
        if len(marked) > 1 or [s["type"] for s in args[name].values()] != ["string"]:
            raise make.fail("`prose: true` stands at one action, which takes one text", ("actions", name, "prose"), "leave it out at the others")
        return name, next(iter(args[name]))
    found = [
        (name, next(iter(schemas)))
        for name, schemas in args.items()
        if [s["type"] for s in schemas.values()] == ["string"] and any("end" in verb or follows(verb) for verb in make.spec.actions[name].do)
    ]
    chosen = found[0] if len(found) == 1 else next((f for f in found if f[0] == "answer"), None)
    if chosen is None and make.spec.prose == "answer":
        add = "add an action with one text argument that does `end`, follows a recording, or says `prose: true`"
        several = f"one of {', '.join(name for name, _ in found)} must be named `answer`" if found else add
        raise make.fail("`prose: answer` needs an action that takes the prose", ("prose",), several)
    return chosen


def _distinct(make: Maker, name: str) -> list[Any]:
    written = make.spec.derive[name]
    if (written.distinct is None) == (written.sql is None):
        raise make.fail(f"{name} says `distinct` or `sql`", ("derive", name), "distinct: COLUMN")
    if written.distinct is None:
        return listing(make, written.sql or [], "derive", name, "sql")
    path = written.distinct
    tokens = _column(make, path, "derive", name, "distinct")
    found: dict[bytes, Any] = {}
    for _, _, row in make.corpus.tables[make.each]:
        for value in values(row, tokens):
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    found.setdefault(canon.dumps(one), one)
    if all(isinstance(v, str) for v in found.values()):
        return sorted(found.values())
    if all(type(v) in (int, float) for v in found.values()):
        return sorted(found.values())
    return [found[k] for k in sorted(found)]


def _column(make: Maker, path: str, *place: str | int) -> tuple[str, ...]:
    columns = make.corpus.tables[make.each].columns
    tokens = parse(path, columns)
    if tokens[0] not in columns:
        raise make.fail(f"{make.each} has no column {tokens[0]!r}", place, closest(tokens[0], columns))
    return tokens


def _where(make: Maker) -> Compiled | None:
    written = make.spec.episode.where
    make.rule()
    return None if written is None else make.expression(written, "episode", "where", only={"row": make.record(make.each, gold=True)})


def _reward(make: Maker, name: str) -> RewardRule:
    written = make.spec.rewards[name]
    names: Names = {"row": make.record(make.each, gold=True), "state": Value(), "submission": Value()}
    if make.spec.goal is not None:
        names = {**names, "goal": Value()}
    if make.spec.distances:
        names = {**names, "distance": Value()}

    def compiled(source: str | None, key: str) -> Compiled | None:
        # Scorers decide no observation: their filters are no part of the world.
        return None if source is None else make.quiet(source, names, "rewards", name, key)

    of, against = compiled(written.of, "of"), compiled(written.against, "against")
    return RewardRule(written.scorer, written.weight, dict(written.options), of, against, name, make.scorer(written.scorer, "rewards", name, "scorer"))


def _goal(make: Maker) -> Compiled | None:
    written = make.spec.goal
    return None if written is None else make.quiet(written, {"row": make.record(make.each, gold=True)}, "goal")


def _distance(make: Maker, name: str, path: PathSpec) -> DistanceRule:
    edge = make.edge(path.edge, "distances", name, "edge")
    return distance_rule(edge, make.quiet(path.to, {"row": make.record(make.each, gold=True)}, "distances", name, "to"))


def _oracle(make: Maker, args: dict[str, dict[str, JsonDict]]) -> OraclePlan | None:
    written = make.spec.oracle
    if written is None:
        return None
    wanted = make.rule()
    names: Names = {
        **{k: v for k, v in make.names.items() if k != "args"},
        "row": make.record(make.each, gold=True),
        "at": make.record(*make.standing, gold=True),
    }
    if sum(said is not None for said in (written.path, written.each, written.play, written.recorded)) > 1:
        raise make.fail("an oracle has `path`, `each`, `play` or `recorded`", ("oracle",), "keep one")
    if written.move and written.path is None and written.each is None:
        raise make.fail("`move` is played for each item", ("oracle", "move"), "add `each`, or use `then`")
    edge = to = None
    if written.path is not None:
        edge = make.edge(written.path.edge, "oracle", "path", "edge")
        to = make.quiet(written.path.to, names, "oracle", "path", "to")
    each = None if written.each is None else make.quiet(written.each, names, "oracle", "each")
    inner: Names = {**names, "each": Value()} if edge or each else names
    move = _oracle_moves(make, written.move, args, inner, "move")
    then = _oracle_moves(make, written.then, args, names, "then")
    play = None if written.play is None else make.quiet(written.play, names, "oracle", "play")
    if written.recorded is not None and written.recorded not in make.recorded:
        what = f"{written.recorded!r} is no recording of `trajectories`"
        raise make.fail(what, ("oracle", "recorded"), closest(written.recorded, make.recorded))
    recorded = None if written.recorded is None else make.recorded[written.recorded]
    return OraclePlan(each, edge, to, move, then, play, recorded, make.tables(wanted), "results" in wanted)


def _oracle_moves(make: Maker, written: dict[str, dict[str, str]], args: dict[str, dict[str, JsonDict]], names: Names, key: str) -> list[OracleMove]:
    out: list[OracleMove] = []
    for action, given in written.items():
        if action not in args:
            what = f"the oracle plays {action!r}, and there is no such action"
            raise make.fail(what, ("oracle", key, action), f"{closest(action, args)}; or `oracle: null`, or an oracle of your own")
        _given(make, action, given, args[action], key)
        runs: dict[str, Callable[[JsonDict], Any]] = {}
        for arg, source in given.items():
            run = make.quiet(source, names, "oracle", key, action, arg)
            runs[arg] = _said(run) if args[action][arg]["type"] == "string" else run
        out.append((action, runs, frozenset(arg for arg, one in args[action].items() if schema.required(one))))
    return out


def _said(run: Compiled) -> Callable[[JsonDict], Any]:
    """What is said where the argument is a text: gold keeps the type that its source gave it. Of a list of right answers the first, a number and a truth value
    as text."""

    def said(env: JsonDict) -> Any:
        value = run(env)
        while isinstance(value, list):
            value = value[0] if value else None
        return canon.dumps(value).decode() if isinstance(value, bool | int | float) else value

    return said


def _given(make: Maker, action: str, given: Iterable[str], schemas: dict[str, JsonDict], key: str) -> None:
    for arg in given:
        if arg not in schemas:
            raise make.fail(f"{action} has no argument {arg!r}", ("oracle", key, action, arg), closest(arg, schemas))
    for arg, one in schemas.items():
        if schema.required(one) and arg not in given:
            raise make.fail(f"{action} needs {arg!r}", ("oracle", key, action), f"{arg}: expression")
