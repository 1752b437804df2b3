import { setTimeout as pause } from 'node:timers/promises'

/** Status and body of a response from the BFF; the body is parsed if it is JSON. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Calls the BFF as one caller. */
export type Api = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>

/** Creates a client of the BFF at `url` with a caller's bearer. */
export function apiOf(url: string, bearer: string): Api {
  return async (method, path, body, more = {}) => {
    const headers = {
      ...more,
      authorization: `Bearer ${bearer}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, { method, headers, ...sent, signal: AbortSignal.timeout(60_000) })
    const text = await answer.text()
    const isJson = /json/.test(answer.headers.get('content-type') ?? '')
    return { status: answer.status, body: isJson ? JSON.parse(text) : text }
  }
}

/** Polls until the response satisfies the predicate. After the deadline it throws the last response. */
export async function until(
  what: string,
  ask: () => Promise<Answer>,
  holds: (body: unknown) => boolean,
  deadlineMs = 90_000,
): Promise<unknown> {
  const deadline = Date.now() + deadlineMs
  for (;;) {
    const answer = await ask()
    if (answer.status === 200 && holds(answer.body)) return answer.body
    if (Date.now() > deadline)
      throw new Error(`${what}: not within ${deadlineMs} ms; last answer ${JSON.stringify(answer)}`)
    await pause(100)
  }
}

/** Returns the value at a path of keys and indexes, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )
}

/** Returns the status of a condition. */
export function condition(object: unknown, type: string): unknown {
  const all = at(object, 'status', 'conditions')
  return Array.isArray(all)
    ? at(
        all.find((one) => at(one, 'type') === type),
        'status',
      )
    : undefined
}
