import { Fail } from '#core/errors/domain-error.ts'
import type { RunSnapshot } from '#plugins/runs/contract/api.ts'
import { sharingErrors } from '../contract/errors.ts'
import type { Redaction } from './effective-redaction.ts'
import { countsOf, metadataOf, withoutUsers } from './event-data.ts'

type RunEvent = RunSnapshot['events'][number]

/** The content of a share, before serialization. */
export interface RedactedRun {
  readonly run: object
  readonly tree: { readonly root: object }
  readonly truncated: boolean
  readonly events: readonly RunEvent[]
}

/** Redacts a run: its state and content, its events, and the tree built from the redacted events. */
export async function redactRun(
  snapshot: RunSnapshot,
  redaction: Redaction,
  most: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<RedactedRun> {
  const run = await redactState(snapshot, redaction)
  let left = most.bytes - jsonBytes(run)
  if (left < 0)
    throw new Fail(
      sharingErrors.run_too_large,
      `Its input and output exceed ${most.bytes} bytes (setting sharing.snapshotBytes).`,
    )
  const events: RunEvent[] = []
  for (const given of snapshot.events) {
    most.signal.throwIfAborted()
    // An event counts twice, since the tree contains its data as well. Without content it is small.
    if (redaction.content === 'full' && 2 * jsonBytes(given) > left) break
    const event = await redactEvent(given, redaction)
    left -= 2 * jsonBytes(event)
    if (left < 0) break
    events.push(event)
  }
  const truncated = snapshot.truncated || events.length < snapshot.events.length
  return { run, tree: { root: snapshot.tree(events) }, truncated, events }
}

async function redactState({ run }: RunSnapshot, { content, redactor }: Redaction): Promise<object> {
  const { id, agent, state, pauseReason, failReason, error, usage, createdAt, startedAt, finishedAt } = run
  const common = { id, agent, state, pauseReason, failReason, usage, createdAt, startedAt, finishedAt }
  if (content === 'none') return { ...common, error: error && { code: error.code } }
  const [input, output, message] = (await redactor.value([run.input, run.output, error?.message ?? null])) as unknown[]
  // The message of a rejection begins with the name of the user.
  const shown = error && { code: error.code, ...(state === 'rejected' ? {} : { message }) }
  return { ...common, input, output, error: shown }
}

async function redactEvent(event: RunEvent, { content, redactor }: Redaction): Promise<RunEvent> {
  const data = withoutUsers(event.kind, event.data)
  const kept = countsOf(data)
  const shown = (await redactor.value(content === 'none' ? metadataOf(data) : data)) as RunEvent['data']
  const [path, spanId] = (await redactor.value([event.path, event.spanId])) as [readonly string[], string]
  return { ...event, path, spanId, data: { ...shown, ...kept } }
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
