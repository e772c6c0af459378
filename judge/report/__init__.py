"""Results to HTML, Markdown, JSON and SVG."""
