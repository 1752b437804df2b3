import { builtInColumns } from './built-in-columns.ts'
import { ANY_OBJECT, NAMED, PLAIN } from './kind.ts'
import type { Kind, Rules, SchemaSource, Subresource } from './kind.ts'
import { fieldAt } from './selectors.ts'
import type { SelectableFields } from './selectors.ts'

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

function fields(...paths: string[]): SelectableFields {
  return { ...NAMED, ...Object.fromEntries(paths.map((path) => [path, fieldAt(path)])) }
}

type Row = Partial<Rules> & {
  kind: string
  group?: string
  /** Set only if it is not the lower-case kind with an s. */
  resource?: string
  short?: string[]
  categories?: string[]
  cluster?: true
  verbs?: readonly string[]
  sub?: Subresource[]
  /** Storage of a kind that is another version of a stored kind. */
  storedWith?: { storeId: string; apiVersion: string }
}

const RBAC = { group: 'rbac.authorization.k8s.io', createOnUpdate: true, name: 'path' } as const
const EVENT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

const BUILT_IN: readonly Row[] = [
  {
    kind: 'Namespace',
    short: ['ns'],
    cluster: true,
    verbs: ALL.filter((verb) => verb !== 'deletecollection'),
    sub: ['finalize', 'status'],
    returnsDeleted: true,
    name: 'label',
    fields: fields('status.phase'),
  },
  { kind: 'Secret', fields: fields('type') },
  { kind: 'ConfigMap', short: ['cm'] },
  { kind: 'ServiceAccount', short: ['sa'], sub: ['token'], returnsDeleted: true },
  {
    kind: 'Event',
    short: ['ev'],
    createOnUpdate: true,
    name: 'path',
    fields: {
      ...fields('reason', 'type', 'reportingComponent', ...EVENT_FIELDS.map((field) => `involvedObject.${field}`)),
      source: (object) => fieldAt('source.component')(object) || fieldAt('reportingComponent')(object),
    },
  },
  {
    kind: 'Event',
    group: 'events.k8s.io',
    short: ['ev'],
    createOnUpdate: true,
    name: 'path',
    fields: fields('reason', 'type', 'reportingController', ...EVENT_FIELDS.map((field) => `regarding.${field}`)),
    storedWith: { storeId: '/events', apiVersion: 'v1' },
  },
  {
    kind: 'Pod',
    short: ['po'],
    categories: ['all'],
    sub: ['log', 'status'],
    generation: true,
    returnsDeleted: true,
    fields: fields(
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.podIP',
    ),
  },
  {
    kind: 'Service',
    short: ['svc'],
    categories: ['all'],
    sub: ['status'],
    returnsDeleted: true,
    createOnUpdate: true,
    name: 'label',
    fields: fields('spec.clusterIP', 'spec.type'),
  },
  {
    kind: 'Node',
    short: ['no'],
    cluster: true,
    sub: ['status'],
    fields: {
      ...NAMED,
      'spec.unschedulable': (object) => fieldAt('spec.unschedulable')(object) || 'false',
    },
  },
  { kind: 'PersistentVolumeClaim', short: ['pvc'], sub: ['status'], returnsDeleted: true },
  {
    kind: 'Deployment',
    group: 'apps',
    short: ['deploy'],
    categories: ['all'],
    sub: ['scale', 'status'],
    generation: true,
  },
  {
    kind: 'ReplicaSet',
    group: 'apps',
    short: ['rs'],
    categories: ['all'],
    sub: ['scale', 'status'],
    generation: true,
    fields: { ...NAMED, 'status.replicas': (object) => fieldAt('status.replicas')(object) || '0' },
  },
  { kind: 'ControllerRevision', group: 'apps' },
  {
    kind: 'Job',
    group: 'batch',
    categories: ['all'],
    sub: ['status'],
    generation: true,
    orphansByDefault: true,
    fields: { ...NAMED, 'status.successful': (object) => fieldAt('status.succeeded')(object) || '0' },
  },
  { kind: 'CronJob', group: 'batch', short: ['cj'], categories: ['all'], sub: ['status'], generation: true },
  { kind: 'Lease', group: 'coordination.k8s.io', createOnUpdate: true, unconditionalUpdate: false },
  {
    kind: 'PodDisruptionBudget',
    group: 'policy',
    short: ['pdb'],
    sub: ['status'],
    generation: true,
    unconditionalUpdate: false,
    name: 'path',
  },
  {
    kind: 'NetworkPolicy',
    group: 'networking.k8s.io',
    resource: 'networkpolicies',
    short: ['netpol'],
    generation: true,
  },
  {
    kind: 'Ingress',
    group: 'networking.k8s.io',
    resource: 'ingresses',
    short: ['ing'],
    sub: ['status'],
    generation: true,
  },
  { kind: 'EndpointSlice', group: 'discovery.k8s.io', generation: true },
  { kind: 'Role', ...RBAC },
  { kind: 'ClusterRole', cluster: true, ...RBAC },
  { kind: 'RoleBinding', ...RBAC },
  { kind: 'ClusterRoleBinding', cluster: true, ...RBAC },
  {
    kind: 'CustomResourceDefinition',
    group: 'apiextensions.k8s.io',
    short: ['crd', 'crds'],
    categories: ['api-extensions'],
    cluster: true,
    sub: ['status'],
    generation: true,
    unconditionalUpdate: false,
  },
]

function builtInKind(row: Row, schemas: SchemaSource): Kind {
  const {
    kind,
    group = '',
    resource = `${kind.toLowerCase()}s`,
    short,
    categories,
    cluster,
    verbs,
    sub,
    storedWith,
    ...rules
  } = row
  const apiVersion = group ? `${group}/v1` : 'v1'
  return {
    group,
    version: 'v1',
    resource,
    kind,
    singular: kind.toLowerCase(),
    shortNames: short ?? [],
    categories: categories ?? [],
    namespaced: !cluster,
    custom: false,
    verbs: verbs ?? ALL,
    subresources: sub ?? [],
    rules: { ...PLAIN, ...rules },
    columns: builtInColumns(resource),
    schema: schemas.compile(schemas.builtIn(group, kind) ?? ANY_OBJECT),
    apiVersion,
    storeId: storedWith?.storeId ?? `${group}/${resource}`,
    storedAs: storedWith?.apiVersion ?? apiVersion,
  }
}

/** All built-in kinds. */
export function builtInKinds(schemas: SchemaSource): Kind[] {
  return BUILT_IN.map((row) => builtInKind(row, schemas))
}
