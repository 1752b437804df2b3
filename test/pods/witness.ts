import { createServer } from 'node:http'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** Records what pods report. It outlives them. */
export interface Witness {
  readonly url: string
  /** Paths of the requests, in order. */
  readonly notes: readonly string[]
}

/** Listens on an address that pods can reach. */
export async function startWitness(t: Scope, address: string): Promise<Witness> {
  const notes: string[] = []
  const server = createServer((request, response) => {
    notes.push(decodeURIComponent((request.url ?? '').slice(1)))
    response.end()
  })
  return { url: await listen(t, server, address), notes }
}
