"""Fits the baseline judge's coefficients on records with human labels, and prints what they are worth on others.

    python tests/benchmarks/fit_baseline.py ../shared/data             prints, and writes judge/llm/coefficients.json
    python tests/benchmarks/fit_baseline.py ../shared/data --dry-run   prints only

Answers of one group (one question, one news item) stay on one side: the lowest bit of the first byte of sha1(group)
decides, 0 trains, 1 is held out. wice is never trained on.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judge.llm import baseline
from judge.llm.baseline import ANYWHERE, VERSION
from judge.llm.features import FEATURES, Evidence, measure
from judge.llm.numbers import words
from judge.llm.overlap import read_claim, read_terms
from judge.measure.agreement import kappa
from judge.measure.rates import share

Floats = npt.NDArray[np.float64]
TRAINED = ("ragtruth_qa", "factcheck_bench")
RIDGE = 100.0
"""Penalty on squared weights of standardised features; chosen by cross-validation inside the training halves."""
SUPPORTED = 0.7
"""Share of supported claims that the two labels of a file are weighted to, whatever its own is (.22 to .90)."""
PRECISE_ENOUGH = 0.6
OUT = Path(__file__).parents[2] / "judge" / "llm" / "coefficients.json"


class Item(NamedTuple):
    """One labelled claim."""

    text: str
    passages: tuple[str, ...]
    supported: bool
    contradicted: bool
    answer: str
    group: str
    """What stays on one side: a question, a news item."""
    held_out: bool
    evidence: Evidence


class Model(NamedTuple):
    """A logistic model on standardised features."""

    mean: Floats
    scale: Floats
    odds: Floats
    """Intercept, then weights."""

    def probabilities(self, x: Floats) -> Floats:
        return np.asarray(1 / (1 + np.exp(-(self.odds[0] + (x - self.mean) / self.scale @ self.odds[1:]))))

    def plain(self) -> tuple[float, list[float]]:
        weights = self.odds[1:] / self.scale
        return round(float(self.odds[0] - weights @ self.mean), 4), [round(float(w), 4) for w in weights]


def read_items(folder: Path, name: str) -> list[Item]:
    rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [item for row in (joined(rows) if name == "wice_gpt" else rows) for item in items_of(row)]


def joined(chunks: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """wice asks each claim of several chunks of one page: here once, of the whole page as one passage."""
    pages: dict[str, dict[str, Any]] = {}
    sentences: dict[str, dict[str, str]] = {}
    for chunk in chunks:
        group = chunk["meta"]["group"]
        pages.setdefault(group, chunk)
        sentences.setdefault(group, {}).update({each["id"]: each["text"] for each in chunk["contexts"]})
    for group, row in pages.items():
        yield {**row, "contexts": [{"id": "page", "text": "\n".join(sentences[group].values())}]}


def items_of(row: Mapping[str, Any]) -> Iterator[Item]:
    texts = {each["id"]: each["text"] for each in row["contexts"]}
    whole = row["answer"] or ""
    group = str(row["meta"].get("group") or row["id"])
    of_answer = next((c["human_labels"] for c in row["claims"] if c["unit"] == "answer"), None)
    for claim in row["claims"]:
        labels = claim["human_labels"] if of_answer is None else of_answer
        if claim["unit"] == "answer" or not labels or labels[0]["label"] is None:
            continue
        text = claim["text"] if claim["text"] != "(whole answer)" else whole.strip()
        span = claim["span"] or claim.get("sentence_span")
        passages = tuple(texts[key] for key in claim.get("context_ids") or texts if texts[key].strip())
        native = str(labels[0].get("native")) + " ".join(claim.get("stance") or [])
        supported = labels[0]["label"] == "supported"
        yield Item(
            text=text,
            passages=passages,
            supported=supported,
            contradicted=not supported and ("Conflict" in native or "refute" in native),
            answer=row["id"],
            group=group,
            held_out=bool(hashlib.sha1(group.encode()).digest()[0] & 1),
            evidence=measure(text, passages, row["question"] or "", span[0] / len(whole) if span else ANYWHERE),
        )


def features_of(items: Sequence[Item]) -> Floats:
    return np.array([item.evidence.values for item in items], dtype=np.float64)


def labels_of(items: Sequence[Item]) -> npt.NDArray[np.int64]:
    return np.array([item.supported for item in items], dtype=np.int64)


def weights_of(labels: npt.NDArray[np.int64]) -> Floats:
    rate = labels.mean()
    return np.asarray(np.where(labels == 1, SUPPORTED / rate, (1 - SUPPORTED) / (1 - rate)))


def fit(files: Sequence[tuple[Floats, npt.NDArray[np.int64]]], towards: Model | None = None) -> Model:
    """Newton's method on the weighted log likelihood with a ridge, towards 0 or towards another model's weights."""
    x = np.concatenate([each[0] for each in files])
    y = np.concatenate([each[1] for each in files])
    w = np.concatenate([weights_of(each[1]) for each in files])
    spread = x.std(axis=0)
    mean, scale = (towards.mean, towards.scale) if towards else (x.mean(axis=0), np.where(spread > 0, spread, 1.0))
    start = towards.odds if towards else np.zeros(x.shape[1] + 1)
    design = np.column_stack([np.ones(len(x)), (x - mean) / scale])
    penalty = np.full(len(start), RIDGE)
    penalty[0] = 0.0
    odds = start.copy()
    for _ in range(100):
        p = 1 / (1 + np.exp(-design @ odds))
        slope = design.T @ (w * (y - p)) - penalty * (odds - start)
        step = np.linalg.solve((design * (w * p * (1 - p))[:, None]).T @ design + np.diag(penalty), slope)
        odds = odds + step
        if np.abs(step).max() < 1e-10:
            break
    return Model(mean, scale, odds)


def overlap(items: Sequence[Item]) -> Floats:
    """Share of a claim's words that stand in any passage: the one feature to beat."""
    matches = [item.evidence.match for item in items]
    return np.array([len(match.anywhere) / (len(match.weights) or 1) for match in matches])


