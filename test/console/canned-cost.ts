import type { IncomingMessage } from 'node:http'
import { cannedBody, cannedShell } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

/** Text that would be markup, changes the direction and has a control character. */
export const hostile = '<img src=x onerror="document.title=1"> \u202e\u0007 مرحبا'

const DAY_MS = 86_400_000
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
const agents = ['paper-scout', 'invoice-matcher', hostile, 'refund-agent', 'critic']

/** Calls and tokens with an amount; null is an unknown one. */
function totals(amount: string | null, currencies: readonly string[] = ['USD']) {
  const calls = { calls: 1200, unpricedCalls: amount === null ? 1200 : 0, pendingCalls: 0, complete: amount !== null }
  const tokens = { inputTokens: 240_000, outputTokens: 60_000, cachedTokens: 0, reasoningTokens: 0 }
  return { ...calls, ...tokens, cost: amount === null ? null : currencies.map((currency) => ({ amount, currency })) }
}

/** Days of a query, both included. */
function daysOf({ searchParams }: URL): readonly string[] {
  const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? '']
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return Array.from({ length: count }, (_, index) => dayOf(Date.parse(from) + index * DAY_MS))
}

const amountOn = (day: string, share = 1): string => {
  const isWeekend = [0, 6].includes(new Date(day).getUTCDay())
  return ((isWeekend ? 90 : 220 + (Number(day.slice(8)) % 5) * 11) * share).toFixed(2)
}

/** The API of cost in some currencies, with a budget. */
export function cannedCost(currencies: readonly string[] = ['USD']): CannedResponses {
  const view = (request: IncomingMessage) => {
    const url = new URL(request.url ?? '', 'http://x')
    const days = daysOf(url)
    const sum = days.reduce((all, day) => all + Number(amountOn(day)), 0)
    const total = { ...totals(sum.toFixed(2), currencies), unpricedCalls: 214, complete: false }
    return {
      from: days[0],
      to: days.at(-1),
      namespace: null,
      total,
      previous: { from: days[0], to: days[0], ...totals((sum / 1.2).toFixed(2), currencies) },
      days: days.map((day) => ({ day, ...totals(amountOn(day), currencies) })),
    }
  }
  const breakdown = (request: IncomingMessage) => {
    const url = new URL(request.url ?? '', 'http://x')
    const dimensions = url.searchParams.get('groupBy')?.split(',') ?? []
    const groups = agents.map((name, index) => ({ namespace: 'support', agent: { name, uid: name }, index }))
    const days = dimensions.includes('day') ? daysOf(url) : [undefined]
    const items = days.flatMap((day) => [
      ...groups.map(({ index, ...group }) => ({
        ...(day === undefined ? { model: index === 0 ? null : 'opus', day: undefined } : { day }),
        ...group,
        other: false,
        ...totals(index === 4 ? null : amountOn(day ?? '2026-11-24', 0.4 / (index + 1)), currencies),
      })),
      { day, other: true, ...totals(amountOn(day ?? '2026-11-24', 0.05), currencies) },
    ])
    return { items, nextCursor: dimensions.includes('day') ? null : 'more' }
  }
  const today = dayOf(Date.now())
  const [year = 0, month = 0] = today.split('-').map(Number)
  const left = Array.from({ length: 31 }, (_, index) => dayOf(Date.parse(today) + index * DAY_MS))
  const estimate = { from: today, to: dayOf(Date.UTC(year, month, 0)), amount: '1200', low: '900', high: '1600' }
  const method = 'weighted-least-squares-with-weekdays'
  const forecast = {
    asOf: today,
    namespace: null,
    interval: 0.8,
    complete: true,
    method,
    reason: 'There are 40 days since the first cost.',
    items: currencies.map((currency) => ({
      currency,
      method,
      reason: '',
      basis: { from: today, to: today, days: 40 },
      spentThisMonth: '4670.05',
      restOfMonth: estimate,
      next30Days: estimate,
      days: left.map((day) => ({ day, amount: amountOn(day), low: amountOn(day, 0.8), high: amountOn(day, 1.3) })),
    })),
  }
  const spend = { currency: 'USD', window: 'month', spent: '1', held: '0', limit: '7500', remaining: '1' }
  return {
    ...cannedShell,
    '/api/cost': cannedBody(view),
    '/api/cost/breakdown': cannedBody(breakdown),
    '/api/cost/forecast': forecast,
    '/api/cost/chargeback': 'tenant,amount\n',
    '/api/tenants/usage': {
      items: [
        { name: 'acme', spend },
        { name: 'free', spend: null },
      ],
      nextCursor: null,
    },
  }
}
