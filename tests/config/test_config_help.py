"""The help of `run` comes from the keys' own descriptions."""

from __future__ import annotations

from agentharness.config.help import text
from agentharness.config.run_config import RunConfig


def test_every_key_stands_in_the_help_with_its_default() -> None:
    help_text = text()
    for key in RunConfig.model_fields:
        assert f"  {key}=" in help_text or f"  {key}." in help_text
    lines = help_text.splitlines()
    assert next(line for line in lines if line.startswith("  seed=")).split() == ["seed=N", "what", "all", "draws", "derive", "from", "[0]"]
    assert "[120]" in next(line for line in lines if "timeouts.attempt=" in line)
    assert "agent_errors=zero|none" in help_text
    assert any(line.startswith("  config=FILE") for line in lines)


def test_it_fits_the_width_it_is_given() -> None:
    assert max(map(len, text(100).splitlines())) <= 100
