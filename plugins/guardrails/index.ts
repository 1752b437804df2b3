import { Type } from 'typebox'
import { statusVerbs } from '#core/cluster/roles/access-rule.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { agentEffective, agentPodPart } from '#plugins/agents/contract/points.ts'
import { modelFilter } from '#plugins/providers/contract/points.ts'
import { guardrailErrors } from './contract/errors.ts'
import { createPolicyFilters } from './filters/policy-filters.ts'
import { guardrailKind } from './kinds.ts'
import { effectiveGuardrails } from './policies/effective-guardrails.ts'
import { guardrailPodPart } from './pod-part.ts'
import { policyReconciler } from './reconcilers.ts'
import { tryEndpoint } from './routes/try-endpoint.ts'
import { policyEndpoint } from './state-routes.ts'

/** Rules for the content of model calls, applied by the launchers of agents and by the gateway. */
export const guardrails = definePlugin({
  contract: 1,
  name: 'guardrails',
  summary: 'Rules for the content of model calls: masking, blocking and approval.',
  settings: Type.Object({}, { additionalProperties: false }),
  requiredBy: ['hardened'],
  kinds: [guardrailKind],
  access: [
    { resource: 'guardrailpolicies', gateway: ['get', 'list'], state: ['get', 'list'] },
    { resource: 'agentdeployments', gateway: ['get'], state: ['get'] },
    { resource: 'guardrailpolicies/status', manager: statusVerbs },
    { resource: 'modelroutes', manager: ['get'] },
  ],
  keys: { gateway: { verifies: ['launcher'] } },
  errors: guardrailErrors,
  enforces: [{ kind: 'AgentDeployment', field: 'guardrails' }],
  create: (core) => ({ core }),
  contributions: ({ core }) => [
    contribute(agentPodPart, guardrailPodPart),
    contribute(agentEffective, effectiveGuardrails),
    ...createPolicyFilters(core).map((filter) => contribute(modelFilter, filter)),
  ],
  routes: () => [tryEndpoint],
  stateRoutes: (_, state) => [policyEndpoint(state)],
  reconcilers: ({ core: { outbound, now } }, { cluster }) => [policyReconciler({ cluster, outbound, now })],
  console: [
    { id: 'guardrails', title: 'Guardrails', section: 'Platform', path: '/guardrails', capability: 'guardrails' },
  ],
})
