"""`play web=true` as a process beside the test, and its page by plain HTTP."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from harness import ENV, JsonDict, command


class WebPlay:
    """A run whose player is a person at a page."""

    def __init__(self, cwd: Path, *words: str) -> None:
        self._process = subprocess.Popen(command("play", "web=true", *words), cwd=cwd, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout is not None
        said = ""
        while (found := re.search(r"http://\S+", said)) is None:
            line = self._process.stdout.readline()
            assert line, said
            said += line
        self.url = found[0]

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers of a GET, or of a POST of JSON. `path`: below the token, or from the root where it begins with a slash."""
        at = urlsplit(self.url)
        assert at.hostname is not None
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=30)
        try:
            data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request("GET" if body is None else "POST", path if path.startswith("/") else at.path + path, data, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())
        finally:
            connection.close()

    def news(self, after: int = 0, turn: int = -1) -> JsonDict:
        """What the page would be told."""
        status, body, _ = self.ask(f"news?after={after}&turn={turn}")
        assert status == 200, body
        found: JsonDict = json.loads(body)
        return found

    def turn(self, number: int) -> JsonDict:
        """All news, once this turn waits for the person."""
        while (found := self.news(turn=0))["turn"] != number:
            assert found["turn"] < number, found
        return found

    def act(self, turn: int, name: str, **args: Any) -> bool:
        """Acts in a turn; whether that was taken."""
        status, body, _ = self.ask("act", {"turn": turn, "name": name, "args": args})
        assert status == 200, body
        taken: bool = json.loads(body)["taken"]
        return taken

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    def done(self) -> tuple[int, str]:
        """Its end: exit code and the rest of what it said."""
        out, _ = self._process.communicate(timeout=60)
        return self._process.returncode, out

    def __enter__(self) -> WebPlay:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()
