import type { CompiledSchema, JsonSchema, KubeObject } from '../contract.ts'
import { builtInColumns, customColumns } from './columns.ts'
import type { Column, PrinterColumn } from './columns.ts'
import { fieldAt } from './selectors.ts'
import type { SelectableFields } from './selectors.ts'

/** A CustomResourceDefinition (apiextensions.k8s.io/v1), as far as it is read here. */
export interface CustomResourceDefinition {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: {
      readonly plural: string
      readonly singular?: string
      readonly kind: string
      readonly listKind?: string
      readonly shortNames?: readonly string[]
      readonly categories?: readonly string[]
    }
    readonly versions: readonly {
      readonly name: string
      readonly served: boolean
      readonly storage: boolean
      readonly schema?: { readonly openAPIV3Schema?: object }
      readonly subresources?: { readonly status?: object }
      readonly additionalPrinterColumns?: readonly object[]
    }[]
  }
}

/** How a kind differs from the plain case. */
export interface Rules {
  /** PUT without a resourceVersion overwrites. */
  unconditionalUpdate: boolean
  /** PUT of an absent name creates. */
  createOnUpdate: boolean
  generation: boolean
  /** DELETE answers the deleted object, not a Status. */
  returnsDeleted: boolean
  /** DELETE without a propagation policy orphans. */
  orphansByDefault: boolean
  name: 'subdomain' | 'label' | 'path'
  fields: SelectableFields
}

export type Subresource = 'status' | 'scale' | 'log' | 'token' | 'finalize'

/** One kind in one served version: everything that drives verbs, discovery, tables and OpenAPI. */
export interface Kind {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly custom: boolean
  readonly verbs: readonly string[]
  readonly subresources: readonly Subresource[]
  readonly rules: Rules
  readonly columns: readonly Column[]
  readonly schema: CompiledSchema
  readonly apiVersion: string
  /** Where its objects are kept: versions of one kind share it. */
  readonly storeId: string
  /** The apiVersion objects are stored with. */
  readonly storedAs: string
}

const READ = ['get', 'list', 'watch']
const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
const NAMED: SelectableFields = {
  'metadata.name': fieldAt('metadata.name'),
  'metadata.namespace': fieldAt('metadata.namespace'),
}
const PLAIN: Rules = {
  unconditionalUpdate: true,
  createOnUpdate: false,
  generation: false,
  returnsDeleted: false,
  orphansByDefault: false,
  name: 'subdomain',
  fields: NAMED,
}

function fields(...paths: string[]): SelectableFields {
  return { ...NAMED, ...Object.fromEntries(paths.map((path) => [path, fieldAt(path)])) }
}

type Row = Partial<Rules> & {
  kind: string
  group?: string
  /** Only where it is not the lower-case kind with an s. */
  resource?: string
  short?: string[]
  categories?: string[]
  cluster?: true
  verbs?: readonly string[]
  sub?: Subresource[]
  /** Another name of a kind that is stored elsewhere. */
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
    kind: 'Deployment',
    group: 'apps',
    short: ['deploy'],
    categories: ['all'],
    sub: ['scale', 'status'],
    generation: true,
  },
  { kind: 'ControllerRevision', group: 'apps' },
  {
    kind: 'Job',
    group: 'batch',
    categories: ['all'],
    sub: ['status'],
    generation: true,
    orphansByDefault: true,
    fields: fields('status.successful'),
  },
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
    verbs: READ,
    generation: true,
  },
]

/** Compiles schemas; the built-in ones come by group and kind. */
export interface SchemaSource {
  compile(schema: JsonSchema): CompiledSchema
  builtIn(group: string, kind: string): JsonSchema | undefined
}

const ANY_OBJECT: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

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

function customKinds(crd: CustomResourceDefinition, schemas: SchemaSource): Kind[] {
  const { group, names, versions, scope } = crd.spec
  const storage = versions.find((version) => version.storage) ?? versions[0]
  return versions
    .filter((version) => version.served)
    .map((version) => ({
      group,
      version: version.name,
      resource: names.plural,
      kind: names.kind,
      singular: names.singular ?? names.kind.toLowerCase(),
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      namespaced: scope === 'Namespaced',
      custom: true,
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      subresources: version.subresources?.status ? ['status'] : [],
      rules: { ...PLAIN, generation: true, unconditionalUpdate: false },
      columns: customColumns(version.additionalPrinterColumns?.map(toPrinterColumn)),
      schema: schemas.compile({ ...(version.schema?.openAPIV3Schema ?? ANY_OBJECT) }),
      apiVersion: `${group}/${version.name}`,
      storeId: `${group}/${names.plural}`,
      storedAs: `${group}/${storage?.name ?? version.name}`,
    }))
}

function toPrinterColumn(column: object): PrinterColumn {
  const given: Partial<PrinterColumn> = column
  if (given.name === undefined || given.type === undefined || given.jsonPath === undefined) {
    throw new Error(`printer column ${JSON.stringify(column)} needs name, type and jsonPath`)
  }
  return { ...given, name: given.name, type: given.type, jsonPath: given.jsonPath }
}

/** The table of everything served; one line of it is one kind in one version. */
export interface Kinds {
  readonly all: readonly Kind[]
  find(group: string, version: string, resource: string): Kind | undefined
  /** Any served version of a kind: for owner references and garbage collection. */
  byStore(storeId: string): Kind | undefined
  serves(group: string, version?: string): boolean
}

/** Builds the table from the built-in kinds and the definitions given. */
export function createKinds(crds: readonly CustomResourceDefinition[], schemas: SchemaSource): Kinds {
  const all = [...BUILT_IN.map((row) => builtInKind(row, schemas)), ...crds.flatMap((crd) => customKinds(crd, schemas))]
  const byPath = new Map(all.map((kind) => [`${kind.group}/${kind.version}/${kind.resource}`, kind]))
  const stores = new Map(all.filter((kind) => kind.apiVersion === kind.storedAs).map((kind) => [kind.storeId, kind]))
  return {
    all,
    find: (group, version, resource) => byPath.get(`${group}/${version}/${resource}`),
    byStore: (storeId) => stores.get(storeId),
    serves: (group, version) =>
      all.some((kind) => kind.group === group && (version === undefined || kind.version === version)),
  }
}

/** The CustomResourceDefinition as an object that is served: established, with its accepted names. */
export function establishedCrd(crd: CustomResourceDefinition, now: Date): KubeObject {
  const { names, versions } = crd.spec
  const at = now.toISOString().replace(/\.\d+Z$/, 'Z')
  const accepted = {
    ...names,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
  }
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    reason,
    message,
    lastTransitionTime: at,
  })
  const status = {
    acceptedNames: accepted,
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    storedVersions: versions.filter((version) => version.storage).map((version) => version.name),
  }
  const spec = { ...crd.spec, names: accepted, conversion: { strategy: 'None' } }
  const object: KubeObject = JSON.parse(
    JSON.stringify({
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: crd.metadata,
      spec,
      status,
    }),
  )
  return object
}
