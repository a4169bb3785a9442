"""Models that play roles inside worlds: a Need of a role becomes a chat with that role's model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentharness.config.run_config import RunConfig, Voice
from agentharness.env.world import World
from agentharness.errors import EpisodeError, UserError, closest
from agentharness.model.refs import Clients, open_model
from agentharness.model.retry import Policy
from agentharness.types.model import Message, Model, Request
from agentharness.types.move import Need
from agentharness.types.part import JsonDict


@dataclass(slots=True)
class Voices:
    """A session.ports.Responder over models, one for each role."""

    models: dict[str, Model]
    sampling: dict[str, JsonDict]

    async def __call__(self, need: Need) -> JsonDict:
        """{"role", "text", "finish", "usage"} of the reply. Raises EpisodeError."""
        model = self.models.get(need.role)
        if model is None:
            raise EpisodeError("responder", f"no model plays the {need.role}")
        request = Request([Message(m) for m in need.request["messages"]], None, self.sampling[need.role])
        reply = await model.complete(request)
        content = reply.message.get("content")
        return {"role": need.role, "text": content if isinstance(content, str) else "", "finish": reply.finish, "usage": reply.usage}

    def identity(self) -> JsonDict:
        """What of it decides observations: model and sampling of each role; no URL, no key."""
        return {role: {**model.identity(), **self.sampling[role]} for role, model in sorted(self.models.items())}


def open_voices(config: RunConfig, clients: Clients, env: Mapping[str, str]) -> Voices | None:
    """Clients for the roles that the config names; None where it names none. Raises UserError."""
    if not config.responder:
        return None
    models = {role: _open(role, voice, config, clients, env) for role, voice in config.responder.items()}
    return Voices(models, {role: _sampling(voice) for role, voice in config.responder.items()})


def check_roles(config: RunConfig, worlds: Mapping[str, World]) -> None:
    """Raises UserError for a role that no task has, and for one that needs a model and has none."""
    known = {role for world in worlds.values() for role in world.voices}
    for role in config.responder:
        if role not in known:
            raise UserError(f"no task has a role {role!r}", where=f"responder.{role}", hint=closest(role, known))
    for name, world in worlds.items():
        for role, needed in world.voices.items():
            if needed and role not in config.responder:
                raise UserError(f"{name} has a {role} that only a model can play", where=f"responder.{role}", hint=f"responder.{role}=openai/NAME")


def _open(role: str, voice: Voice, config: RunConfig, clients: Clients, env: Mapping[str, str]) -> Model:
    patience = config.timeouts
    try:
        return open_model(
            voice.model,
            base_url=voice.base_url or config.base_url,
            env=env,
            key_env=voice.key_env or config.key_env,
            picture=None,
            extra={},
            policy=Policy(attempts=patience.attempts, attempt_s=patience.attempt, call_s=patience.call),
            clients=clients,
        )
    except UserError as e:
        raise UserError(e.what, where=f"responder.{role}", hint=e.hint) from None


def _sampling(voice: Voice) -> JsonDict:
    said: dict[str, Any] = {"temperature": voice.temperature, "max_tokens": voice.max_tokens}
    return {name: value for name, value in said.items() if value is not None}
