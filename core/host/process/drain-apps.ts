import type { FastifyInstance } from 'fastify'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'

// Clients close a connection a second before its timeout; on a busy machine their last request may arrive later.
const LATE_MS = 2_000

/** Closes servers: waits for unused connections at most the delay, and for requests in progress at most the grace. */
export async function drainApps(
  apps: readonly FastifyInstance[],
  { delaySeconds, graceSeconds }: { readonly delaySeconds: number; readonly graceSeconds: number },
): Promise<void> {
  // From now on each response closes its connection. Closing an idle connection races with its next request (X6). One that stays unused
  // for this long again should not be used by clients any more (`keepConnections`); a request sent before may arrive late.
  await untilUnused(apps, delaySeconds === 0 ? 0 : delaySeconds * 1000 + LATE_MS)
  // After a busy turn, requests already received are read first, so that their connections are not idle.
  await setImmediate()
  const grace = new AbortController()
  const cut = delay(graceSeconds * 1000, undefined, { signal: grace.signal }).then(() =>
    apps.forEach(({ server }) => server.closeAllConnections()),
  )
  await Promise.all(apps.map((app) => app.close()))
  grace.abort()
  await cut.catch(() => undefined)
}

// Waits until no client has an open connection, at most `ms`.
async function untilUnused(apps: readonly FastifyInstance[], ms: number): Promise<void> {
  const open = (app: FastifyInstance): Promise<number> =>
    new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count ?? 0)))
  for (const end = performance.now() + ms; performance.now() < end; await delay(20))
    if ((await Promise.all(apps.map(open))).every((count) => count === 0)) return
}
