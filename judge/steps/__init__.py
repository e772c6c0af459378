"""Pure steps; a file is named after what it yields."""
