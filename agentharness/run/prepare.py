"""From a config to cells: every mistake that can be found without a model call is found here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

from agentharness import canon
from agentharness.agent.baselines import BASELINES, make_baseline
from agentharness.config.run_config import Ref, RunConfig
from agentharness.config.yaml import Place
from agentharness.env.mistakes import key_place
from agentharness.env.reading import read_task
from agentharness.env.world import World, build
from agentharness.errors import UserError
from agentharness.model.refs import Clients, open_model
from agentharness.model.retry import Policy
from agentharness.plugins.find import find_agent, find_task
from agentharness.plugins.load import identity, source_digest
from agentharness.plugins.load import make_agent as load_agent
from agentharness.run.cell import Cell
from agentharness.run.voices import Voices, check_roles, open_voices
from agentharness.score.registry import check_rules, versions
from agentharness.store.folder import default_path
from agentharness.types.agent import Agent
from agentharness.types.model import Model
from agentharness.types.part import JsonDict

Say = Callable[[str], None]

_COLUMN = re.compile(r"row(?:\.([A-Za-z_]\w*)|\['([^'\\]+)'\])")
"""An expression that is one column of the row."""


def cells(config: RunConfig, clients: Clients, say: Say, *, cwd: Path, env: Mapping[str, str], human: Agent | None = None) -> list[Cell]:
    """The grid, task by task: corpora, agents and clients are made once and shared. `human`: plays in place of the agents named. Raises UserError."""
    if human is not None:
        config = config.model_copy(update={"agent": Ref(names=(human.name,))})
        agents = {human.name: (human, {"agent": human.identity()})}
    else:
        agents = {name: make_agent(name, config, cwd) for name in config.agent.names}
    asking = next((name for name, (agent, _) in agents.items() if agent.needs_model), None)
    if asking is None and config.model.options:
        hint = f"the agents are {', '.join(agents)}: leave it out, or add an agent that asks a model"
        raise UserError("there is no model to use it", where=f"model.{next(iter(config.model.options))}", hint=hint)
    if asking is not None and not config.model.names:
        raise UserError(f"agent {asking!r} needs a model", where="model", hint="model=openai/NAME, with base_url=http://host:port/v1 for a server of your own")
    worlds = {name: make_world(name, config, say, cwd) for name in config.task.names}
    for name, world in worlds.items():
        if world.is_split and config.split is None:
            say(f"{name}: the test split is played, {len(world.side('test')):,} of {len(world):,} rows (split=train or split=all plays others)")
    check_roles(config, worlds)
    voices = open_voices(config, clients, env)
    out: list[Cell] = []
    for task, name in product(config.task.names, config.agent.names):
        # A baseline plays without a model: one cell, however many models the grid has.
        for ref in config.model.names if agents[name][0].needs_model else [None]:
            model = open_one(ref, config, clients, worlds[task], env) if ref is not None else None
            out.append(make_cell(config, task, name, ref, worlds[task], *agents[name], model, cwd, voices))
    for cell in out:
        cell.folder = _folder(cell, cwd, alone=len(out) == 1)
    if len({cell.folder for cell in out}) < len(out):
        raise UserError("two cells of the grid would share a folder", where="out", hint="give each task, agent and model a name of its own")
    return out


def make_world(ref: str, config: RunConfig, say: Say, cwd: Path) -> World:
    """Finds, reads and compiles one task. Raises UserError."""
    found = find_task(ref, cwd, _path(config.tasks_root))
    task = read_task(found.folder, name=found.name, overrides=config.task.options, trusted=found.trusted or config.trust)
    world = build(
        task,
        data=config.data,
        source=config.source,
        rename=config.rename,
        note=lambda note: say(f"{found.name}: {note}"),
        relock=config.relock,
        scorer_versions=versions(),
        voiced=frozenset(config.responder),
    )
    checked(world)
    if empty := _empty_gold(world):
        say(f"{found.name}: {empty}")
    return world


def checked(world: World) -> World:
    """The world, once its rewards are known to be sound and it has a row. Raises UserError."""
    try:
        check_rules(world.rewards)
    except UserError as e:
        raise UserError(f"{e.where}: {e.what}", where=str(_place(world, e.where)), hint=e.hint) from None
    if not len(world):
        raise UserError("has no row to play", where=world.name, hint="check its source, and `episode.where` (gold is text there, as it was written)")
    return world


def _place(world: World, dotted: str) -> Place:
    """Where the user wrote a key of a reward, or on the short level the reward's name."""
    places = world.task.places
    name = next((name for name in world.rewards if dotted.startswith(f"rewards.{name}.")), "")
    path = ("rewards", name, *dotted.removeprefix(f"rewards.{name}.").split("."))
    return places.at(*path) if path in places.known else key_place(places.at(*path), name)


