import type { Scope } from '#test/harness/scope.ts'
import { startEmbedded } from './embedded.ts'
import type { Platform } from './running-platform.ts'

let started: Promise<Platform> | undefined

/**
 * The embedded default of this process, which test files share: each uses agents, roles and routes of its own names, and counts only what it
 * creates. It may reach upstreams on this machine, and ends with the process.
 */
export function sharedEmbedded(): Promise<Platform> {
  const scope: Scope = { after: () => undefined }
  started ??= startEmbedded(scope, { env: { MESH_OUTBOUND_ALLOW: '127.0.0.1' } })
  return started
}
