import { Fail } from '#core/errors/domain-error.ts'
import type { CostGroup } from '#schemas/api/cost.ts'
import type { GroupKey } from '../store/read-cost.ts'

/** A grouping of a breakdown: the keys to read, and the group in the response for their values. */
export interface Grouping {
  readonly by: readonly GroupKey[]
  show(keys: readonly string[]): CostGroup
}

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

/** The grouping of `groupBy`, except `tenant`. Throws `invalid_query` for any other string. */
export function parseGroupBy(text: string): Grouping {
  const known = Object.hasOwn(groupings, text) ? groupings[text] : undefined
  if (known !== undefined) return known
  const label = text.startsWith('label:') ? text.slice('label:'.length) : ''
  if (!labelKey.test(label) || /[^A-Za-z0-9]$/.test(label)) throw refuse()
  return { by: [{ label }], show: ([value = '']) => ({ label: value === '' ? null : value.slice(1) }) }
}

function refuse(): Fail {
  const detail = `must be ${Object.keys(groupings).join(', ')}, tenant, or label:<key of a label>`
  return new Fail('invalid_query', `groupBy ${detail}.`, { errors: [{ pointer: '?groupBy', detail }] })
}