def plain_kappa(said: npt.NDArray[np.bool_], labels: npt.NDArray[np.int64]) -> float:
    agreed = float(np.mean(said == labels))
    chance = float(said.mean() * labels.mean() + (1 - said.mean()) * (1 - labels.mean()))
    return (agreed - chance) / (1 - chance) if chance < 1 else 0.0


def best_threshold(scores: Floats, labels: npt.NDArray[np.int64]) -> float:
    grid = np.linspace(0.01, 0.99, 99)
    return float(max(grid, key=lambda t: plain_kappa(scores >= t, labels)))


def shown(scores: Floats, threshold: float, items: Sequence[Item], *, whole: bool = False) -> str:
    """Kappa with its interval clustered by answer; with ``whole``, an answer passes when all its claims do."""
    said, labels = scores >= threshold, labels_of(items)
    codes = np.unique([item.answer for item in items], return_inverse=True)[1]
    if whole:
        said = np.array([said[codes == code].all() for code in range(codes.max() + 1)])
        labels = np.array([labels[codes == code].min() for code in range(codes.max() + 1)])
        codes = np.arange(len(said))
    found = kappa(said.astype(np.int64), labels, 2, cluster=codes)
    limits = "no interval" if found.low is None or found.high is None else f"{found.low:.3f} to {found.high:.3f}"
    return f"{found.value:.3f} ({limits})"


def print_agreement(data: Mapping[str, list[Item]], english: Model) -> None:
    training = [item for name in TRAINED for item in data[name] if not item.held_out]
    chinese = [item for name in ("factool_zh", "uhgeval_zh") for item in data[name] if not item.held_out]
    thresholds = {
        "en": best_threshold(overlap(training), labels_of(training)),
        "zh": best_threshold(overlap(chinese), labels_of(chinese)),
    }
    print(
        f"kappa on claims that were not fitted on; overlap's thresholds {thresholds['en']:.2f}, {thresholds['zh']:.2f}"
    )
    rows = [
        ("en", "ragtruth_qa, held-out half", [item for item in data["ragtruth_qa"] if item.held_out], False),
        ("en", "factcheck_bench, held-out half", [item for item in data["factcheck_bench"] if item.held_out], False),
        ("en", "wice_gpt, all", data["wice_gpt"], False),
        ("zh", "uhgeval_zh, held-out half", [item for item in data["uhgeval_zh"] if item.held_out], False),
        ("zh", "factool_zh, held-out half, answers", [i for i in data["factool_zh"] if i.held_out], True),
    ]
    for language, name, items, whole in rows:
        n = len({item.answer for item in items}) if whole else len(items)
        scores = np.array([baseline.probability(item.text, item.evidence) for item in items])
        beside = shown(overlap(items), thresholds[language], items, whole=whole)
        print(f"  {language} {name:36} n {n:5}  overlap {beside:30} baseline {shown(scores, 0.5, items, whole=whole)}")
    print_aside(data, english)


