import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { scanObjects } from '#core/http/resource/scan-objects.ts'
import { EvalGated, EvalGatedQuery } from '#schemas/api/evaluations.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { EvalTables } from '../contract/tables.ts'
import type { EvalsServices } from '../contract/services.ts'
import { countPassed } from '../store/gate-state.ts'

/** `GET /api/metrics/eval-gated`: over the agents that the caller may list. */
export function gatedEndpoint({ store }: EvalsServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/metrics/eval-gated',
    id: 'getEvalGated',
    summary: 'Get the percent of deployed revisions of agents that passed an evaluation.',
    authz: { kind: 'kube', verb: 'list', resource: AgentDeployment.plural },
    query: EvalGatedQuery,
    response: { 200: EvalGated },
    handle: async (call) => {
      const deployed: { readonly uid: string; readonly revision: string }[] = []
      await scanObjects(AgentDeployment, call, { done: '' }, (object) => {
        const { metadata, status } = object as AgentDeploymentObject
        const revision = status?.currentRevision
        if (revision !== undefined) deployed.push({ uid: metadata.uid ?? '', revision })
        return 'more'
      })
      const gated = await countPassed(store.reader<EvalTables>(), deployed)
      const total = deployed.length
      const { scope } = call.query
      const percent = total === 0 ? 0 : Math.round((gated / total) * 1_000) / 10
      return { gated, total, percent, ...(scope === undefined ? {} : { scope }) }
    },
  })
}
