"""What a file says twice: repeated answers, and one thing said in two ways. Held as 8-byte hashes, not as texts.

Two different ids among a million share a hash with probability 3e-8; they would be refused as a repeat.
"""

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from judge.domain.claims import UnitKind
from judge.domain.errors import InputError
from judge.steps.answers import Record
from judge.steps.given import Address
from judge.steps.records import Line

Hashes = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]
_ABSENT = bytes(8)
_QUERY_FIELDS = ("`question` or `history`", "`reference`", "`evidence_sets`", "`grades`")


class Plan(NamedTuple):
    """How the readable records of a file are to be stored, by their place among them."""

    lines: Rows
    """Their lines in the file."""
    bad: npt.NDArray[np.bool_]
    """Which of them contradict an earlier one."""
    query: npt.NDArray[np.int32]
    """Number of the record's query, 0, 1, ... by first use; -1 for bad ones."""
    adds: npt.NDArray[np.bool_]
    """Which of them complete a query that an earlier record began."""
    problems: tuple[InputError, ...]
    """The first of what is wrong, by line."""
    checks: npt.NDArray[np.uint32]
    """Checksums of their lines, so that the second reading sees that the file is the same."""
    hash: bytes
    """Identity of all good records in their order, 16 bytes."""


class Repeats:
    """Gathers the hashes of a file, 68 bytes a record."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._lines, self._checks = bytearray(), bytearray()
        self._named = bytearray()
        self._answers = bytearray()
        self._queries = bytearray()
        self._fields = tuple(bytearray() for _ in _QUERY_FIELDS)
        self._digests = bytearray()
        self._units, self._values, self._owners = bytearray(), bytearray(), bytearray()

    def add(self, line: Line, record: Record) -> None:
        """Take in one readable record.

        Raises:
            InputError: it is nested deeper than JSON can be written.
        """
        digest = _digest(line.row, f"{self.where}:{line.number}")
        given, number = record.given, len(self._named)
        self._lines += line.number.to_bytes(8, "little")
        self._checks += line.check.to_bytes(4, "little")
        self._named.append(record.named)
        self._answers += _hash(record.answer_key)
        self._queries += _hash(record.query_key)
        asked = [given["question"], [[turn["role"], turn["text"]] for turn in given.get("history", ())]]
        fields = (asked, given.get("reference"), given.get("evidence_sets"), given.get("grades"))
        for column, field in zip(self._fields, fields, strict=True):
            column.extend(_hash(field) if field else _ABSENT)
        self._digests += digest
        for unit, value in _shared(record):
            self._units += unit
            self._values += value
            self._owners += number.to_bytes(8, "little")

    def plan(self, most: int) -> Plan:
        """Find repeats and contradictions.

        Args:
            most: how many problems to word.
        """
        n = len(self._named)
        bad = np.zeros(n, dtype=bool)
        problems: list[tuple[int, InputError]] = []
        lines, every = _rows(self._lines), np.arange(n)
        answers, queries = _hashes(self._answers), _hashes(self._queries)
        checks: list[tuple[str, Rows, Hashes, Hashes]] = [("`answer_id`", every, answers, every.view(np.uint64))]
        for field, column in zip(_QUERY_FIELDS, self._fields, strict=True):
            given = np.flatnonzero(_hashes(column))
            checks.append((field, given, queries[given], _hashes(column)[given]))
        checks.append(("`verdicts` or `labels`", _rows(self._owners), _hashes(self._units), _hashes(self._values)))
        for name, rows, keys, values in checks:
            good = ~bad[rows] if bad.any() else slice(None)  # a slice copies nothing
            later, first = _contradictions(rows[good], keys[good], values[good])
            problems += [
                (int(lines[i]), self._worded(name, int(i), int(lines[i]), int(lines[j])))
                for i, j in zip(later[:most], first[:most], strict=True)
            ]
            bad[later] = True
        query, adds = self._queries_of(np.flatnonzero(~bad), queries, n)
        worded = tuple(error for _, error in sorted(problems, key=lambda each: each[0])[:most])
        sums = np.frombuffer(self._checks, dtype="<u4")
        return Plan(lines, bad, query, adds, worded, sums, self._content(bad))

    def _worded(self, name: str, row: int, line: int, first: int) -> InputError:
        at = f"{self.where}:{line}"
        if name == "`answer_id`":
            if self._named[row]:
                return InputError(at, f"`answer_id` stands in line {first} already", "each answer once")
            return InputError(
                at,
                f"the same question, answer, system and passages as line {first}",
                advice="remove it or give `answer_id`",
            )
        if name.startswith("`verdicts`"):
            return InputError(
                at, f"{name} say of a passage of this query something else than line {first}", "one a unit and judge"
            )
        return InputError(at, f"another {name} of the same `query_id` than line {first}", "one query under one id")

    def _queries_of(self, good: Rows, queries: Hashes, n: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        number, adds = np.full(n, -1, dtype=np.int32), np.zeros(n, dtype=bool)
        _, first, inverse = np.unique(queries[good], return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        number[good] = rank[inverse]
        begins = np.sort(good[first])
        for column in self._fields[1:]:
            given = good[_hashes(column)[good] != 0]
            used, place = np.unique(number[given], return_index=True)
            adds[given[place][given[place] != begins[used]]] = True
        return number, adds

    def _content(self, bad: npt.NDArray[np.bool_]) -> bytes:
        digests = np.frombuffer(self._digests, dtype=np.uint8).reshape(-1, 16)[~bad]
        return hashlib.blake2b(digests.tobytes(), digest_size=16).digest()


def _shared(record: Record) -> Iterator[tuple[bytes, bytes]]:
    """What a record says of passages, as other answers to the query may do too: hash of whom and what, hash of it."""
    texts = {passage["id"]: passage["text"] for passage in record.given.get("passages", ())}
    query = record.query_key
    for verdict in record.verdicts:
        if verdict.of.kind is UnitKind.PASSAGE:
            unit = _unit(query, verdict.of, texts)
            yield _hash(["v", unit, verdict.rubric, verdict.judge]), _hash(verdict[3:])
    for label in record.labels:
        if label.of.kind is UnitKind.PASSAGE:
            unit = _unit(query, label.of, texts)
            yield _hash(["l", unit, label.rubric, label.annotator]), _hash([label.label, *label[5:]])
            yield _hash(["p", unit]), _hash(label.probability)


def _unit(query: str, of: Address, texts: dict[str, str | None]) -> list[str | None]:
    return [query, of.passage, texts[of.passage or ""]]


def _contradictions(rows: Rows, keys: Hashes, values: Hashes) -> tuple[Rows, Rows]:
    """Rows whose value is another than that of the first row with their key, by place, and those first rows."""
    none = rows[:0]
    if len(rows) < 2:
        return none, none
    order = np.argsort(keys, kind="stable")
    again = keys[order[1:]] == keys[order[:-1]]
    # only keys that come again can contradict: most do not, and what follows takes 50 bytes of memory for each
    order = order[np.append(again, False) | np.append(False, again)]
    if not len(order):
        return none, none
    fresh = np.append(True, keys[order][1:] != keys[order][:-1])
    first = order[np.flatnonzero(fresh)[np.cumsum(fresh) - 1]]
    other = values[order] != values[first]
    later, place = np.unique(rows[order[other]], return_index=True)
    return later, rows[first[other][place]]


def _hash(value: Any, size: int = 8) -> bytes:
    return hashlib.blake2b(orjson.dumps(value, option=orjson.OPT_SORT_KEYS), digest_size=size).digest()


def _digest(row: dict[str, Any], at: str) -> bytes:
    try:
        return _hash(row, 16)
    except orjson.JSONEncodeError as error:
        raise InputError(at, f"the record can't be kept ({error})", advice="nest its values less deeply") from None


def _hashes(column: bytearray) -> Hashes:
    return np.frombuffer(column, dtype="<u8")


def _rows(column: bytearray) -> Rows:
    return np.frombuffer(column, dtype="<i8")
