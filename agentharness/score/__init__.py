"""Scoring: what a submission or a final state is worth, given the row with its gold. Pure."""
