import { Type } from 'typebox'
import { contribute } from '#core/jobs/extension-point.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { agentGate, agentPodPart } from '#plugins/agents/contract/points.ts'
import { secretsGate } from './gate.ts'
import { secretBindingKind, secretsAccess } from './kinds.ts'
import { secretsPodPart } from './pod-part.ts'
import { secretBindingReconciler } from './reconcilers.ts'

/** Secrets of a namespace for its agents. */
export const secretBindings = definePlugin({
  contract: 1,
  name: 'secrets',
  summary: 'Keys of Secrets as variables of agents.',
  settings: Type.Object({}, { additionalProperties: false }),
  kinds: [secretBindingKind],
  access: secretsAccess,
  enforces: [{ kind: 'AgentDeployment', field: 'secrets' }],
  create: (core) => ({ core }),
  contributions: () => [contribute(agentPodPart, secretsPodPart), contribute(agentGate, secretsGate)],
  reconcilers: ({ core: { now } }, { cluster }) => [secretBindingReconciler({ cluster, now })],
  console: [
    { id: 'secretbindings', title: 'Secrets', section: 'Connect', path: '/secretbindings', capability: 'secrets' },
  ],
})
