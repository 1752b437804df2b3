import { Fail } from '#core/errors/domain-error.ts'
import type { Outbound } from '#core/http-client/outbound.ts'
import { namesResourceMetadata } from '../client/challenge.ts'
import type { SentCredential } from '../client/credential.ts'
import { toMcpFailure } from '../client/mcp-failure.ts'
import type { McpFailure, McpFailureReason } from '../client/mcp-failure.ts'
import type { WithSession } from '../client/session.ts'
import { mcpErrors } from '../contract/errors.ts'
import { readManifest } from '../manifest/manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'

/** Steps of a handshake, in their order. */
export type HandshakeStep = 'resolve' | 'connect' | 'initialize' | 'list_tools'

/** A server that has been asked for its tools. */
export interface Handshake {
  /** Undefined while the server waits for the grant of a person. */
  readonly manifest: (Manifest & { readonly protocolVersion: string }) | undefined
  /** Steps that succeeded, with their times in milliseconds. */
  readonly steps: readonly { readonly step: HandshakeStep; readonly ms: number }[]
}

/** What a handshake needs. */
export interface HandshakeOptions {
  readonly outbound: Pick<Outbound, 'check'>
  readonly withSession: WithSession
}

/** A server before it is stored. */
export interface AskedServer extends SentCredential {
  readonly url: string
  /** Whether a challenge for a grant is a success. */
  readonly expectsGrant: boolean
  readonly signal: AbortSignal
}

/** Asks a server for its tools. Throws the error of the step that failed; a message names host and rule, never a text of the server. */
export type ShakeHands = (server: AskedServer) => Promise<Handshake>

const DEADLINE_MS = 20_000

const errors = {
  resolve: mcpErrors.mcp_resolve_failed,
  connect: mcpErrors.mcp_connect_failed,
  initialize: mcpErrors.mcp_initialize_failed,
  list_tools: mcpErrors.mcp_list_tools_failed,
} as const satisfies Record<HandshakeStep, unknown>

// A use of a session begins after the connection and the initialization, which only the reason of a failure distinguishes.
const ofConnection: ReadonlySet<McpFailureReason> = new Set([
  'connection_refused',
  'connection_lost',
  'unreachable',
  'tls_error',
  'address_refused',
  'name_not_found',
])

/** Creates the handshake. */
export function createShakeHands({ outbound, withSession }: HandshakeOptions): ShakeHands {
  return async ({ url, expectsGrant, signal, ...credential }) => {
    const { host } = new URL(url)
    const clock = startClock()
    await asStep('resolve', host, () => outbound.check(url))
    clock.done('resolve')
    let isOpen = false
    try {
      const target = { url, ...credential, deadlineMs: DEADLINE_MS, signal }
      const manifest = await withSession(target, async (client) => {
        isOpen = true
        clock.done('connect', 'initialize')
        const { tools } = await client.listTools()
        return { ...readManifest(tools, host), protocolVersion: client.getNegotiatedProtocolVersion() ?? '' }
      })
      clock.done('list_tools')
      return { manifest, steps: clock.steps }
    } catch (error) {
      const failure = toMcpFailure(error, host)
      if (expectsGrant && failure.reason === 'unauthorized') return waiting(failure, host, clock)
      if (isOpen) throw toFail('list_tools', failure)
      throw toFail(ofConnection.has(failure.reason) ? 'connect' : 'initialize', failure)
    }
  }
}

function waiting({ challenge }: McpFailure, host: string, clock: StepClock): Handshake {
  clock.done('connect')
  if (namesResourceMetadata(challenge)) return { manifest: undefined, steps: clock.steps }
  throw new Fail(
    errors.initialize,
    `${host} does not name its authorization server: a 401 needs WWW-Authenticate: Bearer with resource_metadata (RFC 9728).`,
  )
}

async function asStep(step: HandshakeStep, host: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    throw toFail(step, toMcpFailure(error, host))
  }
}

function toFail(step: HandshakeStep, { message }: McpFailure): Fail {
  return new Fail(errors[step], message)
}

interface StepClock {
  readonly steps: { readonly step: HandshakeStep; readonly ms: number }[]
  /** Ends steps; the time belongs to the first one. */
  done(...steps: readonly HandshakeStep[]): void
}

function startClock(): StepClock {
  const steps: StepClock['steps'] = []
  let since = performance.now()
  return {
    steps,
    done: (...ended) => {
      const now = performance.now()
      for (const [index, step] of ended.entries()) steps.push({ step, ms: index === 0 ? Math.round(now - since) : 0 })
      since = now
    },
  }
}
