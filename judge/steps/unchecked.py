"""What sentences look like that state nothing to check: courtesies, hedges, refusals, talk about the answer itself.

Patterns are tried at a sentence's begin, on at most `LIMIT` characters; every repetition in them is bounded.
"""

import re

from judge.domain.claims import NotCheckable
from judge.steps.blocks import CJK, NAMED_SOURCE

LIMIT = 400
"""No courtesy is longer; a longer sentence says something."""
HAN = re.compile(rf"[{CJK}]")
_MARKS = re.compile(
    r"\[\^?\d[\d,，、\-–~ \t]{0,60}\]|【[^【】\n]{0,80}】"
    r"|\[[^\[\]\n]{0,80}(?:\d|\.[A-Za-z])[^\[\]\n]{0,80}\](?!\()|[¹²³⁴-⁹⁰]"
    rf"|{NAMED_SOURCE}"
)
_MARKED = re.compile(r"[\[【¹²³⁴-⁹⁰(（]")
_MARKUP = re.compile(r"[*_`#>~\u200b\ufe0f\u2600-\u27bf\U0001f300-\U0001faff]+")
_QUOTES = {"”": "“", "’": "‘", "」": "「", "』": "『", '"': '"'}
_SPOKEN = re.compile(r"[^\W_]")
_ASKER = re.compile(r"\s*(?:q|question|问|问题|提问)\s*\d{0,3}\s*[:：]\s*", re.IGNORECASE)
"""The label of a question in a list of questions and answers."""
_LEAD = re.compile(r"(?:sure|certainly|of course|absolutely|okay|ok|好的|当然|没问题)[,，!！] ?(?=\w)", re.IGNORECASE)


def plain(sentence: str) -> str:
    """The words without emphasis, emoji, citation markers, outer quotes and an opening ``Sure,``.

    Nor the mark of a question that is only reported (``He asked: "Why?"``): the sentence asks nothing.
    """
    bare = _MARKS.sub("", sentence) if _MARKED.search(sentence) else sentence
    bare = _reported(_MARKUP.sub("", bare).strip()).replace("’", "'")
    bare = bare.strip(" \t\r\n\u3000\"“”'「」")
    lead = _LEAD.match(bare)
    return bare[lead.end() :] if lead else bare


