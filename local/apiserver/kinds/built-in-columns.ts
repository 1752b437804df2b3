import type { KubeObject } from '../json/kube-object.ts'
import { CREATED, NONE, asObjects, ageAt, at, firstOf, labels, read, size, wide, workload } from './cells.ts'
import { AGE, NAME, column } from './columns.ts'
import type { Cell, Column } from './columns.ts'
import { humanDuration } from './human-duration.ts'
import { compileJsonPath } from './json-path.ts'
import { STORED_COLUMNS } from './stored-kind-columns.ts'

const statuses = read('.status.containerStatuses')
const containers = read('.spec.containers')

function podStatus(object: KubeObject): string {
  if (object.metadata.deletionTimestamp) return 'Terminating'
  let shown = String(read('.status.reason')(object) ?? read('.status.phase')(object) ?? '')
  for (const status of asObjects(statuses(object))) {
    const reason = read('.state.waiting.reason')(status) ?? read('.state.terminated.reason')(status)
    if (reason) shown = String(reason)
  }
  return shown
}

function podRestarts(object: KubeObject): string {
  return String(asObjects(statuses(object)).reduce((sum, status) => sum + Number(status['restartCount'] ?? 0), 0))
}

function podReady(object: KubeObject): string {
  const ready = asObjects(statuses(object)).filter((status) => status['ready'] === true).length
  return `${ready}/${asObjects(containers(object)).length}`
}

const hasCondition = (object: KubeObject, type: string) =>
  read(`.status.conditions[?(@.type=="${type}")].status`)(object) === 'True'

function jobStatus(object: KubeObject): string {
  if (hasCondition(object, 'Complete')) return 'Complete'
  if (hasCondition(object, 'Failed')) return 'Failed'
  if (object.metadata.deletionTimestamp) return 'Terminating'
  if (hasCondition(object, 'Suspended')) return 'Suspended'
  return hasCondition(object, 'FailureTarget') ? 'FailureTarget' : 'Running'
}

function jobDuration(object: KubeObject, now: Date): string {
  const start = read('.status.startTime')(object)
  const end = read('.status.completionTime')(object)
  if (typeof start !== 'string') return ''
  return humanDuration((typeof end === 'string' ? Date.parse(end) : now.getTime()) - Date.parse(start))
}

function servicePorts(object: KubeObject): string {
  const ports = asObjects(read('.spec.ports')(object))
  const shown = ports.map(
    (port) => `${port['port']}${port['nodePort'] ? `:${port['nodePort']}` : ''}/${port['protocol'] ?? 'TCP'}`,
  )
  return shown.join(',') || NONE
}

function serviceAddress(object: KubeObject): string {
  const type = read('.spec.type')(object)
  if (type === 'ExternalName') return String(read('.spec.externalName')(object) ?? '')
  const own = compileJsonPath('.spec.externalIPs[*]')(object)
  if (type !== 'LoadBalancer') return own.join(',') || NONE
  const given = asObjects(read('.status.loadBalancer.ingress')(object)).map(({ ip, hostname }) => ip ?? hostname)
  return [...given, ...own].join(',') || '<pending>'
}

const subjects = (kind: string): Cell => {
  const all = read('.subjects')
  return (object) =>
    asObjects(all(object))
      .filter((subject) => subject['kind'] === kind)
      .map((subject) =>
        kind === 'ServiceAccount' ? `${subject['namespace']}/${subject['name']}` : String(subject['name']),
      )
      .join(', ')
}

const eventObject: Cell = (object) => {
  const kind = String(read('.involvedObject.kind')(object) ?? read('.regarding.kind')(object) ?? '').toLowerCase()
  const name = String(read('.involvedObject.name')(object) ?? read('.regarding.name')(object) ?? '')
  return kind ? `${kind}/${name}` : name
}

const binding = [
  column('Role', (object) => `${String(read('.roleRef.kind')(object))}/${String(read('.roleRef.name')(object))}`),
  AGE,
  wide('Users', subjects('User')),
  wide('Groups', subjects('Group')),
  wide('ServiceAccounts', subjects('ServiceAccount')),
]

