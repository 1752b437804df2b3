import { toNode } from '../parts/yaml/schema-shape.ts'
import { UNKNOWN } from '../parts/format/unknown.ts'

/** A condition of the status of an object. */
interface KindCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
}

/** An object of a kind. */
export interface KindObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly resourceVersion?: string
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
    readonly [field: string]: unknown
  }
  readonly spec?: unknown
  readonly status?: { readonly conditions?: readonly KindCondition[] } | undefined
}

/** A page of a list. */
export interface KindPage {
  readonly items: readonly KindObject[]
  readonly nextCursor: string | null
}

/** The value at a dotted path; undefined if there is none. */
export function valueAt(object: unknown, field: string): unknown {
  return field.split('.').reduce((value: unknown, name) => {
    const node = toNode(value)
    return node !== undefined && Object.hasOwn(node, name) ? node[name] : undefined
  }, object)
}

const MAX_SHOWN = 5

/** A value in a cell. */
export function toCell(value: unknown): string {
  if (value === undefined || value === null || value === '') return UNKNOWN
  if (!Array.isArray(value)) return typeof value === 'object' ? JSON.stringify(value).slice(0, 200) : String(value)
  const shown = value.slice(0, MAX_SHOWN).map((one) => (typeof one === 'object' ? nameIn(one) : String(one)))
  const rest = value.length - shown.length
  return value.length === 0 ? UNKNOWN : [...shown, ...(rest > 0 ? [`+${rest}`] : [])].join(', ')
}

function nameIn(value: unknown): string {
  const name = valueAt(value, 'name')
  return typeof name === 'string' ? name : JSON.stringify(value).slice(0, 40)
}

/** Fields that the cluster sets: they are no part of what is edited. */
const ofCluster = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]

/** Fields that a form does not show: what the cluster sets, or the address names. */
export const fieldsOfCluster: readonly string[] = [
  '/apiVersion',
  '/kind',
  '/status',
  ...[...ofCluster, 'generateName', 'finalizers', 'ownerReferences'].map((name) => `/metadata/${name}`),
]

/** Fields that name an object. */
export const fixedFields: readonly string[] = ['/metadata/name', '/metadata/namespace']

/** What a person edits of an object: its names, labels, annotations and spec, and what controllers keep in the metadata. */
export function toEdited({ apiVersion, kind, metadata, spec, status: _status, ...rest }: KindObject): object {
  const kept = Object.entries(metadata).filter(([name]) => !ofCluster.includes(name))
  return { apiVersion, kind, metadata: Object.fromEntries(kept), ...rest, spec }
}

/** What every kind has, and some have nothing else. */
const requirements = ['Accepted', 'ResolvedRefs']

/** The state of an object by its condition `Ready`; for a kind without it, by those of what it requires. Undefined without any. */
export function readyOf({ status }: KindObject): { readonly state: string; readonly reason: string } | undefined {
  const conditions = Array.isArray(status?.conditions) ? status.conditions : []
  const required = conditions.filter(({ type }) => requirements.includes(type))
  const found =
    conditions.find(({ type }) => type === 'Ready') ?? required.find((one) => one.status !== 'True') ?? required[0]
  if (found === undefined) return undefined
  const states: Readonly<Record<string, string>> = { True: 'ready', False: 'degraded' }
  return { state: states[found.status] ?? 'unknown', reason: found.reason }
}

/** A controller that reports a status has done so by then. */
const YOUNG_MS = 60_000

/** Whether the controller of an object has nothing left to do for what is written; without a status, whether it has had time. Pure. */
export function isSettled({ metadata, status }: KindObject, now: number): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (ready === undefined) return now - Date.parse(metadata.creationTimestamp ?? '') > YOUNG_MS
  const observed = valueAt(ready, 'observedGeneration')
  return ready.status === 'True' && (observed === undefined || observed === metadata['generation'])
}
