"""Working time and wall time."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from agentharness.errors import Truncated
from agentharness.session.clock import Clock


async def test_no_limit_never_cuts() -> None:
    clock = Clock(None, None)
    with clock.limits():
        clock.check()
        await anyio.lowlevel.checkpoint()
    assert clock.waited == 0.0


@pytest.mark.parametrize(("working", "wall", "by"), [(0.02, None, "time"), (None, 0.02, "wall"), (5.0, 0.02, "wall")])
async def test_a_limit_cancels_what_hangs(working: float | None, wall: float | None, by: str) -> None:
    clock = Clock(working, wall)
    with pytest.raises(Truncated) as caught, clock.limits():
        await anyio.sleep(60)
    assert caught.value.by == by


async def test_waits_do_not_use_up_working_time_but_do_use_up_wall_time() -> None:
    clock = Clock(0.05, None)
    with clock.limits():
        with clock.waiting():
            await anyio.sleep(0.15)
        clock.check()
    assert clock.waited >= 0.15
    assert clock.seconds < 0.05
    clock = Clock(5.0, 0.05)
    with pytest.raises(Truncated, match="wall"), clock.limits(), clock.waiting():
        await anyio.sleep(60)


async def test_recorded_time_is_charged() -> None:
    clock = Clock(10.0, None)
    with clock.limits():
        clock.spend(4.0)
        clock.check()
        assert 4.0 <= clock.seconds < 5.0
        clock.spend(7.0)
        with pytest.raises(Truncated, match="time"):
            clock.check()


async def test_after_a_wait_the_rest_of_the_limit_still_holds() -> None:
    clock = Clock(0.05, None)

    async def wait_then_hang() -> None:
        with clock.limits():
            with clock.waiting():
                await anyio.sleep(0.06)
            await anyio.sleep(60)

    with pytest.raises(Truncated, match="time"):
        await wait_then_hang()
