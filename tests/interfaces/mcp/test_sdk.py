"""The official SDK's own client talks to the server in every version of the protocol, and its models take each answer."""

import asyncio
import json

import mcp
import pytest
from mcp import types
from mcp.client import session as sdk_session

from tests.interfaces.mcp.clients import AGREED, NAMED
from tests.interfaces.mcp.test_tools import TOOLS

# Roots are to go from the protocol one day, and the SDK says so to who writes a client.
pytestmark = [pytest.mark.check, pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")]
MODES = [("legacy", version) for version in AGREED] + [("auto", NAMED[-1])] + [(version, version) for version in NAMED]


def connected(hook, mode, cwd=None, **more):
    """Return the SDK's client of a server that was started as the plugin's manifest says, outside of Claude Code."""
    hook = hook.another(CLAUDE_CODE_SESSION_ID=None)
    order = json.loads((hook.plugin / ".mcp.json").read_text())["mcpServers"]["mem"]
    return mcp.Client(mcp.StdioServerParameters(**order, env=hook.surroundings(), cwd=cwd or hook.project), mode=mode, **more)


async def conversation(hook, mode):
    """Use all that is offered; returns the version that was agreed on, and what was said."""
    async with connected(hook, mode) as client:
        tools = (await client.list_tools()).tools
        assert tuple(tool.name for tool in tools) == TOOLS and all(tool.annotations for tool in tools)
        (resource,) = (await client.list_resources()).resources
        (prompt,) = (await client.list_prompts()).prompts
        assert (await client.list_resource_templates()).resource_templates == []
        found = await client.call_tool("search", {"query": "lamp"})
        (turn,) = [word for word in found.content[0].text.split() if word.startswith("turn-")]
        calls = [
            ("timeline", {"id": turn}),
            ("show", {"ids": [turn]}),
            ("facts", {}),
            ("remember", {"text": "Deploys go to Bonn."}),
        ]
        told = [found, *[await client.call_tool(name, given) for name, given in calls]]
        wrong = await client.call_tool("search", {"query": "lamp", "limit": 0})
        read = await client.read_resource(resource.uri)
        asked = await client.get_prompt(prompt.name, {"query": "lamp"})
        with pytest.raises(mcp.MCPError) as unknown:
            await client.call_tool("forget", {})
        assert unknown.value.error.code == types.INVALID_PARAMS
        assert wrong.is_error and not any(each.is_error for each in told)
        texts = [each.content[0].text for each in told] + [read.contents[0].text, asked.messages[0].content.text]
        return client.session.protocol_version, texts


@pytest.mark.parametrize(("mode", "version"), MODES)
def test_its_client_uses_all_that_is_offered(a_hook, monkeypatch, mode, version):
    if mode == "legacy":
        monkeypatch.setattr(sdk_session, "LATEST_HANDSHAKE_VERSION", version)
    agreed, texts = asyncio.run(conversation(a_hook, mode))
    assert agreed == version and sum("In the hangar." in text for text in texts) == 5
    assert a_hook.left_behind() == [] and a_hook.damage() == []


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_its_client_tells_where_it_is_at_work(a_hook, tmp_path, mode):
    async def found():
        async def told(_):
            return types.ListRootsResult(roots=[types.Root(uri=a_hook.project.as_uri())])

        async with connected(a_hook, mode, tmp_path, list_roots_callback=told) as client:
            return (await client.call_tool("search", {"query": "lamp"})).content[0].text

    assert "In the hangar." in asyncio.run(found())


def test_its_client_has_a_ping_answered(a_hook):
    async def ping():
        async with connected(a_hook, "legacy") as client:
            return await client.send_ping()

    assert isinstance(asyncio.run(ping()), types.EmptyResult)
