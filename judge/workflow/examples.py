"""Disagreements, to be read."""

import sqlalchemy as sa

from judge.domain.results import Example
from judge.store.answers import load_answers
from judge.store.claims import claims_of_units
from judge.store.units import load_units
from judge.store.verdicts import load_verdicts
from judge.workflow.agreement import Compared


def disagreements(connection: sa.Connection, compared: Compared, most: int) -> list[Example]:
    """Some units on which judge and people part, each cell of the table in turn, so that no kind hides another."""
    pairs, labels = compared.pairs, compared.agreement.labels
    cells: dict[tuple[int, int], list[int]] = {}
    for judge, human, unit_id in zip(pairs.judge.tolist(), pairs.human.tolist(), pairs.units.tolist(), strict=True):
        if judge != human:
            cells.setdefault((judge, human), []).append(unit_id)
    chosen: list[tuple[int, int, int]] = []
    depth = 0
    while len(chosen) < most and any(len(units) > depth for units in cells.values()):
        chosen += [(units[depth], *cell) for cell, units in sorted(cells.items()) if len(units) > depth]
        depth += 1
    chosen = chosen[:most]
    ids = [unit_id for unit_id, _, _ in chosen]
    units = load_units(connection, ids)
    answers = load_answers(connection, sorted({unit.answer_id for unit in units.values()}))
    claims = claims_of_units(connection, ids)
    verdicts = {one.unit_id: one for one in load_verdicts(connection, compared.match.judge.id, ids)}
    examples = []
    for unit_id, judge, human in chosen:
        answer = answers[units[unit_id].answer_id]
        examples.append(
            Example(
                unit=units[unit_id].key,
                question=answer.query.text,
                claim=claims[unit_id].text if unit_id in claims else answer.text or "",
                judge_label=labels[judge],
                human_label=labels[human],
                rationale=(verdicts[unit_id].rationale or "") if unit_id in verdicts else "",
            )
        )
    return examples
