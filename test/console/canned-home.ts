import type { Summary } from '#schemas/api/overview.ts'
import type { TenantUsage } from '#schemas/api/tenants.ts'
import { cannedShell } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

const since = '2026-11-24T08:10:00.000Z'
const totals = { calls: 900, unpricedCalls: 0, pendingCalls: 0, complete: true, inputTokens: 1, outputTokens: 1 }
const spend = {
  from: '2026-11-01',
  to: '2026-11-24',
  ...totals,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: [{ amount: '4670.05', currency: 'USD' }],
}
const restOfMonth = { from: '2026-11-25', to: '2026-11-30', amount: '1533.95', low: '1400', high: '1700' }

const none = { reference: null }

/** A day on which much needs a person. */
export const badDay: Summary = {
  waiting: {
    runs: {
      count: 5,
      items: [{ runId: 'run-1', namespace: 'support', agent: 'careful', reason: 'approval_required', since }],
    },
    manifests: {
      count: 1,
      items: [
        {
          namespace: 'support',
          name: 'tickets',
          condition: 'ManifestAccepted',
          reason: 'Drifted',
          ready: true,
          since,
          ...none,
        },
      ],
    },
  },
  unwell: {
    agents: {
      count: 6,
      items: [
        {
          namespace: 'finance',
          name: '<img src=x onerror=alert(1)>',
          condition: 'Ready',
          reason: 'ImagePullBackOff \u202e\u0007',
          ready: false,
          since,
          ...none,
        },
        {
          namespace: 'support',
          name: 'triage',
          condition: 'EvalGated',
          reason: 'ScoreTooLow',
          ready: true,
          since,
          ...none,
        },
        {
          namespace: 'support',
          name: 'writer',
          condition: 'Degraded',
          reason: 'OOMKilled',
          ready: true,
          since,
          ...none,
        },
      ],
    },
    failing: { count: 1, items: [{ namespace: 'support', name: 'refund-agent', runs: 96, failed: 53 }] },
  },
  spend,
  forecast: {
    interval: 0.8,
    complete: true,
    items: [{ currency: 'USD', method: 'weighted-least-squares', reason: '20 days with calls', restOfMonth }],
  },
}

/** A day on which nothing does. */
export const quietDay: Summary = {
  ...badDay,
  waiting: { runs: { count: 0, items: [] }, manifests: null },
  unwell: { agents: { count: 0, items: [] }, failing: { count: 0, items: [] } },
}

const percentiles = { p50: 3_120, p95: 18_400, p99: 30_000 }
const bin = (index: number, failed: number) => ({
  from: new Date(Date.parse(since) + index * 3_600_000).toISOString(),
  count: 200 + index,
  succeeded: 200 + index - failed,
  failed,
  paused: 0,
  durationMs: percentiles,
  queueMs: percentiles,
  firstTokenMs: percentiles,
  usage: {},
  cost: [{ amount: `${index}.5`, currency: 'USD' }],
})
const bins = Array.from({ length: 24 }, (_, index) => bin(index, index % 3))

const names = ['triage', 'log-analyst', 'close-assistant']

const spending = (spent: string, window = 'month') => ({
  currency: 'USD',
  window,
  spent,
  held: '0',
  limit: '100.00',
  remaining: '0',
  windowStart: since,
  resetsAt: since,
})

/** Usage of tenants: two budgets need a person, and two do not. */
export const cannedUsages = [
  { name: 'calm', spend: spending('79.99') },
  { name: 'near <b>', spend: spending('80.00') },
  { name: 'over', spend: spending('100.10', 'total') },
  { name: 'free', spend: null },
].map((usage) => ({
  ...usage,
  at: since,
  rpm: { used: 1, limit: null },
  inflight: { used: 0, limit: null },
})) as TenantUsage[]

// Every page is there, but that of MCP servers.
function withTenants(): object {
  const { pages, capabilities, ...rest } = cannedShell['/api/capabilities'] as {
    readonly pages: readonly object[]
    readonly capabilities: readonly { readonly id: string }[]
  }
  const known = capabilities.map((one) => (one.id === 'tenants' ? { id: 'tenants', enabled: true } : one))
  return { ...rest, pages, capabilities: known }
}

/** The responses of Home, with a summary. */
export function cannedHome(summary: Summary): CannedResponses {
  return {
    ...cannedShell,
    '/api/capabilities': withTenants(),
    '/api/tenants/usage': { items: summary === badDay ? cannedUsages : [], nextCursor: null },
    '/api/summary': summary,
    '/api/runs/stats': {
      ...bin(0, 2),
      from: since,
      to: since,
      bins,
      groups: names.map((name) => ({ key: name, agent: { namespace: 'support', name }, ...bin(0, 2), bins })),
    },
    '/api/runs': {
      items: names.map((name, index) => ({
        id: `run-${index}`,
        agent: { namespace: 'support', name },
        state: ['running', 'paused', 'failed'][index],
        inputPreview: `Order 4821${index + 3} arrived damaged \u202e <b>`,
        durationMs: index === 0 ? null : 1_000,
        cost: index === 0 ? null : { amount: '0.0123', currency: 'USD' },
        createdAt: since,
      })),
      nextCursor: null,
    },
  }
}
