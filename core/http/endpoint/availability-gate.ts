import type { FastifyInstance } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import type { Wiring } from './mounted-endpoint.ts'
import { ownerOf, setOwner } from './server-context.ts'

/** Gates a scope: `unwired` answers 501 before names, query and body are looked at. A hidden scope mounts nothing at all. */
export function gate(
  scope: FastifyInstance,
  wiring: Wiring,
  reason: 'disabled' | 'unconfigured' = 'unconfigured',
): void {
  setOwner(scope, { plugin: ownerOf(scope).plugin, wiring, reason })
  if (wiring === 'ready') return
  const detail = whyUnwired(ownerOf(scope).plugin, reason)
  scope.addHook('onRequest', async () => {
    throw new Fail('not_wired', detail)
  })
}

// A need that is switched off, or lacks its database, switches off what needs it.
function whyUnwired(plugin: string, reason: 'disabled' | 'unconfigured'): string {
  return reason === 'disabled'
    ? `The plugin ${plugin}, or one that it needs, is switched off on this install (setting "disable").`
    : `The plugin ${plugin} is not configured on this install: a setting that it needs is not set, such as "databaseUrl".`
}
