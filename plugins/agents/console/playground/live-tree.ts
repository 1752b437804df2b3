import type { SpanKind, TreeSpan } from '#ui/parts/trace/flat-tree.ts'
import type { PlayedEvent } from './played-event.ts'

/** A span of a run that goes on. */
interface LiveSpan extends Omit<TreeSpan, 'children'> {
  /** What its first and its last event share. */
  readonly key: string
  /** Id of the parent; the root has none. */
  readonly parentId: string | undefined
}

/** The spans of a run as far as its events say, in the order in which they began. */
export interface LiveTree {
  readonly spans: readonly LiveSpan[]
}

/** A tree with its root only, which begins when the run does. */
export function emptyTree(runId: string, agent: string): LiveTree {
  return { spans: [{ ...spanOf('run', agent, ''), spanId: runId, key: 'run', parentId: undefined }] }
}

// As the server names spans (plugins/runs/read/build-tree.ts), so that a selected one is found again in its tree.
const keyFields: Readonly<Record<string, string>> = {
  step: 'step',
  message: 'messageId',
  tool: 'toolCallId',
  delegate: 'runId',
  interrupt: 'id',
}
const namedByKey = new Set(['message', 'delegate', 'interrupt'])

/** The tree after an event; the same one if the event is of no span. Pure. */
export function addToTree(tree: LiveTree, event: PlayedEvent): LiveTree {
  const [what = '', happened = ''] = event.kind.split('.')
  if (what === 'run') return withRoot(tree, happened, event)
  if (event.kind === 'usage.reported') return withSpan(tree, event, modelCall(event))
  if (event.kind === 'guardrail.decided') return withSpan(tree, event, decision(event))
  if (keyFields[what] === undefined) return tree
  if (happened === 'started' || happened === 'requested') return withSpan(tree, event, begun(what as SpanKind, event))
  return happened === 'finished' || happened === 'resolved' ? closed(tree, what, event) : tree
}

function withRoot({ spans }: LiveTree, happened: string, { ts, data }: PlayedEvent): LiveTree {
  const [root, ...rest] = spans
  if (root === undefined) return { spans }
  if (happened === 'queued' || (happened === 'started' && rest.length === 0)) {
    return { spans: [{ ...root, startedAt: ts }, ...rest] }
  }
  if (!['succeeded', 'failed', 'cancelled', 'timed_out', 'rejected'].includes(happened)) return { spans }
  const isGood = happened === 'succeeded'
  const error = isGood ? null : { code: data.failReason ?? happened, message: data.message ?? '' }
  const end = { durationMs: since(root.startedAt, ts), status: isGood ? 'ok' : 'error', error }
  // What was open when the run ended has ended with it.
  const closedRest = rest.map((span) =>
    span.durationMs === null ? { ...span, durationMs: since(span.startedAt, ts), status: end.status } : span,
  )
  return { spans: [{ ...root, ...end }, ...closedRest] }
}

type BegunSpan = Omit<TreeSpan, 'children' | 'spanId'>

function begun(kind: SpanKind, { ts, data }: PlayedEvent): BegunSpan {
  const named = data.name ?? nameOfAgent(data.agent) ?? stringOf(data['tool'])
  return spanOf(kind, named ?? (kind === 'step' ? `step ${data.step ?? ''}`.trim() : kind), ts)
}

// A model call has one event, at its end.
function modelCall({ ts, data }: PlayedEvent): BegunSpan {
  const { durationMs = 0, error = null, cost = null } = data
  const startedAt = new Date(Date.parse(ts) - durationMs).toISOString()
  const span = spanOf('model', data.model ?? data.route ?? 'model call', startedAt)
  return { ...span, durationMs, status: error === null ? 'ok' : 'error', error, cost }
}

function decision({ ts, data }: PlayedEvent): BegunSpan {
  const span = spanOf('guardrail', stringOf(data['rule']) ?? 'guardrail', ts)
  return { ...span, durationMs: 0, status: data['action'] === 'block' ? 'error' : 'ok' }
}

function withSpan({ spans }: LiveTree, event: PlayedEvent, span: BegunSpan): LiveTree {
  const key = keyOf(span.kind, event)
  const named = namedByKey.has(span.kind) ? stringOf(event.data[keyFields[span.kind] ?? '']) : event.spanId
  const isOwn = named !== undefined && named !== null && named !== '' && spans.every(({ spanId }) => spanId !== named)
  const spanId = isOwn ? named : `${span.kind}-${event.seq ?? spans.length}`
  const above = spans.find((one) => one.spanId === event.data.parentSpanId)
  const step = spans.findLast(({ kind, durationMs }) => kind === 'step' && durationMs === null)
  return { spans: [...spans, { ...span, key, spanId, parentId: (above ?? step ?? spans[0])?.spanId }] }
}

function closed({ spans }: LiveTree, kind: string, event: PlayedEvent): LiveTree {
  const key = keyOf(kind, event)
  const at = spans.findLastIndex((span) => span.key === key && span.durationMs === null)
  const span = spans[at]
  if (span === undefined) return { spans }
  const { isError, error } = event.data
  const hasFailed = isError === true || error !== undefined
  const end = {
    durationMs: since(span.startedAt, event.ts),
    status: hasFailed ? 'error' : 'ok',
    error: hasFailed ? { code: error?.code ?? 'tool_error', message: error?.message ?? '' } : null,
  }
  return { spans: spans.with(at, { ...span, ...end }) }
}

function keyOf(kind: string, { data, spanId }: PlayedEvent): string {
  const field = keyFields[kind] ?? ''
  return `${kind} ${String((field === 'id' ? data.interruptId : undefined) ?? data[field] ?? spanId)}`
}

/** The spans as the tree that is drawn; undefined before the run began. Pure. */
export function toTreeSpan({ spans }: LiveTree): TreeSpan | undefined {
  const nodes = spans.map((span) => ({ ...span, children: [] as TreeSpan[] }))
  const byId = new Map(nodes.map((node) => [node.spanId, node]))
  for (const node of nodes) if (node.parentId !== undefined) byId.get(node.parentId)?.children.push(node)
  return nodes[0]?.startedAt === '' ? undefined : nodes[0]
}

function spanOf(kind: SpanKind, name: string, startedAt: string): BegunSpan {
  return { kind, name, startedAt, durationMs: null, status: 'running', error: null, cost: null }
}

function since(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from) || 0)
}

/** The name of an agent that was called: events have it as an object or as a name. */
export function nameOfAgent(agent: unknown): string | undefined {
  if (typeof agent === 'string') return agent
  return stringOf(typeof agent === 'object' && agent !== null && 'name' in agent ? agent.name : undefined)
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
