"""A scripted server of the OpenAI chat protocol, in a process of its own: ``python openai_stub.py PORT SCRIPT.json``.

PORT 0 takes a free one; the first line on standard output is the port. The script is one JSON object:

    replies   list of steps, one a request, in order of arrival
    when      list of steps with "match": used, instead of ``replies``, for requests whose messages contain that text
    default   step for all further requests; without it a reply that fits the request's schema (first label, ids kept)
    reject    response formats answered with 400: ["json_schema", "json_object"]

A step (all keys optional; a plain string is its ``content``):

    content, refusal, tool_calls, reasoning_content, finish_reason, logprobs, usage, model, fingerprint
    message   the whole message instead;  choices  the whole list instead;  json  the whole body instead
    status, headers, content_type, body (the body as text)
    delay     seconds before the answer;  hang  "connect" (never a byte) or "body" (headers, then half the body)
    reset     true: the connection breaks in the middle of the body
    drip      seconds between single bytes

GET /stats -> {"requests", "max_in_flight", "in_flight"};  GET /requests -> [{"path", "headers", "body"}];
POST /script replaces the script and forgets all requests.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from aiohttp import web

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


class Script:
    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.used = 0
        self.in_flight = 0
        self.max_in_flight = 0

    def step(self, body: dict[str, Any]) -> dict[str, Any]:
        wanted = (body.get("response_format") or {}).get("type")
        if wanted in self.script.get("reject", ()):
            message = f"Invalid parameter: 'response_format' of type '{wanted}' is not supported with this model."
            return {"status": 400, "json": {"error": {"message": message, "type": "invalid_request_error"}}}
        asked = "\n".join(str(message.get("content")) for message in body.get("messages", ()))
        for step in self.script.get("when", ()):
            if step["match"] in asked:
                return as_step(step)
        replies = self.script.get("replies", ())
        if self.used < len(replies):
            self.used += 1
            return as_step(replies[self.used - 1])
        return as_step(self.script.get("default", {"content": fitting(body)}))


def as_step(step: Any) -> dict[str, Any]:
    return {"content": step} if isinstance(step, str) else step


def fitting(body: dict[str, Any]) -> str:
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
    return json.dumps(example(schema)) if schema else '{"rationale": "r", "label": "supported", "confidence": 0.9}'


def example(schema: dict[str, Any], claim_id: str | None = None) -> Any:
    kind = schema.get("type")
    if kind == "object":
        return {
            name: claim_id if name == "claim_id" else example(field) for name, field in schema["properties"].items()
        }
    if kind == "array":
        ids = schema["items"].get("properties", {}).get("claim_id", {}).get("enum", [None])
        return [example(schema["items"], claim_id) for claim_id in ids]
    if "enum" in schema:
        return schema["enum"][0]
    return 0.9 if kind in ("number", "integer") else ""


def completion(step: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    if "json" in step:
        return step["json"]
    message = step.get("message")
    if message is None:
        message = {"role": "assistant", "content": step.get("content")}
        names = ("refusal", "tool_calls", "reasoning_content")
        message |= {name: step[name] for name in names if name in step}
    choice = {"index": 0, "message": message, "finish_reason": step.get("finish_reason", "stop")}
    if "logprobs" in step:
        choice["logprobs"] = step["logprobs"]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": step.get("model", body.get("model")),
        "system_fingerprint": step.get("fingerprint", "fp_1"),
        "choices": step.get("choices", [choice]),
        "usage": step.get("usage", USAGE),
    }


async def send(request: web.Request, step: dict[str, Any], body: dict[str, Any]) -> web.StreamResponse:
    text = step["body"] if "body" in step else json.dumps(completion(step, body), ensure_ascii=False)
    raw = text.encode("utf-8", "surrogatepass")
    headers = {"Content-Type": step.get("content_type", "application/json"), **step.get("headers", {})}
    whole = not (step.get("reset") or step.get("drip") or step.get("hang"))
    if whole:
        return web.Response(body=raw, status=step.get("status", 200), headers=headers)
    if step.get("hang") == "connect":
        await asyncio.sleep(3600)
    response = web.StreamResponse(status=step.get("status", 200), headers=headers)
    response.content_length = len(raw)
    await response.prepare(request)
    if step.get("drip"):
        for byte in raw:
            await response.write(bytes([byte]))
            await asyncio.sleep(step["drip"])
        return response
    await response.write(raw[: len(raw) // 2])
    if step.get("hang") == "body":
        await asyncio.sleep(3600)
    if request.transport is not None:
        request.transport.abort()
    return response


def application(script: dict[str, Any]) -> web.Application:
    state = {"now": Script(script)}

    async def chat(request: web.Request) -> web.StreamResponse:
        now = state["now"]
        body = await request.json()
        now.requests.append({"path": request.path, "headers": dict(request.headers), "body": body})
        now.in_flight += 1
        now.max_in_flight = max(now.max_in_flight, now.in_flight)
        try:
            step = now.step(body)
            await asyncio.sleep(step.get("delay", 0))
            return await send(request, step, body)
        finally:
            now.in_flight -= 1

    async def stats(_: web.Request) -> web.Response:
        now = state["now"]
        return web.json_response(
            {"requests": len(now.requests), "max_in_flight": now.max_in_flight, "in_flight": now.in_flight}
        )

    async def requests(_: web.Request) -> web.Response:
        return web.json_response(state["now"].requests)

    async def replace(request: web.Request) -> web.Response:
        state["now"] = Script(await request.json())
        return web.json_response({})

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_get("/stats", stats)
    app.router.add_get("/requests", requests)
    app.router.add_post("/script", replace)
    app.router.add_post("/{path:.*}", chat)
    return app


async def serve(port: int, script: dict[str, Any]) -> None:
    runner = web.AppRunner(application(script), shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


def main() -> None:
    script = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")) if len(sys.argv) > 2 else {}
    asyncio.run(serve(int(sys.argv[1]), script))


if __name__ == "__main__":
    main()
