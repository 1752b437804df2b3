import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import type { runsSettings } from '../contract/settings.ts'
import type { RunUsage } from '../store/internal/usage.ts'
import { runErrors } from '../contract/errors.ts'

/** Limits of queued runs and stored bytes per caller and namespace. */
export type RunQuotas = Pick<
  Static<typeof runsSettings>,
  'queuedPerNamespace' | 'queuedPerCaller' | 'storedBytesPerNamespace'
>

/** Name of the setting that a refused run exceeds. */
export type ExceededQuota = keyof RunQuotas

/**
 * Refuses a new run above a quota, inside the transaction that would create it: 429 `too_many_requests` for queued runs, 429 `quota_exceeded` for
 * stored bytes. Concurrent transactions do not see each other, so a limit can be exceeded by the number of concurrent requests.
 */
export function checkQuotas(usage: RunUsage, quotas: RunQuotas, onRefused: (quota: ExceededQuota) => void): void {
  const { queuedPerNamespace, queuedPerCaller, storedBytesPerNamespace } = quotas
  const refuse = (quota: ExceededQuota, error: Fail): Fail => {
    onRefused(quota)
    return error
  }
  if (usage.queuedInNamespace >= queuedPerNamespace)
    throw refuse(
      'queuedPerNamespace',
      tooMany(`The namespace has ${queuedPerNamespace} queued runs`, 'queuedPerNamespace'),
    )
  if (usage.queuedByCaller >= queuedPerCaller)
    throw refuse('queuedPerCaller', tooMany(`The caller has ${queuedPerCaller} queued runs`, 'queuedPerCaller'))
  if (usage.storedBytes >= storedBytesPerNamespace)
    throw refuse(
      'storedBytesPerNamespace',
      new Fail(
        runErrors.quota_exceeded,
        `The runs of the namespace store ${usage.storedBytes} bytes, the limit is ${storedBytesPerNamespace}` +
          ' (setting runs.storedBytesPerNamespace). Retention frees space as runs age.',
      ),
    )
}

function tooMany(what: string, setting: ExceededQuota): Fail {
  return new Fail('too_many_requests', `${what}, the limit (setting runs.${setting}).`, { retryAfter: 5 })
}
