import { Fail } from '#core/errors/domain-error.ts'
import type { CostGroup } from '#schemas/api/cost.ts'
import type { GroupKey } from '../store/read-cost.ts'
import type { TopValues } from '../store/top-values.ts'

/** A grouping of a breakdown: the keys to read, and the group in the response for their values. */
export interface Grouping {
  readonly by: readonly GroupKey[]
  show(keys: readonly string[]): CostGroup
}

/** A grouping that may be limited to the most expensive values. */
export interface CutGrouping extends Grouping {
  readonly top?: TopValues
}

/** Tenants of namespaces, by name. */
export type TenantNames = ReadonlyMap<string, string>

const groupings: Readonly<Record<string, Grouping>> = {
  agent: {
    by: ['namespace', 'agent', 'agent_uid'],
    show: ([namespace = '', name = '', uid = '']) => ({ namespace, agent: uid === '' ? null : { name, uid } }),
  },
  subject: { by: ['subject'], show: ([subject]) => ({ subject: subject || null }) },
  model: { by: ['model'], show: ([model]) => ({ model: model || null }) },
  provider: { by: ['provider'], show: ([provider]) => ({ provider: provider || null }) },
  namespace: {
    by: ['namespace', 'namespace_uid'],
    show: ([namespace = '', uid]) => ({ namespace, namespaceUid: uid || null }),
  },
  day: { by: ['day'], show: ([day = '']) => ({ day }) },
}

// A label key of Kubernetes: an optional DNS prefix, and a name of at most 63 characters.
const labelKey = /^(?:[a-z0-9][-a-z0-9.]{0,252}\/)?[A-Za-z0-9][-\w.]{0,62}$/

const MAX_DIMENSIONS = 2

/** Dimensions of `groupBy`. Throws `invalid_query` for an unknown or repeated one, and for more than two. */
export function parseDimensions(text: string): readonly string[] {
  const names = text.split(',')
  if (names.length > MAX_DIMENSIONS || new Set(names).size < names.length)
    throw refuse(`must be one dimension, or two different ones with a comma between them`)
  for (const name of names) if (name !== 'tenant') parseDimension(name)
  return names
}

/** The grouping of some dimensions. With `top`, the last one has at most so many values and a group of the others. */
export function toGrouping(names: readonly string[], tenants: TenantNames, top?: number): CutGrouping {
  const dimensions = names.map((name) => (name === 'tenant' ? ofTenants(tenants) : parseDimension(name)))
  const last = dimensions.pop()
  if (last === undefined) throw new TypeError('a grouping has a dimension')
  const first = dimensions.flatMap(({ by }) => by)
  const showFirst = (keys: readonly string[]): CostGroup =>
    Object.assign({}, ...dimensions.map((dimension) => dimension.show(keys)))
  const by = [...first, ...last.by]
  const at = first.length
  if (top === undefined) return { by, show: (keys) => ({ ...showFirst(keys), ...last.show(keys.slice(at)) }) }
  return {
    by,
    top: { count: top, from: at },
    show: (keys) => ({
      ...showFirst(keys),
      ...(keys[at] === '1' ? { other: true } : { ...last.show(keys.slice(at + 1)), other: false }),
    }),
  }
}

function ofTenants(tenants: TenantNames): Grouping {
  return { by: [{ tenants }], show: ([tenant]) => ({ tenant: tenant || null }) }
}

function parseDimension(text: string): Grouping {
  const known = Object.hasOwn(groupings, text) ? groupings[text] : undefined
  if (known !== undefined) return known
  const label = text.startsWith('label:') ? text.slice('label:'.length) : ''
  if (!labelKey.test(label) || /[^A-Za-z0-9]$/.test(label))
    throw refuse(`must be ${Object.keys(groupings).join(', ')}, tenant, or label:<key of a label>`)
  return { by: [{ label }], show: ([value = '']) => ({ label: value === '' ? null : value.slice(1) }) }
}

function refuse(detail: string): Fail {
  return new Fail('invalid_query', `groupBy ${detail}.`, { errors: [{ pointer: '?groupBy', detail }] })
}