const event = [
  column(
    'Last Seen',
    ageAt(
      '.series.lastObservedTime',
      '.lastTimestamp',
      '.deprecatedLastTimestamp',
      '.eventTime',
      '.metadata.creationTimestamp',
    ),
  ),
  column('Type', at('.type')),
  column('Reason', at('.reason')),
  column('Object', eventObject),
  wide('Subobject', firstOf('.involvedObject.fieldPath', '.regarding.fieldPath')),
  wide(
    'Source',
    firstOf('.source.component', '.deprecatedSource.component', '.reportingComponent', '.reportingController'),
  ),
  column('Message', (object, now) => String(firstOf('.message', '.note')(object, now)).trim()),
  wide(
    'First Seen',
    ageAt('.firstTimestamp', '.deprecatedFirstTimestamp', '.eventTime', '.metadata.creationTimestamp'),
  ),
  wide('Count', (object, now) => String(firstOf('.series.count', '.count', '.deprecatedCount')(object, now) || 1)),
  { ...wide('Name', (object) => object.metadata.name), format: 'name' },
]

/** Columns after the name, by plural; `events` has its name last. */
const BUILT_IN: { readonly [resource: string]: readonly Column[] } = {
  namespaces: [column('Status', at('.status.phase')), AGE],
  secrets: [column('Type', at('.type')), column('Data', size('.data')), AGE],
  configmaps: [column('Data', size('.data', '.binaryData')), AGE],
  serviceaccounts: [AGE],
  events: event,
  pods: [
    column('Ready', podReady),
    column('Status', podStatus),
    column('Restarts', podRestarts),
    AGE,
    wide('IP', at('.status.podIP', NONE)),
    wide('Node', at('.spec.nodeName', NONE)),
    wide('Nominated Node', at('.status.nominatedNodeName', NONE)),
    wide('Readiness Gates', () => NONE),
  ],
  services: [
    column('Type', at('.spec.type')),
    column('Cluster-IP', at('.spec.clusterIP', NONE)),
    column('External-IP', serviceAddress),
    column('Port(s)', servicePorts),
    AGE,
    wide('Selector', labels('.spec.selector')),
  ],
  deployments: [
    column(
      'Ready',
      (object) =>
        `${String(read('.status.readyReplicas')(object) ?? 0)}/${String(read('.spec.replicas')(object) ?? 0)}`,
    ),
    column('Up-to-date', at('.status.updatedReplicas', 0)),
    column('Available', at('.status.availableReplicas', 0)),
    AGE,
    ...workload('.spec.template'),
  ],
  controllerrevisions: [
    column('Controller', (object) => {
      const owner = object.metadata.ownerReferences?.find((reference) => reference.controller)
      if (!owner) return NONE
      const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : ''
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`
    }),
    column('Revision', at('.revision')),
    AGE,
  ],
  jobs: [
    column('Status', jobStatus),
    column(
      'Completions',
      (object) => `${String(read('.status.succeeded')(object) ?? 0)}/${String(read('.spec.completions')(object) ?? 1)}`,
    ),
    column('Duration', jobDuration),
    AGE,
    ...workload('.spec.template'),
  ],
  leases: [column('Holder', at('.spec.holderIdentity')), AGE],
  poddisruptionbudgets: [
    column('Min Available', (object) => String(read('.spec.minAvailable')(object) ?? 'N/A')),
    column('Max Unavailable', (object) => String(read('.spec.maxUnavailable')(object) ?? 'N/A')),
    column('Allowed Disruptions', at('.status.disruptionsAllowed', 0), { type: 'integer' }),
    AGE,
  ],
  networkpolicies: [column('Pod-Selector', labels('.spec.podSelector.matchLabels')), AGE],
  roles: [CREATED],
  clusterroles: [CREATED],
  rolebindings: binding,
  clusterrolebindings: binding,
  customresourcedefinitions: [CREATED],
  ...STORED_COLUMNS,
}

/** All columns of a built-in kind. */
export function builtInColumns(resource: string): readonly Column[] {
  return resource === 'events' ? event : [NAME, ...(BUILT_IN[resource] ?? [AGE])]
}
