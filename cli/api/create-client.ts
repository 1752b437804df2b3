import { Agent } from 'undici'
import { collect } from '#core/http-client/request.ts'
import type { CollectedResponse } from '#core/http-client/request.ts'
import { isObject } from '#core/json/is-object.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import type { ApiClient, ApiPath, ApiQuery, ListPage } from '#cli/contract/api-client.ts'
import type { ApiAccess } from '#cli/context/api-access.ts'
import { connectionProblem, readResponseBody, responseProblem, unreadableResponse } from './failures.ts'

/** Options of a client. */
export interface ClientOptions {
  readonly timeoutMs: number
  readonly userAgent: string
}

/** A client with its connections. */
export interface OpenClient extends ApiClient {
  /** An error of a command. That of code which reads JSON of another shape is a `CliProblem` which names the last request. */
  explain(error: unknown): unknown
  close(): Promise<void>
}

/** Largest page of a list. */
const MAX_PAGE = 200

/** Creates a client of the API. The first call connects. */
export function createClient(access: ApiAccess, options: ClientOptions): OpenClient {
  const { ca } = access
  const connect = { timeout: options.timeoutMs, ...(ca === undefined ? {} : { ca }) }
  const agent = new Agent({ connect, allowH2: false })
  let last: string | undefined
  const call = async <T>(request: ApiRequest): Promise<T> => {
    const body = await exchangeJson<T>({ agent, access, options }, request)
    last = titleOf(request)
    return body
  }
  const get = <T>(path: ApiPath, query: ApiQuery = {}): Promise<T> => call({ method: 'GET', path, query })
  // Thrown by a missing field or a number that is no date, wherever it is read.
  const isUnreadable = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError
  return {
    get,
    list: (path, query, limit) => readPages((page) => get(path, { ...query, ...page }), limit),
    explain: (error) => (last !== undefined && isUnreadable(error) ? unreadableResponse(last, access) : error),
    post: (path, body, query = {}) => call({ method: 'POST', path, query, body }),
    put: (path, body, query = {}) => call({ method: 'PUT', path, query, body }),
    delete: (path, query = {}) => call({ method: 'DELETE', path, query }),
    close: () => agent.destroy(),
  }
}

interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: ApiPath
  readonly query: ApiQuery
  readonly body?: unknown
}

interface Connection {
  readonly agent: Agent
  readonly access: ApiAccess
  readonly options: ClientOptions
}

async function exchangeJson<T>(connection: Connection, request: ApiRequest): Promise<T> {
  const { access, options } = connection
  const token = await access.token()
  let response: CollectedResponse
  try {
    response = await send(connection, request, token)
  } catch (error) {
    if (error instanceof CliProblem) throw error
    throw connectionProblem(error, access, options.timeoutMs)
  }
  const responded = { response, title: titleOf(request) }
  if (response.status >= 300) throw responseProblem(responded, access, token)
  if (response.status === 204) return undefined as T
  return readResponseBody(responded, access) as T
}

function send({ agent, access, options }: Connection, request: ApiRequest, token: string): Promise<CollectedResponse> {
  const { origin, pathname } = access.server
  return collect(agent, {
    origin,
    path: `${pathname.replace(/\/$/, '')}/api${toPath(request.path)}${toSearch(request.query)}`,
    method: request.method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': options.userAgent,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(options.timeoutMs),
  })
}

function titleOf({ method, path }: ApiRequest): string {
  return `${method} /api${toPath(path)}`
}

function toPath(path: ApiPath): string {
  return path.map((segment) => `/${encodeSegment(segment)}`).join('')
}

// A server resolves dots before it finds the route.
function encodeSegment(segment: string): string {
  if (segment === '' || /^\.\.?$/.test(segment) || !segment.isWellFormed())
    throw new CliProblem(
      `${toSafeText(JSON.stringify(segment.slice(0, 60)))} is no name`,
      'A name is not empty, and has more than dots.',
    )
  return encodeURIComponent(segment)
}

function toSearch(query: ApiQuery): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}

async function readPages<Item>(
  read: (page: { limit: number; cursor?: string }) => Promise<ListPage<Item>>,
  limit: number,
): Promise<ListPage<Item>> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const size = Math.min(MAX_PAGE, limit - items.length)
    const page: ListPage<Item> = await read({ limit: size, ...(cursor === null ? {} : { cursor }) })
    checkPage(page, cursor)
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null && items.length < limit)
  return { items, nextCursor: cursor }
}

// Without a cursor, or with the same one, the pages would never end.
function checkPage(page: unknown, sent: string | null): void {
  const { items, nextCursor } = isObject(page) ? page : {}
  const isNext = typeof nextCursor === 'string' && nextCursor !== sent
  if (!Array.isArray(items) || (nextCursor !== null && !isNext))
    throw new TypeError('the response is no page of a list')
}
