import { createRedactor } from '#core/guardrails/redactor.ts'
import type { Redactor } from '#core/guardrails/redactor.ts'
import type { Logger } from '#core/log/logger.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import { FIXTURE_FORMAT, MAX_ORDINAL, MAX_PART_BYTES } from '#schemas/runs/fixture-format.ts'
import type { FixtureChannel } from '#schemas/runs/fixture-format.ts'
import type { FixturePart } from '#schemas/runs/fixture.ts'
import type { StateClient } from '#launcher/contract/state/state-client.ts'
import type { CallEnd, FollowedAttempt, OpenCall, Recorder, StartedCall } from '#launcher/contract/calls/recorder.ts'
import { createPartQueue } from './part-queue.ts'
import type { PartOutcome, PartQueueOptions } from './part-queue.ts'
import { recordModelCalls } from './record-model-calls.ts'
import { writePart } from './to-part.ts'

/** Options of `createRecorder`. */
export interface RecorderOptions extends Pick<PartQueueOptions, 'maxParts' | 'retryMs' | 'closeMs'> {
  readonly state: StateClient
  readonly log: Logger
  /** Patterns that are removed in addition to secrets: `spec.tracePolicy.redact`. */
  readonly redact: readonly string[]
  /** Counts parts, for metrics. */
  readonly onPart?: (outcome: PartOutcome) => void
  readonly now?: () => Date
  /** Maximum bytes of all open and queued calls (32 MiB). */
  readonly maxBytes?: number
}

interface Attempt {
  readonly runId: string
  readonly epoch: number
  readonly calls: Record<FixtureChannel, number>
  /** The state role accepts no more calls of the run. */
  full: boolean
}

const MAX_BYTES = 32 * 1024 * 1024

/** Creates the recorder of a launcher. Calls that exceed its memory are dropped and counted; the recording is then incomplete. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { log, now = () => new Date(), maxBytes = MAX_BYTES, onPart = () => undefined } = options
  const redactor = redactorOf(options)
  const queue = createPartQueue(options)
  const attempts = new Map<string, Attempt>()
  let held = 0
  const hold = (bytes: number): boolean => {
    if (held + bytes > maxBytes) return false
    held += bytes
    return true
  }
  const begin = (attempt: Attempt, started: StartedCall): OpenCall | undefined => {
    const { call, requestBytes, traceparent, parentSpanId } = started
    const ordinal = ++attempt.calls[call.channel]
    // The end of the attempt has the number of calls, so that a dropped call is detected as a gap.
    if (redactor === undefined || ordinal > MAX_ORDINAL || !hold(requestBytes)) {
      onPart('dropped')
      return undefined
    }
    const size = { bytes: requestBytes, tooLarge: requestBytes > MAX_PART_BYTES }
    const startedAt = now()
    const end = (given: CallEnd): void => {
      const place = {
        ...placeOf(attempt),
        ordinal,
        startedAt: startedAt.toISOString(),
        durationMs: Math.max(0, now().getTime() - startedAt.getTime()),
        spanId: parseTraceparent(traceparent)?.spanId ?? '0'.repeat(16),
        parentSpanId: parentSpanId ?? null,
      }
      queue.add({
        runId: attempt.runId,
        bytes: size.bytes,
        text: () => writePart({ place, call, end: given, tooLarge: size.tooLarge }, redactor),
        ended(outcome) {
          held -= size.bytes
          onPart(outcome)
          if (outcome === 'refused') attempt.full = true
        },
      })
    }
    return {
      reserve(bytes) {
        if (size.tooLarge || size.bytes + bytes > 2 * MAX_PART_BYTES || !hold(bytes)) size.tooLarge = true
        else size.bytes += bytes
        return !size.tooLarge
      },
      end: once(end),
    }
  }
  const finish = (attempt: Attempt, state: Extract<FixturePart, { channel: 'end' }>['state']): void => {
    if (attempts.get(attempt.runId) === attempt) attempts.delete(attempt.runId)
    if (attempt.calls.model + attempt.calls.tool === 0) return
    const calls = { model: Math.min(attempt.calls.model, MAX_ORDINAL), tool: Math.min(attempt.calls.tool, MAX_ORDINAL) }
    const text = JSON.stringify({ ...placeOf(attempt), channel: 'end', state, calls, redact: options.redact })
    queue.add({ runId: attempt.runId, bytes: text.length, text: async () => text, ended: onPart })
  }
  const recorder: Pick<Recorder, 'begin'> = {
    begin({ runId, ...started }) {
      const attempt = runId === undefined ? undefined : attempts.get(runId)
      if (attempt === undefined) return undefined
      if (!attempt.full) return begin(attempt, { runId, ...started })
      attempt.calls[started.call.channel]++
      onPart('dropped')
      return undefined
    },
  }
  return {
    ...recorder,
    record: (calls) => recordModelCalls(calls, recorder),
    follow({ runId, epoch, done, stopped }: FollowedAttempt) {
      const attempt: Attempt = { runId, epoch, calls: { model: 0, tool: 0 }, full: false }
      attempts.set(runId, attempt)
      Promise.all([done, stopped]).then(
        ([{ state }]) => finish(attempt, state),
        () => log.warn({ runId }, 'recording could not be closed'),
      )
    },
    close: () => queue.close(),
  }
}

function placeOf({ runId, epoch }: Attempt) {
  return { format: FIXTURE_FORMAT, runId, epoch } as const
}

// If the policy's patterns cannot be applied, nothing may be recorded.
function redactorOf({ redact, log }: RecorderOptions): Redactor | undefined {
  try {
    return createRedactor(redact, { keepShape: true })
  } catch {
    log.error({}, 'tracePolicy.redact of the agent has a pattern that is not valid: nothing is recorded')
    return undefined
  }
}

function once(end: (given: CallEnd) => void): (given: CallEnd) => void {
  let ended = false
  return (given) => {
    if (ended) return
    ended = true
    end(given)
  }
}
