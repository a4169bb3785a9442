"""agentharness: static datasets become stateful environments for thousands of concurrent agent sessions."""

__version__ = "0.1.0"
