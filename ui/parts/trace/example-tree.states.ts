import type { SpanKind, TreeSpan } from './flat-tree.ts'

const BEGAN = Date.UTC(2026, 10, 24, 14)

/** Numbers that are the same at each start. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

interface ExampleSpan {
  readonly kind: SpanKind
  readonly name: string
  readonly start: number
  readonly ms: number | null
  readonly status?: string
  readonly children?: readonly TreeSpan[]
}

let lastId = 0

function toTreeSpan({ kind, name, start, ms, status = 'ok', children = [] }: ExampleSpan): TreeSpan {
  lastId += 1
  const cost = kind === 'model' ? { amount: '0.05', currency: 'USD' } : null
  const spanId = lastId.toString(16).padStart(16, '7b5113cd')
  return {
    spanId,
    kind,
    name,
    startedAt: new Date(BEGAN + start).toISOString(),
    durationMs: ms,
    status,
    cost,
    children,
  }
}

const tools = ['orders.lookup', 'ledger.search', 'payments.refund', 'sql.query']

function exampleStep(number: number, start: number, random: () => number): TreeSpan {
  const thinking = 200 + random() * 900
  const children = [
    toTreeSpan({ kind: 'guardrail', name: 'pii-mask', start, ms: 14 }),
    toTreeSpan({ kind: 'model', name: 'claude-sonnet-4-5', start: start + 15, ms: thinking }),
  ]
  let at = start + thinking + 20
  for (let call = 0; call < 2; call += 1) {
    const ms = 80 + random() * 500
    const name = tools[Math.floor(random() * tools.length)] ?? 'orders.lookup'
    children.push(toTreeSpan({ kind: 'tool', name, start: at, ms }))
    at += ms + 4
  }
  if (number % 4 === 3) {
    const inner = toTreeSpan({ kind: 'model', name: 'claude-opus-4-5', start: at + 20, ms: 900 })
    children.push(toTreeSpan({ kind: 'delegate', name: 'fx-rates', start: at, ms: 1000, children: [inner] }))
    at += 1004
  }
  return toTreeSpan({ kind: 'step', name: `Step ${number}`, start, ms: at - start, children })
}

/** A run of about `size` spans, made of steps. The last step of a failed one has a tool that failed; that of a live one is open. */
export function exampleTree(size: number, end: 'ended' | 'failed' | 'live' = 'ended'): TreeSpan {
  const random = numbers(size)
  const steps: TreeSpan[] = []
  let at = 0
  for (let count = 1; count < size - 6; count += 5) {
    const step = exampleStep(steps.length + 1, at, random)
    steps.push(step)
    at += step.durationMs ?? 0
  }
  if (end !== 'ended') {
    const isFailed = end === 'failed'
    const ms = isFailed ? 555 : null
    const status = isFailed ? 'error' : 'running'
    const tool = toTreeSpan({ kind: 'tool', name: 'ledger.search', start: at + 40, ms, status })
    steps.push(
      toTreeSpan({
        kind: 'step',
        name: `Step ${steps.length + 1}`,
        start: at,
        ms: isFailed ? 600 : null,
        status,
        children: [tool],
      }),
    )
    at += 600
  }
  const status = { ended: 'ok', failed: 'error', live: 'running' }[end]
  return toTreeSpan({
    kind: 'run',
    name: 'invoice-matcher',
    start: 0,
    ms: end === 'live' ? null : at,
    status,
    children: steps,
  })
}
