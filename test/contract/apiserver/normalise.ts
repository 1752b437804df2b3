import { isObject } from '#core/json/is-object.ts'
import { comparedMessages } from './messages.ts'

/** One difference between two responses. */
export interface Difference {
  readonly path: string
  readonly real: unknown
  readonly ours: unknown
}

/** Removes what differs between any two servers: uids, versions, times, addresses, and orders that the real one does not define. */
export function normalise(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return normaliseText(value, key)
  if (Array.isArray(value))
    return sorted(
      key,
      value.map((item) => normalise(item, key === 'clusterIPs' ? 'clusterIP' : '')),
    )
  if (!isObject(value)) return value
  const out = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalise(item, name)]))
  return value['kind'] === 'Status' ? comparedMessages(out) : out
}

function normaliseText(text: string, key: string): string {
  if (key === 'resourceVersion' && /^\d+$/.test(text)) return 'RV'
  if (key === 'warning')
    return text
      .split(', 299')
      .map((each) => each.replace(/^(299)? ?-? ?/, ''))
      .sort()
      .join()
  if (key === 'continue') return text === '' ? '' : 'CONTINUE'
  // A cell of a table: the age of an object in seconds.
  if (/^\d{1,2}s$/.test(text)) return 'AGE'
  if (key === 'clusterIP' && text !== 'None') return 'IP'
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\b(g\d+-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1NAME')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(/(ResourceVersion in (?:precondition|record) )\(\d+\)/g, '$1(RV)')
    .replaceAll(/(the precondition |record )\(\d+\)/g, '$1(RV)')
    .replace(/RBAC: \[(.*)\]/, (_, roles: string) => `RBAC: ${roles.split(', ').sort().join()}`)
    .replaceAll(/(resourceVersion\\*": ?\\*")\d+/g, '$1RV')
}

/** managedFields are sorted by time, with ties within a second; causes and rules come from Go maps. */
function sorted(key: string, list: unknown[]): unknown[] {
  if (!['managedFields', 'causes', 'resourceRules', 'nonResourceRules'].includes(key)) return list
  const parts = key === 'managedFields' ? ['manager', 'operation'] : key === 'causes' ? ['field'] : []
  const order = (item: unknown) =>
    (isObject(item) ? parts.map((part) => String(item[part])).join(' ') : '') + JSON.stringify(item)
  return [...list].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

/** Lists the differences of two normalised values. */
export function differences(real: unknown, ours: unknown, path = ''): Difference[] {
  if (Object.is(real, ours)) return []
  if (Array.isArray(real) && Array.isArray(ours) && real.length === ours.length) {
    return real.flatMap((item, i) => differences(item, ours[i], `${path}[${i}]`))
  }
  if (Array.isArray(real) && Array.isArray(ours))
    return [{ path: `${path}.length`, real: real.map(summary), ours: ours.map(summary) }]
  if (!isObject(real) || !isObject(ours)) return [{ path: path || '.', real, ours }]
  const keys = new Set([...Object.keys(real), ...Object.keys(ours)])
  return [...keys].flatMap((key) => differences(real[key], ours[key], `${path}.${key}`))
}

/** Names of the items of a list; for events of a watch, their types too. */
function summary(item: unknown): unknown {
  if (!isObject(item)) return item
  const object = isObject(item['object']) ? item['object'] : item
  const metadata = isObject(object['metadata']) ? object['metadata'] : {}
  return [item['type'], metadata['name'], metadata['generation'], metadata['deletionTimestamp']]
    .filter((part) => part !== undefined)
    .join(' ')
}
