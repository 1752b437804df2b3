import { isObject, objectsOf, stringsOf } from '../json/json-value.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { NONE, ageAt, asObjects, at, read, wide, workload } from './cells.ts'
import { AGE, column } from './columns.ts'
import type { Cell, Column } from './columns.ts'

const integer = (name: string, cell: Cell): Column => column(name, cell, { type: 'integer' })

/** At most three of the values, and how many more there are. */
function shortened(values: readonly string[], empty: string): string {
  const shown = values.slice(0, 3).join(',')
  if (values.length > 3) return `${shown} + ${values.length - 3} more...`
  return shown || empty
}

function nodeStatus(object: KubeObject): string {
  const ready = asObjects(read('.status.conditions')(object)).find(({ type }) => type === 'Ready')
  const status = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady'
  return read('.spec.unschedulable')(object) === true ? `${status},SchedulingDisabled` : status
}

function nodeRoles({ metadata: { labels = {} } }: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/'
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.slice(prefix.length)
    return key === 'kubernetes.io/role' ? value : ''
  })
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || NONE
}

function nodeAddress(type: string): Cell {
  return (object) => {
    const found = asObjects(read('.status.addresses')(object)).find((each) => each['type'] === type)
    return found?.['address'] ?? NONE
  }
}

function kernel(object: KubeObject): string {
  const architecture = read('.status.nodeInfo.architecture')(object)
  const version = String(read('.status.nodeInfo.kernelVersion')(object) || '<unknown>')
  return architecture ? `${version} (${String(architecture)})` : version
}

const MODES: { readonly [mode: string]: string } = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
}

/** Fields that a claim has once it is bound. */
function ofVolume(cell: (object: KubeObject) => string): Cell {
  return (object) => (read('.spec.volumeName')(object) ? cell(object) : '')
}

function accessModes(object: KubeObject): string {
  const modes = new Set(stringsOf(read('.status.accessModes')(object)))
  return Object.entries(MODES)
    .filter(([mode]) => modes.has(mode))
    .map(([, short]) => short)
    .join(',')
}

function hosts(object: KubeObject): string {
  const rules = asObjects(read('.spec.rules')(object))
  const named = rules.map(({ host }) => host).filter((host) => typeof host === 'string' && host !== '')
  if (named.length === 0) return '*'
  const shown = named.slice(0, 3).join(',')
  return named.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown
}

function ingressAddress(object: KubeObject): string {
  const all = asObjects(read('.status.loadBalancer.ingress')(object)).map(({ ip, hostname }) =>
    String(ip ?? hostname ?? ''),
  )
  return [...new Set(all.filter((each) => each !== ''))].sort().join(',')
}

const slicePorts: Cell = (object) =>
  shortened(
    objectsOf(object['ports']).map(({ port, name }) => String(port ?? name ?? '*')),
    '<unset>',
  )

const sliceEndpoints: Cell = (object) =>
  shortened(
    objectsOf(object['endpoints']).flatMap(({ addresses }) => stringsOf(addresses)),
    '<unset>',
  )

const runningJobs: Cell = (object) => {
  const status = object['status']
  return isObject(status) ? objectsOf(status['active']).length : 0
}

/** Columns of the kinds that are stored and listed, but not run. */
export const STORED_COLUMNS: { readonly [resource: string]: readonly Column[] } = {
  nodes: [
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    AGE,
    column('Version', at('.status.nodeInfo.kubeletVersion')),
    wide('Internal-IP', nodeAddress('InternalIP')),
    wide('External-IP', nodeAddress('ExternalIP')),
    wide('OS-Image', (object) => read('.status.nodeInfo.osImage')(object) || '<unknown>'),
    wide('Kernel-Version', kernel),
    wide('Container-Runtime', (object) => read('.status.nodeInfo.containerRuntimeVersion')(object) || '<unknown>'),
  ],
  replicasets: [
    integer('Desired', at('.spec.replicas', 0)),
    integer('Current', at('.status.replicas', 0)),
    integer('Ready', at('.status.readyReplicas', 0)),
    AGE,
    ...workload('.spec.template'),
  ],
  cronjobs: [
    column('Schedule', at('.spec.schedule')),
    column('Timezone', at('.spec.timeZone', NONE)),
    column('Suspend', (object) => (read('.spec.suspend')(object) === true ? 'True' : 'False'), { type: 'boolean' }),
    integer('Active', runningJobs),
    column('Last Schedule', (object, now) =>
      read('.status.lastScheduleTime')(object) ? ageAt('.status.lastScheduleTime')(object, now) : NONE,
    ),
    AGE,
    ...workload('.spec.jobTemplate.spec.template', '.spec.jobTemplate.spec.selector.matchLabels'),
  ],
  persistentvolumeclaims: [
    column('Status', (object) =>
      object.metadata.deletionTimestamp ? 'Terminating' : String(read('.status.phase')(object) ?? ''),
    ),
    column('Volume', at('.spec.volumeName')),
    column(
      'Capacity',
      ofVolume((object) => String(read('.status.capacity.storage')(object) ?? '0')),
    ),
    column('Access Modes', ofVolume(accessModes)),
    column('StorageClass', at('.spec.storageClassName')),
    column('VolumeAttributesClass', at('.spec.volumeAttributesClassName', '<unset>')),
    AGE,
    wide('VolumeMode', at('.spec.volumeMode', '<unset>')),
  ],
  ingresses: [
    column('Class', at('.spec.ingressClassName', NONE)),
    column('Hosts', hosts),
    column('Address', ingressAddress),
    column('Ports', (object) => (asObjects(read('.spec.tls')(object)).length > 0 ? '80, 443' : '80')),
    AGE,
  ],
  endpointslices: [
    column('AddressType', at('.addressType')),
    column('Ports', slicePorts),
    column('Endpoints', sliceEndpoints),
    AGE,
  ],
}
