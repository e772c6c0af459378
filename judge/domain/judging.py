"""The instrument, what it is sent, what it says."""

from enum import StrEnum
from functools import cached_property
from typing import Any, Literal, Protocol

from pydantic import Field, JsonValue

from judge.domain.answers import Answer
from judge.domain.base import Noun, Span, content_hash
from judge.domain.claims import Claim
from judge.domain.rubrics import Language, Rubric

Per = Literal["claim", "answer"]
Rung = Literal["json_schema", "json_object", "text"]
RUNGS: tuple[Rung, ...] = ("json_schema", "json_object", "text")


class Unscored(StrEnum):
    """Why a Verdict has no label."""

    UNPARSEABLE = "unparseable"
    OFF_SCALE = "off_scale"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    CONTEXT_TOO_LONG = "context_too_long"
    PROVIDER_ERROR = "provider_error"
    MISSING_FROM_REPLY = "missing_from_reply"
    NO_PASSAGES = "no_passages"
    NOT_GIVEN = "not_given"


class Judge(Noun):
    """The instrument; its identity is the hash of everything that can change what it says."""

    name: str
    """How people call it: the model as given, or the name in a file."""
    provider: str
    """``openai``, another provider's name, ``baseline``, or ``file`` for verdicts made elsewhere."""
    base_url: str = ""
    """Where the endpoint is; empty for none."""
    model: str
    """Model name as the endpoint knows it."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """Sampling parameters and the like, as sent."""
    rubric: str
    """Hash of the rubric, hexadecimal."""
    template: str = ""
    """Prompt template and its version."""
    language: Literal["auto", "en", "zh"] = "auto"
    """Language of the prompts; ``auto`` follows the answer."""
    per: Per = "claim"
    """One call per claim, or one per answer."""
    draws: int = 1
    """Votes per unit."""
    rung: Rung = "json_schema"
    """Structured-output rung, found before the first verdict."""
    parser: str = ""
    """Version of the reply parser."""

    @cached_property
    def hash(self) -> bytes:
        """Identity: 16 bytes over the whole content."""
        return content_hash(self)


class Message(Noun):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    """Who speaks."""
    content: str
    """What is said."""


class Subject(Noun):
    """What a Prompt asks about, before it is worded; an embedded judge reads this."""

    answer: Answer
    """The answer with its query and passages."""
    claims: tuple[Claim, ...] = ()
    """The claims asked, under their keys c1..cn; empty when the whole answer is asked."""
    rubric: Rubric
    """The question."""
    language: Language
    """Language of the prompt."""


class Prompt(Noun):
    """What a Model is sent."""

    messages: tuple[Message, ...]
    """The chat; what repeats first, the claim last."""
    json_schema: dict[str, JsonValue] | None = Field(default=None)
    """Schema that the reply must fit, by the rung."""
    rung: Rung = "text"
    """How the schema is asked for."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """Parameters that enter the identity."""
    subject: Subject | None = None
    """What it asks about; never sent, not part of the identity."""


class Request(Noun):
    """One Prompt with its Call identity."""

    prompt: Prompt
    """What is sent."""
    provider: str
    """Whose endpoint."""
    base_url: str
    """Where."""
    model: str
    """Which model."""
    draw: int = 0
    """0 for a single judgement, 0..k-1 for votes."""
    unit_ids: tuple[int, ...] = ()
    """Units that its reply decides, beside the claims of the subject; not part of the identity."""

    @cached_property
    def hash(self) -> bytes:
        """Call identity: 16 bytes over provider, base URL, model, parameters, messages, schema and draw."""
        return content_hash(
            {
                "provider": self.provider,
                "base_url": self.base_url,
                "model": self.model,
                "parameters": self.prompt.parameters,
                "messages": [[m.role, m.content] for m in self.prompt.messages],
                "schema": [self.prompt.rung, self.prompt.json_schema],
                "draw": self.draw,
            }
        )


class Usage(Noun):
    """Tokens of one attempt; None where the endpoint did not say."""

    input: int | None = None
    """Prompt tokens, cached ones among them."""
    output: int | None = None
    """Reply tokens, reasoning among them."""
    cached: int | None = None
    """Prompt tokens served from the provider's cache."""
    reasoning: int | None = None
    """Reply tokens spent on reasoning."""


