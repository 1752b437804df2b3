import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** A request that the server received. */
export interface MoneyRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** Responds to a request; undefined leaves the response to the server. */
export type MoneyFault = (request: MoneyRequest, response: ServerResponse) => boolean

/**
 * The state role's routes for holds, each of whose responses can be replaced. It keeps no ledger: the requests and responses of the contract are
 * under test.
 */
export async function startMoneyServer(t: Scope) {
  const requests: MoneyRequest[] = []
  const faults: MoneyFault[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
    const text = Buffer.concat(chunks).toString('utf8')
    const body = (text === '' ? {} : JSON.parse(text)) as MoneyRequest['body']
    const seen = { path: request.url ?? '', authorization: request.headers.authorization, body }
    requests.push(seen)
    for (const wake of waiting) wake()
    if (faults.some((fault) => fault(seen, response))) return
    answer(response, seen)
  })
  const url = await listen(t, server)
  const ofPath = (pattern: RegExp): MoneyRequest[] => requests.filter(({ path }) => pattern.test(path))
  return {
    url,
    requests,
    faults,
    holds: () => ofPath(/\/holds$/),
    /** Settlements of single holds and of batches, flattened. */
    settlements: () => requests.flatMap(settlementsOf),
    releases: () => ofPath(/\/release$/),
    /** Resolves when `count` requests match. */
    async until(pattern: RegExp, count = 1): Promise<void> {
      if (ofPath(pattern).length >= count) return
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          if (ofPath(pattern).length < count) return
          waiting.delete(wake)
          resolve()
        }
        waiting.add(wake)
      })
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function answer(response: ServerResponse, { path, body }: MoneyRequest): void {
  if (path.endsWith('/holds')) {
    const maxOutputTokens = body['maxOutputTokens'] ?? 4096
    const lease = { expiresAt: new Date(Date.now() + 60_000).toISOString(), renewEverySeconds: 20 }
    send(response, 201, {
      id: randomUUID(),
      amount: '0.5',
      currency: 'USD',
      remaining: '4.5',
      maxOutputTokens,
      ...lease,
    })
  } else if (path.endsWith('/settlements')) {
    const items = (body['items'] as { id: string }[]).map(({ id }) => ({ id, ...settled }))
    send(response, 200, { items })
  } else if (path.endsWith('/renew')) send(response, 200, { expiresAt: new Date().toISOString(), renewed: body['ids'] })
  else send(response, 200, settled)
}

const settled = { cost: { amount: '0.25', currency: 'USD' }, remaining: '4.75', state: 'settled' }

function settlementsOf(request: MoneyRequest): readonly MoneyRequest[] {
  if (request.path.endsWith('/settle')) return [request]
  if (!request.path.endsWith('/settlements')) return []
  return (request.body['items'] as Record<string, unknown>[]).map(({ id, ...body }) => ({
    ...request,
    path: `/budgets/holds/${String(id)}/settle`,
    body,
  }))
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A refusal by the state role of requests to a path. */
export function refusing(
  path: RegExp,
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): MoneyFault {
  return (request, response) => {
    if (!path.test(request.path)) return false
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ code, detail: `detail of ${code}`, status }))
    return true
  }
}
