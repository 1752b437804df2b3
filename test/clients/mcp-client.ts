import { createOutbound } from '#core/http-client/outbound.ts'
import { isObject } from '#core/json/is-object.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createCallPlaces } from '#plugins/mcp/broker/call-places.ts'
import { createCallTool } from '#plugins/mcp/broker/call-tool.ts'
import type { ToolArguments } from '#plugins/mcp/broker/call-tool.ts'
import { createKeptSessions } from '#plugins/mcp/client/kept-sessions.ts'
import { createSession, createWithSession } from '#plugins/mcp/client/session.ts'
import { discover } from '#plugins/mcp/discovery/discover.ts'
import type { McpServerObject, McpTool } from '#schemas/crds/mcp-server.ts'

// The client of the conformance suite: `node mcp-client.ts URL`. Reads the manifest as the manager does, and calls its tools as the state
// role does. The suite names the calls of a scenario in MCP_CONFORMANCE_CONTEXT; without them each tool is called once.
const MiB = 1024 * 1024
const url = (process.argv[2] ?? '').replace('//localhost:', '//127.0.0.1:')
const dispatcher = createOutbound({ allow: ['127.0.0.1'] }).open({ connections: 4 })
const options = { dispatcher, version: '1', maxBytes: MiB, maxRequests: 32 }
const withSession = createWithSession(options)
const sessions = createKeptSessions({
  create: () => createSession(options),
  maxAgeMs: 10_000,
  most: 4,
  mostPerNamespace: 4,
})
const found = await discover(withSession, { url, bearer: undefined })
if ('failure' in found) throw found.failure
const { tools, digest } = found.manifest
const namespace = parseLabel('namespace', 'default')
const agent = { namespace, uid: 'agent' }
const server: McpServerObject = {
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'McpServer',
  metadata: { namespace, name: parseName('name', 'conformance') },
  spec: { url },
}
const callTool = createCallTool({
  cluster: { get: () => Promise.reject(new Error('the server needs no credential')) },
  withSession: sessions.run,
  takePlace: createCallPlaces({ total: 1, perNamespace: 1 }),
  maxResultBytes: MiB,
})
for (const { name, args } of callsOf(process.env['MCP_CONFORMANCE_CONTEXT'])) {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) continue
  const bound = { name, tool, bindingUid: 'binding', server, digest, requiresApproval: false, timeoutMs: 10_000 }
  const { isError } = await callTool({ bound, args, agent, runId: 'run', signal: AbortSignal.timeout(20_000) })
  console.log(name, isError ? 'failed' : 'called')
}
await sessions.close()
await dispatcher.destroy()

function callsOf(context: string | undefined): readonly { readonly name: string; readonly args: ToolArguments }[] {
  const { toolCalls } = (context === undefined ? {} : JSON.parse(context)) as { toolCalls?: readonly unknown[] }
  if (toolCalls === undefined) return tools.map((tool) => ({ name: tool.name, args: sampleOf(tool) }))
  return toolCalls.flatMap((one) =>
    isObject(one) ? [{ name: String(one['name']), args: isObject(one['arguments']) ? one['arguments'] : {} }] : [],
  )
}

// A value of each property. A property `schema` gets the schema of the first tool, which the suite compares.
function sampleOf({ inputSchema }: McpTool): ToolArguments {
  const { properties } = JSON.parse(inputSchema) as { properties?: Record<string, { type?: string }> }
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, { type }]) => [
      name,
      name === 'schema' ? firstSchema() : sampleValue(type),
    ]),
  )
}

function firstSchema(): unknown {
  return JSON.parse(tools[0]?.inputSchema ?? '{}')
}

function sampleValue(type: string | undefined): unknown {
  if (type === 'number' || type === 'integer') return 2
  if (type === 'boolean') return true
  return type === 'object' ? {} : 'text'
}
