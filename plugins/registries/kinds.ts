import { statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { AgentRegistry } from '#schemas/crds/agent-registry.ts'

/** Registries, with CRUD routes. */
export const registryKind = crud(AgentRegistry, {
  verbs: ['list', 'create', 'get', 'update', 'delete'],
  sample: {
    description: 'Agents of the support team.',
    allowedNamespaces: ['billing'],
    roles: [
      { name: 'lead', agents: [{ name: 'planner' }] },
      { name: 'worker', agents: [{ name: 'writer' }, { name: 'accounts', namespace: 'billing' }] },
    ],
    calls: [{ from: ['lead'], to: ['*'] }],
    maxDepth: 4,
  },
})

/** Rights of the manager, which writes the members, and of the state role, which decides on calls. */
export const registriesAccess: readonly AccessRule[] = [
  { resource: 'agentregistries/status', reason: 'The members of each registry.', manager: statusVerbs },
  { resource: 'agentregistries', state: ['get'] },
  { resource: 'agentdeployments', state: ['get'] },
]
