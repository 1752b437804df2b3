import { terminalStates } from '#schemas/runs/run.ts'
import { isStorableTime } from '#schemas/values/storable-text.ts'
import type { TreeNode } from '../contract/run-tree.ts'
import type { SelectedRun } from '../contract/tables.ts'
import { mergeTyped, typedFields } from './typed-node.ts'
import { toError, usageOfRow } from './to-run.ts'
import { traceparentOf } from '../lifecycle/run-writer.ts'

/** A journal entry as input of the tree. */
export interface TreeEntry {
  readonly seq: number
  readonly ts: Date
  readonly kind: string
  readonly span_id: string
  readonly data: Readonly<Record<string, unknown>>
}

interface OpenNode extends Omit<TreeNode, 'children'> {
  startedAt: string
  durationMs: number | null
  status: TreeNode['status']
  attributes: Record<string, unknown>
  usage: TreeNode['usage']
  cost: TreeNode['cost']
  error: TreeNode['error']
  runId: TreeNode['runId']
  children: OpenNode[]
}

interface Building {
  readonly root: OpenNode
  /** Nodes by unique span id, by which entries name their parent. */
  readonly bySpan: Map<string, OpenNode>
  /** Ids of all nodes. */
  readonly ids: Set<string>
  /** Unfinished nodes, by kind and the key that their two entries share. */
  readonly open: Map<string, OpenNode>
  readonly steps: OpenNode[]
  readonly isContinued: boolean
  readonly contentOf: NonNullable<TreePart['contentOf']>
}

/** The field that both entries of a node share. Span ids are not unique: an agent may use the run's span id for all entries. */
const keys: Readonly<Record<string, string>> = {
  step: 'step',
  message: 'messageId',
  tool: 'toolCallId',
  delegate: 'runId',
  interrupt: 'id',
}

// Identified by their key, since they share the span id of their call.
const namedByKey: ReadonlySet<string> = new Set(['message', 'delegate', 'interrupt', 'guardrail'])

const withContent: ReadonlySet<string> = new Set(['model', 'tool', 'delegate'])

/** Position of the entries in the journal; the default is all of it. */
export interface TreePart {
  /** The list starts in the middle of a journal: an end without its start becomes a node. */
  readonly isContinued?: boolean
  /** Entries follow: nodes without an end may have one there. */
  readonly isTruncated?: boolean
  /** Content of the span of a model call, a tool call or a delegation. */
  readonly contentOf?: (spanId: string) => TreeNode['content']
}

/** Builds the tree: a node per step, message, model call, tool call, delegation, interrupt and guardrail decision, below its step. */
export function buildTree(run: SelectedRun, entries: readonly TreeEntry[], part: TreePart = {}): TreeNode {
  const { isContinued = false, isTruncated = false, contentOf = () => null } = part
  const root = rootOf(run)
  const ids = new Set([root.spanId])
  const building: Building = { root, bySpan: new Map(), ids, open: new Map(), steps: [], isContinued, contentOf }
  for (const entry of entries) add(building, entry)
  for (const node of building.open.values()) node.status = isTruncated ? 'running' : unfinishedStatus(run)
  return root
}

function add(building: Building, entry: TreeEntry): void {
  const [kind = '', what] = entry.kind.split('.')
  if (entry.kind === 'usage.reported') addModelCall(building, entry)
  else if (entry.kind === 'guardrail.decided') addDecision(building, entry)
  else if (entry.kind === 'interrupt.resolved') close(building, { ...entry, data: withoutId(entry.data) }, kind)
  else if (keys[kind] === undefined) return
  else if (what === 'started' || what === 'requested') open(building, entry, kind)
  else if (what === 'finished') close(building, entry, kind)
}

function withoutId({ interruptId, ...data }: TreeEntry['data']): TreeEntry['data'] {
  return { ...data, id: interruptId }
}

function rootOf(run: SelectedRun): OpenNode {
  const startedAt = run.started_at ?? run.created_at
  return {
    spanId: traceparentOf(run).slice(36, 52),
    kind: 'run',
    name: run.agent_name ?? run.executor ?? run.trigger_kind,
    startedAt: startedAt.toISOString(),
    durationMs: run.finished_at ? run.finished_at.getTime() - startedAt.getTime() : null,
    status: run.state === 'queued' ? 'queued' : unfinishedStatus(run),
    attributes: { runId: run.id, state: run.state, ...(run.fail_reason ? { failReason: run.fail_reason } : {}) },
    usage: usageOfRow(run),
    cost: null,
    error: toError(run, undefined),
    runId: run.id,
    content: null,
    children: [],
  }
}

