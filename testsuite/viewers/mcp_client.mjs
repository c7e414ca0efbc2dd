// SPDX-License-Identifier: GPL-3.0-or-later
// mcp_client.mjs MODE COMMAND FOLDER - asks `COMMAND mcp FOLDER` by the protocol's own client, which checks what it gets:
// MODE auto: the newest version that both have; legacy: one with initialize. Prints what was answered, as JSON.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [mode, command, folder] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
await client.connect(new StdioClientTransport({ command, args: ["mcp", folder], env: process.env }));
const { tools } = await client.listTools();
const answers = {};
for (const [name, args] of [["summary", {}], ["report", { by: "function", limit: 1000, max_bytes: 1000000 }], ["explain", { id: "CF0101" }]])
	answers[name] = (await client.callTool({ name, arguments: args })).structuredContent;
const wrong = await client.callTool({ name: "report", arguments: { by: "nonsense" } });
const unknown = await client.callTool({ name: "nonsense", arguments: {} }).then(() => "answered", (reason) => String(reason.code));
console.log(JSON.stringify({
	server: client.getServerVersion().name, version: client.getNegotiatedProtocolVersion?.() ?? null,
	tools: tools.map((tool) => tool.name), answers, wrong: wrong.isError, unknown,
}));
await client.close();
