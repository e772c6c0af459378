"""Where calls run."""
