"""Arrays in, Estimate out."""
