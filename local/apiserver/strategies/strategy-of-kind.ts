import { DEFINITIONS } from '../kinds/custom-kinds.ts'
import type { Kind } from '../kinds/kind.ts'
import { configMap, secret } from './config-map-strategy.ts'
import { definition } from './definition-strategy.ts'
import { endpointSlice } from './endpoint-slice-strategy.ts'
import { event } from './event-strategy.ts'
import { ingress } from './ingress-strategy.ts'
import { namespace } from './namespace-strategy.ts'
import { networkPolicy } from './network-policy-strategy.ts'
import { node } from './node-strategy.ts'
import { roleRef, rules } from './role-strategy.ts'
import { service } from './service-strategy.ts'
import { section } from './parts/strategy-parts.ts'
import type { Strategy } from './parts/strategy-parts.ts'
import { volumeClaim } from './volume-claim-strategy.ts'
import { controllerRevision } from './workloads/controller-revision-strategy.ts'
import { cronJob } from './workloads/cron-job-strategy.ts'
import { deployment } from './workloads/deployment-strategy.ts'
import { disruptionBudget } from './workloads/disruption-budget-strategy.ts'
import { job } from './workloads/job-strategy.ts'
import { pod } from './workloads/pod-strategy.ts'
import { replicaSet } from './workloads/replica-set-strategy.ts'

const STRATEGIES: { readonly [storeId: string]: Strategy } = {
  '/namespaces': namespace,
  [DEFINITIONS]: definition,
  '/secrets': secret,
  '/configmaps': configMap,
  '/services': service,
  '/pods': pod,
  'apps/deployments': deployment,
  'apps/controllerrevisions': controllerRevision,
  'batch/jobs': job,
  'apps/replicasets': replicaSet,
  'batch/cronjobs': cronJob,
  'networking.k8s.io/ingresses': ingress,
  'discovery.k8s.io/endpointslices': endpointSlice,
  '/persistentvolumeclaims': volumeClaim,
  '/nodes': node,
  'networking.k8s.io/networkpolicies': networkPolicy,
  'policy/poddisruptionbudgets': disruptionBudget,
  'coordination.k8s.io/leases': {
    defaults: (object) => {
      section(object, 'spec')
    },
  },
  '/events': event,
  'rbac.authorization.k8s.io/roles': rules,
  'rbac.authorization.k8s.io/clusterroles': rules,
  'rbac.authorization.k8s.io/rolebindings': roleRef,
  'rbac.authorization.k8s.io/clusterrolebindings': roleRef,
}

/** The strategy of a kind; custom kinds have none beyond their schema. */
export function strategyOf(kind: Kind): Strategy {
  return STRATEGIES[kind.storeId] ?? {}
}
