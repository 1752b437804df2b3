import type { FastifyInstance } from 'fastify'
import type { Wiring } from '#core/host/plugin.ts'
import { Fail } from './errors.ts'
import { ownerOf, setOwner } from './services.ts'

/** Gates a scope: `unwired` answers 501 before names, query and body are looked at. A hidden scope mounts nothing at all. */
export function gate(
  scope: FastifyInstance,
  wiring: Wiring,
  reason: 'disabled' | 'unconfigured' = 'unconfigured',
): void {
  setOwner(scope, { plugin: ownerOf(scope).plugin, wiring, reason })
  if (wiring !== 'ready') scope.addHook('onRequest', refuseUnwired)
}

async function refuseUnwired(): Promise<void> {
  throw new Fail('not_wired')
}
