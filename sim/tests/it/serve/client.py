"""Drives `toolwright serve` with the official client; says on one line of JSON what it saw."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client


async def main(program, arguments, folder):
    server = StdioServerParameters(command=program, args=arguments)
    seen = {"asked": []}

    async def answer(context, params):
        seen["asked"].append(params.message)
        allow = "yes.txt" in params.message
        return types.ElicitResult(action="accept", content={"allow": allow})

    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write, elicitation_callback=answer) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            seen["tools"] = [tool.name for tool in tools]
            wire = [tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]
            seen["read_only"] = sorted(
                tool["name"] for tool in wire if tool.get("annotations", {}).get("readOnlyHint")
            )

            async def call(name, arguments):
                result = await session.call_tool(name, arguments)
                wire = result.model_dump(by_alias=True, exclude_none=True)
                return [bool(wire.get("isError")), "".join(block.get("text", "") for block in wire["content"])]

            seen["read"] = await call("Read", {"file_path": folder + "/a.txt", "limit": "1"})
            seen["yes"] = await call("Write", {"file_path": folder + "/yes.txt", "content": "10"})
            seen["no"] = await call("Write", {"file_path": folder + "/no.txt", "content": "10"})
            seen["edit"] = await call(
                "Edit", {"file_path": folder + "/yes.txt", "old_string": "10", "new_string": "11"}
            )
            seen["wrong"] = await call("Read", {"path": folder})
            together = await asyncio.gather(*(call("Glob", {"pattern": "*.txt", "path": folder}) for _ in range(8)))
            seen["together"] = [error for error, _ in together]
    print(json.dumps(seen))


asyncio.run(main(sys.argv[1], sys.argv[3:], sys.argv[2]))
