"""``judge datasets | runs | rubrics``: what there is."""

from judge.cli.common import DATABASE, Db, Json, opened, print_json, print_table


def datasets(as_json: Json = False, db: Db = DATABASE) -> None:
    """List the datasets."""
    from judge.workflow.listing import dataset_rows

    with opened(db) as store:
        rows = dataset_rows(store)
    _print("datasets", rows, as_json)


def runs(as_json: Json = False, db: Db = DATABASE) -> None:
    """List the runs, a row for each judge."""
    from judge.workflow.listing import all_runs

    with opened(db) as store:
        rows = all_runs(store)
    _print("runs", rows, as_json)


def rubrics(as_json: Json = False, db: Db = DATABASE) -> None:
    """List the rubrics that are stored, and those that come with judge."""
    from judge.workflow.listing import rubric_rows

    with opened(db, new=True) as store:
        rows = rubric_rows(store)
    _print("rubrics", rows, as_json)


def _print(name: str, rows: list[dict[str, object]], as_json: bool) -> None:
    if as_json:
        print_json({name: rows})
        return
    if not rows:
        print(f"There are no {name} yet.")
        return
    head = list(rows[0])
    whole = frozenset(place for place, key in enumerate(head) if all(isinstance(row[key], int) for row in rows))
    print_table(head, [["" if row[key] is None else row[key] for key in head] for row in rows], whole)