def print_aside(data: Mapping[str, list[Item]], english: Model) -> None:
    """What is not shipped: the halves swapped, and a model fitted on the Chinese half."""
    swapped = fit([side(data[name], held_out=True) for name in TRAINED])
    items = [item for item in data["ragtruth_qa"] if not item.held_out]
    print(f"  en halves swapped, ragtruth_qa {shown(swapped.probabilities(features_of(items)), 0.5, items)}")
    own = fit([side(data["factool_zh"], held_out=False)], towards=english)
    for name, whole in (("factool_zh", True), ("uhgeval_zh", False)):
        items = [item for item in data[name] if item.held_out]
        scores = own.probabilities(features_of(items))
        print(f"  zh fitted on factool_zh's half, not used: {name} {shown(scores, 0.5, items, whole=whole)}")


def side(items: Sequence[Item], *, held_out: bool) -> tuple[Floats, npt.NDArray[np.int64]]:
    chosen = [item for item in items if item.held_out == held_out]
    return features_of(chosen), labels_of(chosen)


_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nothing|cannot|without|nor|unable)\b|n't\b|[不没沒無无非未勿]|禁止|严禁|拒绝"
)
_CLAUSE = re.compile(r"[,，;；:：]| but | and | while | whereas |但|而且|并且|且")
_OPPOSITES = tuple(
    pair.split("/")
    for pair in words(
        "increas/decreas more/less high/low before/after first/last always/never rise/fall allow/prohibit open/close "
        "start/end early/late maximum/minimum large/small include/exclude 增加/减少 上升/下降 允许/禁止 高于/低于 "
        "之前/之后 最高/最低 上涨/下跌 支持/反对 成功/失败"
    )
)


def denied(item: Item) -> bool:
    """Whether the clause of the window most like one of the claim's (60 % of its words) has the other polarity."""
    window = " ".join(sentence.folded for sentence in item.evidence.match.window)
    for mine in _CLAUSE.split(read_claim(item.text).folded):
        terms = set(read_terms(mine))
        rivals = [(len(terms & set(read_terms(part))) / len(terms), part) for part in _CLAUSE.split(window) if terms]
        best = max(rivals, default=(0.0, ""))
        if best[0] >= 0.6 and len(_NEGATION.findall(best[1])) % 2 != len(_NEGATION.findall(mine)) % 2:
            return True
    return False


def opposed(item: Item) -> bool:
    """Whether the claim has one word of a pair of opposites and the window only the other."""
    claim = read_claim(item.text).folded
    window = " ".join(sentence.folded for sentence in item.evidence.match.window)
    sides = [(a, b) for pair in _OPPOSITES for a, b in (pair, pair[::-1])]
    return any(a in claim and b not in claim and b in window and a not in window for a, b in sides)


def characters(item: Item) -> float:
    """Share of the claim's runs of five characters that some passage holds."""
    claim, there = read_claim(item.text).folded, " ".join(item.passages).lower()
    runs = {claim[i : i + 5] for i in range(len(claim) - 4)}
    return sum(run in there for run in runs) / (len(runs) or 1)


def elsewhere(item: Item) -> float:
    """Share of the claim's words that stand in no passage, rare ones weighing more."""
    match = item.evidence.match
    held = sum(match.weights[term] for term in match.anywhere | match.alike)
    return 1 - held / (sum(match.weights.values()) or 1)


TRIED: Mapping[str, Callable[[Item], float]] = {
    "words nowhere": elsewhere,
    "negation": denied,
    "antonym": opposed,
    "character runs": characters,
    "length": lambda item: float(np.log1p(len(item.evidence.match.weights))),
}


def print_contradicted(data: Mapping[str, list[Item]]) -> None:
    """Precision of rules that would say contradicted. Nothing is fitted in them, so all claims are unseen."""
    print(f"contradicted: said only where its precision is at least {PRECISE_ENOUGH}; that of three rules")
    rules: Mapping[str, Callable[[Item], bool]] = {
        "another number": lambda item: bool(item.evidence.other_number) and item.evidence.values[0] >= 0.4,
        "negation": lambda item: denied(item) and item.evidence.values[0] >= 0.4,
        "antonym": lambda item: opposed(item) and item.evidence.values[0] >= 0.4,
    }
    for rule, holds in rules.items():
        said = [item for name in TRAINED for item in data[name] if holds(item)]
        found = share(
            np.array([item.contradicted for item in said]),
            cluster=np.unique([item.answer for item in said], return_inverse=True)[1],
        )
        unsupported = sum(not item.supported for item in said)
        limits = "no interval" if found.low is None or found.high is None else f"{found.low:.2f} to {found.high:.2f}"
        print(f"  {rule:15} said {len(said):3}  precision {found.value:.2f} ({limits}); not supported {unsupported}")
    print("  zh: no file labels Chinese claims contradicted by their passages; nothing to show, so never said")


