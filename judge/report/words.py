"""All texts of the reports, English and Chinese side by side, so that neither can be forgotten."""
# ruff: noqa: E501 - a sentence stays on one line, so that the two languages can be compared

from string import Formatter

from judge.domain.estimates import Caution
from judge.domain.rubrics import Language

TEXTS: dict[str, tuple[str, str]] = {
    # page
    "title": ("Judge report", "评判报告"),
    "answers": ("answers", "个回答"),
    "claims": ("claims", "条陈述"),
    "systems": ("systems", "个系统"),
    "state_open": (
        "This run has not finished; the figures speak of what was judged so far.",
        "本次运行尚未结束；以下数字只涉及已评判的部分。",
    ),
    "state_partial": (
        "Some units of this run have no usable verdict; the figures speak of the others.",
        "本次运行中有些单元没有可用的判定；以下数字只涉及其余部分。",
    ),
    "state_stopped": (
        "This run was stopped before its end; the figures speak of what was judged so far.",
        "本次运行中途停止；以下数字只涉及已评判的部分。",
    ),
    "rubric_head": ("{rubric}, version {version}", "{rubric}，第 {version} 版"),
    "not_checked": ("not checked by people", "未经人工核对"),
    "few": ("fewer than 30 labels", "少于 30 个标签"),
    "too_few": ("too few: {n} labels", "太少：{n} 个标签"),
    "few_judged": ("fewer than 30 judged", "已评判的少于 30 个"),
    "no_rubrics": ("Nothing has been judged in this run.", "本次运行没有任何评判。"),
    # states and the decision
    "trusted": ("Trusted", "可信"),
    "not_trusted": ("Not trusted", "不可信"),
    "inconclusive": ("Inconclusive", "尚无定论"),
    "unchecked": ("Not checked by people", "未经人工核对"),
    "people": ("people", "人工"),
    "references": ("the reference labels", "参考标签"),
    "decision": ("{word}. {plain}", "{word}。{plain}"),
    "plain_both": (
        "Of 100 {units} it passes, {who} reject {rejected}; of 100 they reject, it catches {caught}.",
        "在评判模型判为通过的每 100 {units}中，{who}否定 {rejected}；在{who}否定的每 100 {units}中，它能发现 {caught}。",
    ),
    "plain_rejected": (
        "Of 100 {units} it passes, {who} reject {rejected}.",
        "在评判模型判为通过的每 100 {units}中，{who}否定 {rejected}。",
    ),
    "plain_caught": (
        "Of 100 {units} that {who} reject, it catches {caught}.",
        "在{who}否定的每 100 {units}中，评判模型能发现 {caught}。",
    ),
    "count_range": ("{value}{counter} ({range})", "{value}{counter}（{range}）"),
    "count": ("{value}{counter}", "{value}{counter}"),
    "count_few": ("{value}{counter} ({few})", "{value}{counter}（{few}）"),
    "why_trusted": (
        "Agreement with {who} reaches the goal: kappa {kappa} ({range}), goal {goal}.",
        "与{who}的一致性达到目标：κ {kappa}（{range}），目标 {goal}。",
    ),
    "why_not_trusted": (
        "Agreement with {who} is below the goal: kappa {kappa} ({range}), goal {goal}.",
        "与{who}的一致性低于目标：κ {kappa}（{range}），目标 {goal}。",
    ),
    "why_open": (
        "The labels don't settle it: kappa {kappa} ({range}) may lie on either side of the goal {goal}.",
        "现有标签不足以下结论：κ {kappa}（{range}）可能在目标 {goal} 之上，也可能在其下。",
    ),
    "why_few": (
        "No disagreement was seen (kappa {kappa}, {range}; goal {goal}), but on few labels.",
        "没有观察到分歧（κ {kappa}，{range}；目标 {goal}），但标签太少。",
    ),
    "why_coverage": (
        "Agreement with {who} reaches the goal (kappa {kappa}, {range}; goal {goal}), but only {share} of the units asked have a usable verdict; {needed} are needed.",
        "与{who}的一致性达到目标（κ {kappa}，{range}；目标 {goal}），但只有 {share} 的单元有可用的判定；至少需要 {needed}。",
    ),
    "why_construction": (
        "Agreement with the reference labels reaches the goal (kappa {kappa}, {range}; goal {goal}), but they were made by construction: no person has checked this judge.",
        "与参考标签的一致性达到目标（κ {kappa}，{range}；目标 {goal}），但这些标签是构造出来的：还没有人核对过这个评判模型。",
    ),
    "why_undefined": ("Kappa can't be given: {reason}.", "无法给出 κ：{reason}。"),
    "why_no_interval": (
        "Kappa is {kappa}, but without an interval ({reason}).",
        "κ 为 {kappa}，但没有区间（{reason}）。",
    ),
    "why_unchecked": (
        "Nobody has labelled any of what it judged, so how far it can be trusted is unknown. Draw a sample and have people label it.",
        "还没有人标注过评判内容，因此无法知道评判模型有多可信。请抽样并由人工标注。",
    ),
    "more": (
        "About {n} more labels would settle it, if kappa stays where it is.",
        "如果 κ 不变，大约再标注 {n} 个即可下结论。",
    ),
    "more_than_left": (
        "The units left to label would not settle it; judge more answers, or mend the judge.",
        "即使标完剩余的单元也无法下结论；请评判更多回答，或改进评判模型。",
    ),
    "more_people": ("Labels by people are needed to settle it.", "要下结论，需要人工标注。"),
    "near": (
        "Kappa lies so near the goal that more labels would hardly settle it.",
        "κ 与目标过于接近，再多的标签也难以下结论。",
    ),
    # units
    "unit_claim": ("claims", "条陈述"),
    "unit_citation": ("citations", "处引用"),
    "unit_answer": ("answers", "个回答"),
    "unit_passage": ("passages", "段资料"),
    "unit_other": ("units", "个单元"),
    "counter_claim": ("", " 条"),
    "counter_citation": ("", " 处"),
    "counter_passage": ("", " 段"),
    "counter_other": ("", " 个"),
    # figures
    "kappa": ("Cohen's kappa", "Cohen κ"),
    "kappa_hint": ("agreement with {who} beyond chance", "与{who}的一致性，已扣除偶然一致"),
    "rejected": ("Passed, but rejected", "判为通过，却被否定"),
    "rejected_hint": ("of what it passes, the share that {who} reject", "它判为通过的，{who}否定的比例"),
    "caught": ("Rejected, and caught", "被否定，也被发现"),
    "caught_hint": ("of what {who} reject, the share that it rejects too", "{who}否定的，它也否定的比例"),
    "observed": ("Observed agreement", "观察一致率"),
    "observed_hint": ("share of the same label, chance not taken off", "标签相同的比例，未扣除偶然一致"),
    "share_passing": ("Passing, as the judge says", "通过率（评判模型的判定）"),
    "share_passing_hint": ("share of the units judged", "占已评判单元的比例"),
    "share_groundedness": ("Groundedness, as the judge says", "有据率（评判模型的判定）"),
    "share_groundedness_hint": (
        "mean over answers of the share of passing claims",
        "各回答中通过的陈述所占比例的平均值",
    ),
    "share_mean_passing": ("Mean passing, as the judge says", "平均通过率（评判模型的判定）"),
    "share_mean_passing_hint": (
        "mean over answers of the share of passing claims",
        "各回答中通过的陈述所占比例的平均值",
    ),
    "share_hint": ("the judge's own figure", "评判模型自己的数字"),
    "interval_level": ("{level}% interval", "{level}% 区间"),
    "no_interval": ("no interval", "无区间"),
    "goal": ("goal", "目标"),
    "plot_text": ("{value}, interval {range}", "{value}，区间 {range}"),
    "plot_with_goal": ("{text}; goal {goal}", "{text}；目标 {goal}"),
    "n": ("n", "n"),
    "n_effective": ("effective n", "有效 n"),
    "to": ("{low} to {high}", "{low} 至 {high}"),
    # coverage
    "coverage": ("Coverage", "覆盖率"),
    "coverage_text": (
        "{judged} of {asked} {units} asked have a verdict ({share}).",
        "共 {asked} {units}，其中 {judged} 有判定（{share}）。",
    ),
    "coverage_none": ("Nothing was asked.", "没有提出任何评判。"),
    "without": ("Without a verdict: {reasons}.", "没有判定：{reasons}。"),
    "reason_count": ("{reason} {n}", "{reason} {n}"),
    "list_comma": (", ", "、"),
    # charts
    "chart_slices": ("Agreement by slice: kappa with {level}% interval", "各分组的一致性：κ 及 {level}% 区间"),
    "chart_labels": (
        "What {who} say of each verdict: the share they confirm, with {level}% interval",
        "{who}对各判定的认可：认可的比例及 {level}% 区间",
    ),
    "chart_counts": ("Verdicts of the judge, not checked by people", "评判模型的判定，未经人工核对"),
    "chart_rest": (
        "Left to the table below: {n} more, most of them without an interval.",
        "另有 {n} 组（多数没有区间）见下表。",
    ),
    "all": ("all", "全部"),
    # folded parts
    "confusion": ("Judge against {who}, label by label", "评判模型与{who}的判定对照"),
    "confusion_caption": (
        "Labelled units: rows the judge, columns {who}. In each cell the count and its share of the row, weighted to all units.",
        "已标注单元的个数：行为评判模型，列为{who}。每格为个数及按全体加权后占该行的比例。",
    ),
    "judge_says": ("judge says", "评判模型判定"),
    "human_says": ("{who} say", "{who}判定"),
    "total": ("n", "n"),
    "per_label": ("Agreement on each label", "各标签的一致性"),
    "label": ("label", "标签"),
    "judge_n": ("judge, n", "评判模型，n"),
    "human_n": ("{who}, n", "{who}，n"),
    "specific": ("agreement, %", "一致率，%"),
    "precision": ("confirmed, %", "被认可，%"),
    "recall": ("found, %", "被找出，%"),
    "per_label_caption": (
        "Confirmed: of those the judge gave the label, the share that {who} gave it. Found: of those {who} gave it, the share that the judge gave it. In brackets the interval.",
        "被认可：评判模型给出该标签的单元中，{who}也给出的比例。被找出：{who}给出该标签的单元中，评判模型也给出的比例。括号内为区间。",
    ),
    "slices": ("By slice", "按分组"),
    "slice": ("slice", "分组"),
    "interval": ("interval", "区间"),
    "observed_short": ("same label, %", "标签相同，%"),
    "coverage_short": ("coverage, %", "覆盖率，%"),
    "slices_caption": ("Kappa with its interval, slice by slice.", "各分组的 κ 及其区间。"),
    "weak": ("Where they part, and examples", "分歧所在与实例"),
    "weak_caption": ("Worst first.", "最差的在前。"),
    "where": ("where", "何处"),
    "disagreements": ("differ, n", "不一致，n"),
    "labelled": ("labelled, n", "已标注，n"),
    "example_judge": ("judge: {label}", "评判模型：{label}"),
    "example_human": ("{who}: {label}", "{who}：{label}"),
    "example_reason": ("Its reason", "评判理由"),
    "example_unit": ("unit {unit}", "单元 {unit}"),
    "shares": ("The judge's figures, for all and by system", "评判模型的数字：全部及各系统"),
    "shares_caption": ("The judge's own figures, each with n and coverage.", "评判模型自己的数字，附 n 与覆盖率。"),
    "figure": ("figure", "项目"),
    "value": ("value", "数值"),
    "value_interval": ("value (interval)", "数值（区间）"),
    "value_percent": ("value, %", "数值，%"),
    "interval_percent": ("interval, %", "区间，%"),
    "checked": ("checked by people", "人工核对"),
    "yes": ("yes", "是"),
    "others": ("Against labels of another kind", "与其他类型标签的对照"),
    "others_text": (
        "n {n}, kappa {kappa} ({range}), coverage {coverage}",
        "n {n}，κ {kappa}（{range}），覆盖率 {coverage}",
    ),
    "others_missing": (
        "n {n}, kappa {kappa} ({reason}), coverage {coverage}",
        "n {n}，κ {kappa}（{reason}），覆盖率 {coverage}",
    ),
    "kind_claim": ("claim by claim", "逐条陈述"),
    "kind_citation": ("citation by citation", "逐处引用"),
    "kind_answer": ("answer by answer", "逐个回答"),
    "kind_passage": ("passage by passage", "逐段资料"),
    "kind_answer by roll-up": ("answers, by the verdicts on their claims", "整个回答，由其各条陈述的判定得出"),
    "counts": ("Verdicts and units without one", "判定与无判定的单元"),
    "counts_caption": (
        "All units asked; the verdicts are the judge's own, not checked by people.",
        "所有提出评判的单元；判定均为评判模型自己的，未经人工核对。",
    ),
    "verdict": ("verdict", "判定"),
    "units_n": ("units, n", "单元，n"),
    "share_percent": ("share, %", "比例，%"),
    "dropped": ("Labelled, but left out", "已标注但未计入"),
    "method": ("How this was measured", "测量方法与身份"),
    "identities": ("Identities", "身份"),
    "cost": ("Cost", "费用"),
    # terms
    "run": ("run", "运行"),
    "dataset": ("dataset", "数据集"),
    "corpus": ("corpus version", "语料版本"),
    "claim_set": ("claim set", "陈述集"),
    "claims_line": ("claims", "陈述"),
    "claims_text": (
        "{claims} checkable; {not_checkable} sentences that claim nothing; {no_claims} answers without a claim (their groundedness is not given)",
        "可核对 {claims} 条；不含陈述的句子 {not_checkable} 句；没有陈述的回答 {no_claims} 个（不计有据率）",
    ),
    "split_coverage": ("text covered by the split", "拆分覆盖的文本"),
    "system_names": ("systems", "系统"),
    "sample": ("sample", "样本"),
    "rubric": ("rubric", "评判标准"),
    "passing": ("passes with", "视为通过"),
    "judge": ("judge", "评判模型"),
    "served": ("model as served", "实际提供的模型"),
    "judge_rubric": ("judge's rubric", "评判模型所用标准"),
    "compared": ("compared on", "比较方式"),
    "compared_scale": ("the whole scale", "完整量表"),
    "compared_passing": ("pass / fail only", "仅通过与否"),
    "queue": ("labels from", "标签来源"),
    "design": ("design", "抽样设计"),
    "annotators": ("labelled by", "标注者"),
    "human": ("several labels of a unit", "同一单元的多个标签"),
    "human_each": ("every label counts", "每个标签都计入"),
    "human_majority": ("the majority counts", "取多数"),
    "human_adjudicated": ("the adjudicated label counts", "取裁定标签"),
    "kappa_method": ("kappa by", "κ 的算法"),
    "population": ("speaks of", "所述总体"),
    "clusters": ("answers behind kappa", "κ 所依据的回答数"),
    "goal_line": ("rule of the decision", "判断规则"),
    "goal_text": (
        "trusted: the lower limit of kappa is at least {goal} and coverage at least {needed}; not trusted: the upper limit is below {goal}; otherwise inconclusive",
        "可信：κ 的下限不低于 {goal} 且覆盖率不低于 {needed}；不可信：上限低于 {goal}；其余为尚无定论",
    ),
    "calls": ("requests sent", "请求次数"),
    "tokens": ("tokens", "token 数"),
    "money": ("money", "金额"),
    "unknown": ("unknown", "未知"),
    "made_with": ("Made with {version}", "由 {version} 生成"),
    "none": ("none", "无"),
    # labels of the shipped rubrics; other labels are shown as they stand
    "label_supported": ("supported", "有依据"),
    "label_contradicted": ("contradicted", "与资料矛盾"),
    "label_not_enough_info": ("not enough info", "资料不足"),
    "label_relevant": ("relevant", "相关"),
    "label_irrelevant": ("irrelevant", "不相关"),
    "label_pass": ("pass", "通过"),
    "label_fail": ("fail", "不通过"),
    # reasons without a verdict or a label
    "reason_unparseable": ("reply unreadable", "回复无法解析"),
    "reason_off_scale": ("off the scale", "标签超出量表"),
    "reason_refused": ("refused", "拒绝回答"),
    "reason_truncated": ("cut short", "回复被截断"),
    "reason_context_too_long": ("input too long", "输入过长"),
    "reason_provider_error": ("provider's error", "服务方出错"),
    "reason_missing_from_reply": ("missing from the reply", "回复中缺少"),
    "reason_no_passages": ("no passages", "没有资料"),
    "reason_not_given": ("not given in the file", "文件中未给出"),
    "reason_tie": ("ties", "票数相同"),
    "reason_not_labelled": ("not labelled yet", "尚未标注"),
    "reason_not_adjudicated": ("not adjudicated", "尚未裁定"),
    "reason_label_off_scale": ("label off the scale", "标签超出量表"),
    "reason_unknown_probability": ("drawn by hand: probability unknown", "手工选取，概率未知"),
    "reason_cant_tell": ("can't tell", "无法判断"),
    "reason_skip": ("skipped", "跳过"),
    "reason_no_claims": ("answers without a checkable claim", "没有可核对陈述的回答"),
    "reason_no_verdict": ("no verdict", "没有判定"),
    "reason_unscored": ("no usable verdict", "没有可用的判定"),
    # why a figure is missing
    "status_ok": ("not given", "未给出"),
    "status_empty": ("no labels", "没有标签"),
    "status_too_few_units": ("one unit or answer is too few", "只有一个单元或回答，太少"),
    "status_too_few_effective": ("the weights leave too few labels", "加权后标签太少"),
    "status_not_finite": ("not a finite number", "不是有限的数"),
    "status_no_interval": ("no interval was computed", "未计算区间"),
    "status_undefined_single_class": ("judge and labels know one class only", "评判与标签都只有一类"),
    "status_undefined_sparse_verdict": ("fewer than two labels for a verdict", "某类判定的标签少于两个"),
    "status_degenerate_se": ("no disagreement was seen", "没有观察到分歧"),
    "status_sparse": ("too few labels", "标签太少"),
}

