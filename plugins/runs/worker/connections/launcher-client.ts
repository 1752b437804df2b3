import type { Dispatcher } from 'undici'
import { collect, exchange } from '#core/http-client/request.ts'
import type { ResponseHeaders } from '#core/http-client/request.ts'
import { createSseParser } from '#core/sse/parser.ts'
import type { InvokeRequest, LauncherEntry } from '#schemas/runs/run.ts'
import type { LauncherAddress } from '../../contract/tables.ts'
import { AgentFault } from '../entries/agent-fault.ts'
import { readEntry } from '../entries/read-entry.ts'

/** Tokens of each request: the grant of the subject and the attempt token of this worker. A launcher requires both. */
export interface Credentials {
  readonly grant: string
  readonly attempt: string
  readonly traceparent: string
}

/** The launcher refused a request. Its message is omitted. */
export class LauncherRefused extends Error {
  readonly status: number
  /** `limits.timeout` of a busy agent in milliseconds, which includes the wait; undefined if not reported. */
  readonly runTimeoutMs: number | undefined
  /** Whether the launcher proves that it does not have the run and that requests with a lower epoch cannot start it. */
  readonly isWithoutRun: boolean
  constructor(status: number, headers: ResponseHeaders = {}) {
    super(`launcher answered ${status}`)
    this.name = 'LauncherRefused'
    this.status = status
    this.runTimeoutMs = readCount(headers['x-mesh-run-timeout-ms'])
    this.isWithoutRun = headers['x-mesh-ticket'] !== undefined
  }
}

/** Response of a launcher that has the run. */
export interface LauncherOfRun {
  readonly agentRevision: number | undefined
}

/** Client of a launcher's port 8080 for one run. Connection errors are those of undici. */
export interface LauncherClient {
  readonly at: LauncherAddress
  /** Whether the pod of the launcher no longer exists, and with it the state of the run. */
  isGone(): Promise<boolean>
  /** Requests the ticket to be committed before the start; undefined from a launcher without tickets. */
  ticket(): Promise<string | undefined>
  /** Starts the run; idempotent by the run id. Refused with 412 if the ticket is invalid. */
  invoke(request: InvokeRequest, ticket?: string): Promise<LauncherOfRun>
  /** Attaches to a run that another worker started. Requests with a lower epoch are refused from then on. */
  attach(): Promise<LauncherOfRun>
  /** Follows the entries of the run after `n`. Returns 'unknown' if the launcher does not know the run. */
  follow(after: number, options: FollowOptions): Promise<'ended' | 'unknown'>
  /** Requests a stop. The result arrives as an entry. */
  cancel(): Promise<void>
  /** Allows the launcher to discard the run. */
  acknowledge(): Promise<void>
}

/** Options of `follow`. */
export interface FollowOptions {
  readonly signal: AbortSignal
  /** Bytes of an event above which `follow` fails with `AgentFault`. */
  readonly maxEntryBytes: number
  /** Called for each entry with its size. A returned promise pauses the stream until it settles. */
  onEntry(entry: LauncherEntry, bytes: number): Promise<void> | undefined
}

/** Options of a client. Credentials are created per request, since an attempt token expires after five minutes. */
export interface LauncherClientOptions extends Pick<LauncherClient, 'at' | 'isGone'> {
  readonly dispatcher: Dispatcher
  readonly runId: string
  readonly credentials: () => Promise<Credentials>
  /** The only revision that may start the run. */
  readonly revision?: number | undefined
}

/** Creates the client of a launcher for one run. */
export function createLauncherClient(options: LauncherClientOptions): LauncherClient {
  const { dispatcher, at, runId, credentials, isGone, revision } = options
  const origin = at.url
  const ofRevision = revision === undefined ? {} : { 'x-mesh-agent-revision': String(revision) }
  const send = async (path: string, body?: unknown, ticket?: string): Promise<unknown> => {
    const answer = await collect(dispatcher, {
      origin,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headersOf(runId, await credentials()),
        ...(ticket === undefined ? {} : { 'x-mesh-ticket': ticket }),
        ...ofRevision,
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
    attach: async () => readAnswering(await send(`/runs/${runId}`)),
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
        // The launcher sends a comment every 15 s. Three missed comments mean a dead connection.
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

// Other fields of the response are also in the entries, in order.
function readAnswering(body: unknown): LauncherOfRun {
  const given = typeof body === 'object' && body !== null && 'agentRevision' in body ? body.agentRevision : undefined
  return {
    agentRevision:
      typeof given === 'number' && Number.isInteger(given) && given >= 0 && given < 2 ** 31 ? given : undefined,
  }
}

function readTicket(body: unknown): string | undefined {
  const given = typeof body === 'object' && body !== null && 'ticket' in body ? body.ticket : undefined
  // Stored, and sent back as a header.
  return typeof given === 'string' && /^[\x21-\x7e]{1,1024}$/.test(given) ? given : undefined
}

// Launchers of versions without tickets lack the route.
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
