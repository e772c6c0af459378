"""The pages' words, in English and Chinese."""

from collections.abc import Mapping

from judge.domain.rubrics import Language

LANGUAGES: Mapping[Language, str] = {"en": "English", "zh": "中文"}

_TEXTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "title": "Label",
        "language": "Language",
        "who": "Your name",
        "who_why": "It stands beside your labels. Use the same name each time.",
        "start": "Start",
        "not_you": "Not you? Choose another name.",
        "queue": "Queue",
        "no_queue": "There is no open queue. `judge sample` makes one.",
        "mine": "{n} mine",
        "left": "{n} left",
        "question": "Question",
        "history": "Conversation before it",
        "answer": "Answer",
        "no_answer": "The text of this answer was not kept.",
        "not_found": "The claim does not stand word for word in the answer.",
        "claim": "Claim",
        "passage": "Passage",
        "passages": "Passages",
        "cited": "Cited passage",
        "no_passages": "There are no passages.",
        "no_text": "The text of this passage was not kept.",
        "not_evidence": "For this question the passages do not count: only the question and the claim do.",
        "best": "most words in common",
        "nothing_common": "no words in common",
        "whole": "Whole text ({n} characters)",
        "page": "p. {page}",
        "cant_tell": "Can't tell",
        "skip": "Skip: pass it to someone else",
        "skipped": "Skip",
        "comment": "Comment (optional)",
        "rules": "What counts",
        "saved": "Saved {time}",
        "undo": "Undo “{what}”",
        "again": "You are changing your answer “{what}”.",
        "gone": "Not saved: this item went back to the queue and someone else has it. Here is the next one.",
        "answered": "Not saved: you had answered this already, in another tab or by a sheet.",
        "early": "Not saved: that was too quick to have been read. Press again.",
        "failed": "Not saved: {why}",
        "cant_undo": "This can't be undone any more: someone else has the item.",
        "done": "Nothing left for you.",
        "done_why": "Every item of this queue is answered by you, or taken by others.",
    },
    "zh": {
        "title": "标注",
        "language": "语言",
        "who": "你的姓名",
        "who_why": "姓名会和你的标注一起保存，请每次使用同一个姓名。",
        "start": "开始",
        "not_you": "不是你？换一个姓名。",
        "queue": "队列",
        "no_queue": "没有开放的队列。可用 `judge sample` 建立。",
        "mine": "我已完成 {n}",
        "left": "剩余 {n}",
        "question": "问题",
        "history": "此前的对话",
        "answer": "回答",
        "no_answer": "未保存该回答的正文。",
        "not_found": "回答里没有与该陈述逐字相同的文字。",
        "claim": "陈述",
        "passage": "资料",
        "passages": "资料",
        "cited": "所引资料",
        "no_passages": "没有资料。",
        "no_text": "未保存该资料的正文。",
        "not_evidence": "这个问题只看提问和陈述，不看资料。",
        "best": "共同词语最多",
        "nothing_common": "没有共同词语",
        "whole": "全文（{n} 字）",
        "page": "第 {page} 页",
        "cant_tell": "无法判断",
        "skip": "跳过：交给别人",
        "skipped": "跳过",
        "comment": "备注（可不填）",
        "rules": "判断规则",
        "saved": "已保存 {time}",
        "undo": "撤销“{what}”",
        "again": "正在修改你的回答“{what}”。",
        "gone": "未保存：这一项已退回队列，现由别人标注。下面是下一项。",
        "answered": "未保存：你已在另一个页面或表格中回答过这一项。",
        "early": "未保存：按得太快，来不及读完。请再按一次。",
        "failed": "未保存：{why}",
        "cant_undo": "已无法撤销：这一项现由别人标注。",
        "done": "没有需要你标注的了。",
        "done_why": "这个队列的每一项你都已回答，或已由别人标注。",
    },
}


class Words:
    """The texts of one language."""

    def __init__(self, lang: Language) -> None:
        self.lang = lang

    def __call__(self, key: str, **values: object) -> str:
        """The text of that key, with its values filled in."""
        return _TEXTS[self.lang][key].format(**values)

    def of(self, texts: Mapping[Language, str], default: str = "") -> str:
        """A rubric's text in this language, else in English."""
        return texts.get(self.lang) or texts.get("en") or default


def keys(lang: Language) -> set[str]:
    """What can be said in a language."""
    return set(_TEXTS[lang])
