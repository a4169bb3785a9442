"""The seam to the network: one method. Everything above it can be tested with a fake; only `http.py` knows a real client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Trouble = Literal["connect", "dns", "tls", "timeout", "reset", "protocol"]
"""No connection · no such host · no trust · no whole answer in time · the connection ended early · not HTTP."""


@dataclass(slots=True)
class HttpCall:
    """One HTTP request. `timeout_s`: seconds until the whole body must be here."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout_s: float


@dataclass(slots=True)
class HttpReply:
    """One HTTP answer, whatever its status. `headers.get` takes lower-case names."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class TransportError(Exception):
    """No HTTP answer came."""

    def __init__(self, kind: Trouble, message: str) -> None:
        self.kind, self.message = kind, message
        super().__init__(f"{kind}: {message}")


class Transport(Protocol):
    """Carries calls to one endpoint. Shared by all sessions; never queues a call behind another."""

    async def send(self, call: HttpCall) -> HttpReply:
        """One attempt. Raises TransportError where no answer came."""
        ...

    async def close(self) -> None: ...
