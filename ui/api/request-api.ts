import { ApiProblem, readProblem } from './api-problem.ts'
import { loadSession, writeHeaders } from './session.ts'

/** Parameters of a request; `undefined` is left out. */
export type RequestQuery = Readonly<Record<string, string | number | undefined>>

/** A request to the API. */
export interface ApiRequest {
  /** GET if absent. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Segments below `/api`, as they are: they are encoded here. */
  readonly path: readonly string[]
  readonly query?: RequestQuery
  /** Sent as JSON. */
  readonly body?: unknown
  /** A document in YAML, in place of `body`. */
  readonly yaml?: string
  /** The bytes of a file with its media type, in place of `body`. */
  readonly file?: Blob
  /** Further headers, such as `accept` or `idempotency-key`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Hash that the bytes of the response must have, as of a script: `sha256-…`. */
  readonly integrity?: string
  readonly signal?: AbortSignal | undefined
}

/** Sends a request of the session and returns its response, whose body is not read. Throws an `ApiProblem` for every other response and without a connection. */
export async function requestApi(request: ApiRequest): Promise<Response> {
  const { method = 'GET', path, query = {}, body, yaml, file, headers, integrity, signal } = request
  const sent = file ?? yaml ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = file?.type ?? (yaml === undefined ? undefined : 'application/yaml')
  const response = await fetch(toApiUrl(path, query), {
    method,
    headers: {
      ...(method === 'GET' ? {} : writeHeaders),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
    ...(integrity === undefined ? {} : { integrity }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error
    throw new ApiProblem({ status: 0, title: 'No connection', detail: 'The server cannot be reached.' })
  })
  // The session has ended; the page stays, and asks for another sign-in.
  if (response.status === 401) await loadSession().catch(() => undefined)
  if (!response.ok) throw await readProblem(response)
  return response
}

/** Sends a request that changes something, and returns the body of its response; undefined without one. */
export async function sendApi<Body>(request: ApiRequest): Promise<Body | undefined> {
  const response = await requestApi(request)
  const text = await response.text()
  return text === '' ? undefined : (JSON.parse(text) as Body)
}

/** The address of an operation. */
export function toApiUrl(path: readonly string[], query: RequestQuery = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(given).toString()
  return `/api/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}
