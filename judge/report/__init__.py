"""Results to HTML, Markdown and JSON.

Charts are small SVG written by a template, not by a plotting library: they take the page's colours in the dark and in
print, their words can be selected and read aloud, the same report gives the same bytes, and no import costs a second.
"""

from judge.report.decisions import Decision, decision
from judge.report.html_page import to_html
from judge.report.json_text import to_json
from judge.report.markdown import agreement_markdown, to_markdown

__all__ = ["Decision", "agreement_markdown", "decision", "to_html", "to_json", "to_markdown"]
