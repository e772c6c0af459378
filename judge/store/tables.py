"""The tables. JSON stands in text columns, moments are UTC seconds; identities are 16-byte unique columns."""

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _hash() -> sa.Column[bytes]:
    return sa.Column("hash", sa.LargeBinary(16), nullable=False, unique=True)


def _ref(name: str, target: str, *, nullable: bool = False, index: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{target}.id"), nullable=nullable, index=index)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _number(name: str, *, nullable: bool = True) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=nullable)


def _count(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=nullable)


rubrics = sa.Table(
    "rubrics",
    metadata,
    _id(),
    _hash(),
    _text("name"),
    _count("version"),
    _text("body"),  # the whole Rubric as JSON
    _number("created_at", nullable=False),
    sa.UniqueConstraint("name", "version"),
)

datasets = sa.Table(
    "datasets",
    metadata,
    _id(),
    _hash(),
    _text("name"),
    _count("version"),
    _text("corpus_version", nullable=True),
    _count("top_k", nullable=True),
    _count("answers"),
    _number("created_at", nullable=False),
    sa.UniqueConstraint("name", "version"),
)

queries = sa.Table(
    "queries",
    metadata,
    _id(),
    _ref("dataset_id", "datasets"),
    _text("key"),
    _text("text"),
    _text("body"),  # history, reference, evidence_sets, grades
    sa.UniqueConstraint("dataset_id", "key"),
)

passages = sa.Table(
    "passages",
    metadata,
    _id(),
    _hash(),
    _text("key"),
    _text("text", nullable=True),
    _text("body"),  # document, page, object, metadata
)

answers = sa.Table(
    "answers",
    metadata,
    _id(),
    _ref("dataset_id", "datasets"),
    _ref("query_id", "queries", index=True),
    _text("key"),
    _text("text", nullable=True),
    _text("system"),
    _text("model", nullable=True),
    _text("model_family", nullable=True),
    _text("slices"),
    _text("body"),  # config, citations, rankings, latency_ms, metadata
    sa.UniqueConstraint("dataset_id", "key"),
    sa.Index("ix_answers_dataset_id_id", "dataset_id", "id"),
)

answer_passages = sa.Table(
    "answer_passages",
    metadata,
    _id(),
    _ref("answer_id", "answers"),
    _count("rank"),
    _ref("passage_id", "passages", index=True),
    _number("score"),
    sa.UniqueConstraint("answer_id", "rank"),
)

claim_sets = sa.Table(
    "claim_sets",
    metadata,
    _id(),
    _ref("dataset_id", "datasets"),
    _text("name"),
    _text("splitter"),
    _text("source"),  # answer or reference
    _text("holder", nullable=True),  # the process that splits by a model now, until held_until
    _number("held_until"),
    _number("created_at", nullable=False),
    sa.UniqueConstraint("dataset_id", "name"),
)

splits = sa.Table(
    "splits",
    metadata,
    _id(),
    _ref("claim_set_id", "claim_sets"),
    _ref("answer_id", "answers", index=True),
    _count("checkable"),
    _count("not_checkable"),
    _count("length"),
    _count("covered"),
    _text("uncovered"),
    sa.UniqueConstraint("claim_set_id", "answer_id"),
)

claims = sa.Table(
    "claims",
    metadata,
    _id(),
    _ref("claim_set_id", "claim_sets"),
    _ref("answer_id", "answers", index=True),
    _count("position"),
    _text("key"),
    _text("text"),
    _text("not_checkable", nullable=True),
    _text("body"),  # spans, passages, citations
    sa.UniqueConstraint("claim_set_id", "answer_id", "position"),
)

# owner and part: claim and 0; claim and cited passage; answer and 0; query and passage
units = sa.Table(
    "units",
    metadata,
    _id(),
    _text("kind"),
    _ref("dataset_id", "datasets"),
    _ref("claim_set_id", "claim_sets", nullable=True),
    _ref("answer_id", "answers", index=True),
    _count("owner_id"),
    _count("part_id"),
    sa.UniqueConstraint("kind", "owner_id", "part_id"),
    sa.Index("ix_units_dataset_id_kind_claim_set_id_id", "dataset_id", "kind", "claim_set_id", "id"),
)

judges = sa.Table(
    "judges",
    metadata,
    _id(),
    _hash(),
    _text("name"),
    _ref("rubric_id", "rubrics"),
    _text("body"),  # the whole Judge as JSON
    _number("created_at", nullable=False),
)

runs = sa.Table(
    "runs",
    metadata,
    _id(),
    _hash(),  # dataset, claim set and judges as asked for, so that the same command goes on with its Run
    sa.Column("name", sa.Text, nullable=False, unique=True),
    _ref("dataset_id", "datasets", index=True),
    _ref("claim_set_id", "claim_sets", nullable=True),
    _text("state"),
    _count("answer_limit", nullable=True),
    _text("settings"),
    _text("holder", nullable=True),  # the process that judges it now, until held_until
    _number("held_until"),
    _number("created_at", nullable=False),
)

run_judges = sa.Table(
    "run_judges",
    metadata,
    _id(),
    _ref("run_id", "runs"),
    _ref("judge_id", "judges", index=True),
    sa.UniqueConstraint("run_id", "judge_id"),
)

calls = sa.Table(
    "calls",
    metadata,
    _id(),
    _hash(),
    _text("provider"),
    _text("model"),
    sa.Column("request", sa.LargeBinary, nullable=False),  # zlib of the messages and schema as JSON
    sa.Column("usable", sa.Boolean, nullable=False),
    _number("created_at", nullable=False),
)

attempts = sa.Table(
    "attempts",
    metadata,
    _id(),
    _ref("call_id", "calls", index=True),
    _ref("run_id", "runs", nullable=True, index=True),
    _text("kind"),
    _count("status", nullable=True),
    _text("error", nullable=True),
    sa.Column("raw", sa.LargeBinary, nullable=False),  # byte for byte
    _text("body"),  # the Reply but its raw bytes; {} for an error
    _count("input_tokens", nullable=True),
    _count("output_tokens", nullable=True),
    _count("cached_tokens", nullable=True),
    _count("reasoning_tokens", nullable=True),
    _number("cost"),
    _text("currency", nullable=True),
    _number("latency_ms"),
    _text("served_model", nullable=True),
    _number("created_at", nullable=False),
)

verdicts = sa.Table(
    "verdicts",
    metadata,
    _id(),
    _ref("judge_id", "judges"),
    _ref("unit_id", "units", index=True),
    _ref("call_id", "calls", nullable=True),
    _text("label", nullable=True),
    _text("unscored", nullable=True),
    _number("confidence"),
    _text("confidence_source", nullable=True),
    _number("score"),
    _text("body"),  # rationale, quotes, flags, raw
    sa.UniqueConstraint("judge_id", "unit_id"),
)

users = sa.Table(
    "users",
    metadata,
    _id(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    _text("role"),
    _number("created_at", nullable=False),
)

samples = sa.Table(
    "samples",
    metadata,
    _id(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    _ref("dataset_id", "datasets", index=True),
    _ref("run_id", "runs", nullable=True),
    _ref("claim_set_id", "claim_sets", nullable=True),
    _text("design"),
    _count("seed"),
    _ref("stratum_rubric_id", "rubrics", nullable=True),
    _number("created_at", nullable=False),
)

sample_rubrics = sa.Table(
    "sample_rubrics",
    metadata,
    _id(),
    _ref("sample_id", "samples"),
    _ref("rubric_id", "rubrics"),
    _count("position"),
    sa.UniqueConstraint("sample_id", "rubric_id"),
)

strata = sa.Table(
    "strata",
    metadata,
    _id(),
    _ref("sample_id", "samples"),
    _text("name"),
    _count("size"),
    _count("drawn"),
    sa.UniqueConstraint("sample_id", "name"),
)

review_items = sa.Table(
    "review_items",
    metadata,
    _id(),
    _ref("sample_id", "samples"),
    _ref("unit_id", "units", index=True),
    _ref("stratum_id", "strata", nullable=True),
    _number("place", nullable=False),  # random order of the queue; a top-up falls in between
    _number("probability"),  # of designs without strata; a stratum's items have drawn / size
    sa.UniqueConstraint("sample_id", "unit_id"),
    sa.Index("ix_review_items_sample_id_place", "sample_id", "place"),
)

queues = sa.Table(
    "queues",
    metadata,
    _id(),
    sa.Column("sample_id", sa.Integer, sa.ForeignKey("samples.id"), nullable=False, unique=True),
    _text("state"),
    _count("seats"),
    _number("lease_seconds", nullable=False),
)

slots = sa.Table(
    "slots",
    metadata,
    _id(),
    _ref("item_id", "review_items"),
    _count("seat"),
    _text("state"),
    _ref("user_id", "users", nullable=True, index=True),
    _number("leased_until"),
    sa.UniqueConstraint("item_id", "seat"),
)

labels = sa.Table(
    "labels",
    metadata,
    _id(),
    _ref("unit_id", "units", index=True),
    _ref("rubric_id", "rubrics"),
    _ref("user_id", "users", index=True),
    _text("outcome"),
    _text("label", nullable=True),
    sa.Column("adjudication", sa.Boolean, nullable=False),
    _text("comment", nullable=True),
    _number("seconds"),
    _text("details"),
    _text("source"),
    _ref("supersedes_id", "labels", nullable=True, index=True),
    sa.Column("token", sa.LargeBinary(16), nullable=False, unique=True),  # the same press twice is one label
    _number("created_at", nullable=False),
    sa.Index("ix_labels_rubric_id_unit_id", "rubric_id", "unit_id"),
)
