import type { SpendCap } from '#core/role-models/spend-cap.ts'
import type { CallLimit, LimitSubject } from '../contract/points.ts'
import { toSpendLimit } from '../contract/spend-limit.ts'

/** Key of the counters of a subject. */
export function ownerOf({ kind, uid }: Pick<LimitSubject, 'kind' | 'uid'>): string {
  return `${kind}/${uid}`
}

/** The subject in messages: `agent demo/writer`. */
export function nameOfSubject({ kind, namespace, name }: LimitSubject): string {
  if (kind === 'Cap') return `the purpose ${name}`
  return kind === 'Tenant' ? `tenant ${name}` : `agent ${namespace ?? ''}/${name}`
}

/** The limit of a cap. */
export function toCapLimit({ id, amount, currency, window }: SpendCap): CallLimit {
  return { subject: { kind: 'Cap', name: id, uid: id }, spend: toSpendLimit({ amount, currency, window }) }
}

/** Limits that count money. */
export function spendLimitsOf(limits: readonly CallLimit[]): readonly NonNullable<CallLimit['spend']>[] {
  return limits.flatMap(({ spend }) => (spend === undefined ? [] : [spend]))
}
