"""What sentences look like that state nothing to check: courtesies, hedges, refusals, talk about the answer itself.

Patterns are tried at a sentence's begin, on at most `LIMIT` characters; every repetition in them is bounded.
"""

import re

from judge.domain.claims import NotCheckable
from judge.steps.blocks import CJK

LIMIT = 400
"""No courtesy is longer; a longer sentence says something."""
HAN = re.compile(rf"[{CJK}]")
_MARKS = re.compile(
    r"\[\^?\d[\d,，、\-–~ \t]{0,60}\]|【[^【】\n]{0,80}】"
    r"|\[[^\[\]\n]{0,80}(?:\d|\.[A-Za-z])[^\[\]\n]{0,80}\](?!\()|[¹²³⁴-⁹⁰]"
)
_MARKUP = re.compile(r"[*_`#>~\u200b\ufe0f]+|[\u2600-\u27bf\U0001f300-\U0001faff]")
_LEAD = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|yes|好的|当然|没问题)[,，!！] ?(?=\w)", re.IGNORECASE
)


def plain(sentence: str) -> str:
    """The words without emphasis, emoji, citation markers, outer quotes and an opening ``Sure,``."""
    bare = _MARKUP.sub("", _MARKS.sub("", sentence)).replace("’", "'")
    return _LEAD.sub("", bare.strip(" \t\r\n\u3000\"“”'「」"), count=1)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_END = r"[\s!.。！~,，…]*$"
_COLON = r"\s*[:：]\s*$"
_NO_TURN = r"(?![^\n]{0,300}(?:\b(?:but|however|although|though)\b|;|但|不过|然而|只是|仅))"
"""A refusal that goes on with "but ..." says something after all."""
_WE = r"(?:(?:i|we)(?:'m|'re| am| are)? ?)?"
_SORRY = rf"(?:{_WE}(?:(?:very|so|really) )?(?:sorry|apologies|apologi[sz]e|unfortunately|regrettably))"
_BASED = r"(?:(?:based on|according to|from)[^,.]{0,60}, ?)?"
_SOURCE = (
    r"(?:passages?|contexts?|documents?|texts?|information|sources?|materials?|articles?|excerpts?|data|content|"
    r"search results?)"
)
_HAVE_NOT = (
    r"(?:(?:do|does|did) not|don't|doesn't|didn't|cannot|can't|can not|could(?: not|n't)|"
    r"(?:am|are|was) (?:unable|not able)|"
    r"have no|have not|haven't|won't|will not)"
)
_ABLE = (
    r"(?:have|know|find|found|answer|provide|see|help|assist|determine|tell|say|confirm|enough|access|information|idea|locate|"
    r"verify|comment|give|offer|be able)"
)
_SORRY_ZH = r"(?:(?:很|非常|十分|真的)?(?:抱歉|对不起|遗憾|不好意思)(?:的是)?)"
_FILE = (
    r"(?:(?:所|已)?(?:提供|给出|给定|检索到|检索|上述|以上|现有|已有|目前|当前|参考|相关|这些|该)?的?){0,4}"
    r"(?:资料|文档|材料|信息|文件|上下文|内容|段落|说明书|手册)"
)
_YOU = r"(?:您|你)"

SOURCES = _any(
    r"(?:sources?|references?|citations?|see also|source documents?)\s*[:：]",
    r"(?:参考(?:资料|文献|来源)?|资料来源|信息来源|来源|出处|引用)\s*[:：]",
    r"https?://\S{1,300}$",
)
"""Lines that only name where something is from."""