CHINESE_CAUTIONS: dict[str, str] = {
    "labels_by_construction": "标签是构造数据时一并给出的，不是人工标注的：它们只说明流程可以运行，不说明评判模型在您的数据上有多可信。",
    "self_preference": "{judge} 评判的回答出自它自己的模型系列（{family}），可能偏袒它们。",
    "stale": "已过期：数据集 {dataset} 已有更新的版本（{newest}），本次评判的是版本 {judged}。",
    "file_sample": "标签来自文件；除非文件给出概率，每个已标注单元按一个计。",
    "roll_up": "标签针对整个回答，判定针对各条陈述：所有已评陈述都通过，回答才算通过。",
    "at_least": "量表按界限划分：不低于 {label} 为 yes，低于为 no。",
    "scale_as_found": "量表取自出现过的标签（{labels}）；如果还有其他标签，请用 --labels 给出。",
    "no_cluster": "各行视为相互独立。若有几行属于同一个回答，请用 --cluster 指明所在列。",
    "indicative": "仅供参考：只有 {n} 个标签，或来自很少的回答。区间已考虑这一点，但较宽。",
    "few_effective": "加权之后，{n} 个标签只相当于 {n_effective} 个，少于 30 个时不给出区间。请增加标签，或更均匀地抽样。",
    "degenerate": "没有观察到可供估计的差异，因此没有标准误。所示界限只说明再多一个标签会怎样，不是 95% 区间。",
    "prevalence_warning": "某一标签占绝大多数（一方最高达 {top:.0%}）。某一类很少时，即使一致率为 {po:.0%}，κ 也会偏低且不稳定：请结合对照表阅读。",
    "few_for_classes": "仅供参考：{q} 个类别、{n} 个标签时，95% 区间的实际覆盖率可能低至 86%。",
    "no_frame": "评判模型的总体判定数未知；某一类很少时，此区间不可靠。",
    "rare_class": "此区间未用到评判模型的总体判定数；某一类很少时不可靠。",
    "uncertain": "一致性太不确定，无法评价该评判模型（κ {lo:.2f} 至 {hi:.2f}）。请多标注较少见判定的陈述。",
    "one_label": "有一方只使用了一个标签（{label}）：此时 κ 为 0 并不说明能力高低。",
    "sparse": "以下标签的评判或人工标签少于 5 个：{labels}。各标签的表中不给出它们的区间。",
    "stratum_unlabelled": "判定为{strata}的 {units} 个单元中还没有任何标签：各数字不包括它们。",
    "rubric_version": "人工按 {people} 标注，评判模型所用的是 {judge}。",
    "labels_partly_by_construction": "{of} 个标签中有 {n} 个是构造数据时给出的，不是人工标注的。",
    "non_response": "抽取的单元中有 {share:.0%} 没有可用的标签，由同层的其他单元代表。",
}
"""By the code of a Caution; its English wording travels with it."""
_OF_LABELS = ("label", "labels", "strata")
"""Values of a Caution that are labels."""


