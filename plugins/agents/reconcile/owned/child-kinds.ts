import type { Resource } from '#core/kube/client.ts'

/** REST coordinates of the kinds that the reconciler creates. */
export const children = {
  ServiceAccount: resource('', 'serviceaccounts', 'ServiceAccount'),
  Secret: resource('', 'secrets', 'Secret'),
  ConfigMap: resource('', 'configmaps', 'ConfigMap'),
  Service: resource('', 'services', 'Service'),
  Deployment: resource('apps', 'deployments', 'Deployment'),
  Job: resource('batch', 'jobs', 'Job'),
  PodDisruptionBudget: resource('policy', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  NetworkPolicy: resource('networking.k8s.io', 'networkpolicies', 'NetworkPolicy'),
} as const satisfies Record<string, Resource>

/** A kind that the reconciler creates. */
export type ChildKind = keyof typeof children

/** Kubernetes Events of the agent. */
export const events: Resource = resource('', 'events', 'Event')

function resource(group: string, plural: string, kind: string): Resource {
  return { group, version: 'v1', plural, kind, namespaced: true }
}
