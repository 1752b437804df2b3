import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { runs } from '#plugins/runs/index.ts'
import { openObject } from '#schemas/api/common.ts'
import { MAX_SPAN_BATCH_BYTES } from '#schemas/launcher/traces.ts'
import { receiveSpans } from './receive-spans.ts'
import type { TracesServices } from './services/create-services.ts'

const receipt = Type.Object({ accepted: Type.Integer(), rejected: Type.Integer() })

/** Route of the state role: a launcher sends the spans of its agent. */
export function tracesStateRoutes(services: TracesServices, state: StateContext): readonly AnyEndpoint[] {
  const system = state.system(runs)
  const store = endpoint({
    method: 'POST',
    url: '/spans',
    summary: 'Store spans of the agent whose pod calls.',
    authz: { kind: 'agent' },
    body: openObject('ExportTraceServiceRequest in the JSON encoding of OTLP.'),
    bodyLimit: MAX_SPAN_BATCH_BYTES,
    response: { 200: receipt },
    handle: async ({ access: { agent }, body }) => receiveSpans(services, system, agent, body),
  })
  return services.settings.adapter === 'builtin' ? [store] : []
}
