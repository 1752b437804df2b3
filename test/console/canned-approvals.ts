import { json } from 'node:stream/consumers'
import type { IncomingMessage } from 'node:http'
import { cannedBody } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

/** Text that would be markup, changes the direction and has a control character. */
export const hostile = '<img src=x onerror="document.title=1"> \u202e\u0007 مرحبا'

const minutes = (count: number): string => new Date(Date.now() + count * 60_000).toISOString()

/** What was decided, in order. */
export interface SentDecision {
  readonly run: string
  readonly interruptId: string
  readonly decision?: string
  readonly reason?: string
}

const asks = [
  { agent: 'incident-copilot', tool: 'deploy.rollback', arguments: { service: 'checkout', to_revision: 412 } },
  { agent: 'refund-agent', tool: 'payments.refund', arguments: { note: hostile } },
  { agent: 'close-assistant', question: 'Which **period**?', reason: 'input_required' },
  { agent: hostile, tool: hostile, question: hostile },
  {
    agent: 'meeting-brief',
    reason: 'auth_required',
    question: 'The calendar of Ada.',
    consent: { namespace: 'demo', server: 'calendar', path: '//evil.example/consent' },
  },
]

/** Five paused runs, the first of which expires first. A decision of run 1 is overtaken by that of another person. */
export function cannedApprovals(): { readonly api: CannedResponses; readonly sent: readonly SentDecision[] } {
  const sent: SentDecision[] = []
  const runs = asks.map(({ agent, ...asked }, index) => ({
    id: `run-${index}`,
    agent: { namespace: 'support', name: agent, revision: 1 },
    state: 'paused',
    subject: 'oncall@example.com',
    createdAt: minutes(-5),
    interrupts: [
      {
        reason: 'approval_required',
        ...asked,
        id: `i${index}`,
        askedAt: minutes(-3),
        expiresAt: minutes(4 + 60 * index),
      },
    ],
    decisions: [] as object[],
  }))
  const resume = (run: (typeof runs)[number]) => async (request: IncomingMessage) => {
    const given = (await json(request)) as Omit<SentDecision, 'run'>
    sent.push({ run: run.id, ...given })
    const by = run.id === 'run-1' ? 'grace@example.com' : 'mira.lang@example.com'
    run.decisions.push({ interruptId: given.interruptId, tool: null, decision: 'approve', by, at: minutes(0) })
    run.state = 'running'
    run.interrupts = []
    return run.id === 'run-1' ? 409 : run
  }
  const api = Object.fromEntries(
    runs.flatMap((run) => [
      [`/api/runs/${run.id}`, cannedBody(() => run)],
      [`/api/runs/${run.id}/tree`, { root: treeOf(run.id), truncated: false, nextAfter: null }],
      [`/api/runs/${run.id}/resume`, cannedBody(resume(run))],
    ]),
  )
  const list = () => ({ items: runs.filter(({ state }) => state === 'paused'), nextCursor: null })
  return { api: { ...api, '/api/runs': cannedBody(list) }, sent }
}

function treeOf(id: string): object {
  const node = (kind: string, name: string, rest: object = {}) => ({
    spanId: name,
    kind,
    name,
    startedAt: minutes(-4),
    durationMs: 812,
    status: 'ok',
    attributes: {},
    content: null,
    children: [],
    ...rest,
  })
  const children = [
    node('tool', 'metrics.query', { attributes: { arguments: { of: 'checkout', note: hostile } } }),
    node('model', 'claude-opus-4-5', { status: 'error' }),
    node('message', 'm', { attributes: { text: 'p99 rose after revision 413.' } }),
  ]
  return node('run', id, { children })
}
