"""What the agreement command and the report show: figures with their company, ready to print."""

from pydantic import Field

from judge.domain.base import Noun
from judge.domain.estimates import Caution, Estimate
from judge.domain.review import HumanRule


class Coverage(Noun):
    """How much of what was asked has a usable judgement."""

    asked: int
    """Units asked."""
    judged: int
    """Units with a label."""
    unscored: dict[str, int] = Field(default_factory=dict)
    """Units without one, by reason."""

    @property
    def share(self) -> float | None:
        """Judged / asked; None when nothing was asked."""
        return self.judged / self.asked if self.asked else None


class LabelAgreement(Noun):
    """Agreement on one label of the scale."""

    label: str
    """The label."""
    judge_n: int
    """Labelled units that the judge gave it."""
    human_n: int
    """Labelled units that people gave it."""
    agreement: float | None
    """Specific agreement 2P/(r+c), weighted; None when neither gave it."""
    precision: Estimate | None = None
    """Of those the judge gave it, the share that people gave it."""
    recall: Estimate | None = None
    """Of those people gave it, the share that the judge gave it."""


class Agreement(Noun):
    """Judge against people, for one rubric."""

    rubric: str
    """Name of the people's rubric."""
    judge_rubric: str
    """Name of the judge's rubric, where it is another one."""
    judge: str
    """Name of the judge."""
    judge_id: str = ""
    """Its identity, hexadecimal."""
    unit: str
    """``claim``, ``answer``, ``passage``, or ``answer by roll-up`` (labels of answers, verdicts of their claims)."""
    compared: str = "scale"
    """``scale``: label by label; ``passing``: two scales met on pass / fail."""
    human: HumanRule = "each"
    """How several people's labels of a unit count."""
    where: dict[str, str] = Field(default_factory=dict)
    """The slice that it is restricted to."""
    labels: tuple[str, ...]
    """Rows and columns of the table, in scale order."""
    table: tuple[tuple[int, ...], ...]
    """Counts, judge rows x human columns."""
    weighted_table: tuple[tuple[float, ...], ...]
    """Shares of the population, judge rows x human columns; they add up to 1."""
    kappa: Estimate
    """Cohen's kappa."""
    observed: Estimate
    """Observed agreement."""
    per_label: tuple[LabelAgreement, ...] = ()
    """Label by label."""
    rejected_of_passed: Estimate | None = None
    """Of the units that the judge passes, the share that people reject; None: not estimated."""
    caught: Estimate | None = None
    """Of the units that people reject, the share that the judge rejects too; None: not estimated."""
    coverage: Coverage
    """Of all units that the judge was asked about."""
    dropped: dict[str, int] = Field(default_factory=dict)
    """Labelled units left out, by reason: ties, can't tell, skip, off scale, no verdict."""
    queue: str = ""
    """The sample that the labels come from."""
    design: str = ""
    """How it was drawn."""
    annotators: tuple[str, ...] = ()
    """Whose labels they are."""
    notes: tuple[Caution, ...] = ()
    """What a reader must know."""


class Share(Noun):
    """How often one thing holds, before and after people looked."""

    name: str
    """Machine word: ``passing``, ``groundedness``, ..."""
    group: str = ""
    """System or slice value; empty for all."""
    raw: Estimate
    """The judge's figure."""
    coverage: Coverage
    """What it rests on."""
    checked: bool = False
    """Whether people's labels stand behind it; if not, the report says so."""


class Weakness(Noun):
    """Where judge and people part."""

    where: str
    """``lang = zh``, or the cell of the table."""
    kappa: Estimate | None = None
    """Agreement there."""
    disagreements: int
    """Labelled units on which they differ."""
    n: int
    """Labelled units there."""


class Example(Noun):
    """One disagreement, to be read."""

    unit: str
    """Unit id, as ``judge show`` takes it."""
    question: str
    """What was asked."""
    claim: str
    """What was said."""
    judge_label: str
    """The judge's label."""
    human_label: str
    """People's label."""
    rationale: str
    """The judge's reasons."""


class RubricReport(Noun):
    """All that a report shows about one rubric of a run."""

    rubric: str
    """Name."""
    version: int
    """Version."""
    rubric_id: str
    """Identity, hexadecimal."""
    question: dict[str, str]
    """By language."""
    passing: tuple[str, ...]
    """Labels that pass."""
    judge: str
    """Name of the judge."""
    judge_id: str
    """Identity, hexadecimal."""
    served: tuple[str, ...] = ()
    """Models as the provider named them."""
    counts: dict[str, int]
    """Verdicts by label, in scale order."""
    coverage: Coverage
    """judged / asked, unscored by reason."""
    shares: tuple[Share, ...] = ()
    """Passing share of claims and groundedness of answers, for all and by system."""
    agreement: Agreement | None = None
    """With people; None when nobody labelled."""
    others: tuple[Agreement, ...] = ()
    """The same judge against labels of another unit or scale, such as answers by roll-up."""
    slices: tuple[Agreement, ...] = ()
    """The same by slice."""
    weak: tuple[Weakness, ...] = ()
    """Worst first."""
    examples: tuple[Example, ...] = ()
    """Some disagreements."""


class Report(Noun):
    """One run, for the person who decides."""

    run: str
    """Name."""
    run_id: int
    """Row id."""
    state: str
    """complete, partial, stopped, open."""
    dataset: str
    """Name and version."""
    dataset_id: str
    """Identity, hexadecimal."""
    corpus_version: str | None = None
    """Version of the indexed corpus."""
    claim_set: str | None = None
    """Name of the claims that were judged."""
    sample: str | None = None
    """Name, design, seed."""
    answers: int
    """How many."""
    systems: tuple[str, ...]
    """Who answered."""
    claims: int
    """Checkable claims."""
    not_checkable: int
    """Sentences that claim nothing."""
    no_claims: int
    """Answers without a checkable claim; their groundedness is null."""
    split_coverage: float | None = None
    """Share of the answers' text inside claims or not-checkable sentences."""
    rubrics: tuple[RubricReport, ...] = ()
    """One after the other, never mixed."""
    calls: int = 0
    """Requests sent."""
    tokens: int | None = None
    """Tokens billed; None where unknown."""
    cost: float | None = None
    """Money; None where unknown."""
    currency: str | None = None
    """Of the cost."""
    warnings: tuple[Caution, ...] = ()
    """Self-preference, changed identities, labels by construction, ..."""
    made_with: str
    """Version of this program."""
