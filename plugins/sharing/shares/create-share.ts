import type { Static } from 'typebox'
import type { Caller } from '#core/cluster/caller.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Store } from '#core/event-store/store.ts'
import type { Idempotency } from '#core/http/endpoint/endpoint.ts'
import type { RunsApi } from '#plugins/runs/contract/api.ts'
import type { ShareInput } from '#schemas/api/sharing.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import { recordShare } from './record-share.ts'
import type { RecordedShare } from './record-share.ts'
import { effectiveRedaction } from '../redact/effective-redaction.ts'
import { readTracePolicy } from '../redact/read-trace-policy.ts'
import { redactRun } from '../redact/redact-run.ts'
import type { SharingSettings } from '../contract/settings.ts'

/** Dependencies of `createShare`. */
export interface CreateShareServices {
  readonly store: Store
  readonly runs: Pick<RunsApi, 'snapshot' | 'lockIn'>
  readonly settings: SharingSettings
}

/** Request for a share. */
export interface ShareRequest {
  readonly runId: string
  readonly body: Static<typeof ShareInput>
  readonly idempotency: Idempotency | undefined
  readonly signal: AbortSignal
}

const weekMs = 7 * 86_400_000
// More entries than a reader can view; a setting limits their bytes.
const mostEvents = 10_000
// Patterns of a policy can be slow on long texts.
const redactMs = 20_000

/**
 * Takes a snapshot of a run with the caller's rights, redacts it and stores it under a new token. Throws `not_found` for a run that the caller may
 * not get or that was removed meanwhile, `invalid_body`, `run_too_large`, or `share_quota_exceeded`.
 */
export async function createShare(
  services: CreateShareServices,
  caller: Caller,
  { runId, body, idempotency, signal }: ShareRequest,
): Promise<RecordedShare> {
  const { runs, settings } = services
  // A bad pattern is refused before the run is read.
  effectiveRedaction(body.redaction)
  const snapshot = await runs.snapshot(caller, runId, { rows: mostEvents, bytes: settings.snapshotBytes })
  const redaction = effectiveRedaction(body.redaction, await readTracePolicy(caller, snapshot))
  const shown = await redactInTime(signal, (within) =>
    redactRun(snapshot, redaction, { bytes: settings.snapshotBytes, signal: within }),
  )
  return recordShare(services, {
    run: snapshot.found,
    createdBy: caller.username,
    validMs: durationToMs(body.expiresIn ?? '') ?? weekMs,
    maxViews: body.maxViews ?? null,
    redaction: { content: redaction.content, reason: redaction.reason },
    shown,
    idempotency,
  })
}

async function redactInTime<T>(signal: AbortSignal, work: (within: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = AbortSignal.timeout(redactMs)
  try {
    return await work(AbortSignal.any([signal, timeout]))
  } catch (error) {
    if (!timeout.aborted || error !== timeout.reason) throw error
    const detail = 'takes too long for a run of this size'
    throw new Fail('invalid_body', undefined, { errors: [{ pointer: '/redaction', detail }] })
  }
}
