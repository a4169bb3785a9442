"""`new task`: from data to a task that plays."""
