"""One socket a session: the process must be allowed as many open files as the concurrency needs."""

from __future__ import annotations

from agentharness.errors import UserError

SPARE = 256
"""Files beside the sockets: the record, libraries, pipes."""


def raise_nofile(concurrency: int) -> None:
    """Raises the soft RLIMIT_NOFILE. Raises UserError where the hard limit is too low."""
    import resource

    need = concurrency + SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= need:
        return
    if hard != resource.RLIM_INFINITY and hard < need:
        raise UserError(
            f"concurrency={concurrency} needs {need} open files, and the system allows {hard}",
            where="concurrency",
            hint=f"concurrency={max(1, hard - SPARE)}, or raise the hard limit (ulimit -Hn)",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))
