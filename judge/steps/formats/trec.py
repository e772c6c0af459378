"""TREC: a run, whose lines are ``query Q0 document rank score tag``, and the judgements ``query 0 document grade``."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.domain.errors import InputError
from judge.steps.formats.encodings import find_encoding, open_utf8
from judge.steps.formats.mapping import native_line
from judge.steps.formats.notes import Notes
from judge.steps.formats.source import Source
from judge.steps.records import Line

_LONGEST = 4096


def read_trec(source: Source, notes: Notes | None = None) -> Iterator[Line]:
    """One record for each query and tag of a run, at the line where it begins: passages without text, no answer.

    Documents are ranked as trec_eval does: by score, equal scores by document from z to a; the rank column counts for
    nothing. The query's number stands for the question, which such files lack.

    Raises:
        InputError: a line that is none of a run, or judgements that can't be read.
    """
    grades = {} if source.beside is None else read_qrels(source.beside)
    group: tuple[str, str] | None = None
    begins, done, documents = 0, set(), dict[str, float]()
    for number, cells in _cells(source.path, source.where, source.encoding, 6, "query Q0 document rank score tag"):
        key = (cells[0], cells[5])
        if key != group:
            if group is not None:
                yield _record(group, begins, documents, grades, source.where, notes)
            if key in done:
                found = f"query {key[0]!r} of {key[1]!r} stands in two places"
                raise InputError(f"{source.where}:{number}", found, "its lines together", "sort the run by query")
            group, begins, documents = key, number, {}
            done.add(key)
        if cells[2] in documents:
            at = f"{source.where}:{number}"
            raise InputError(at, f"document {cells[2]!r} stands twice under query {cells[0]!r}", "each once")
        documents[cells[2]] = _score(cells[4], f"{source.where}:{number}")
    if group is None:
        raise InputError(source.where, "the run is empty", "lines of query Q0 document rank score tag")
    yield _record(group, begins, documents, grades, source.where, notes)
    if notes is not None:
        notes.taken |= {"question": "query", "passages": "document, score", "system": "tag"}
        notes.taken |= {"grades": str(source.beside)} if grades else {}
        if left := len(grades.keys() - {query for query, _ in done}):
            notes.said["judged queries that the run lacks"] += left


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Grades by document by query. InputError: a line that is none, or two grades of one document."""
    found: dict[str, dict[str, int]] = {}
    if not path.is_file():
        raise InputError(str(path), "there is no such file", advice="check the path")
    where = str(path)
    for number, cells in _cells(path, where, find_encoding(path, where), 4, "query 0 document grade"):
        query, _, document, grade = cells
        try:
            value = int(grade)
        except ValueError:
            raise InputError(f"{where}:{number}", f"the grade is {grade!r}", "a whole number") from None
        if found.setdefault(query, {}).setdefault(document, value) != value:
            raise InputError(f"{where}:{number}", f"another grade of {document!r} than before", "one a document")
    return found


def _record(
    group: tuple[str, str],
    number: int,
    documents: dict[str, float],
    grades: dict[str, dict[str, int]],
    where: str,
    notes: Notes | None,
) -> Line:
    query, tag = group
    ranked = sorted(documents.items(), key=lambda one: (one[1], one[0]), reverse=True)
    row: dict[str, Any] = {
        "question": query,
        "answer": None,
        "query_id": query,
        "answer_id": f"{query}-{tag}",
        "system": tag,
        "passages": [{"id": document, "text": None, "score": score} for document, score in ranked],
    }
    if query in grades:
        row["grades"] = grades[query]
    return native_line(number, row, f"{where}:{number}", notes)


def _score(text: str, at: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(at, f"the score is {text!r}", "a number")
    return value


def _cells(path: Path, where: str, encoding: str, width: int, form: str) -> Iterator[tuple[int, list[str]]]:
    number = 0
    with open_utf8(path, encoding) as file:
        while raw := file.readline(_LONGEST + 1):
            number += 1
            cells = raw.decode().split()
            if cells and (len(cells) != width or len(raw) > _LONGEST):
                raise InputError(f"{where}:{number}", f"the line has {len(cells)} words", f"{width}: {form}")
            if cells:
                yield number, cells
