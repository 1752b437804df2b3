import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { hasTag } from '#core/http/reply/etag.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { nothing } from '#schemas/api/common.ts'
import { policies as wire } from './contract/wire.ts'
import { createPolicySource } from './policies/policy-source.ts'

/** Route of the state role: the policies of the calling launcher's agent. `ttlMs`: how long they are cached. */
export function policyEndpoint(state: StateContext, ttlMs?: number): AnyEndpoint {
  const source = createPolicySource(state.cluster, ttlMs)
  return endpoint({
    ...stateRoute(wire),
    summary: 'Get the guardrail policies of the calling agent.',
    docs: { reads: ['If-None-Match'], sends: ['ETag'] },
    authz: { kind: 'agent' },
    response: { ...stateRoute(wire).response, 304: nothing },
    handle: async ({ access: { agent }, headers, reply }) => {
      const { digest, policies } = await source.ofAgent(agent)
      reply.header('etag', `"${digest}"`)
      if (!hasTag(headers['if-none-match'], `"${digest}"`)) return { digest, policies }
      reply.code(304)
      return undefined
    },
  })
}