_GREETING = _any(
    r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day)|dear)(?:[ ,]+[\w']+){0,3}" + _END,
    r"(?:many )?(?:thanks|thank you)(?: (?:so|very) much| a lot)?(?:,? (?:for|and) [^.!?:;,]{0,80})?" + _END,
    r"(?:sure|certainly|of course|absolutely|gladly|great|good|excellent|no problem|my pleasure|cheers|welcome|"
    r"you're (?:very )?welcome)(?: thing| question)?" + _END,
    r"(?:that's|this is|what) an? (?:great|good|excellent|interesting) question" + _END,
    r"(?:(?:i|we)(?:'m| am|'re| are|'d be| would be|'ll be| will be))? ?(?:here|happy|glad|pleased|delighted) to "
    r"(?:help|assist|answer|support)[^.!?:;]{0,60}" + _END,
    r"have an? (?:nice|great|good|lovely|wonderful|pleasant) [^.!?:;]{0,40}" + _END,
    r"(?:best|kind|warm)? ?(?:regards|wishes)[^.!?:;]{0,30}" + _END,
    r"(?:sincerely|yours (?:truly|sincerely|faithfully)|take care|good luck|safe travels|enjoy your)[^.!?:;,]{0,30}"
    + _END,
    r"(?:您好|你好|大家好|各位好|早上好|上午好|下午好|晚上好|嗨|哈喽)[^。！!，,：:]{0,8}" + _END,
    rf"(?:非常|十分)?(?:感谢|谢谢|多谢)(?:{_YOU}|大家)?的?"
    r"(?:提问|咨询|来信|关注|支持|耐心|理解|来电|使用|反馈|等待)?" + _END,
    r"(?:不客气|不用谢|当然(?:可以)?|好的呢?|没问题|可以的|(?:这是)?一?个?(?:很)?好的?问题)" + _END,
    r"我?(?:很|非常|十分)?(?:高兴|乐意|荣幸)(?:能|能够|可以)?(?:为|帮|给|回答|解答|协助)[^。；;：:]{0,30}" + _END,
    rf"(?:祝|祝愿|祝福|预祝)(?:{_YOU}|大家|各位)?[^。；;：:]{{0,20}}"
    r"(?:愉快|顺利|健康|好运|成功|康复|安好|幸福|开心|快乐)" + _END,
    r"此致|敬礼|顺颂商祺",
)
_HEDGE = _any(
    rf"{_WE}(?:(?:really|do) )?hope (?:that )?(?:this|that|it|these|my)[^.!?:;]{{0,40}}"
    r"(?:help|useful|answer|clarif|clear)[^.!?:;]{0,60}" + _END,
    rf"i(?:'m| am) not (?:\w+ )?(?:sure|certain)(?:{_END}| (?:about|of|whether|if|what|how|why|when)\b{_NO_TURN})",
    r"(?:i (?:could|may|might) be (?:wrong|mistaken)|it(?:'s| is) (?:hard|difficult) to say|it depends|"
    r"(?:please )?(?:note|keep in mind) that i (?:may|might|could))[^.!?;]{0,80}" + _END,
    r"(?:以上|上述)?[^。；;：:，,]{0,8}希望(?:这|以上|上述|能|可以|对|我的|本)[^。；;：:]{0,24}"
    r"(?:帮助|帮到|有用|参考|解答|有所)[^。；;：:]{0,8}" + _END,
    r"(?:我也?不(?:太|是很|十分|能完全)?(?:确定|肯定)|这?很?难说|不好说|视情况而定|(?:以上(?:内容|信息|建议)?)?仅供参考)"
    r"[^。；;：:]{0,16}" + _END,
)
_REFUSAL = _any(
    rf"{_SORRY}(?: (?:about|for) [^.!?:;,]{{0,40}})?{_END}",
    rf"{_SORRY}?(?:,? ?but|[,:])? ?{_BASED}(?:i|we) {_HAVE_NOT}(?: \w+)? ?(?:to )?{_ABLE}\b{_NO_TURN}",
    rf"(?:unable|not able) to (?:answer|determine|find|provide|verify)\b{_NO_TURN}",
    rf"as an? (?:ai|artificial intelligence|language model)[^.!?]{{0,40}},? i (?:am|{_HAVE_NOT})",
    rf"(?:{_SORRY},? ?(?:but)? ?)?{_BASED}(?:the |this |these |none of the |no )?(?:\w+ )?"
    rf"(?:(?:given|provided|retrieved|available|supplied) )?{_SOURCE}(?: (?:provided|given|available|retrieved))?"
    r"(?: above)? (?:(?:do|does|did) not|don't|doesn't|didn't|contains? no|ha(?:s|ve) no|mentions? (?:no|nothing))"
    rf"(?: \w+)?\b{_NO_TURN}",
    rf"(?:{_SORRY},? ?(?:but)? ?)?{_BASED}there(?:'s| is| are| was)(?: not| no|n't)(?: \w+){{0,3}} "
    rf"(?:information|mention|details?|data|answer|evidence|context)\b{_NO_TURN}",
    rf"(?:{_SORRY},? ?(?:but)? ?)?(?:this|that|it|(?:the|this|your) (?:answer|question)) "
    rf"(?:cannot|can't|can not|could not) be (?:answered|determined|verified|confirmed|established)\b{_NO_TURN}",
    rf"{_SORRY_ZH}[^。；;：:，,]{{0,12}}{_END}",
    rf"(?:{_SORRY_ZH}[，,！! ]*)?(?:根据|基于|按照|从|在)?我?(?:在|从)?{_FILE}(?:中|里|内|来看|看){{0,2}}[，,]?"
    rf"(?:我们?)?(?:暂时|目前|还|并)?(?:没有|没|未|无法|不能|并未|不足以|不包[含括]|无)(?!论|需|须){_NO_TURN}",
    rf"(?:{_SORRY_ZH}[，,！! ]*)?(?:我们?|本助手)(?:暂时|目前|也|还|并)?(?:不知道|不清楚|不了解|没有足够|没有相关|"
    r"(?:没有|没|未|未能)(?:找到|查到)|[查找]不到|"
    rf"(?:无法|不能)(?:回答|确定|提供|给出|判断|确认|得知|协助|帮)){_NO_TURN}",
    rf"{_SORRY_ZH}[，,！! ]*(?:[^。，,；;]{{0,20}}[，,])?[^。，,；;]{{0,10}}"
    rf"(?:无法|没有|未|不能|不知道|不清楚){_NO_TURN}",
    r"(?:无法|不能)(?:根据|从|基于)[^。；;]{0,20}(?:回答|确定|判断|得出|得知)",
    rf"(?:这个|该|{_YOU}的|此)?问题(?:暂时|目前)?(?:无法|不能)(?:回答|确定|解答)",
)
_INSTRUCTION = _any(
    r"(?:(?:and |so )?please (?:do )?|if you[^.!?:;]{0,80}, (?:please )?(?:do )?)?"
    r"(?:let me know|feel free to|(?:don't|do not) hesitate to|reach out if|just ask|tell me (?:more|if|which|what))",
    r"(?:could|can|would) you (?:please )?(?:provide|clarify|tell|specify|share)",
    r"please (?:provide|clarify|specify|share|rephrase|tell me|give me)(?: \w+){0,4} "
    r"(?:more|further|additional|information|details?|question|context|which|what)",
    rf"(?:如果|如|若)?{_YOU}?还?(?:有|需要|对)?[^。；;：:]{{0,30}}(?:请|欢迎|可以|可)?"
    r"随时(?:告诉|联系|提问|向|问|与|咨询|告知|跟|和)我?[^。；;：:]{0,16}" + _END,
    rf"请{_YOU}?(?:提供|补充|告诉我|告知我|说明|明确)(?:一下)?[^。；;：:]{{0,8}}(?:更多|具体|进一步|详细|{_YOU}的|哪)",
    rf"(?:如果|如|若){_YOU}?还?有(?:其他|其它|任何|更多|别的)?(?:问题|疑问|需要)[，,](?:请|欢迎|我)[^。；;：:]{{0,24}}"
    + _END,
)
_META = _any(
    r"(?:to|for|in order to|when|if)\b[^.!?:;]{0,120}" + _COLON,
    r"[^.!?;\n]{0,200}\b(?:includes?|including|included|are|is|was|were|by|like|such as)" + _COLON,
    r"[^。！!；;\n]{0,100}(?:包括|包含|有|是|为|措施|方法|步骤|方面|原因|特点|好处|优点|建议|要求|说明|信息|例子|几点|(?:这样|如此)[^。，,：:]{0,8})"
    + _COLON,
    r"(?:here|below|following)(?:'s| is| are| were)?\b[^.!?:;]{0,160}" + _COLON,
    r"(?:based on|according to)[^.!?:;,]{0,80}, ?(?:here|below|the following)\b[^.!?:;]{0,160}" + _COLON,
    r"here(?:'s| is| are) (?:the|a|an|some|your|what|how|my)\b[^.!?:;\d]{0,80}" + _END,
    r"(?:based on|according to|in|from|given) (?:the|these|this|your)[^.!?:;,]{0,80}[:：,，]?\s*$",
    r"(?:the|these) (?:following|steps?|points?|details?)\b[^.!?:;]{0,60}" + _COLON,
    r"[^.!?:;\n]{0,160}(?:as follows|the following(?: [\w\-]+){0,3}|these steps|below)" + _COLON,
    r"(?:in (?:summary|short|conclusion|brief|other words|addition)|to (?:summari[sz]e|sum up|conclude)|for example|"
    r"for instance|note|answer|summary|conclusion|overall|additionally|step \d+|final answer)\s*[:：,.]?\s*$",
    r"(?:以下|下面)(?:就?是|为您|将|列出|给出|介绍)[^。！!；;\d]{0,40}[:：。]?\s*$",
    r"(?:以下|下面|如下)[^。！!；;\d]{0,40}" + _COLON,
    r"[^。！!；;\n]{0,60}(?:如下\s*[:：。]?|以下[^。，,：:]{0,8}[:：])\s*$",
    r"(?:根据|基于|按照|依据)所?[^。！!；;，,]{0,24}[:：,，]\s*$",
    r"(?:总之|综上(?:所述)?|总结|总的来说|简而言之|例如|比如|答案?|结论|注意|注|其中|此外|另外|具体来说)\s*[:：，,。]?\s*$",
)
PATTERNS = (
    (NotCheckable.GREETING, _GREETING),
    (NotCheckable.HEDGE, _HEDGE),
    (NotCheckable.REFUSAL, _REFUSAL),
    (NotCheckable.INSTRUCTION, _INSTRUCTION),
    (NotCheckable.META, _META),
)
"""Reason and pattern, in the order they are tried."""
