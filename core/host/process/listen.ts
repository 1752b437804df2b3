import type { Server } from 'node:http'
import type { Role } from '#core/config/profile.ts'
import type { Settings } from '#core/config/settings.ts'
import { isLoopbackAddress } from '#core/net/loopback-host.ts'
import { isTaken, listen } from '../probes/probe-server.ts'
import type { RunningRole } from '../role/role.ts'

/** Dependencies of the listeners of a process. */
export interface ListenOptions {
  readonly settings: Settings
  readonly roles: readonly Role[]
  /** Uses a free port if the configured one is taken, instead of failing. */
  readonly mayMovePorts?: boolean | undefined
}

/** Address on which a process listens. */
export function hostOf({ settings, roles }: ListenOptions): string {
  return settings.core.listen.host ?? (roles.length > 1 ? '127.0.0.1' : '::')
}

/**
 * Host names that a process serves; undefined for all. On loopback the only clients are on this machine, and a page in its browser must not
 * use its own host name (H1). In a cluster, names are those of Services, Ingresses and pods, which this process does not know.
 */
export function servedHosts(options: ListenOptions): readonly string[] | undefined {
  if (!isLoopbackAddress(hostOf(options))) return undefined
  const {
    urls,
    listen: { hosts },
  } = options.settings.core
  const ofUrls = Object.values(urls).flatMap((url) => URL.parse(url)?.hostname ?? [])
  return [...hosts, ...ofUrls]
}

/** Opens the listener of the process. Returns its base URL. */
export async function listenAdmin(admin: Server, options: ListenOptions): Promise<string> {
  const port = await listen(admin, {
    host: hostOf(options),
    port: options.settings.core.listen.admin,
    mayMove: options.mayMovePorts ?? false,
  })
  return toUrl(hostOf(options), port)
}

/** Opens the listener of a role that has one, and notes its base URL. */
export async function listenRole(
  { role, app }: Pick<RunningRole, 'role' | 'app'>,
  options: ListenOptions,
  addresses: Partial<Record<string, string>>,
): Promise<void> {
  if (app === undefined || role === 'worker' || role === 'migrate') return
  const host = hostOf(options)
  const port = options.settings.core.listen[role]
  keepConnections(app.server, options.settings.core.drain.delaySeconds)
  try {
    await app.listen({ host, port })
  } catch (error) {
    if (!isTaken(error) || options.mayMovePorts !== true || port === 0) throw error
    await app.listen({ host, port: 0 })
  }
  const address = app.server.address()
  addresses[role] = toUrl(host, typeof address === 'object' && address !== null ? address.port : port)
}

const KEPT_MS = 72_000

// Announces a shorter `Keep-Alive: timeout` than the server uses, namely the wait of a drain. A client that honours it (as Node's does)
// never writes on a connection that a drain is closing. Load balancers have their own 60 s.
function keepConnections(server: Server, delaySeconds: number): void {
  if (delaySeconds === 0) return
  server.keepAliveTimeout = delaySeconds * 1000
  server.keepAliveTimeoutBuffer = KEPT_MS - server.keepAliveTimeout
}

/** Base URL at which this machine reaches a listener. */
export function toUrl(host: string, port: number): string {
  const reachable = host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
