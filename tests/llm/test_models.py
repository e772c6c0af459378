import subprocess
import sys

import pytest

from judge.domain.errors import UsageError
from judge.llm.fast import FastModel
from judge.llm.litellm_lane import place_of
from judge.llm.models import ENDPOINTS, open_model

KEYS = {variable: "k-123456789" for endpoint in ENDPOINTS.values() for variable in endpoint.keys}


def opened(name, environment=KEYS, **kw):
    model = open_model(name, environment=environment, **kw)
    assert isinstance(model, FastModel)
    return model.provider, model.base_url, model.name


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gpt-4o-mini", ("openai", "https://api.openai.com/v1", "gpt-4o-mini")),
        ("openai/gpt-4o-mini", ("openai", "https://api.openai.com/v1", "gpt-4o-mini")),
        ("deepseek/deepseek-chat", ("deepseek", "https://api.deepseek.com/v1", "deepseek-chat")),
        ("qwen/qwen-plus", ("qwen", "https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus")),
        ("glm/glm-4.6", ("glm", "https://open.bigmodel.cn/api/paas/v4", "glm-4.6")),
        ("openrouter/qwen/qwen3-8b", ("openrouter", "https://openrouter.ai/api/v1", "qwen/qwen3-8b")),
        ("ollama/qwen3:8b", ("ollama", "http://localhost:11434/v1", "qwen3:8b")),
    ],
)
def test_names_resolve_to_their_endpoint(name, found):
    assert opened(name) == found


def test_an_address_of_ones_own_takes_any_name():
    base = "http://localhost:8000/v1"
    for given in (base, base + "/", base + "/chat/completions"):
        assert opened("m", api_base=given) == ("openai", base, "m")
    assert opened("Qwen/Qwen3-8B", api_base=base) == ("openai", base, "Qwen/Qwen3-8B")
    assert opened("vllm/Qwen/Qwen3-8B", api_base=base) == ("vllm", base, "Qwen/Qwen3-8B")
    assert opened("m", api_base=base, environment={}) == ("openai", base, "m")
    assert opened("m", environment={"OPENAI_BASE_URL": base}) == ("openai", base, "m")


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("gpt-4o-mini", "OPENAI_API_KEY"),
        ("zhipu/glm-4.6", "ZHIPUAI_API_KEY or ZHIPU_API_KEY"),
        ("groq/x", "GROQ_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(name, variable):
    for environment in ({}, {"OPENAI_API_KEY": " "}):
        with pytest.raises(UsageError, match=variable):
            open_model(name, environment=environment)
    assert opened(name, environment={}, headers={"Authorization": "Bearer x"})


@pytest.mark.parametrize(
    "base",
    ["localhost:8000", "ftp://x/v1", "http://user:hidden@x/v1", "http://x/v1?key=hidden", "http://", "hidden", ""],
)
def test_addresses_that_are_wrong_or_hold_a_secret_are_refused(base):
    with pytest.raises(UsageError) as caught:
        open_model("vllm/m", api_base=base, environment={})
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("name", ["openai/", "", "deepseek/"])
def test_a_name_without_a_model_is_refused(name):
    with pytest.raises(UsageError, match="names no model"):
        open_model(name, environment=KEYS)


def test_the_baseline_needs_nothing():
    model = open_model("baseline", environment={})
    assert (model.provider, model.base_url, model.name) == ("baseline", "", "baseline-2")


def test_fast_names_do_not_import_litellm():
    code = (
        "import sys; from judge.llm.models import open_model; from judge.llm.prices import rates;"
        "open_model('openai/gpt-4o-mini', environment={'OPENAI_API_KEY': 'k'});"
        "open_model('Qwen/x', api_base='http://localhost/v1', environment={});"
        "assert rates('gpt-4o-mini', 'openai'); assert 'litellm' not in sys.modules, 'imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_other_providers_go_through_litellm(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        open_model("anthropic/claude-sonnet-4-5")
    with pytest.raises(UsageError, match="no provider is known"):
        open_model("nonsense/x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-anthropic-key")
    model = open_model("anthropic/claude-sonnet-4-5")
    assert (model.provider, model.base_url, model.name) == ("anthropic", "", "claude-sonnet-4-5")
    assert "secret" not in repr(model)


def test_another_resource_is_another_judge(monkeypatch):
    def place(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return open_model("azure/gpt-4o").base_url

    monkeypatch.setenv("AZURE_API_KEY", "secret-azure-key")
    east = place(AZURE_API_BASE="https://me:hidden@east.example/", AZURE_API_VERSION="2024-10-21")
    assert east == "https://east.example AZURE_API_VERSION=2024-10-21"
    assert place(AZURE_API_BASE="https://west.example") != east
    assert place(AZURE_API_VERSION="2025-01-01") != place(AZURE_API_VERSION="2024-10-21")


@pytest.mark.parametrize(
    ("provider", "environment", "place"),
    [
        ("anthropic", {}, ""),
        ("anthropic", {"ANTHROPIC_BASE_URL": "https://gate.example/?key=hidden"}, "https://gate.example"),
        ("ollama_chat", {"OLLAMA_API_BASE": "http://box:11434"}, "http://box:11434"),
        (
            "vertex_ai",
            {"VERTEXAI_PROJECT": "p", "VERTEXAI_LOCATION": "eu"},
            "VERTEXAI_PROJECT=p VERTEXAI_LOCATION=eu",
        ),
        ("bedrock", {"AWS_REGION_NAME": "eu-west-1"}, "AWS_REGION_NAME=eu-west-1"),
    ],
)
def test_the_environment_says_which_resource_answers(provider, environment, place):
    assert place_of(provider, environment, given=False) == place


def test_an_address_that_is_given_goes_before_the_environments():
    environment = {"AZURE_API_BASE": "https://east.example", "AZURE_API_VERSION": "v"}
    assert place_of("azure", environment, given=True) == "AZURE_API_VERSION=v"


@pytest.mark.parametrize("base", ["http://box:11434", "http://box:11434/", "http://box:11434/v1"])
def test_ollamas_address_may_lack_its_path(base):
    expected = ("ollama", "http://box:11434/v1", "qwen3:8b")
    assert opened("ollama/qwen3:8b", api_base=base) == expected
    assert opened("ollama/qwen3:8b", environment={"OLLAMA_API_BASE": base}) == expected


@pytest.mark.parametrize(
    ("name", "base", "priced"),
    [
        ("openai/gpt-4o-mini", None, True),
        ("openai/gpt-4o-mini", "https://gateway.example/v1", False),
        ("qwen/qwen-plus", None, False),
        ("qwen/qwen-plus", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", True),
        ("zhipu/glm-4.6", None, False),
        ("zai/glm-4.6", None, True),
        ("deepseek/deepseek-chat", None, True),
    ],
)
def test_a_price_is_known_only_where_the_list_holds(name, base, priced):
    assert open_model(name, api_base=base, environment=KEYS).priced is priced
