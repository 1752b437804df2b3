import { changeActorFinder } from '#core/controllers/objects/extension-points.ts'
import { withCheck } from '#core/jobs/extension-point.ts'
import { definePlugin, optional } from '#core/plugin/plugin.ts'
import { runs } from '#plugins/runs/index.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { agentsAccess } from './contract/access.ts'
import { agentKind } from './kinds.ts'
import type { AgentsServices } from './services/create-services.ts'
import { agentErrors } from './contract/errors.ts'
import { agentEvents } from './contract/events.ts'
import { createModelGateway } from './generate/model-gateway.ts'
import {
  agentBudget,
  agentDocument,
  agentEffective,
  agentEvalGate,
  agentGate,
  agentPodPart,
  agentPrompt,
  agentReference,
  agentReplicas,
  agentRequirement,
  agentTrigger,
} from './contract/points.ts'
import { createAgentsApi } from './create-api.ts'
import { checkMarks } from './references/check-marks.ts'
import { createReferences } from './references/references.ts'
import { launcherEndpoints } from './launchers/state-routes.ts'
import { agentReconciler } from './reconcilers.ts'
import { createPublishFacts } from './reconcile/facts/publish-facts.ts'
import { agentEndpoints } from './routes/index.ts'
import { agentSettings, agentSettingSources, toReconcileSettings } from './contract/settings.ts'

/** Agents: authoring, versions, relations and logs with the caller's rights; the reconciler with the manager's. */
export const agents = definePlugin({
  contract: 1,
  name: 'agents',
  summary: 'Agents: creating, changing and reading them, their versions and logs.',
  needs: { runs: optional(runs) },
  settings: agentSettings,
  settingsFrom: agentSettingSources,
  kinds: [agentKind],
  access: agentsAccess,
  keys: { state: { signs: ['launcher'] } },
  errors: agentErrors,
  events: agentEvents,
  points: [
    agentRequirement,
    agentPodPart,
    agentEvalGate,
    agentGate,
    agentReplicas,
    agentDocument,
    agentPrompt,
    agentTrigger,
    agentBudget,
    agentEffective,
    withCheck(agentReference, checkMarks),
  ],
  create: (core, settings, needs): AgentsServices => ({
    now: core.now,
    runs: needs.runs,
    budgetOf: () => core.extensions(agentBudget)[0],
    effective: () => core.extensions(agentEffective),
    publish: createPublishFacts(core.store, core.now),
    keys: core.keys,
    gateway: createModelGateway(core.urls.gateway),
    generateRoute: settings.generateRoute,
    documents: () => core.extensions(agentDocument),
    checks: () => core.extensions(agentRequirement),
    kinds: core.kinds,
    references: () => createReferences(core.extensions(agentReference)),
    prompts: () => core.extensions(agentPrompt)[0],
    evalGate: () => core.extensions(agentEvalGate)[0],
    reconcile: toReconcileSettings(core, settings),
    triggers: () => core.extensions(agentTrigger),
    unenforced: () => core.unenforced(AgentDeployment.kind),
    parts: () => ({
      pods: core.contributed(agentPodPart),
      gates: core.contributed(agentGate),
      replicas: core.contributed(agentReplicas),
      evalGates: core.contributed(agentEvalGate),
    }),
    findActor: async (change) => {
      for (const find of core.extensions(changeActorFinder)) {
        const actor = await find(change)
        if (actor !== undefined) return actor
      }
      return undefined
    },
  }),
  api: (services) => createAgentsApi(services),
  routes: (services) => agentEndpoints(services),
  stateRoutes: ({ keys, now }, state) => launcherEndpoints({ keys, now }, state),
  reconcilers: (
    { reconcile, now, publish, kinds, findActor, parts, unenforced, triggers, references, prompts },
    { cluster },
  ) => [
    agentReconciler({
      cluster,
      settings: reconcile,
      now,
      publish,
      kinds,
      findActor,
      parts: parts(),
      unenforced: unenforced(),
      triggers: triggers(),
      references: references(),
      prompts: prompts(),
    }),
  ],
  console: [{ id: 'agents', title: 'Agents', section: 'Build', path: '/agents', capability: 'agents' }],
})