def _reported(bare: str) -> str:
    """The words without the question mark that is the last thing in a quote, when others stand before the quote."""
    opener = _QUOTES.get(bare[-1:])
    asked = bare[:-1].rstrip("?？!！ ")
    if opener is None or not {"?", "？"} & set(bare[len(asked) : -1]):
        return bare
    start = asked.rfind(opener)
    before = bare[: max(start, 0)]
    return asked if _SPOKEN.search(before) and not _ASKER.fullmatch(before) else bare


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_END = r"[\s!.。！~,，…]*$"
_EAGER = r"\s*[!！~,，…][\s!.。！~,，…]*$"
"""The end of an exclamation; with a full stop or none, the same words can be the answer ("Certainly.")."""
_COLON = r"\s*[:：]\s*$"
_NO_TURN = (
    r"(?![^\n]{0,300}(?:\b(?:but|however|although|though|only|instead|except|whereas)\b|;|"
    r"但|不过|然而|只是|只有|仅|而是|除了))"
)
"""A refusal that goes on with "but ..." says something after all."""
_NO_CASE = r"(?!的|者)(?![^。；;\n]{0,30}(?:的|者|时)[，,])"
"""Not a rule for the case that something is missing: 未提及的事项由双方协商, 无法确认时，..."""
_NO_ADDRESS = r"(?![^\n]{0,300}(?:\d|@|https?:))"
_WE = r"(?:(?:i|we)(?:'m|'re| am| are)? ?)?"
_SORRY = rf"(?:{_WE}(?:(?:very|so|really) )?(?:sorry|apologies|apologi[sz]e|unfortunately|regrettably))"
_BUT = rf"(?:{_SORRY},? ?(?:but)? ?)?"
_BASED = r"(?:(?:based on|according to|from)[^,.]{0,60}, ?)?"
_GIVEN = r"(?:given|provided|retrieved|supplied)"
_THE = (
    r"(?:(?:the|this|these|those|your|none of the|no|any of the) )"
    r"(?:(?:available|source|search|reference|current|above|relevant|text|two|three|four|five|\d{1,2}) )?"
)
_NOUN = r"(?:documents?|texts?|information|sources?|materials?|articles?|content|data)"
_PASSAGES = r"(?:passages?|contexts?|excerpts?|snippets?|search results?)"
_SOURCE = rf"(?:{_PASSAGES}|{_NOUN})"
_SHOWN = (
    rf"(?:{_THE})?(?:{_GIVEN} (?:\w+ )?{_SOURCE}|{_PASSAGES}(?: {_GIVEN}| above)?|{_NOUN} (?:{_GIVEN}|above)|"
    rf"{_NOUN} (?:you|i was|i have been) {_GIVEN})"
)
"""What the answer was written from, beyond doubt; "the documents" alone can be the asker's passport."""
_NOT = r"(?:(?:do|does|did) not|don't|doesn't|didn't)(?: (?:(?!only)\w+ly|even|yet|seem to|appear to))?"
_SUCH = (
    r"(?: (?:specific|direct|explicit|clear|enough|sufficient|any|further|additional|detailed|relevant|such|other|"
    r"more)){0,2}"
)
_INFORMATION = (
    r"(?:(?:any|enough|sufficient|specific|the|this|that|an?|direct|clear|detailed|relevant|further|more|explicit|such|"
    r"additional) ){0,3}(?:information|details?|answers?|mention|references? to|context|explanation)\b"
)
_HAVE_NOT = (
    r"(?:(?:do|does|did) not|don't|doesn't|didn't|cannot|can't|can not|could(?: not|n't)|"
    r"(?:am|are|was|were) (?:unable|not able)|'m (?:unable|not able)|"
    r"have no|have not|haven't|won't|will not)"
)
_ABLE = (
    r"(?:have|know|find|found|answer|provide|see|help|assist|determine|tell|say|confirm|enough|access|information|idea|locate|"
    r"verify|comment|give|offer|be able)"
)
_WHETHER = r"(?:whether|if|that|this|what|when|which|who|how|why|where|from|based)\b"
_WE_ABLE = (
    r"(?:know(?: the answer|,? (?:from|based on)\b|[\s.!]*$)|answer (?:(?:this|that|the|your) question|this|that|it)\b|"
    r"(?:find|found|locate|located) (?:any|enough|the|this|that|an answer|information|details?|mention)\b|"
    rf"determine {_WHETHER}|(?:tell|verify|confirm|say) (?:for (?:sure|certain) )?{_WHETHER}|"
    r"(?:help|assist)(?: you)? with (?:that|this)\b|"
    r"(?:have )?(?:any|enough|sufficient)(?: \w+)? (?:information|context|details)\b|"
    r"(?:have )?access to (?:this|that) \w+|(?:have )?information (?:about|on|regarding)\b)"
)
"""A company speaks as "we"; what it does not offer, give or ship is its policy."""
_SORRY_ZH = r"(?:(?:很|非常|十分|真的)?(?:抱歉|对不起|遗憾|不好意思)(?:的是)?)"
_BUT_ZH = rf"(?:{_SORRY_ZH}[，,！! ]*)?"
_YOU = r"(?:您|你)"
_NOUN_ZH = r"(?:资料|文档|材料|信息|文件|内容|说明书|手册)"
_GIVEN_ZH = r"(?:所|已)?(?:提供|给出|给定|检索到|检索|搜索到|现有|已有|参考)"
_FILE = (
    r"(?:(?:(?:所|已)?(?:提供|给出|给定|检索到|检索|搜索到|上述|以上|现有|已有|目前|当前|参考|相关|这些|该)的?){0,4}"
    rf"(?:上下文|段落|{_NOUN_ZH}))"
)
_SHOWN_ZH = (
    rf"(?:(?:(?:目前|当前|这些|该|{_YOU})?(?:{_GIVEN_ZH}的?){{1,3}}(?:相关|这些)?)?(?:上下文|段落)|"
    rf"(?:目前|当前|这些|该|{_YOU})?(?:{_GIVEN_ZH}的?){{1,3}}(?:相关|这些)?{_NOUN_ZH})"
)
_IN_ZH = r"(?:之?中|里|内|来看){0,2}[，,]?"
_YET_ZH = r"(?:我们?)?(?:暂时|目前|还|并|都|均|也)?"
_NOT_ZH = r"(?:没有|没|未曾|未能|并未|未)"
_HOW_ZH = r"(?:明确|具体|直接|详细|进一步|准确|完全|在其中)?"
_SAY_ZH = r"(?:提到|提及|说明|记载|指出|描述|介绍|谈到|写明|回答)"
_INFORMATION_ZH = (
    r"(?:(?:任何|足够|相关|有关|关于|具体|明确|直接|详细|准确|更多|这|此|该){1,3}的?[^。，,；;]{0,20}"
    r"(?:信息|内容|答案|资料|说明|细节|记载|描述|介绍|回答|依据)|答案)"
)
_FOUND_ZH = r"(?:找到|查到|查询到|检索到|搜索到)"
_TELL_ZH = r"(?:回答|解答|确定|判断|得出|得知|推断|看出|知道|确认|找到)"

