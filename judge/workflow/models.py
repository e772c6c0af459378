"""Opens the model that a run is given."""

import os
from collections.abc import Mapping

from judge.domain.judging import Model
from judge.llm import models


def open_model(
    name: str, *, api_base: str | None = None, headers: Mapping[str, str] | None = None, timeout: float = 120.0
) -> Model:
    """The endpoint that ``name`` means; keys come from the environment alone.

    Args:
        name: ``baseline``, ``openai/NAME``, another OpenAI-compatible prefix, or any litellm name.
        api_base: an endpoint that speaks OpenAI's protocol.
        headers: added to each request; they don't enter the Judge's identity.
        timeout: seconds that one request may take.

    Raises:
        JudgeError: the name fits no provider, or its key is missing.
    """
    return models.open_model(name, api_base=api_base, headers=headers, timeout=timeout, environment=os.environ)
