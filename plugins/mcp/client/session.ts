import type {
  Client,
  JsonSchemaValidatorResult,
  StreamableHTTPClientTransport,
  jsonSchemaValidator,
} from '@modelcontextprotocol/client'
import type { Dispatcher } from 'undici'
import type { CredentialHeader } from './credential.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import type { SessionFetch, SessionLimits, SessionUse } from './guarded-fetch.ts'
import { McpFailure, toMcpFailure } from './mcp-failure.ts'

/** A server, and the timeout of one use of its session. */
export interface SessionTarget {
  readonly url: string
  /** Bearer token, sent to the origin of the URL only. */
  readonly bearer?: string | undefined
  /** Header with a credential, sent to the origin of the URL only. */
  readonly header?: CredentialHeader | undefined
  readonly deadlineMs: number
  /** Ends the use early, when the caller has disconnected. */
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

/** A session with a server, for sequential uses. */
export interface McpSession {
  /**
   * Runs `use` within the deadline of `target`, whose server and token must equal those of the first use, which opens the session. Throws
   * `McpFailure`; the session is then unusable.
   */
  run<T>(target: SessionTarget, use: (client: Client) => Promise<T>): Promise<T>
  /** Whether a use failed, or the server reported a change of its tools. */
  readonly isOver: boolean
  /** Whether the server answered the first request of a use that it does not know the session. */
  readonly isLost: boolean
  /** Whether the server gave the session an id, so that it may keep state between uses. */
  readonly isStateful: boolean
  /** Ends the session at the server, too, unless a request failed. */
  close(): Promise<void>
}

interface OpenSession {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
}

const GOODBYE_MS = 1_000
const MAX_PAGES = 16
// Created once: an abort without a reason creates an error with a stack for each call.
const ended = new Error('The session is no longer in use.')

// Compiling a schema of a server would generate code from untrusted input.
const noValidator: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (input: unknown): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined }),
}

/** Creates the function that opens a session for each use. */
export function createWithSession(options: SessionOptions): WithSession {
  return async (target, use) => {
    const session = createSession(options)
    try {
      return await session.run(target, use)
    } finally {
      await session.close()
    }
  }
}

/** Creates a session, without I/O. The client library is loaded by the first use of the first one. */
export function createSession({ dispatcher, version, ...limits }: SessionOptions): McpSession {
  const state = { isFailed: false, isBroken: false, isChanged: false, isLost: false, isStateful: false }
  let current: SessionUse | undefined
  let opened: Promise<OpenSession> | undefined
  const begin = (signal: AbortSignal, onFailure: SessionUse['onFailure']): void => {
    const left = { bytes: limits.maxBytes, requests: limits.maxRequests }
    const onLost = (): void => {
      state.isLost = true
    }
    current = { signal, onFailure, left, onLost }
  }
  const onBroken = (): void => {
    state.isBroken = true
  }
  const onChanged = (): void => {
    state.isChanged = true
  }
  const fetch = createGuardedFetch({
    ...limits,
    dispatcher,
    current: () => {
      if (current === undefined) throw new Error('requests need a session that is in use')
      return current
    },
  })
  return {
    run: async (target, use) => {
      try {
        return await runOnce(target, { begin, onBroken }, () => {
          opened ??= open(target, fetch, version, onChanged)
          return opened.then(({ client, transport }) => {
            state.isStateful = transport.sessionId !== undefined
            return use(client)
          })
        })
      } catch (error) {
        state.isFailed = true
        throw error
      }
    },
    get isOver() {
      return state.isFailed || state.isChanged
    },
    get isLost() {
      return state.isLost
    },
    get isStateful() {
      return state.isStateful
    },
    close: async () => {
      if (opened === undefined || state.isBroken) return
      const stop = new AbortController()
      begin(stop.signal, () => undefined)
      await opened.then(leave, () => undefined)
      stop.abort()
    },
  }
}

interface UseHooks {
  readonly begin: (signal: AbortSignal, onFailure: SessionUse['onFailure']) => void
  readonly onBroken: () => void
}

async function runOnce<T>(target: SessionTarget, { begin, onBroken }: UseHooks, work: () => Promise<T>): Promise<T> {
  const { host } = new URL(target.url)
  const stop = new AbortController()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  let first: McpFailure | undefined
  let isDone = false
  const onFailure = (failure: McpFailure): void => {
    // A stream that the end of the use cuts off says nothing about the session.
    if (isDone) return
    first ??= failure
    onBroken()
    failed.reject(first)
  }
  const timer = setTimeout(
    () => onFailure(new McpFailure('timeout', `${host} does not respond in time.`)),
    target.deadlineMs,
  )
  const left = (): void => onFailure(new McpFailure('connection_lost', 'The caller has disconnected.'))
  target.signal?.addEventListener('abort', left, { once: true })
  if (target.signal?.aborted === true) left()
  begin(stop.signal, onFailure)
  try {
    return await Promise.race([work(), failed.promise])
  } catch (error) {
    // The library wraps the cause of its errors, or retries after it.
    throw first ?? toMcpFailure(error, host)
  } finally {
    clearTimeout(timer)
    target.signal?.removeEventListener('abort', left)
    isDone = true
    stop.abort(ended)
  }
}

async function open(
  target: SessionTarget,
  fetch: SessionFetch,
  version: string,
  onChanged: () => void,
): Promise<OpenSession> {
  const library = await import('@modelcontextprotocol/client')
  const { url, deadlineMs: timeout } = target
  const client = new library.Client(
    { name: 'mesh', version },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: noValidator, listMaxPages: MAX_PAGES },
  )
  client.setNotificationHandler('notifications/tools/list_changed', onChanged)
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    fetch,
    requestInit: { headers: credentialOf(target) },
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

function credentialOf({ bearer, header }: SessionTarget): Record<string, string> {
  return {
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(header === undefined ? {} : { [header.name]: header.value }),
  }
}

// A server that keeps sessions is notified of the end of this one.
async function leave({ client, transport }: OpenSession): Promise<void> {
  const goodbye = transport.sessionId === undefined ? undefined : transport.terminateSession()
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, GOODBYE_MS)
  await Promise.race([Promise.resolve(goodbye).catch(() => undefined), promise])
  clearTimeout(timer)
  await client.close().catch(() => undefined)
}
