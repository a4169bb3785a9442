"""Layers: envs around an env."""
