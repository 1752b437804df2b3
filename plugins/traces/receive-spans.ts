import { readJsonTraces } from '#core/otlp/read-json.ts'
import { OtlpMalformed } from '#core/otlp/span.ts'
import type { ReceivedSpans } from '#core/otlp/span.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { RunsSystem } from '#plugins/runs/contract/api.ts'
import type { TracesServices } from './services/create-services.ts'
import { NamespaceFull, storeSpans } from './store/store-spans.ts'
import { toChunks } from './spans/stored-span.ts'
import type { SpanOwner, TraceChunk } from './spans/stored-span.ts'

/** Response to a launcher: numbers of stored and of refused or dropped spans. */
export interface SpanReceipt {
  readonly accepted: number
  readonly rejected: number
}

/**
 * Stores the spans of an export request of an agent's launcher. Spans of traces whose runs all belong to other agents are refused, and spans above a
 * quota are dropped; both are counted. Spans that arrive after their run was removed have no content. Throws `malformed_request` for a body that is
 * not an export request.
 */
export async function receiveSpans(
  services: Pick<TracesServices, 'core' | 'settings' | 'received'>,
  runs: Pick<RunsSystem, 'tracesOf'>,
  owner: SpanOwner,
  body: unknown,
): Promise<SpanReceipt> {
  const { core, settings, received } = services
  const { spans, rejected } = parse(body, core.now().getTime())
  const traceIds = [...new Set(spans.map(({ span }) => span.traceId))]
  const owners = traceIds.length === 0 ? none : await runs.tracesOf(owner.uid, traceIds)
  const own = spans.filter(({ span }) => owners.get(span.traceId) !== 'foreign')
  const chunks = toChunks(own).map((chunk) => (owners.has(chunk.traceId) ? chunk : withoutRunContents(chunk)))
  const stored =
    chunks.length === 0
      ? 0
      : await core.store.transact((tx) => storeSpans(tx, owner, chunks, settings)).catch(noneIfFull)
  received('malformed', rejected)
  received('foreign_trace', spans.length - own.length)
  received('over_quota', own.length - stored)
  received('stored', stored)
  return { accepted: stored, rejected: rejected + spans.length - stored }
}

function parse(body: unknown, now: number): ReceivedSpans {
  try {
    return readJsonTraces(body, now)
  } catch (error) {
    throw error instanceof OtlpMalformed ? new Fail('malformed_request', error.message) : error
  }
}

const none: Awaited<ReturnType<RunsSystem['tracesOf']>> = new Map()

// A run exists before its spans: it was removed if its trace has no run. An erasure must not be undone by a late span.
function withoutRunContents(chunk: TraceChunk): TraceChunk {
  return { ...chunk, contents: chunk.contents.filter(({ runId }) => runId === null) }
}

function noneIfFull(error: unknown): number {
  if (error instanceof NamespaceFull) return 0
  throw error
}
