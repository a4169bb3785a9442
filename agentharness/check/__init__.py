"""`check`: whether a task is sound, without a model."""
