"""`play web=true`: a person plays in a page of their own browser."""
