import type { JsonObject } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { RBAC_GROUP } from './policy-rules.ts'

const READ = 'get list watch'
const WRITE = 'create delete deletecollection patch update'
const ALL_VERBS = 'create delete deletecollection get list patch update watch'
const WORKLOADS =
  'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale'
const EXTENSIONS =
  'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale'

/** Verbs, API groups (`core` is the empty one), resources; or verbs and non-resource URLs. */
type Rule = readonly [verbs: string, groups: string, resources: string] | readonly [verbs: string, urls: string]

/** Kubernetes' own user-facing roles: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings */
const ROLES: {
  readonly [name: string]: { readonly rules?: readonly Rule[]; readonly into?: string; readonly from?: string }
} = {
  'cluster-admin': {
    rules: [
      ['*', '*', '*'],
      ['*', '*'],
    ],
  },
  admin: { from: 'admin' },
  edit: { from: 'edit', into: 'admin' },
  view: { from: 'view', into: 'edit' },
  'system:aggregate-to-admin': {
    into: 'admin',
    rules: [
      ['create', 'authorization.k8s.io', 'localsubjectaccessreviews'],
      [ALL_VERBS, RBAC_GROUP, 'rolebindings roles'],
    ],
  },
  'system:aggregate-to-edit': {
    into: 'edit',
    rules: [
      [READ, 'core', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'],
      ['impersonate', 'core', 'serviceaccounts'],
      [WRITE, 'core', 'pods pods/attach pods/exec pods/portforward pods/proxy'],
      ['create', 'core', 'pods/eviction'],
      [
        WRITE,
        'core',
        'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ],
      ['create', 'core', 'serviceaccounts/token'],
      [WRITE, 'core events.k8s.io', 'events'],
      [WRITE, 'apps', WORKLOADS],
      [WRITE, 'autoscaling', 'horizontalpodautoscalers'],
      [WRITE, 'batch', 'cronjobs jobs'],
      [WRITE, 'extensions', EXTENSIONS],
      [WRITE, 'policy', 'poddisruptionbudgets'],
      [WRITE, 'networking.k8s.io', 'ingresses networkpolicies'],
      [ALL_VERBS, 'coordination.k8s.io', 'leases'],
      [WRITE, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'],
    ],
  },
  'system:aggregate-to-view': {
    into: 'view',
    rules: [
      [
        READ,
        'core',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ],
      [
        READ,
        'core',
        'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ],
      [READ, 'core', 'namespaces'],
      [READ, 'core events.k8s.io', 'events'],
      [READ, 'discovery.k8s.io', 'endpointslices'],
      [
        READ,
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ],
      [READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'],
      [READ, 'batch', 'cronjobs cronjobs/status jobs jobs/status'],
      [
        READ,
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ],
      [READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'],
      [READ, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'],
      [READ, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'],
    ],
  },
  'system:discovery': {
    rules: [['get', '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/']],
  },
  'system:basic-user': {
    rules: [
      ['create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'],
      ['create', 'authentication.k8s.io', 'selfsubjectreviews'],
    ],
  },
  'system:public-info-viewer': { rules: [['get', '/healthz /livez /readyz /version /version/']] },
  'system:monitoring': {
    rules: [
      ['get', '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz'],
      ['get', 'core', 'nodes/metrics'],
    ],
  },
}

const BINDINGS: { readonly [role: string]: readonly string[] } = {
  'cluster-admin': ['system:masters'],
  'system:discovery': ['system:authenticated'],
  'system:basic-user': ['system:authenticated'],
  'system:public-info-viewer': ['system:authenticated', 'system:unauthenticated'],
  'system:monitoring': ['system:monitoring'],
}

/** Default ClusterRoles and ClusterRoleBindings for users; those of Kubernetes' controllers are absent. */
export function defaultRbacObjects(): KubeObject[] {
  const roles = Object.entries(ROLES).map(([name, { rules, into, from }]): KubeObject => {
    const label = into ? { [`${RBAC_GROUP}/aggregate-to-${into}`]: 'true' } : {}
    const role: KubeObject = object('ClusterRole', name, {
      rules: rules ? rules.map(toRule) : null,
    })
    Object.assign(role.metadata.labels ?? {}, label)
    if (from)
      role['aggregationRule'] = {
        clusterRoleSelectors: [{ matchLabels: { [`${RBAC_GROUP}/aggregate-to-${from}`]: 'true' } }],
      }
    return role
  })
  const bindings = Object.entries(BINDINGS).map(([name, groups]) =>
    object('ClusterRoleBinding', name, {
      roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
      subjects: groups.map((group) => ({ kind: 'Group', apiGroup: RBAC_GROUP, name: group })),
    }),
  )
  return [...roles, ...bindings]
}

function object(kind: string, name: string, rest: JsonObject): KubeObject {
  const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' }
  const labels = { 'kubernetes.io/bootstrapping': 'rbac-defaults' }
  return { apiVersion: `${RBAC_GROUP}/v1`, kind, metadata: { name, labels, annotations }, ...rest }
}

function toRule(rule: Rule): JsonObject {
  const [verbs, second, resources] = rule
  if (resources === undefined) return { verbs: verbs.split(' '), nonResourceURLs: second.split(' ') }
  const apiGroups = second.split(' ').map((group) => (group === 'core' ? '' : group))
  return { verbs: verbs.split(' '), apiGroups, resources: resources.split(' ') }
}
