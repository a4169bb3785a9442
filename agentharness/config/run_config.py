"""What a run is made of: every key of `run`, with the description that `run --help` prints."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, field_validator

from agentharness.config.closed import Closed
from agentharness.types.part import JsonDict

IDENTITY_KEYS = ("task", "agent", "model", "data", "source", "rename", "split", "seed", "round")
"""What decides which episodes a run holds: another value is another run."""
FREE_KEYS = (
    "base_url", "key_env", "limit", "samples", "concurrency", "out", "fresh", "dry", "trust", "relock",
    "retry", "agent_errors", "tasks_root", "agents_root",
    "timeouts", "quiet", "responder",
)  # fmt: skip
"""What a resume may change: how much is played, how fast, from where and with what patience. (`responder`'s models are part of the world that is played.)"""

_SECRET = re.compile(r"(?i)key|token|secret|password|sig")


class Ref(Closed):
    """A list of names, and the options that go to each of them."""

    model_config = ConfigDict(strict=True)

    names: tuple[str, ...] = ()
    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def name(self) -> str | None:
        """The first name."""
        return self.names[0] if self.names else None


def _ref(value: Any) -> Any:
    """`atlas`, `atlas,digits`, [atlas, digits] or {name: …, option: …} as a Ref. Raises ValueError."""
    if isinstance(value, Ref):
        return value
    options: JsonDict = {}
    if isinstance(value, dict):
        options = {k: v for k, v in value.items() if k != "name"}
        value = value.get("name", [])
    return Ref(names=_names(value), options=options)


def _names(value: Any) -> tuple[str, ...]:
    """`a,b` or [a, b] as (a, b). Raises ValueError."""
    if isinstance(value, str):
        value = [word.strip() for word in value.split(",")]
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise ValueError("must be a name, a list of names, or {name: …, option: value}")
    if "" in value:
        raise ValueError("has an empty name")
    if twice := [word for i, word in enumerate(value) if word in value[:i]]:
        raise ValueError(f"names {twice[0]!r} twice")
    return tuple(value)


Names = Annotated[Ref, BeforeValidator(_ref)]


class Timeouts(Closed):
    """Patience with the model server."""

    model_config = ConfigDict(strict=True)

    attempt: float = Field(120.0, gt=0, allow_inf_nan=False, description="seconds for one request")
    call: float = Field(600.0, gt=0, allow_inf_nan=False, description="seconds for one call, all its attempts and waits together")
    attempts: int = Field(8, ge=1, description="requests for one call")


def _url(value: str | None) -> str | None:
    if value is None:
        return None
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError("must start with http:// or https:// and name a server")
    if "@" in parts.netloc or _SECRET.search(parts.query):
        raise ValueError("must hold no key or password: they would be recorded; put the key into the variable that key_env names")
    return value


def _variable(value: str | None) -> str | None:
    # The message leaves the value out: it may be the key itself.
    if value is not None and (not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,99}", value) or value.startswith("sk_")):
        raise ValueError("must be the name of an environment variable, such as OPENAI_API_KEY")
    return value


Url = Annotated[str | None, AfterValidator(_url)]
Variable = Annotated[str, AfterValidator(_variable)]


class Voice(Closed):
    """A model that plays a role inside a world."""

    model_config = ConfigDict(strict=True)

    model: str = Field(description="openai/NAME with the server's own name for it")
    base_url: Url = Field(None, description="URL of its server; the run's where absent")
    key_env: Variable | None = Field(None, description="name of the variable that holds its key; the run's where absent")
    temperature: float | None = Field(None, ge=0, description="sampling")
    max_tokens: int | None = Field(None, ge=1, description="new tokens of one answer")


class RunConfig(Closed):
    """A run. Grids: several names in task, agent and model play each with each."""

    model_config = ConfigDict(strict=True)

    task: Names = Field(description="tasks: names, folders, or a comma list; task.KEY=VALUE overrides a key of the task (task.limits.turns=8)")
    agent: Names = Field(Ref(names=("oracle",)), description="agents: names, file.py:Name, module:Name; agent.KEY=VALUE is an option of the agent")
    model: Names = Field(Ref(), description="models: openai/NAME with the server's own name for it; model.KEY=VALUE is an option of the model")
    base_url: Url = Field(None, description="URL of the model server, up to and with /v1")
    responder: dict[str, Voice] = Field(
        default_factory=dict, description="responder.ROLE=openai/NAME: the model that plays a role inside the world; responder.ROLE.base_url=…, .temperature=…"
    )
    key_env: Variable = Field("OPENAI_API_KEY", description="name of the environment variable that holds the server's key")
    split: Literal["train", "test", "all"] | None = Field(None, description="rows of a task with a test split: test (where absent), train or all")
    limit: int | None = Field(None, ge=1, lt=2**63, description="how many rows are played; all where absent")
    samples: int = Field(1, ge=1, lt=2**63, description="episodes for each row")
    seed: int = Field(0, ge=0, lt=2**63, description="what all draws derive from")
    concurrency: int = Field(64, ge=1, description="sessions at the same time")
    out: str | None = Field(None, description="folder of the results; results/<task>-<agent>-<model>-<digest> where absent")
    fresh: bool = Field(False, description="start again instead of resuming what the folder holds")
    dry: bool = Field(False, description="print the plan, the resolved config, and calls and tokens at most; play nothing")
    data: str | None = Field(None, description="which of the task's named data, such as demo")
    source: str | None = Field(None, description="file that replaces the task's source, or folder with the files of all its tables; the world is then unlocked")
    rename: dict[str, str] = Field(default_factory=dict, description="rename.COLUMN=NAME: column of the source -> column of the task")
    trust: bool = Field(False, description="let hooks and Python of a task or agent outside the project run")
    relock: bool = Field(False, description="write env.lock anew where the corpus does not match it")
    retry: tuple[Literal["env", "layer", "scorer", "agent"], ...] = Field(
        (), description="errors that a resume plays again: env, layer, scorer, agent, as a comma list"
    )
    round: int = Field(0, ge=0, lt=2**63, description="policy update in training; 0 in evaluation")
    agent_errors: Literal["zero", "none"] = Field("zero", description="reward of an episode whose agent failed: zero, or none")
    tasks_root: str | None = Field(None, description="folder of tasks that is looked in first")
    agents_root: str | None = Field(None, description="folder of agents that is looked in first")
    timeouts: Timeouts = Field(Timeouts(), description="patience with the model server")
    quiet: bool = Field(False, description="no live line")

    @field_validator("task")
    @classmethod
    def _some_task(cls, value: Ref) -> Ref:
        if not value.names:
            raise ValueError("names no task")
        return value

    @field_validator("agent")
    @classmethod
    def _some_agent(cls, value: Ref) -> Ref:
        return value if value.names else Ref(names=("oracle",), options=value.options)

    @field_validator("retry", mode="before")
    @classmethod
    def _retry(cls, value: Any) -> Any:
        if isinstance(value, str):
            value = [word.strip() for word in value.split(",")]
        return tuple(dict.fromkeys(value)) if isinstance(value, list | tuple) else value


def identity(config: RunConfig) -> JsonDict:
    """The identity keys with their values, defaults included: JSON."""
    return {key: _plain(getattr(config, key)) for key in IDENTITY_KEYS}


def to_config(config: RunConfig) -> JsonDict:
    """The nested form that a manifest holds and `config=` reads again, defaults left out."""
    out: JsonDict = {}
    for key, field in RunConfig.model_fields.items():
        value = getattr(config, key)
        if field.is_required() or value != field.get_default(call_default_factory=True):
            out[key] = _plain(value)
    return out


def _plain(value: Any) -> Any:
    """A field's value as JSON, in the form that a file or the command line gives it."""
    if isinstance(value, Ref):
        return {"name": _plain(value.names), **value.options} if value.options else _plain(value.names)
    if isinstance(value, Closed):
        return value.model_dump(exclude_defaults=True)
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 and "," not in value[0] else list(value)
    return value
