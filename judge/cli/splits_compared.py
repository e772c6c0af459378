"""``judge split --compare``: two claim sets side by side."""

from typing import TYPE_CHECKING, Any

from judge.cli.common import opened, print_json, print_pairs, print_table, say

if TYPE_CHECKING:
    from judge.domain.claims import Claim
    from judge.workflow.comparing_splits import SplitsComparison


def show_compared(dataset: str | None, names: tuple[str, str], *, limit: int, as_json: bool, db: str) -> None:
    """Print the first differences of two claim sets, or everything as JSON."""
    from judge.domain.errors import UsageError
    from judge.workflow.comparing_splits import compare_claim_sets

    if limit < 1:
        raise UsageError(f"--limit is {limit}, expected 1 or more")
    with opened(db) as store:
        found = compare_claim_sets(store, names, dataset, limit=None if as_json else limit)
    if as_json:
        print_json(_values(found))
    else:
        _print(found)


def _print(found: "SplitsComparison") -> None:
    a, b = found.a, found.b
    print_pairs(
        [
            ("dataset", found.dataset),
            *((side.claim_set, f"{side.splitter}, {side.answers:,} answers") for side in (a, b)),
            ("answers in both", f"{found.answers:,}, of which {found.differing:,} differ"),
        ]
    )
    head = ("of the answers in both", a.claim_set, b.claim_set)
    names = ("claims", "not_checkable", "only")
    rows = [(name.replace("_", " "), *(f"{getattr(side, name):,}" for side in (a, b))) for name in names]
    print_table(head, [*rows[:2], ("in this one only", *rows[2][1:])], frozenset((1, 2)))
    if not found.compared:
        return
    print_table(
        ("answer", "claims", f"only in {a.claim_set}", f"only in {b.claim_set}"),
        [
            (one.answer, f"{len(one.a)} / {len(one.b)}", _listed(one.only_a), _listed(one.only_b))
            for one in found.compared
        ],
    )
    if found.differing > len(found.compared):
        say(f"... and {found.differing - len(found.compared):,} more answers; --limit shows more, --json all.")


def _listed(claims: "tuple[Claim, ...]") -> str:
    lines = [f"{one.key} {' '.join(one.text.split())[:100]}{_reason(one)}" for one in claims[:5]]
    return "\n".join([*lines, f"... {len(claims) - 5} more"] if len(claims) > 5 else lines)


def _reason(claim: "Claim") -> str:
    reasons = [claim.not_checkable.value] if claim.not_checkable else []
    reasons += ["not in the answer"] * claim.not_in_answer
    return f" [{', '.join(reasons)}]" if reasons else ""


def _values(found: "SplitsComparison") -> dict[str, Any]:
    answers = [
        {
            "answer": one.answer,
            "a": list(map(_claim, one.a)),
            "b": list(map(_claim, one.b)),
            "only_a": [claim.key for claim in one.only_a],
            "only_b": [claim.key for claim in one.only_b],
            "spans_only_a": one.spans_only_a,
            "spans_only_b": one.spans_only_b,
        }
        for one in found.compared
    ]
    rest = {"dataset": found.dataset, "a": found.a._asdict(), "b": found.b._asdict()}
    return {**rest, "answers": found.answers, "differing": found.differing, "compared": answers}


def _claim(claim: "Claim") -> dict[str, Any]:
    reason = claim.not_checkable.value if claim.not_checkable else None
    values = {"key": claim.key, "text": claim.text, "spans": claim.spans, "not_checkable": reason}
    return {**values, "not_in_answer": claim.not_in_answer}
