import { setTimeout as pause } from 'node:timers/promises'

/** An answer of the BFF: its status and its body, parsed when it is JSON. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Calls the BFF as one caller. */
export type Api = (method: string, path: string, body?: unknown) => Promise<Answer>

/** A caller's way to the BFF under `url`. */
export function apiOf(url: string, bearer: string): Api {
  return async (method, path, body) => {
    const headers = {
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

/** Asks until the answer satisfies; after the deadline the last answer is the error. Pods give no event to a client of the API, so it polls. */
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

/** The value at a path of names and numbers, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (found, key) => (typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined),
    value,
  )
}

/** Status of a condition of an object. */
export function condition(object: unknown, type: string): unknown {
  const all = at(object, 'status', 'conditions')
  return Array.isArray(all)
    ? at(
        all.find((one) => at(one, 'type') === type),
        'status',
      )
    : undefined
}
