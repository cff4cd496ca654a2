// Lists the tools of an MCP server and calls one, with an official TypeScript
// client: node mcp.mjs v1|v2|v2-auto sse|http URL TOOL ARGUMENTS. Prints what it
// got, and how often progress was told.
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport as SSEv1 } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport as HTTPv1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as ClientV2, SSEClientTransport as SSEv2, StreamableHTTPClientTransport as HTTPv2 } from "@modelcontextprotocol/client";

const [kind, transport, address, name, text] = process.argv.slice(2);
const about = { name: "interop", version: "1.0.0" };
const old = kind === "v1";
const client = old
  ? new ClientV1(about)
  : new ClientV2(about, kind === "v2-auto" ? { versionNegotiation: { mode: "auto" } } : {});
const url = new URL(address);
await client.connect(transport === "sse" ? new (old ? SSEv1 : SSEv2)(url) : new (old ? HTTPv1 : HTTPv2)(url));
const { tools } = await client.listTools();
let progress = 0;
const options = { onprogress: () => progress++ };
const call = { name, arguments: JSON.parse(text) };
const result = old ? await client.callTool(call, undefined, options) : await client.callTool(call, options);
await client.close();
process.stdout.write(JSON.stringify({ tools: tools.map((t) => t.name), result, progress }));
process.exit(0);
