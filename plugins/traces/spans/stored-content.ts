import { genAi } from '#core/otlp/gen-ai.ts'
import type { OriginatedSpan, OtlpAttributes, OtlpSpan, OtlpValue } from '#core/otlp/span.ts'
import type { SpanContentView } from '#schemas/api/span-content.ts'
import { splitContent } from './split-content.ts'

/** Contents of the spans of one run in one request, as JSON of their attributes by span id. */
export interface ContentChunk {
  readonly traceId: string
  /** Run of the spans, as they say; null for spans that name none. */
  readonly runId: string | null
  readonly content: string
}

/** Contents of the spans of one trace, by run. */
export function toContents(received: readonly OriginatedSpan[]): readonly ContentChunk[] {
  const found = received.flatMap(({ span }) => {
    const { content } = splitContent(span.attributes, span.events)
    return content === undefined ? [] : [{ span, content }]
  })
  const byRun = Map.groupBy(found, ({ span }) => runOf(span))
  return [...byRun].map(([runId, all]) => ({
    traceId: all[0]?.span.traceId ?? '',
    runId,
    content: JSON.stringify(Object.fromEntries(all.map(({ span, content }) => [span.spanId, content]))),
  }))
}

function runOf({ attributes }: OtlpSpan): string | null {
  const runId = attributes['mesh.run.id']
  return typeof runId === 'string' && runIdPattern.test(runId) ? runId : null
}

// An agent chooses the attributes of its spans.
const runIdPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const typed: ReadonlySet<string> = new Set<string>([
  genAi.systemInstructions,
  genAi.inputMessages,
  genAi.outputMessages,
  genAi.toolArguments,
  genAi.toolResult,
  genAi.isContentCut,
])

/** Content of a span as the API shows it. */
export function showContent(content: OtlpAttributes): SpanContentView {
  return {
    withheld: false,
    cut: content[genAi.isContentCut] === true,
    systemInstructions: parse(content[genAi.systemInstructions]),
    inputMessages: parse(content[genAi.inputMessages]),
    outputMessages: parse(content[genAi.outputMessages]),
    arguments: parse(content[genAi.toolArguments]),
    result: parse(content[genAi.toolResult]),
    attributes: Object.fromEntries(Object.entries(content).filter(([key]) => !typed.has(key))),
  }
}

/** Content that exists, and that the caller may not read. */
export const withheldContent: SpanContentView = {
  withheld: true,
  cut: false,
  systemInstructions: null,
  inputMessages: null,
  outputMessages: null,
  arguments: null,
  result: null,
  attributes: {},
}

// Launchers write JSON; an SDK may write text, which may be cut.
function parse(value: OtlpValue | undefined): unknown {
  if (typeof value !== 'string') return value ?? null
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
