import type {
  Client,
  JsonSchemaValidatorResult,
  StreamableHTTPClientTransport,
  jsonSchemaValidator,
} from '@modelcontextprotocol/client'
import type { Dispatcher } from 'undici'
import { createGuardedFetch } from './guarded-fetch.ts'
import type { SessionFetch, SessionLimits } from './guarded-fetch.ts'
import { McpFailure, toMcpFailure } from './mcp-failure.ts'

/** A server, and how long a session with it may last. */
export interface SessionTarget {
  readonly url: string
  /** Sent to the origin of the URL, and nowhere else. */
  readonly bearer?: string | undefined
  readonly deadlineMs: number
  /** Ends the session early, when the caller has disconnected. */
  readonly signal?: AbortSignal
}

/** Dependencies of sessions. */
export interface SessionOptions extends SessionLimits {
  readonly dispatcher: Dispatcher
  /** Version of the platform, sent to servers. */
  readonly version: string
}

/** Runs `use` in a session with a server of either revision. Throws `McpFailure`. */
export type WithSession = <T>(target: SessionTarget, use: (client: Client) => Promise<T>) => Promise<T>

interface OpenSession {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
}

const GOODBYE_MS = 1_000
const MAX_PAGES = 16

// Compiling a schema of a server would generate code from its text.
const noValidator: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (input: unknown): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined }),
}

/** Creates sessions. The client library is loaded by the first one. */
export function createWithSession({ dispatcher, version, ...limits }: SessionOptions): WithSession {
  return async (target, use) => {
    const { host } = new URL(target.url)
    const stop = new AbortController()
    const failed = Promise.withResolvers<never>()
    failed.promise.catch(() => undefined)
    let first: McpFailure | undefined
    const onFailure = (failure: McpFailure): void => {
      first ??= failure
      failed.reject(first)
    }
    const late = (): void => onFailure(new McpFailure('timeout', `${host} does not answer in time.`))
    const timer = setTimeout(late, target.deadlineMs)
    const left = (): void => onFailure(new McpFailure('connection_lost', 'The caller has disconnected.'))
    target.signal?.addEventListener('abort', left, { once: true })
    if (target.signal?.aborted === true) left()
    const fetch = createGuardedFetch({ ...limits, dispatcher, signal: stop.signal, onFailure })
    const opened = open(target, fetch, version)
    try {
      return await Promise.race([opened.then(({ client }) => use(client)), failed.promise])
    } catch (error) {
      // The library wraps the cause of its errors, or retries after it.
      throw first ?? toMcpFailure(error, host)
    } finally {
      clearTimeout(timer)
      target.signal?.removeEventListener('abort', left)
      if (first === undefined) await opened.then(leave, () => undefined)
      stop.abort()
    }
  }
}

async function open(target: SessionTarget, fetch: SessionFetch, version: string): Promise<OpenSession> {
  const library = await import('@modelcontextprotocol/client')
  const { url, bearer, deadlineMs: timeout } = target
  const client = new library.Client(
    { name: 'mesh', version },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: noValidator, listMaxPages: MAX_PAGES },
  )
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    fetch,
    requestInit: bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: GOODBYE_MS,
      maxReconnectionDelay: GOODBYE_MS,
      reconnectionDelayGrowFactor: 1,
    },
  })
  await client.connect(transport, { timeout })
  return { client, transport }
}

// A server that keeps sessions learns that this one has ended.
async function leave({ client, transport }: OpenSession): Promise<void> {
  const goodbye = transport.sessionId === undefined ? undefined : transport.terminateSession()
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, GOODBYE_MS)
  await Promise.race([Promise.resolve(goodbye).catch(() => undefined), promise])
  clearTimeout(timer)
  await client.close().catch(() => undefined)
}
