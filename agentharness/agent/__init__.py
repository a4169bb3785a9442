"""Agents: what turns observations into moves. An agent sees observations, never an env."""
