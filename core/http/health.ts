import { Health } from '#schemas/api/identity.ts'
import { endpoint } from './endpoint/endpoint.ts'
import type { AnyEndpoint } from './endpoint/endpoint.ts'

/** Owner of the endpoints that no setting turns off; no plugin may have its name. */
export const coreOwner = { plugin: 'core', wiring: 'ready' } as const

/** Liveness for callers. Probes use the admin port, which requires no bearer (ADR 0004). */
const health = endpoint({
  method: 'GET',
  url: '/health',
  id: 'getHealth',
  summary: 'Get liveness, with a bearer; probes use /livez of the admin port.',
  authz: { kind: 'bearer' },
  response: { 200: Health },
  handle: async () => ({ status: 'ok' }),
})

/** Endpoints of core below `/api`: served by every BFF, regardless of disabled plugins. */
export const coreEndpoints: readonly AnyEndpoint[] = [health]