/** Status of nodes without an end, by the state of the run. */
function unfinishedStatus({ state }: SelectedRun): TreeNode['status'] {
  if (state === 'paused') return 'paused'
  if (!terminalStates.has(state)) return 'running'
  return state === 'succeeded' ? 'ok' : 'error'
}

function open(building: Building, entry: TreeEntry, kind: string): void {
  const node = insert(building, entry, { kind, name: nameOf(kind, entry.data) })
  building.open.set(keyOf(entry, kind), node)
  if (kind === 'step') building.steps.push(node)
}

function close(building: Building, entry: TreeEntry, kind: string): void {
  const { open: opened, steps, isContinued } = building
  const key = keyOf(entry, kind)
  const node = opened.get(key) ?? (isContinued ? insertEnded(building, entry, kind) : undefined)
  if (!node) return
  opened.delete(key)
  if (steps.includes(node)) steps.splice(steps.indexOf(node), 1)
  node.durationMs = entry.ts.getTime() - Date.parse(node.startedAt)
  const { isError, error, state } = entry.data
  const failed = isError === true || error !== undefined || (kind === 'delegate' && state !== 'succeeded')
  node.status = failed ? 'error' : 'ok'
  Object.assign(node.attributes, attributesOf(entry.data))
  Object.assign(node, mergeTyped(node, typedFields(kind, entry.data)))
}

/** Inserts a node that started in an earlier part of the journal. */
function insertEnded(building: Building, entry: TreeEntry, kind: string): OpenNode {
  const node = insert(building, entry, { kind, name: nameOf(kind, entry.data) })
  lasted(node, entry)
  return node
}

/** A model call has one entry, at its end. A failed or refused call is named after its route. */
function addModelCall(building: Building, entry: TreeEntry): void {
  const { model, route, error } = entry.data
  const name = [model, route].find((one) => typeof one === 'string') ?? 'model call'
  const node = insert(building, entry, { kind: 'model', name })
  lasted(node, entry)
  node.status = error === undefined ? 'ok' : 'error'
}

/** A decision of a guardrail rule takes no time of its own, and has the span of the model call that it concerns. */
function addDecision(building: Building, entry: TreeEntry): void {
  const { rule, action } = entry.data
  const node = insert(building, entry, { kind: 'guardrail', name: typeof rule === 'string' ? rule : 'guardrail' })
  node.durationMs = 0
  node.status = action === 'block' ? 'error' : 'ok'
}

function lasted(node: OpenNode, { ts, data: { durationMs } }: TreeEntry): void {
  if (typeof durationMs !== 'number' || !isStorableTime(ts.getTime() - durationMs)) return
  node.durationMs = durationMs
  node.startedAt = new Date(ts.getTime() - durationMs).toISOString()
}

function insert(building: Building, entry: TreeEntry, named: Pick<TreeNode, 'kind' | 'name'>): OpenNode {
  const { root, bySpan, ids, steps } = building
  const key = namedByKey.has(named.kind) ? entry.data[keys[named.kind] ?? ''] : entry.span_id
  const isOwn = typeof key === 'string' && key !== '' && !ids.has(key)
  const node: OpenNode = {
    ...named,
    spanId: isOwn ? key : `${named.kind}-${entry.seq}`,
    startedAt: entry.ts.toISOString(),
    durationMs: null,
    status: 'running',
    attributes: attributesOf(entry.data),
    ...typedFields(named.kind, entry.data),
    content: withContent.has(named.kind) ? building.contentOf(entry.span_id) : null,
    children: [],
  }
  ids.add(node.spanId)
  const { parentSpanId } = entry.data
  const parent = typeof parentSpanId === 'string' ? bySpan.get(parentSpanId) : undefined
  ;(parent ?? steps.at(-1) ?? root).children.push(node)
  if (isOwn) bySpan.set(key, node)
  return node
}

function keyOf({ span_id, data }: TreeEntry, kind: string): string {
  const key = data[keys[kind] ?? '']
  return `${kind} ${typeof key === 'string' || typeof key === 'number' ? key : span_id}`
}

function nameOf(kind: string, { name, step, agent, tool }: TreeEntry['data']): string {
  if (typeof name === 'string') return name
  if (kind === 'step' && typeof step === 'number') return `step ${step}`
  if (kind === 'interrupt' && typeof tool === 'string') return tool
  const delegate = typeof agent === 'object' && agent !== null && 'name' in agent ? agent.name : undefined
  return kind === 'delegate' && typeof delegate === 'string' ? delegate : kind
}

function attributesOf(data: TreeEntry['data']): Record<string, unknown> {
  const { parentSpanId: _, name: __, ...attributes } = data
  return attributes
}
