"""One command a step: parses, calls the workflow, prints."""
