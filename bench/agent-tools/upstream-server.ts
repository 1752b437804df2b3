import { startMcpServer } from '#plugins/mcp/testing/mcp-server.ts'

// An MCP server of the public SDK in its own process, with ten tools. Prints its URL.
const server = await startMcpServer({ after: () => undefined }, '2026-07-28')
for (let count = 1; count < 10; count++)
  server.tools.set(`tool_${count}`, { description: `The tool ${count} of a bench.`, inputSchema: { type: 'object' } })
process.stdout.write(`${server.url}\n`)
