import { createHash } from 'node:crypto'
import type { Client, Tool } from '@modelcontextprotocol/client'
import { Fail } from '#core/errors/domain-error.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { McpTool } from '#schemas/crds/mcp-server.ts'
import type { McpSessionOwner, WithKeptSession } from '../client/kept-sessions.ts'
import { McpFailure } from '../client/mcp-failure.ts'
import type { SentCredential } from '../client/credential.ts'
import { mcpErrors } from '../contract/errors.ts'
import { isSameTool, readManifest } from '../manifest/manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { judgeBySchema } from '#core/json-schema/judge.ts'
import type { BoundTool } from './bound-tools.ts'
import { withCredential } from './call-credential.ts'
import type { CallCredentials } from './call-credential.ts'
import type { TakePlace } from './call-places.ts'
import { readToolResult, toRefusedResult } from './tool-result.ts'
import type { ToolResult } from './tool-result.ts'

/** Arguments of a call, validated by the server only. */
export type ToolArguments = Readonly<Record<string, unknown>>

/** Dependencies of calls. */
export interface CallToolOptions extends CallCredentials {
  readonly withSession: WithKeptSession
  readonly takePlace: TakePlace
  /** Maximum size of a result as JSON. */
  readonly maxResultBytes: number
}

/** A call of a bound tool. */
export interface BoundCall {
  readonly bound: BoundTool
  readonly args: ToolArguments
  readonly agent: Pick<CallingAgent, 'namespace' | 'uid'>
  /** Run id sent by the launcher; session state of a server is used for calls of this run only. */
  readonly runId: string | undefined
  readonly signal: AbortSignal
}

/**
 * Calls a tool. Throws `Fail` with an error of `mcpErrors`. The request is resent only if the server does not know the kept session (404), and
 * therefore has not processed the request.
 */
export type CallTool = (call: BoundCall) => Promise<ToolResult>

/** What a server offered in a session. */
interface Listed {
  readonly manifest: Manifest
  readonly tools: readonly Tool[]
}

type Answer = { readonly result: unknown } | { readonly refused: string } | 'changed'

/** Creates the function that calls tools with the token of their server. */
export function createCallTool(options: CallToolOptions): CallTool {
  const { takePlace, maxResultBytes } = options
  const lists = new WeakMap<Client, Listed>()
  return async (call) => {
    const release = takePlace(call.agent.namespace)
    if (release === undefined) throw new Fail(mcpErrors.too_many_tool_calls)
    try {
      const answer = await callInSession(options, call, lists)
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

// A failed tool need not return a structured result, and without a declared schema none is required.
function checkPromised({ tool }: BoundTool, { structuredContent, isError }: ToolResult): void {
  if (tool.outputSchema === undefined || isError) return
  const refuse = (detail: string): Fail => new Fail(mcpErrors.tool_result_refused, detail)
  if (structuredContent === undefined) throw refuse('The result has no structuredContent for the outputSchema.')
  const verdict = judgeBySchema(structuredContent, JSON.parse(tool.outputSchema))
  if (verdict === false) throw refuse('structuredContent does not match the outputSchema of the tool.')
  if (verdict === 'too_costly') throw refuse('structuredContent takes too long to check against the outputSchema.')
}

type Lists = WeakMap<Client, Listed>

async function callInSession(options: CallToolOptions, call: BoundCall, lists: Lists): Promise<Answer> {
  const { server, timeoutMs } = call.bound
  const { url } = server.spec
  try {
    return await withCredential(options, { ...call, server }, (credential) => {
      const target = { url, ...credential, deadlineMs: timeoutMs, signal: call.signal }
      return options.withSession(ownerOf(call, credential), target, (client) => callPinned(client, call, lists))
    })
  } catch (error) {
    throw error instanceof McpFailure ? toFail(error) : error
  }
}

// Everything that affects the rights of a session is part of the key. The key is a hash, since it includes a credential.
function ownerOf({ bound, agent, runId }: BoundCall, { bearer, header }: SentCredential): McpSessionOwner {
  const { server, digest } = bound
  const secret = bearer ?? [header?.name, header?.value]
  const parts = [agent.uid, bound.bindingUid, server.metadata.uid, server.spec.url, secret, digest]
  const key = createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
  return { key, namespace: agent.namespace, runId }
}

/** Calls the tool if the server offers exactly the accepted one in this session (M-6); other tools may have changed. */
async function callPinned(client: Client, { bound, args }: BoundCall, lists: Lists): Promise<Answer> {
  const { tool, server, digest, timeoutMs } = bound
  const offered = lists.get(client) ?? (await list(client, server.spec.url))
  const definition = offered.tools.find(({ name }) => name === tool.name)
  if (!isAccepted(offered.manifest, tool, digest) || definition === undefined) return 'changed'
  // The next call reads the changed manifest again.
  lists.set(client, offered)
  // The library would report a result that violates the schema as an error of the server.
  const { outputSchema: _checkedHere, ...toolDefinition } = definition
  try {
    // With the definition, the library does not list the tools a second time; the second list might differ.
    const sent = { name: tool.name, arguments: { ...args } }
    return { result: await client.callTool(sent, { timeout: timeoutMs, toolDefinition }) }
  } catch (error) {
    if (isProtocolError(error)) return { refused: error.message }
    throw error
  }
}

function isAccepted({ digest, tools }: Manifest, accepted: McpTool, acceptedDigest: string): boolean {
  if (digest === acceptedDigest) return true
  return tools.some((tool) => tool.name === accepted.name && isSameTool(tool, accepted))
}

async function list(client: Client, url: string): Promise<Listed> {
  // Bypasses the library's cache, whose TTL the server sets.
  const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
  return { manifest: readManifest(tools, new URL(url).host), tools }
}

// Detected by its shape: its class is in the library, which only the first session loads.
function isProtocolError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && Number.isInteger(error.code)
}

function toFail({ reason, message }: McpFailure): Fail {
  if (reason === 'timeout') return new Fail(mcpErrors.tool_timeout, message)
  if (reason === 'too_large') return new Fail(mcpErrors.tool_result_refused, message)
  if (reason === 'invalid_manifest') return new Fail(mcpErrors.tool_changed, message)
  return new Fail(mcpErrors.tool_unavailable, message)
}