def say(lang: Language, key: str, **values: object) -> str:
    """The text of ``key`` in ``lang`` with its placeholders filled. KeyError: no such text or placeholder."""
    return _pick(lang, TEXTS[key]).format(**values)


def known(lang: Language, family: str, word: str) -> str:
    """The text of ``family_word`` where there is one, else the machine word with its underscores opened."""
    pair = TEXTS.get(f"{family}_{word}")
    return _pick(lang, pair) if pair else word.replace("_", " ")


def caution_text(caution: Caution, lang: Language) -> str:
    """A caution in the reader's language; one whose code or values have no text here keeps its English wording."""
    text = CHINESE_CAUTIONS.get(caution.code)
    if lang == "en" or text is None or not placeholders(text) <= caution.values.keys():
        return caution.text
    return text.format(**{name: _listed(name, value, lang) for name, value in caution.values.items()})


def label_word(label: str, lang: Language) -> str:
    """A label of the shipped rubrics in the reader's language; any other as it stands."""
    pair = TEXTS.get(f"label_{label}")
    return _pick(lang, pair) if pair else label


def placeholders(text: str) -> set[str]:
    """The names between braces in a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def _listed(name: str, value: object, lang: Language) -> object:
    if isinstance(value, list | tuple):
        return "、".join(str(_listed(name, one, lang)) for one in value)
    return label_word(value, lang) if name in _OF_LABELS and isinstance(value, str) else value


def _pick(lang: Language, pair: tuple[str, str]) -> str:
    return pair[0 if lang == "en" else 1]
