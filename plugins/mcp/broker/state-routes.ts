import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Static } from '#schemas/wire/schema.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { hasTag } from '#core/http/reply/etag.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import { nothing } from '#schemas/api/common.ts'
import { toolCall, offeredTools } from '../contract/wire.ts'
import { mcpErrors } from '../contract/errors.ts'
import type { BoundTool, BoundTools, FindBoundTools } from './bound-tools.ts'
import type { BoundCall, CallTool } from './call-tool.ts'
import type { ToolResult } from './tool-result.ts'
import type { ReportCall } from './report-call.ts'

/** Dependencies of the routes. */
export interface BrokerOptions {
  /** Throws the refusal if the tools of an agent may not be used. */
  readonly check: (agent: CallingAgent) => void
  readonly boundTools: FindBoundTools
  readonly callTool: CallTool
  /** Reports the outcome of a call, for metrics. */
  readonly onCall: (outcome: string) => void
  readonly report: ReportCall
  /** The result of a call that must not reach its server; undefined: it is called. */
  readonly replaced: (call: BoundCall) => Promise<ToolResult | undefined>
}

const ToolParams = Type.Object({
  tool: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }),
})
const authz = { kind: 'agent' } as const
const ARGUMENTS_BYTES = 256 * 1024

/** Routes of the state role: tools of the calling launcher's agent, and tool calls. */
export function brokerEndpoints(options: BrokerOptions): readonly AnyEndpoint[] {
  return [listEndpoint(options), callEndpoint(options)]
}

function listEndpoint({ check, boundTools }: BrokerOptions): AnyEndpoint {
  return endpoint({
    ...stateRoute(offeredTools),
    summary: 'Get the tools that the bindings of the calling agent provide.',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    authz,
    response: { ...stateRoute(offeredTools).response, 304: nothing },
    handle: async ({ access: { agent }, headers, reply }) => {
      check(agent)
      const found = await boundTools(agent)
      const tag = `"${digestOf(found)}"`
      reply.header('etag', tag)
      if (!hasTag(headers['if-none-match'], tag))
        return { items: found.tools.map(toOffered), missing: [...found.missing] }
      reply.code(304)
      return undefined
    },
  })
}

function callEndpoint({ check, boundTools, callTool, onCall, report, replaced }: BrokerOptions): AnyEndpoint {
  return endpoint({
    ...stateRoute(toolCall),
    summary: 'Call a tool of the calling agent at its MCP server, once.',
    authz,
    params: ToolParams,
    bodyLimit: ARGUMENTS_BYTES,
    handle: async ({ access: { agent, run: runId }, params, body, signal }) => {
      check(agent)
      const bound = (await boundTools(agent)).tools.find(({ name }) => name === params.tool)
      if (bound === undefined) throw new Fail(mcpErrors.unknown_tool)
      try {
        checkListed(bound, body)
        const call = { bound, args: body.arguments ?? {}, agent, runId, signal }
        const answered = await replaced(call)
        if (answered !== undefined) return { ...answered, content: [...answered.content] }
        const result = await callTool(call)
        onCall(result.isError ? 'tool_error' : 'ok')
        report(bound, undefined).catch(() => undefined)
        return { ...result, content: [...result.content] }
      } catch (error) {
        const code = error instanceof Fail ? error.code : 'internal_error'
        onCall(code)
        // Errors of the launcher's outdated list are excluded: they say nothing about the server.
        if (bound.digest === body.digest) report(bound, code).catch(() => undefined)
        throw error
      }
    },
  })
}

// The launcher and the model have seen another tool, or a tool that needed no approval: they list the tools again.
function checkListed({ digest, requiresApproval }: BoundTool, listed: Listed): void {
  if (listed.digest !== digest)
    throw new Fail(mcpErrors.tool_changed, 'Another manifest has been accepted in the meantime.')
  if (requiresApproval && !listed.approved)
    throw new Fail(mcpErrors.tool_changed, 'Calls of the tool now require approval.')
}

type Listed = Pick<Static<typeof toolCall.request>, 'digest' | 'approved'>

// The digest of a manifest covers the texts of its tools.
function digestOf({ tools, missing }: BoundTools): string {
  const parts = tools.map(({ name, tool, digest, requiresApproval, timeoutMs }) => [
    name,
    tool.name,
    digest,
    requiresApproval,
    timeoutMs,
  ])
  return createHash('sha256')
    .update(JSON.stringify([parts, missing]))
    .digest('base64url')
}

function toOffered({ name, tool, server, digest, requiresApproval, approvalBy, timeoutMs }: BoundTool) {
  const { name: ownName, inputSchema, outputSchema, ...texts } = tool
  return {
    name,
    server: { namespace: server.metadata.namespace ?? '', name: server.metadata.name },
    tool: ownName,
    digest,
    ...texts,
    inputSchema: JSON.parse(inputSchema) as unknown,
    ...(outputSchema === undefined ? {} : { outputSchema: JSON.parse(outputSchema) as unknown }),
    requiresApproval,
    ...(approvalBy === undefined ? {} : { approvalBy }),
    timeoutMs,
  }
}
