"""Yields model families, so that a judge of its own kind's answers is named (self-preference)."""

import re

_FAMILIES = {
    "openai": ("gpt", "chatgpt", "openai", "o1", "o3", "o4"),
    "anthropic": ("claude", "anthropic"),
    "google": ("gemini", "gemma", "palm", "google"),
    "qwen": ("qwen", "qwq", "tongyi", "通义"),
    "deepseek": ("deepseek",),
    "zhipu": ("glm", "chatglm", "zhipu", "智谱"),
    "moonshot": ("kimi", "moonshot"),
    "baidu": ("ernie", "yiyan", "文心"),
    "meta": ("llama", "meta"),
    "mistral": ("mistral", "mixtral", "magistral", "ministral", "codestral"),
    "cohere": ("command", "cohere"),
    "xai": ("grok", "xai"),
    "yi": ("yi",),
    "baichuan": ("baichuan", "百川"),
    "hunyuan": ("hunyuan", "混元"),
    "doubao": ("doubao", "seed", "豆包"),
    "minimax": ("minimax", "abab"),
    "microsoft": ("phi", "microsoft"),
}


def family_of(model: str | None) -> str | None:
    """The family that a model or family name belongs to; None when it is not known.

    The first known word of the name's last part decides: ``deepseek-ai/DeepSeek-R1-Distill-Llama`` is deepseek.
    """
    if not model:
        return None
    for word in re.findall(r"[a-z]+\d?|[\u4e00-\u9fff]+", model.casefold().rsplit("/", 1)[-1]):
        for family, names in _FAMILIES.items():
            if any(word == name or word.rstrip("0123456789") == name for name in names):
                return family
    return None
