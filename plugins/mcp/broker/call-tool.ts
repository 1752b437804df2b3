import type { Client } from '@modelcontextprotocol/client'
import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { McpFailure } from '../client/mcp-failure.ts'
import type { WithSession } from '../client/session.ts'
import { findCredential } from '../credential.ts'
import { mcpErrors } from '../errors.ts'
import { readManifest } from '../manifest/manifest.ts'
import { judgeBySchema } from '../results/judge.ts'
import type { BoundTool } from './bound-tools.ts'
import type { TakePlace } from './call-places.ts'
import { readToolResult, toRefusedResult } from './tool-result.ts'
import type { ToolResult } from './tool-result.ts'

/** Arguments of a call, validated by the server only. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** Dependencies of calls. */
export interface CallToolOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly withSession: WithSession
  readonly takePlace: TakePlace
  /** Maximum size of a result as JSON. */
  readonly maxResultBytes: number
}

/** A call of a bound tool. */
export interface BoundCall {
  readonly bound: BoundTool
  readonly args: ToolArguments
  /** Namespace of the agent. */
  readonly namespace: string
  readonly signal: AbortSignal
}

/** Calls a tool once. Throws `Fail` with an error of `mcpErrors`; never repeats a call. */
export type CallTool = (call: BoundCall) => Promise<ToolResult>

type Answer = { readonly result: unknown } | { readonly refused: string } | 'changed'

/** Creates the function that calls tools with the token of their server. */
export function createCallTool(options: CallToolOptions): CallTool {
  const { takePlace, maxResultBytes } = options
  return async (call) => {
    const release = takePlace(call.namespace)
    if (release === undefined) throw new Fail(mcpErrors.too_many_tool_calls)
    try {
      const answer = await callInSession(options, call)
      if (answer === 'changed') throw new Fail(mcpErrors.tool_changed)
      if ('refused' in answer) return toRefusedResult(answer.refused)
      const result = readToolResult(answer.result, maxResultBytes)
      if (result === undefined) throw new Fail(mcpErrors.tool_result_refused)
      checkPromised(call.bound, result)
      return result
    } finally {
      release()
    }
  }
}

// A failed tool owes no structured result, and without a declared schema there is no promise.
function checkPromised({ tool }: BoundTool, { structuredContent, isError }: ToolResult): void {
  if (tool.outputSchema === undefined || isError) return
  const refuse = (detail: string): Fail => new Fail(mcpErrors.tool_result_refused, detail)
  if (structuredContent === undefined) throw refuse('The result has no structuredContent for the outputSchema.')
  const verdict = judgeBySchema(structuredContent, JSON.parse(tool.outputSchema))
  if (verdict === false) throw refuse('structuredContent does not match the outputSchema of the tool.')
  if (verdict === 'too_costly') throw refuse('structuredContent takes too long to check against the outputSchema.')
}

async function callInSession({ cluster, withSession }: CallToolOptions, call: BoundCall): Promise<Answer> {
  const { server, timeoutMs } = call.bound
  const credential = await findCredential(cluster, server.metadata.namespace ?? '', server.spec)
  if ('reason' in credential) throw new Fail(mcpErrors.tool_unavailable, credential.message)
  const { url } = server.spec
  const target = { url, bearer: credential.bearer, deadlineMs: timeoutMs, signal: call.signal }
  try {
    return await withSession(target, (client) => callPinned(client, call))
  } catch (error) {
    throw error instanceof McpFailure ? toFail(error) : error
  }
}

/** Calls the tool if the server offers exactly the accepted manifest in this session (M-6). */
async function callPinned(client: Client, { bound, args }: BoundCall): Promise<Answer> {
  const { tool, server, digest, timeoutMs } = bound
  const { tools } = await client.listTools()
  const offered = readManifest(tools, new URL(server.spec.url).host)
  const definition = tools.find(({ name }) => name === tool.name)
  if (offered.digest !== digest || definition === undefined) return 'changed'
  // The library would report a result that breaks it as an error of the server.
  const { outputSchema: _checkedHere, ...toolDefinition } = definition
  try {
    // With the definition the library lists the tools no second time, which might be others.
    return {
      result: await client.callTool(
        { name: tool.name, arguments: { ...args } },
        { timeout: timeoutMs, toolDefinition },
      ),
    }
  } catch (error) {
    if (isProtocolError(error)) return { refused: error.message }
    throw error
  }
}

// By its shape: its class is in the library, which is loaded by the first session only.
function isProtocolError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && Number.isInteger(error.code)
}

function toFail({ reason, message }: McpFailure): Fail {
  if (reason === 'timeout') return new Fail(mcpErrors.tool_timeout, message)
  if (reason === 'too_large') return new Fail(mcpErrors.tool_result_refused, message)
  if (reason === 'invalid_manifest') return new Fail(mcpErrors.tool_changed, message)
  return new Fail(mcpErrors.tool_unavailable, message)
}
