import { setTimeout } from 'node:timers/promises'
import type { Workspace } from './workspace.ts'

/** URL and token of a developer. */
export type Bff = Awaited<Workspace['server']>

/** Namespace of the objects that checks create. */
export const namespace = 'default'

// Milliseconds, on a machine that does other work.
const READY_MS = 60_000

/** Creates an object through the API. */
export function send(bff: Bff, path: string, { name, spec }: { readonly name: string; readonly spec: object }) {
  return request(bff, path, { method: 'POST', body: JSON.stringify({ metadata: { namespace, name }, spec }) })
}

/** Sends a request below `/api` and returns its JSON. Throws for a status of an error. */
export async function request(
  { url, token }: Bff,
  path: string,
  init: RequestInit = {},
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/${path}`, { ...init, headers })
  const body = (await answer.json()) as Record<string, unknown>
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body
}

/** Reads until the answer fits, and returns it. Throws with the last answer after a minute. */
export async function readUntil<T>(bff: Bff, path: string, fits: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + READY_MS
  for (;;) {
    const answer = (await request(bff, path)) as T
    if (fits(answer)) return answer
    if (Date.now() > deadline) throw new Error(`${path} is not as expected: ${JSON.stringify(answer)}`)
    await setTimeout(500)
  }
}