class Worth(NamedTuple):
    """A set of features by cross-validation inside the training halves: mean log loss, and kappa on each file."""

    loss: float
    kappas: tuple[float, ...]


def print_worth(data: Mapping[str, list[Item]]) -> None:
    """What the fit loses without each feature, and with each that was tried; held-out halves are not looked at."""
    items = {name: [item for item in data[name] if not item.held_out] for name in TRAINED}
    files = {name: features_of(chosen) for name, chosen in items.items()}
    print(f"features, by cross-validation in the training halves: log loss, kappa on {' and '.join(TRAINED)}")
    print_row("all", cross_validated(items, files))
    for i, name in enumerate(FEATURES):
        print_row(f"without {name}", cross_validated(items, {key: np.delete(x, i, axis=1) for key, x in files.items()}))
    for name, extra in TRIED.items():
        more = {key: np.column_stack([x, [float(extra(item)) for item in items[key]]]) for key, x in files.items()}
        print_row(f"with {name}", cross_validated(items, more))


def print_row(name: str, worth: Worth) -> None:
    print(f"  {name:22} {worth.loss:.4f}  " + "  ".join(f"{each:.3f}" for each in worth.kappas))


def cross_validated(items: Mapping[str, list[Item]], files: Mapping[str, Floats], rounds: int = 5) -> Worth:
    """Rounds of 5 folds; a group is never on both sides."""
    losses, kappas = [], []
    truths = {name: labels_of(chosen) for name, chosen in items.items()}
    for turn in range(rounds):
        folds = {name: np.array([fold_of(item, turn) for item in chosen]) for name, chosen in items.items()}
        found = {name: np.zeros(len(chosen)) for name, chosen in items.items()}
        for fold in range(5):
            model = fit([(files[name][folds[name] != fold], truths[name][folds[name] != fold]) for name in items])
            for name in items:
                found[name][folds[name] == fold] = model.probabilities(files[name][folds[name] == fold])
        for name, p in found.items():
            right = np.where(truths[name] == 1, p, 1 - p)
            losses.append(float(np.average(-np.log(right), weights=weights_of(truths[name]))))
        kappas.append([plain_kappa(found[name] >= 0.5, truths[name]) for name in items])
    return Worth(float(np.mean(losses)), tuple(float(each) for each in np.mean(kappas, axis=0)))


def fold_of(item: Item, turn: int) -> int:
    return hashlib.sha1(f"{turn}/{item.group}".encode()).digest()[0] % 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of the labelled records")
    parser.add_argument("--dry-run", action="store_true", help="print only")
    options = parser.parse_args()
    names = (*TRAINED, "wice_gpt", "uhgeval_zh", "factool_zh")
    data = {name: read_items(options.data, name) for name in names}
    english = fit([side(data[name], held_out=False) for name in TRAINED])
    intercept, weights = english.plain()
    model: dict[str, Any] = {"intercept": intercept, "weights": dict(zip(FEATURES, weights, strict=True))}
    if not options.dry_run:
        OUT.write_text(json.dumps(provenance(data, model), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        baseline.coefficients.cache_clear()
    for name in FEATURES:
        print(f"  {name:15} {model['weights'][name]:+.4f}")
    print_agreement(data, english)
    print_contradicted(data)
    print_worth(data)


def provenance(data: Mapping[str, list[Item]], model: Mapping[str, Any]) -> dict[str, Any]:
    counts = {name: sum(not item.held_out for item in data[name]) for name in TRAINED}
    return {
        "version": VERSION,
        "fitted": {
            "command": "python tests/benchmarks/fit_baseline.py ../shared/data",
            "claims": counts,
            "halves": "lowest bit of the first byte of sha1(group): 0",
            "ridge": RIDGE,
            "supported_share": SUPPORTED,
            "zh": "the English numbers: a fit on Chinese labels was not better on held-out ones",
        },
        "models": {"en": model, "zh": model},
    }


if __name__ == "__main__":
    main()
