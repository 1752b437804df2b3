import type { Dispatcher } from 'undici'
import { collect, exchange } from '#core/http-client/request.ts'
import type { AnswerHeaders } from '#core/http-client/request.ts'
import { createSseParser } from '#core/sse/parser.ts'
import type { InvokeRequest, LauncherEntry } from '#schemas/run.ts'
import type { LauncherAddress } from '../store/tables.ts'
import { AgentFault } from './agent-fault.ts'
import { readEntry } from './read-entry.ts'

/** Who asks: the person's grant and this worker's attempt. A launcher needs both. */
export interface Credentials {
  readonly grant: string
  readonly attempt: string
  readonly traceparent: string
}

/** The launcher answered with a status that ends the run; its text is not passed on. */
export class LauncherRefused extends Error {
  readonly status: number
  /** How long a run of a busy agent may take, waiting included; undefined when the launcher did not say. */
  readonly runTimeoutMs: number | undefined
  /** The launcher does not have the run, and what workers with a lower epoch still send begins it no more. */
  readonly isWithoutRun: boolean
  constructor(status: number, headers: AnswerHeaders = {}) {
    super(`the launcher answered ${status}`)
    this.name = 'LauncherRefused'
    this.status = status
    this.runTimeoutMs = readCount(headers['x-mesh-run-timeout-ms'])
    this.isWithoutRun = headers['x-mesh-ticket'] !== undefined
  }
}

/** What a launcher says about itself when it has a run. */
export interface Answering {
  readonly agentRevision: number | undefined
}

/** The worker's side of a launcher's port 8080, for one run. Connection errors reject with what undici says. */
export interface LauncherClient {
  readonly at: LauncherAddress
  /** Whether the launcher is known to exist no more, and with it all that it knew of the run. */
  isGone(): Promise<boolean>
  /** What is committed before the run is started; undefined from a launcher that knows no tickets. */
  ticket(): Promise<string | undefined>
  /** Starts the run; the run id is the idempotency key, so a repeat changes nothing. Refused (412) where the ticket is not valid. */
  invoke(request: InvokeRequest, ticket?: string): Promise<Answering>
  /** Who answers a run that another worker handed over; this worker's epoch holds from then on. */
  look(): Promise<Answering>
  /** Follows the run's entries after `n`; 'unknown' when the launcher has no memory of the run. */
  follow(after: number, options: FollowOptions): Promise<'ended' | 'unknown'>
  /** Asks for a stop; the end shows in the entries. */
  cancel(): Promise<void>
  /** Lets the launcher forget the run. */
  acknowledge(): Promise<void>
}

/** How entries are received. */
export interface FollowOptions {
  readonly signal: AbortSignal
  /** Bytes of an event above which following fails with `AgentFault`. */
  readonly maxEntryBytes: number
  /** Called for each entry with its bytes; a returned promise pauses the launcher until it settles. */
  onEntry(entry: LauncherEntry, bytes: number): Promise<void> | undefined
}

/** What a client speaks with. Credentials are made for each call: an attempt token lasts five minutes only. */
export interface LauncherClientOptions extends Pick<LauncherClient, 'at' | 'isGone'> {
  readonly dispatcher: Dispatcher
  readonly runId: string
  readonly credentials: () => Promise<Credentials>
}

/** A client of one launcher for one run. */
export function createLauncherClient(options: LauncherClientOptions): LauncherClient {
  const { dispatcher, at, runId, credentials, isGone } = options
  const origin = at.url
  const send = async (path: string, body?: unknown, ticket?: string): Promise<unknown> => {
    const answer = await collect(dispatcher, {
      origin,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headersOf(runId, await credentials()),
        ...(ticket === undefined ? {} : { 'x-mesh-ticket': ticket }),
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    })
    if (answer.status >= 400) throw new LauncherRefused(answer.status, answer.headers)
    const text = answer.body.toString('utf8')
    return text === '' ? undefined : JSON.parse(text)
  }
  return {
    at,
    isGone,
    ticket: () => send(`/runs/${runId}/ticket`).then(readTicket, unlessUnknown),
    invoke: async (request, ticket) => readAnswering(await send('/invoke', request, ticket)),
    look: async () => readAnswering(await send(`/runs/${runId}`)),
    cancel: async () => {
      await send(`/runs/${runId}/cancel`, {})
    },
    acknowledge: async () => {
      await send(`/runs/${runId}/ack`, {})
    },
    async follow(after, { signal, maxEntryBytes, onEntry }) {
      let paused: Promise<void> | undefined
      const push = boundedParser(maxEntryBytes, (data) => (paused = onEntry(readEntry(data), Buffer.byteLength(data))))
      let status = 0
      await exchange(dispatcher, {
        origin,
        path: `/runs/${runId}/events?after=${after}`,
        method: 'GET',
        headers: { ...headersOf(runId, await credentials()), accept: 'text/event-stream' },
        signal,
        headersTimeout: 10_000,
        // The launcher sends a comment every 15 s; three missed ones are a dead connection.
        bodyTimeout: 45_000,
        onHead: (head) => {
          status = head
        },
        onData: (chunk) => {
          if (status !== 200) return undefined
          paused = undefined
          push(chunk)
          return paused
        },
      })
      if (status === 404) return 'unknown'
      if (status !== 200) throw new LauncherRefused(status)
      return 'ended'
    },
  }
}

function boundedParser(maxEntryBytes: number, onData: (data: string) => void): (chunk: Buffer) => void {
  const parser = createSseParser(
    ({ event, data }) => {
      if (event !== 'stream.end') onData(data)
    },
    { maxEventSize: maxEntryBytes, tooLarge: (limit) => new AgentFault('limit', tooLarge(limit)) },
  )
  return parser.push
}

function tooLarge(limit: number): string {
  return `The run exceeded the limit of ${limit} bytes in one entry (setting runs.runEntryBytes).`
}

// What else the answer says is in the entries, which carry the order too.
function readAnswering(body: unknown): Answering {
  const given = typeof body === 'object' && body !== null && 'agentRevision' in body ? body.agentRevision : undefined
  return {
    agentRevision:
      typeof given === 'number' && Number.isInteger(given) && given >= 0 && given < 2 ** 31 ? given : undefined,
  }
}

function readTicket(body: unknown): string | undefined {
  const given = typeof body === 'object' && body !== null && 'ticket' in body ? body.ticket : undefined
  // It is stored, and sent back as a header.
  return typeof given === 'string' && /^[\x21-\x7e]{1,1024}$/.test(given) ? given : undefined
}

// A launcher of before tickets does not have the route.
function unlessUnknown(error: unknown): undefined {
  if (error instanceof LauncherRefused && error.status === 404) return undefined
  throw error
}

function readCount(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined
}

function headersOf(runId: string, credentials: Credentials): Record<string, string> {
  return {
    'x-mesh-run-id': runId,
    'x-mesh-run-grant': credentials.grant,
    'x-mesh-run-attempt': credentials.attempt,
    traceparent: credentials.traceparent,
  }
}