def _empty_gold(world: World) -> str:
    """A line that counts the rows without a right answer; "" where there are none. Looks at rewards whose reference is a plain column."""
    said = [_COLUMN.fullmatch(rule.against or "") for rule in world.spec.rewards.values()]
    table = world.corpus.tables[world.spec.episode.each]
    names = sorted({match[1] or match[2] for match in said if match} & set(table.columns))
    if not names:
        return ""
    counts = dict.fromkeys(names, 0)
    for _, _, row in table:
        for name in names:
            if row.get(name) in (None, "", []):
                counts[name] += 1
    found = [f"{n:,} of {len(table):,} rows have no {name!r}" for name, n in counts.items() if n]
    return f"{', '.join(found)}, which rewards compare with: such rows cannot be answered right" if found else ""


def make_agent(ref: str, config: RunConfig, cwd: Path) -> tuple[Agent, JsonDict]:
    """A baseline, an agent of a content root, or the user's own by `file.py:Name`; and what tells it from others. Raises UserError."""
    # In a grid the options are for the agents that are no baselines; a baseline alone refuses what it does not know.
    alone = all(name in BASELINES for name in config.agent.names)
    baseline = make_baseline(ref, config.agent.options if alone else {})
    if baseline is not None:
        return baseline, {"agent": baseline.identity()}
    found = find_agent(ref, cwd, _path(config.agents_root), BASELINES)
    if not (found.trusted or config.trust):
        raise UserError(f"agent {ref!r} is code from outside this project", where="agent", hint="read it, then trust=true runs it")
    agent = load_agent(found, config.agent.options)
    said: JsonDict = {"agent": identity(agent, found.target)}
    if source := source_digest(found):
        said["source"] = source  # an edited agent is another agent, whatever it says of itself
    return agent, said


def open_one(ref: str, config: RunConfig, clients: Clients, world: World, env: Mapping[str, str]) -> Model:
    """The client of one model; nothing is sent yet. Raises UserError."""
    patience = config.timeouts
    return open_model(
        ref,
        base_url=config.base_url,
        env=env,
        key_env=config.key_env,
        picture=world.corpus.assets.render,
        extra=config.model.options,
        policy=Policy(attempts=patience.attempts, attempt_s=patience.attempt, call_s=patience.call),
        clients=clients,
    )


def make_cell(
    config: RunConfig,
    task: str,
    agent_ref: str,
    model_ref: str | None,
    world: World,
    agent: Agent,
    said: JsonDict,
    model: Model | None,
    cwd: Path,
    voices: Voices | None = None,
) -> Cell:
    """A cell that has no folder yet: `folder` is `cwd`. `said`: what tells the agent from others, as `make_agent` gives it."""
    if model is not None:
        said = {**said, "model": {**model.identity(), **({"options": config.model.options} if config.model.options else {})}}
    digest = canon.digest(said)[:32]
    cell = Cell(task, agent_ref, model_ref, world, agent, model, digest, said, {}, cwd, config, voices=voices if world.voices else None)
    cell.identity = {"task": world.name, "world": cell.played, "agent": digest, "seed": config.seed, "round": config.round}
    _check_split(cell)
    if cell.split is not None:
        cell.identity["split"] = cell.split
    return cell


def _check_split(cell: Cell) -> None:
    """Raises UserError for a split that the task has not, or that holds no row."""
    if cell.config.split is not None and not cell.world.is_split:
        raise UserError(f"{cell.world.name} has no test split", where="split", hint="leave split= out, or add `test:` to the task")
    if cell.split is not None and not cell.world.side(cell.split):
        raise UserError(f"no row is in the {cell.split} split", where=str(cell.world.task.places.at("test")), hint="another share, or split=all")


def _folder(cell: Cell, cwd: Path, *, alone: bool) -> Path:
    """results/<names>-<digest>, or `out`, or `out/<names>` in a grid; relative to the working folder where it lies inside."""
    model = cell.model.name if cell.model is not None else None
    name = default_path(Path(), cell.world.name, cell.agent.name, model, cell.identity).name
    if cell.config.out is None:
        return Path("results") / name
    out = Path(cell.config.out).expanduser()
    return out if alone else out / name.rpartition("-")[0]


def _path(root: str | None) -> Path | None:
    return None if root is None else Path(root)
