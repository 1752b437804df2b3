import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { runs } from '#plugins/runs/index.ts'
import { MAX_SPAN_BATCH_BYTES } from '#schemas/launcher/traces.ts'
import { sendSpans } from './contract/wire.ts'
import { receiveSpans } from './receive-spans.ts'
import type { TracesServices } from './services/create-services.ts'

/** Route of the state role: a launcher sends the spans of its agent. */
export function tracesStateRoutes(services: TracesServices, state: StateContext): readonly AnyEndpoint[] {
  const system = state.system(runs)
  const store = endpoint({
    ...stateRoute(sendSpans),
    summary: 'Store spans of the agent whose pod calls.',
    authz: { kind: 'agent' },
    bodyLimit: MAX_SPAN_BATCH_BYTES,
    handle: async ({ access: { agent }, body }) => receiveSpans(services, system, agent, body),
  })
  return services.settings.adapter === 'builtin' ? [store] : []
}