class Reply(Noun):
    """What a Model returned, whichever lane it took."""

    text: str
    """The words to parse: content, else the JSON tool call, else JSON in the reasoning field."""
    raw: bytes = b""
    """The body, byte for byte."""
    finish_reason: str | None = None
    """stop, length, content_filter, ..."""
    refusal: str | None = None
    """The refusal, where the protocol has a field for it."""
    usage: Usage = Usage()
    """Tokens."""
    served_model: str | None = None
    """The model as the provider named it."""
    fingerprint: str | None = None
    """The provider's system fingerprint."""
    logprobs: tuple[tuple[str, float], ...] = ()
    """Tokens of the reply with their log probabilities, when asked for."""
    cost: float | None = None
    """Money; None when the price is unknown."""
    currency: str | None = None
    """Currency of the cost."""
    latency_ms: float | None = None
    """From sending to the last byte."""


class Model(Protocol):
    """An endpoint that answers."""

    provider: str
    base_url: str
    name: str

    async def ask(self, prompt: Prompt) -> Reply:
        """One request, no retry. Raises a ProviderError of the tree in ``domain/errors.py``."""

    async def close(self) -> None:
        """Give connections back."""


class AttemptKind(StrEnum):
    """Why a request was sent under a Call identity."""

    FIRST = "first"
    RETRY = "retry"
    REPAIR = "repair"
    LARGER_CAP = "larger_cap"


class Attempt(Noun):
    """One request as it was sent and what came back; all are billed, none is overwritten."""

    kind: AttemptKind
    """Why it was sent."""
    reply: Reply | None = None
    """What came back; None on an error."""
    error: str | None = None
    """Kind of the error and its one line."""
    status: int | None = None
    """HTTP status."""
    raw: bytes = b""
    """The body of an error, byte for byte (a reply keeps its own)."""
    latency_ms: float | None = None
    """How long it took."""


class Quote(Noun):
    """Words that the judge quoted, as they were found in a passage."""

    text: str
    """As quoted."""
    passage: str | None = None
    """Key of the passage in which they stand; None when not found."""
    span: Span | None = None
    """Where they stand in it."""


class Verdict(Noun):
    """One Unit under one Rubric by one Judge: a label, or no label and a reason."""

    unit_id: int
    """What was judged."""
    label: str | None = None
    """A label of the rubric's scale."""
    unscored: Unscored | None = None
    """Why there is no label."""
    confidence: float | None = None
    """0 to 1."""
    confidence_source: Literal["logprob", "votes", "stated", "given"] | None = None
    """Where the confidence comes from."""
    score: float | None = None
    """Another score of the judge, as it gave it."""
    rationale: str | None = None
    """Its reasons, before its label."""
    quotes: tuple[Quote, ...] = ()
    """Its quotes."""
    flags: tuple[str, ...] = ()
    """``quote_not_found``, ``quote_missing``, ``extra_ids``, ..."""
    raw: str | None = None
    """What stood in the label's place when it could not be used, or a file's raw reply."""


class RunState(StrEnum):
    """How far a Run is."""

    OPEN = "open"
    COMPLETE = "complete"
    PARTIAL = "partial"
    STOPPED = "stopped"


class Run(Noun):
    """Judges over one Dataset's units; resumable."""

    id: int
    """Row id."""
    name: str
    """Made from dataset and judge unless given."""
    dataset_id: int
    """Whose units."""
    claim_set_id: int | None
    """Which claims; None when only answer-level rubrics are judged."""
    state: RunState
    """How far it is."""
    limit: int | None = None
    """Only the first answers of the Dataset, if given."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What the run command was given: model, parameters, per."""
