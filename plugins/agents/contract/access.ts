import { accessVerbs, readVerbs, statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'

const events = (group: string): AccessRule => ({
  group,
  resource: 'events',
  viewer: readVerbs,
  manager: ['create', 'patch'],
})

// Kinds that the reconciler creates, with the manager's rights.
const children: readonly AccessRule[] = [
  { group: '', resource: 'services', manager: accessVerbs },
  { group: '', resource: 'configmaps', manager: accessVerbs },
  {
    group: '',
    resource: 'serviceaccounts',
    reason: 'The account of an agent: the state role certifies launchers only of the one that the manager made.',
    manager: accessVerbs,
    state: ['get'],
  },
  {
    group: '',
    resource: 'secrets',
    reason: 'Key pairs of agents from before certificates, by name only. They are never read.',
    manager: ['delete'],
  },
  { group: 'apps', resource: 'deployments', manager: accessVerbs },
  {
    group: 'autoscaling',
    resource: 'horizontalpodautoscalers',
    reason: 'A plugin that scales agents yields to an autoscaler.',
    manager: ['list'],
  },
  { group: 'apps', resource: 'controllerrevisions', manager: accessVerbs },
  { group: 'batch', resource: 'jobs', manager: accessVerbs },
  { group: 'policy', resource: 'poddisruptionbudgets', manager: accessVerbs },
  { group: 'networking.k8s.io', resource: 'networkpolicies', manager: accessVerbs },
]

// Kinds that the reconciler watches besides its own kind, and reads from memory (ADR 0219).
const watched: readonly AccessRule[] = [
  ['', 'pods'],
  ['', 'serviceaccounts'],
  ['', 'configmaps'],
  ['', 'services'],
  ['apps', 'deployments'],
  ['apps', 'controllerrevisions'],
  ['batch', 'jobs'],
  ['policy', 'poddisruptionbudgets'],
  ['networking.k8s.io', 'networkpolicies'],
].map(([group = '', resource = '']) => ({ group, resource, clusterWide: true, manager: ['list', 'watch'] }))

/** Rights on the objects of an agent: versions, pods, logs and Kubernetes Events for users, all its objects for the manager. */
export const agentsAccess: readonly AccessRule[] = [
  events(''),
  events('events.k8s.io'),
  { group: '', resource: 'pods', developer: readVerbs, manager: readVerbs },
  { group: '', resource: 'pods/log', developer: ['get'] },
  { group: 'apps', resource: 'controllerrevisions', developer: readVerbs },
  { resource: 'agentdeployments', state: ['get'] },
  { resource: 'agentdeployments/status', manager: statusVerbs },
  {
    resource: 'agentdeployments/finalizers',
    reason: 'Owner references that block deletion need it where OwnerReferencesPermissionEnforcement is on.',
    manager: ['update'],
  },
  { group: '', resource: 'pods', reason: 'One whose launcher lost its port to its agent.', manager: ['delete'] },
  ...watched,
  ...children,
]
