import type { FastifyInstance } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'
import type { Wiring } from './mounted-endpoint.ts'
import { ownerOf, setOwner } from './server-context.ts'

/** Gates a scope: an `unwired` one returns 501 before names, query and body are checked. A hidden scope is not mounted. */
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

// A dependency that is disabled or has no database makes the plugin unavailable.
function whyUnwired(plugin: string, reason: 'disabled' | 'unconfigured'): string {
  return reason === 'disabled'
    ? `The plugin ${plugin}, or one that it needs is disabled (setting "disable").`
    : `The plugin ${plugin} is not configured: a required setting is missing, such as "databaseUrl".`
}
