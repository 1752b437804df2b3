import { readFile } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import { collect } from '#core/http-client/request.ts'
import { conceal } from '#core/log/secrets.ts'
import type { ReceivedResponse } from '#schemas/wire/read-response.ts'

/** A request to the state role. */
export interface StateCall {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  /** The body as a JSON string, in place of `body`. */
  readonly json?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Time without a response after which the call fails (10 s). */
  readonly timeoutMs?: number
}

/** Sends a request with the launcher's token. Rejects without a complete response in time. */
export type StateClient = (call: StateCall) => Promise<ReceivedResponse>

/** Options of `createStateClient`. */
export interface StateClientOptions {
  readonly stateUrl: string
  /** Service account token with the audience `state`. */
  readonly tokenFile: string | undefined
  readonly dispatcher: () => Promise<Dispatcher>
}

const defaultTimeoutMs = 10_000
const maxBytes = 16 * 1024 * 1024

/** Creates a client of the routes that the state role has for launchers. */
export function createStateClient(options: StateClientOptions): StateClient {
  const { stateUrl, tokenFile, dispatcher } = options
  const { origin, pathname } = new URL(stateUrl)
  const prefix = pathname === '/' ? '' : pathname
  const token = createTokenReader(tokenFile)
  return async ({ json, headers = {}, signal, timeoutMs = defaultTimeoutMs, ...call }) => {
    const { method, path, body } = call
    const text = json ?? (body && JSON.stringify(body))
    const bearer = await token()
    const {
      status,
      headers: received,
      body: bytes,
    } = await collect(await dispatcher(), {
      origin,
      path: prefix + path,
      method,
      headers: {
        accept: 'application/json',
        ...(text === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      ...(text === undefined ? {} : { body: text }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxBytes,
      ...(signal === undefined ? {} : { signal }),
    })
    return { status, headers: received, bytes }
  }
}

/** The kubelet renews a token long before it expires; reading it per call costs as much as a call. */
const keptMs = 10_000

/** Reads a mounted token at most every ten seconds. */
export function createTokenReader(file: string | undefined): () => Promise<string | undefined> {
  let kept: { readonly token: string; readonly until: number } | undefined
  return async () => {
    if (file === undefined) return undefined
    const now = performance.now()
    if (kept === undefined || now >= kept.until)
      kept = { token: conceal((await readFile(file, 'utf8')).trim()), until: now + keptMs }
    return kept.token
  }
}
