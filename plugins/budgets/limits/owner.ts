import type { CallLimit, LimitSubject } from '../contract/points.ts'

/** Key of the counters of a subject. */
export function ownerOf({ kind, uid }: Pick<LimitSubject, 'kind' | 'uid'>): string {
  return `${kind}/${uid}`
}

/** The subject in messages: `agent demo/writer`. */
export function nameOfSubject({ kind, namespace, name }: LimitSubject): string {
  return kind === 'Tenant' ? `tenant ${name}` : `agent ${namespace ?? ''}/${name}`
}

/** Limits that count money. */
export function spendLimitsOf(limits: readonly CallLimit[]): readonly NonNullable<CallLimit['spend']>[] {
  return limits.flatMap(({ spend }) => (spend === undefined ? [] : [spend]))
}
