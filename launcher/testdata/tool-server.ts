import type { ServerResponse } from 'node:http'
import type { Scope } from '#test/harness/scope.ts'
import { answers, startMemoryServer } from './memory-server.ts'
import type { MemoryRequest } from './memory-server.ts'

/** A tool in the list of the state role. */
export interface TestOffer {
  readonly name: string
  readonly requiresApproval?: boolean
  readonly inputSchema?: object
  readonly timeoutMs?: number
  readonly digest?: string
}

/** Responds to a call of a tool with these arguments. */
export type ToolReply = (args: Readonly<Record<string, unknown>>, response: ServerResponse) => void

/** A result of the state role. */
export function gives(text: string, isError = false): ToolReply {
  return (_args, response) =>
    answers(200, { content: [{ type: 'text', text }], isError })(response, {} as MemoryRequest)
}

/** A problem of the state role (RFC 9457). */
export function refusesWith(status: number, code: string, detail = 'why'): ToolReply {
  return (_args, response) => answers(status, { code, detail, status })(response, {} as MemoryRequest)
}

/** The state role's routes of tools, whose responses a test sets. It calls no tool: the launcher's side of the contract is under test. */
export async function startToolServer(t: Scope, offers: readonly TestOffer[]) {
  const server = await startMemoryServer(t)
  const calls: { readonly path: string; readonly args: Readonly<Record<string, unknown>> }[] = []
  /** Digest and approval of each call, as listed to the launcher. */
  const listed: (readonly [unknown, unknown])[] = []
  /** Parts of recordings, and the response to them. */
  const parts: unknown[] = []
  const storesPart = (response: ServerResponse): void => void response.writeHead(204).end()
  const own = { ...server, parts, storesPart, calls, listed, reply: gives('done'), offers, isDown: false }
  server.reply = (response, request) => {
    if (own.isDown) return void response.destroy()
    if (request.path === '/recording/parts') {
      parts.push(JSON.parse(request.text))
      return own.storesPart(response)
    }
    if (request.path === '/mcp/tools')
      return answers(200, { items: own.offers.map(toItem), missing: [] })(response, request)
    const body = JSON.parse(request.text) as Record<string, unknown>
    const args = body['arguments'] as Record<string, unknown>
    calls.push({ path: request.path, args })
    listed.push([body['digest'], body['approved']])
    own.reply(args, response)
  }
  return own
}

function toItem({ name, ...more }: TestOffer): object {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object' },
    requiresApproval: false,
    timeoutMs: 1_000,
    digest: 'sha256:0',
    server: { namespace: 'default', name: 'crm' },
    tool: name.slice(2),
    ...more,
  }
}
