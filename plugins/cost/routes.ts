import type { Static } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import {
  Chargeback,
  ChargebackQuery,
  CostBreakdown,
  CostBreakdownQuery,
  CostView,
  CostViewQuery,
} from '#schemas/api/cost.ts'
import { CostForecast, CostForecastQuery } from '#schemas/api/cost-forecast.ts'
import { statementExample } from './export/statement-csv.ts'
import { MAX_DAYS, parsePeriod, periodBefore } from './store/period.ts'
import type { Period } from './store/period.ts'
import { readBreakdown } from './read-breakdown.ts'
import { exportStatement, readStatement } from './read-chargeback.ts'
import { readForecast } from './read-forecast.ts'
import { addSums, toTotals } from './query/totals.ts'
import type { CostServices } from './services.ts'
import { readGroups } from './store/read-cost.ts'
import type { CostAccess, GroupSums } from './store/read-cost.ts'
import type { CostTables } from './contract/tables.ts'

const authz = {
  kind: 'review',
  verb: 'list',
  resource: 'costs',
  namespace: { in: 'scope', none: 'empty' },
} as const

/** Routes of cost, below `/api`. */
export function costRoutes(services: CostServices): readonly AnyEndpoint[] {
  const { now } = services
  const view = endpoint({
    method: 'GET',
    url: '/cost',
    id: 'getCost',
    summary: 'Get calls, tokens and cost of model calls by day. Without a namespace, for the whole cluster.',
    authz,
    query: CostViewQuery,
    response: { 200: CostView },
    handle: async ({ access, query }) => {
      const period = parsePeriod(query, now())
      const groups = await readDays(services, access, period)
      const before = periodBefore(period)
      const previous = query.previous === true ? await readDays(services, access, before) : undefined
      return {
        ...period,
        ...placeOf(query),
        total: toTotals(addSums(groups)),
        ...(previous && { previous: { ...before, ...toTotals(addSums(previous)) } }),
        days: groups.map(({ keys: [day = ''], ...sums }) => ({ day, ...toTotals(sums) })),
      }
    },
  })
  const breakdown = endpoint({
    method: 'GET',
    url: '/cost/breakdown',
    id: 'getCostBreakdown',
    summary:
      'Get calls, tokens and cost by one or two of agent, model, provider, tenant, namespace, label of agents, and day.',
    authz,
    query: CostBreakdownQuery,
    response: { 200: CostBreakdown },
    handle: async (call) => {
      const { access, query } = call
      const period = parsePeriod(query, now())
      const { groupBy = 'agent', top } = query
      const page = await readBreakdown(services, call, { access, period, groupBy, top })
      return { ...period, ...placeOf(query), groupBy, ...page }
    },
  })
  const ahead = endpoint({
    method: 'GET',
    url: '/cost/forecast',
    id: 'getCostForecast',
    summary: 'Get a forecast of the cost of the rest of the month and of 30 days, from the days before today.',
    authz,
    query: CostForecastQuery,
    response: { 200: CostForecast },
    handle: async ({ access, query }) => ({ ...(await readForecast(services, access)), ...placeOf(query) }),
  })
  const chargeback = endpoint({
    method: 'GET',
    url: '/cost/chargeback',
    id: 'getChargeback',
    docs: { text: { type: 'text/csv', example: statementExample() } },
    summary: 'Get what each agent used and cost, with its tenant and namespace: as JSON, CSV, or CSV in FOCUS columns.',
    authz,
    query: ChargebackQuery,
    response: { 200: Chargeback },
    handle: async (call) => {
      const { access, query } = call
      const { format = 'json', limit, cursor } = query
      const period = parsePeriod(query, now())
      if (format === 'json') {
        const page = await readStatement(services, call, { access, period })
        return { ...period, ...placeOf(query), ...page }
      }
      if (limit !== undefined || cursor !== undefined) throw noPages(limit === undefined ? '?cursor' : '?limit')
      return exportStatement(services, { access, period }, format)
    },
  })
  return [view, breakdown, ahead, chargeback]
}

function readDays({ store }: CostServices, access: CostAccess, period: Period): Promise<readonly GroupSums[]> {
  return readGroups(store.reader<CostTables>(), access, { period, by: ['day'], limit: MAX_DAYS })
}

// Scope of the sums, as requested.
function placeOf({ namespace, scope }: Static<typeof CostForecastQuery>) {
  return { namespace: namespace || null, ...(scope === undefined ? {} : { scope }) }
}

function noPages(pointer: string): Fail {
  const detail = 'is only for the format json: an export has no pages'
  return new Fail('invalid_query', `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] })
}
