// The same tool on the official TypeScript SDK, stateless: node server.mjs PORT.
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const outline = { topic: z.string(), generated_at: z.string(), name: z.string(), version: z.string(), build: z.string(), text: z.string() };

function peer() {
  const server = new McpServer({ name: "peer", version: "1" });
  server.registerTool("get_governance_system_info", { description: "What this server is.", inputSchema: { topic: z.enum(["overview", "stats"]) }, outputSchema: outline }, async ({ topic }) => {
    const answer = { topic, generated_at: new Date().toISOString(), name: "governance-tools", version: "1.11.0", build: "test",
      text: "A governance layer for agent systems: rules that are checked, an audit trail that shows every change to itself, and a switch that stops everything." };
    return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
  });
  return server;
}

createServer(async (request, response) => {
  const server = peer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on("close", () => { transport.close(); server.close(); });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}).listen(Number(process.argv[2]), "127.0.0.1");