SOURCES = _any(
    r"(?:sources?|references?|citations?|see also|source documents?)\s*[:：]",
    r"(?:参考(?:资料|文献|来源)?|资料来源|信息来源|来源|出处|引用)\s*[:：]",
    r"https?://\S{1,300}$",
)
"""Lines that only name where something is from."""
_SOURCES_LABEL = (
    r"(?:sources?|references?|citations?|see also|source documents?|"
    r"参考(?:资料|文献|来源)?|资料来源|信息来源|来源|出处|引用(?:来源)?)"
)
SOURCES_BEGIN = re.compile(rf"{_SOURCES_LABEL}\s*[:：]?\s*$", re.IGNORECASE)
"""A label or heading behind which a list of sources begins."""


def is_source(line: str) -> bool:
    """Whether a line below such a label names a source: short, and no sentence."""
    return len(line) <= 160 and not line.rstrip("*_\"'”’)）").endswith((".", "。", "!", "！", "?", "？", ";", "；"))


_GREETING = _any(
    r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day)|dear)(?:,? (?:there|everyone|all|again|team|"
    r"friends?|sir|madam|sir or madam|(?:valued )?(?:customer|user|reader|guest)))?" + _END,
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening))(?:, ?[\w']+){1,2}" + _END,
    r"(?:hi|hello|hey|greetings|good (?:morning|afternoon|evening|day)|dear)(?:[ ,]+[\w'.]+){1,3}" + _EAGER,
    r"(?:many )?(?:thanks|thank you)(?: (?:so|very) much| a lot)?(?:,? (?:for|and) [^.!?:;,]{0,80})?" + _END,
    r"(?:sure(?: thing)?|certainly|of course|absolutely|great|good|excellent|no problem|welcome)" + _EAGER,
    r"(?:(?:great|good|excellent) question|gladly|my pleasure|cheers|you(?:'re| are) (?:very |most )?welcome|"
    r"(?:i'm|i am|we're|we are) glad (?:i|we) could help)" + _END,
    r"(?:that's|this is|what) an? (?:great|good|excellent|interesting) question" + _END,
    r"i(?:'m| am|'d be| would be|'ll be| will be) (?:here|happy|glad|pleased|delighted) to "
    r"(?:help|assist|answer|support)[^.!?:;\d]{0,60}" + _END,
    r"(?:we(?:'re| are|'d be| would be|'ll be| will be) )?(?:(?:always|more than) )?(?:here|happy|glad|pleased|"
    r"delighted) to (?:help|assist|answer)(?: you)?(?:"
    r"(?: out| further| anytime| with (?:that|this|anything|any|your))\b[^.!?:;,\d]{0,40}|"
    r" (?:if you|any|your)\b[^.!?:;,\d]{0,40})?" + _END,
    r"have an? (?:nice|great|good|lovely|wonderful|pleasant) (?:day|evening|afternoon|morning|night|weekend|week|trip|"
    r"time|journey|flight|stay|holiday|vacation|one|rest of (?:your|the) (?:day|week))"
    r"(?: (?:ahead|there|(?:to|in|at|with|and) [^.!?:;,\d]{1,30}))?" + _END,
    r"(?:(?:best|kind|warm)(?:est)? (?:regards|wishes)|regards|sincerely|yours (?:truly|sincerely|faithfully))"
    r"(?:,[^.!?:;,]{0,30})?" + _END,
    r"(?:take care(?: of yourself)?|safe travels|"
    r"good luck(?: (?:with|on|in) (?:your|the|it)[^.!?:;,\d]{0,30}| to you)?)" + _END,
    r"enjoy your (?:trip|day|stay|meal|weekend|holiday|visit|flight|vacation|evening|time|journey|travels)"
    r"(?: (?:to|in) [\w ]{1,20})?" + _END,
    r"(?:(?:您|你|大家|各位)好|(?:早上|上午|下午|晚上)好|嗨|哈喽)[，, ]?(?:呀|啊|哦|亲爱的){0,2}"
    r"(?:[^。！!，,：:是]{0,4}(?:先生|女士|小姐|老师|朋友们?|同学们?|客户|用户|各位|大家|亲))?" + _END,
    rf"(?:非常|十分)?(?:感谢|谢谢|多谢)(?:{_YOU}|大家)?的?"
    r"(?:提问|咨询|来信|关注|支持|耐心|理解|来电|使用|反馈|等待){0,2}" + _END,
    r"(?:不客气|不用谢|好的呢?|(?:这是)?一?个?(?:很)?好的?问题)" + _END,
    r"(?:当然(?:可以)?|没问题|可以的)" + _EAGER,
    rf"我?(?:很|非常|十分)?(?:高兴|乐意|荣幸)(?:能|能够|可以)?(?:为|帮助?|给|协助)?{_YOU}?"
    rf"(?:提供|进行|解决|回答|解答|{_YOU}的|这个|该|任何|一些|更多|关于[^。；;：:，,]{{1,30}}的){{0,3}}(?:服务|解答|效劳|帮助|帮忙|协助|回答|解惑|问题|疑问)"
    + _END,
    rf"(?:(?:祝愿?|祝福)(?:{_YOU}们?|大家|各位|身体|工作|学习|生活|旅途|旅行|旅游|一切|万事|早日|好运|生意|考试|"
    r"节日|新年|周末|假期|中秋|生日|学业|用餐|购物|使用|面试|出行|游玩|[合阖]家|天天|事业)|预祝)[^。；;：:\d]{0,20}"
    r"(?:愉快|顺利|健康|好运|成功|康复|安好|幸福|开心|快乐)" + _END,
    r"(?:此致(?:[，,\s]*敬礼)?|敬礼|顺颂商祺)" + _END,
)
_HEDGE = _any(
    rf"{_WE}(?:(?:really|do) )?hope (?:that )?(?:this|that|it|these|my|the)(?: (?:above|information|answer|"
    r"explanation|summary|overview|response|clarification|guide|list|tips|steps|details|suggestions))?"
    r"(?: (?:is|was|are|were|will|can|has|have|been|be|could|may|proves?|gives you|makes it|makes things|a|all)){0,3} "
    r"(?:help(?:s|ed|ful)?|useful|answer(?:s|ed)?|clarif(?:y|ies|ied)|clear(?:s|er)?)\b[^.!?:;\d]{0,60}" + _END,
    rf"i(?:'m| am) not (?:\w+ )?(?:sure|certain)(?:{_END}| (?:about|of|whether|if|what|how|why|when)\b{_NO_TURN})",
    r"(?:i (?:could|may|might) be (?:wrong|mistaken)|(?:please )?(?:note|keep in mind) that i (?:may|might|could))"
    r"[^.!?:;\d]{0,80}" + _END,
    r"it(?:'s| is) (?:hard|difficult) to say"
    r"(?:,? (?:exactly|for (?:sure|certain)|what|whether|if|when|how|which|why|who)\b[^.!?:;,\d]{0,80})?" + _END,
    r"it (?:really |all )?depends(?: (?:up)?on (?:what|which|how|who|where|when|whether|you|your|"
    r"the (?:situation|context|case|circumstances?|specifics)|(?:several|many|various|different|multiple|"
    r"a (?:few|number of|variety of)) \w+)"
    r"\b[^.!?:;,\d]{0,80})?" + _END,
    r"(?:以上|上述)?(?:内容|信息|回答|解答|建议|资料)?我?们?也?希望(?:这|以上|上述|我的|本)[^。；;：:\d]{0,24}"
    r"(?:帮助|帮到|有用|参考|解答|有所)[^。；;：:\d]{0,8}" + _END,
    rf"(?:以上|上述)?(?:内容|信息|回答|解答|建议|资料)?我?们?也?希望(?:能够?|可以)?对?(?:帮到|帮助到?|解答|对)?(?:{_YOU}|大家)"
    r"[^。；;：:\d]{0,24}" + _END,
    r"希望(?:能够?|可以)?(?:有所?帮助|帮上忙|有用|有所帮助)" + _END,
    r"我也?不(?:太|是很|十分|能完全)?(?:确定|肯定)[^。；;：:\d]{0,16}" + _END,
    r"(?:这?很?(?:难说|不好说)(?:清楚)?|视情况而定|(?:以上|上述)?(?:内容|信息|建议|回答)?仅供"
    r"(?:您|你)?参考(?:[，,](?:不构成|请|具体|以|如有|实际)[^。；;：:\d]{0,24})?)" + _END,
)
_REFUSAL = _any(
    rf"{_SORRY}{_END}",
    rf"{_WE}(?:(?:very|so|really) )?(?:sorry|apologies|apologi[sz]e) (?:about|for) [^.!?:;,\d]{{0,40}}{_END}",
    rf"{_SORRY}?(?:,? ?but|[,:])? ?{_BASED}i ?{_HAVE_NOT}(?: \w+)? ?(?:to )?{_ABLE}\b{_NO_TURN}",
    rf"{_SORRY}?(?:,? ?but|[,:])? ?{_BASED}we {_HAVE_NOT}(?: (?:\w+ly|yet))? ?(?:to )?{_WE_ABLE}{_NO_TURN}",
    r"(?:unable|not able) to (?:answer|determine|find|provide|verify)\b"
    rf"(?![^\n]{{0,300}},(?! ?(?:based|given|since|because|as|from)\b)){_NO_TURN}",
    rf"as an? (?:ai|artificial intelligence|language model)[^.!?]{{0,40}},? i (?:am|{_HAVE_NOT})",
    rf"{_BUT}{_BASED}{_SHOWN} (?:{_NOT} (?:mention|say|state|provide|contain|include|specify|give|answer|address|cover|"
    r"discuss|describe|indicate|explain|offer|list|define|identify|clarify|refer|name|tell|talk|have)|"
    rf"contains? (?:no|nothing)|ha(?:s|ve) no|mentions? (?:no|nothing))\b{_NO_TURN}",
    rf"{_BUT}{_BASED}{_THE}{_NOUN} (?:{_NOT} (?:(?:mention|say|state|specify|answer|discuss|describe|explain)\b|"
    rf"(?:provide|contain|include|give|have) (?:{_INFORMATION}|(?:an? |any )?(?:specific|explicit|detailed)\b))|"
    rf"(?:contains?|has|have|provides?|gives?) no {_INFORMATION}|"
    rf"(?:mentions?|says?) nothing\b){_NO_TURN}",
    rf"{_BUT}{_BASED}there(?:'s| is| are| was)(?: not| no|n't){_SUCH} (?:information|mention|details?|context|answer)"
    rf"(?:,? (?:available |provided |given )?(?:about|on|of|regarding|concerning|to (?:answer|determine)|as to|that|"
    rf"in {_SHOWN}|in {_THE}{_SOURCE})\b|(?: available| provided| given)?{_END}){_NO_TURN}",
    rf"{_BUT}{_BASED}there(?:'s| is| are| was)(?: not| no|n't){_SUCH} (?:evidence|data) in {_SHOWN}{_NO_TURN}",
    rf"none of (?:the|these) (?:(?:{_GIVEN} {_SOURCE}|{_PASSAGES}) (?:provide|contain|include|give)s?|"
    rf"(?:{_GIVEN} )?{_SOURCE} (?:mention|say|state|specify|answer)s?)\b{_NO_TURN}",
    rf"{_BUT}(?:the|this|your) (?:answer|question) (?:cannot|can't|can not|could not) be "
    rf"(?:answered|determined|verified|confirmed|established)\b{_NO_TURN}",
    rf"{_BUT}(?:this|that|it) (?:cannot|can't|can not|could not) be "
    rf"(?:answered|determined|verified|confirmed|established)"
    rf"(?:{_END}| (?:from|with|using|by|given|based on) (?:{_SHOWN}|{_THE}{_SOURCE})\b{_NO_TURN})",
    rf"{_SORRY_ZH}(?:了|啊|呀)?"
    rf"(?:让{_YOU}?久等了?|(?:给{_YOU})?(?:添|造成)[^。；;：:，,\d]{{0,8}}|[没未]能帮[到上]{_YOU}?)?{_END}",
    rf"{_BUT_ZH}(?:根据|基于|按照|从|在)?我?(?:在|从)?{_FILE}{_IN_ZH}{_YET_ZH}"
    rf"(?:{_NOT_ZH}{_HOW_ZH}(?:{_SAY_ZH}|(?:给出|提供|包含|包括|涉及|列出|显示|{_FOUND_ZH})?{_INFORMATION_ZH})|"
    rf"不包[含括]{_INFORMATION_ZH}|无{_INFORMATION_ZH}|(?:无法|不能|不足以)(?:直接|准确)?回答){_NO_CASE}{_NO_TURN}",
    rf"{_BUT_ZH}(?:根据|基于|按照|从|在)?我?(?:在|从)?{_SHOWN_ZH}{_IN_ZH}{_YET_ZH}"
    rf"(?:(?:{_NOT_ZH}{_HOW_ZH}|不)(?:提供|给出|包含|包括|涉及|列出|显示|明确|{_FOUND_ZH})|"
    rf"(?:没有|无)[^。，,；;]{{0,20}}(?:信息|内容|答案|说明|细节|记载|描述){_END}|"
    rf"(?:无法|不能|不足以){_HOW_ZH}{_TELL_ZH}){_NO_CASE}{_NO_TURN}",
    rf"{_BUT_ZH}(?:根据|基于|按照|从|在)我?{_FILE}{_IN_ZH}{_YET_ZH}(?:无法|不能|不足以){_HOW_ZH}{_TELL_ZH}{_NO_CASE}{_NO_TURN}",
    rf"{_BUT_ZH}(?:我|本助手)(?:暂时|目前|也|还|并)?(?:不知道|不清楚|不了解|没有足够|没有相关|"
    rf"(?:没有|没|未|未能){_FOUND_ZH}|[查找]不到|(?:无法|不能)(?:回答|确定|提供|给出|判断|确认|得知|协助|帮)){_NO_TURN}",
    rf"{_BUT_ZH}我们(?:暂时|目前|也|还|并)?(?:(?:不知道|不清楚|不了解)(?:{_END}|答案|这个?问题|该问题)|"
    rf"{_NOT_ZH}(?:{_FOUND_ZH})?{_INFORMATION_ZH}|[查找]不到{_INFORMATION_ZH}|"
    rf"(?:无法|不能){_HOW_ZH}(?:回答|得知|判断|确定|确认(?:这|该|此|是否))){_NO_CASE}{_NO_TURN}",
    rf"{_SORRY_ZH}[，,！! ]*(?:(?:根据|基于|关于|对于|在|从|由于|作为|就|我)[^。，,；;]{{0,20}}[，,])?"
    rf"(?:我|目前|暂时|这里|也|还|并|(?:对于?)?(?:这个|该|此|{_YOU}的)问题|[，,]){{0,4}}"
    rf"(?:(?:无法|不能|没法)(?:为|帮|给|{_YOU}){{0,2}}{_HOW_ZH}(?:回答|解答|确定|判断|得知|得出|(?:提供|给出){_INFORMATION_ZH})|"
    rf"(?:没有|没|未能|并未|未)(?:{_FOUND_ZH}|提到|提及|{_INFORMATION_ZH})|不知道|不清楚){_NO_CASE}{_NO_TURN}",
    rf"(?:无法|不能)(?:根据|从|基于){_FILE}(?:中|里|内|来|直接|准确|明确|做出|作出|进行){{0,3}}{_TELL_ZH}{_NO_CASE}{_NO_TURN}",
    rf"(?:这个|该|{_YOU}的|此)?问题(?:暂时|目前)?(?:无法|不能)(?:回答|确定|解答){_NO_CASE}{_NO_TURN}",
)
_INSTRUCTION = _any(
    r"(?:(?:and |so )?please (?:do )?|if you[^.!?:;]{0,80}, (?:please )?(?:do )?)?"
    r"(?:let me know|tell me (?:more|if|which|what)|just ask(?: me)?[\s.!]*$|reach out if|"
    r"(?:feel free to|(?:don't|do not) hesitate to) (?:ask|let me|tell me|share|clarify|follow up|reach out|"
    rf"(?:contact|message|write to) (?:me|us))\b{_NO_ADDRESS})",
    r"(?:could|can|would) you (?:please )?(?:provide|clarify|tell|specify|share)",
    r"please (?:provide|share|give me|specify|tell me)(?: me)?(?: with)?(?: (?:some|a bit|a little|any))? "
    r"(?:more|further|additional)(?: \w+)? (?:information|details?|context|specifics)"
    r"(?: (?:about|on|regarding|so|if|or|and i|to help)\b[^.!?:;,\d]{0,80})?" + _END,
    r"please (?:clarify|rephrase|specify|tell me) (?:(?:your|the) question|(?:which|what)[^.!?:;,\d]{0,40} you "
    r"(?:mean|want to know|are (?:asking|looking|referring))|which one)\b[^.!?:;,\d]{0,40}" + _END,
    rf"(?:(?:如果?|若|{_YOU}|还?有)[^。；;：:]{{0,40}})?(?:请|欢迎|可以?|都){{0,2}}{_YOU}?随时(?:再|来){{0,1}}"
    rf"(?:(?:告诉|联系|咨询|告知|问|找)我们?|(?:向|跟|和|与|找)我们?(?:提问|咨询|联系|提出|沟通|反馈|说)?)(?:哦|吧|呢)?{_END}",
    rf"(?:(?:如果?|若|还?有)[^。；;：:]{{0,40}}[，,])?(?:请|欢迎){{0,1}}{_YOU}?随时(?:再|来)?(?:提问|咨询|提出|联系|告知|沟通)"
    rf"(?:哦|吧|呢)?{_END}",
    rf"请{_YOU}?(?:再)?(?:提供|补充|告诉我|告知我|说明|明确)(?:一下)?(?:{_YOU}的?)?(?:(?:更多|更|一些|具体|进一步|详细|相关)的?){{1,3}}"
    r"(?:信息|细节|内容|问题|情况|上下文|背景|描述|需求)(?:[，,](?:以便|这样|我)[^。；;：:\d]{0,24})?" + _END,
    rf"请{_YOU}?(?:告诉我|告知我)[^。；;：:]{{0,12}}(?:更多|具体|进一步|详细|{_YOU}|哪)",
    rf"(?:如果?|若){_YOU}?还?有(?:其他|其它|任何|更多|别的)?(?:问题|疑问|需要)[，,](?:(?:请|欢迎)?(?:继续|再次|再)?(?:告诉我们?|"
    r"联系我们?|咨询我们?|问我|提问|提出)|我(?:们?)?(?:很|会|将|随时|愿意|乐意|可以)[^。；;：:\d]{0,24}(?:帮|答|服务))"
    r"[^。；;：:，,\d]{0,8}" + _END,
)
_INTRODUCTION = _any(
    r"(?:to|for|in order to|when|if)\b[^.!?:;]{0,120}" + _COLON,
    r"[^.!?;\n]{0,200}\b(?:includes?|including|included|are|is|was|were|by|like|such as)" + _COLON,
    r"[^。！!；;\n]{0,100}(?:包括|包含|有|是|为|措施|方法|步骤|方面|原因|特点|好处|优点|建议|要求|说明|信息|例子|几点|(?:这样|如此)[^。，,：:]{0,8})"
    + _COLON,
    r"(?:here|below|following)(?:'s| is| are| were)?\b[^.!?:;]{0,160}" + _COLON,
    r"(?:based on|according to)[^.!?:;,]{0,80}, ?(?:here|below|the following)\b[^.!?:;]{0,160}" + _COLON,
    r"(?:the|these) (?:following|steps?|points?|details?)\b[^.!?:;]{0,60}" + _COLON,
    r"[^.!?:;\n]{0,160}(?:as follows|the following(?: [\w\-]+){0,3}|these steps|below)" + _COLON,
    r"(?:以下|下面|如下)[^。！!；;\d]{0,40}" + _COLON,
)
_STATES_FIRST = _any(
    r"(?!(?:if|when|while|although|as|since|because)\b)[^,:]{2,160}\b(?:is|are|was|were|has|have|had)\b[^,:]{3,160}, "
    r"(?:and|but|which|whose|including)\b",
    r"(?!根据|基于|按照|依据|以下|下面|综上|总|因此|所以|在|对于|关于|至于|为|如|若|当|除|此外|从|由|与|通过)[^，：:]{8,100}(?<![时后])，",
)
"""An introduction that states something in a clause of its own before it introduces."""
_META = _any(
    r"here(?:'s| is| are) (?:the|a|an|some|your|what|how|my)\b[^.!?:;\d]{0,80}" + _COLON,
    r"here(?:'s| is| are) (?:(?:what|how)\b|(?:the|an?|some|your|my) (?:\w+ ){0,3}(?:summary|list|overview|answers?|"
    r"steps?|breakdown|explanation|details?|information|points?|response|examples?|comparison|guide|options|tips|reasons?|"
    r"ways?|suggestions|facts)\b)[^.!?:;\d]{0,60}" + _END,
    r"(?:based on|according to|in|from|given) (?:the|these|this|your)[^.!?:;,]{0,80}[:：,，]\s*$",
    r"(?:in (?:summary|short|conclusion|brief|other words|addition)|to (?:summari[sz]e|sum up|conclude)|for example|"
    r"for instance|note|answer|summary|conclusion|overall|additionally|step \d+|final answer)\s*[:：,.]?\s*$",
    r"(?:以下|下面)(?:就?是|为您|将|列出|给出|介绍)[^。！!；;\d]{0,40}" + _COLON,
    r"(?:以下|下面)(?:就?是|为您|列出|给出|介绍)[^。！!；;\d]{0,40}(?:步骤|内容|信息|列表|总结|概述|介绍|说明|方法|要点|回答|答案|"
    r"解答|分析|建议|原因|例子|示例|几点|清单|详情|情况|汇总|解释|比较|对比|方案|选项)" + _END,
    r"[^。！!；;\n]{0,60}(?:如下\s*[:：。]?|以下[^。，,：:]{0,8}[:：])\s*$",
    r"(?:根据|基于|按照|依据)所?[^。！!；;，,]{0,24}[:：,，]\s*$",
    r"(?:总之|综上(?:所述)?|总结|总的来说|简而言之|例如|比如|答案?|结论|注意|注|其中|此外|另外|具体来说)\s*[:：，,。]?\s*$",
)
_PATTERNS = (
    (NotCheckable.GREETING, _GREETING),
    (NotCheckable.HEDGE, _HEDGE),
    (NotCheckable.REFUSAL, _REFUSAL),
    (NotCheckable.INSTRUCTION, _INSTRUCTION),
)


def reason_by_words(core: str) -> NotCheckable | None:
    """What a plain sentence of at most `LIMIT` characters is by its first words, or None."""
    for reason, pattern in _PATTERNS:
        if pattern.match(core):
            return reason
    if _STATES_FIRST.match(core):
        return None
    introduces = core.rstrip().endswith((":", "：")) and _INTRODUCTION.match(core)
    return NotCheckable.META if introduces or _META.match(core) else None
