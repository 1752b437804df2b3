import type { Mutant } from './mutant.ts'

const days = ['plugins/cost/cost-days.test.ts']
const forecasts = ['plugins/cost/forecast/forecast.test.ts']
const exports = ['plugins/cost/export/export.test.ts']
const period = ['plugins/cost/store/period.test.ts']

/** Defects of cost: calls counted twice or for nothing, unknown prices that are 0, costs of others. */
export const mutants: readonly Mutant[] = [
  {
    name: 'cost: embeddings of a role hide what its run reports',
    file: 'plugins/cost/projections/cost-days.ts',
    find: 'runId === null || payer !== undefined',
    replace: 'runId === null',
    tests: days,
  },
  {
    name: 'cost: the namespace of the route pays for embeddings of a role',
    file: 'plugins/cost/projections/day-sums.ts',
    find: 'payer?.namespace ?? account?.namespace',
    replace: 'account?.namespace',
    tests: days,
  },
  {
    name: 'cost: a call without a price counts as priced',
    file: 'plugins/cost/projections/day-sums.ts',
    find: "unpriced: cost ? '0' : '1'",
    replace: "unpriced: '0'",
    tests: days,
  },
  {
    name: 'cost: an unknown cost is an empty sum',
    file: 'plugins/cost/query/totals.ts',
    find: "BigInt(unpriced) + BigInt(pending) === BigInt(calls) && calls !== '0'",
    replace: "calls === ''",
    tests: days,
  },
  {
    name: 'cost: a metered run counts its reports of before',
    file: 'plugins/cost/projections/cost-days.ts',
    find: 'set metered = true, calls = 0',
    replace: 'set metered = cost_runs.metered, calls = 0',
    tests: days,
  },
  {
    name: 'cost: a metered run counts its reports of after',
    file: 'plugins/cost/projections/cost-days.ts',
    find: 'case when cost_runs.metered then 0 else ${sum(name)} end',
    replace: '${sum(name)}',
    tests: days,
  },
  {
    name: 'cost: the namespace of the route pays for agents of others',
    file: 'plugins/cost/projections/day-sums.ts',
    find: 'account?.namespace ?? route.namespace',
    replace: 'route.namespace',
    tests: days,
  },
  {
    name: 'cost: a re-created namespace shows the cost of its predecessor',
    file: 'plugins/cost/store/read-cost.ts',
    find: '(${inLiveNamespace(uid)} or',
    replace: '(true or',
    tests: days,
  },
  {
    name: 'cost: a period has no maximum',
    file: 'plugins/cost/store/period.ts',
    find: 'daysOf({ from, to }) > MAX_DAYS',
    replace: 'daysOf({ from, to }) > 1e9',
    tests: period,
  },
  {
    name: 'cost: 30 February is a day',
    file: 'plugins/cost/store/period.ts',
    find: 'toDay(time) === text &&',
    replace: '',
    tests: period,
  },
  {
    name: 'cost: a pricing that throws stops a call',
    file: 'plugins/providers/gateway/payment/price-call.ts',
    find: '} catch (error) {',
    replace: '} catch (error) {\n      if (log !== undefined) throw error',
    tests: ['plugins/providers/gateway/payment/price-call.test.ts'],
  },
  {
    name: 'cost: a forecast is made of a few days',
    file: 'plugins/cost/forecast/forecast.ts',
    find: 'costs.length < FEWEST_DAYS',
    replace: 'costs.length < 2',
    tests: forecasts,
  },
  {
    name: 'cost: a falling forecast is negative',
    file: 'plugins/cost/forecast/forecast.ts',
    find: 'return Math.max(mean + slope * (day - center), 0)',
    replace: 'return mean + slope * (day - center)',
    tests: forecasts,
  },
  {
    name: 'cost: the interval ignores the error of the line',
    file: 'plugins/cost/forecast/forecast.ts',
    find: 'return days.length + days.length ** 2 * ofMean',
    replace: 'if (days.length > 0) return days.length\n  return days.length + days.length ** 2 * ofMean',
    tests: forecasts,
  },
  {
    name: 'cost: a cell of an export is a formula',
    file: 'schemas/values/csv.ts',
    find: "? `'${text}` : text",
    replace: '? text : text',
    tests: exports,
  },
  {
    name: 'cost: an unknown cost is 0 in an export',
    file: 'plugins/cost/export/line.ts',
    find: 'micros === undefined ? null',
    replace: "micros === undefined ? '0'",
    tests: exports,
  },
  {
    name: 'cost: an empty label counts as a missing one',
    file: 'plugins/cost/store/read-cost.ts',
    find: "coalesce('=' ||",
    replace: "coalesce('' ||",
    tests: days,
  },
  {
    name: 'a tree costs what its root costs',
    file: 'plugins/runs/store/read-costs.ts',
    find: 'child.parent_run_id = tree.id',
    replace: 'child.parent_run_id = tree.id and false',
    tests: ['plugins/runs/projections/run-costs.test.ts'],
    only: 'R2-M4',
  },
  {
    name: 'a call that is not metered yet is unpriced',
    file: 'plugins/runs/store/read-costs.ts',
    find: 'case when recent then 0 else c.reported end',
    replace: 'c.reported',
    tests: ['plugins/runs/projections/run-costs.test.ts'],
    only: 'R2-UX-9',
  },
  {
    name: 'cost: a full-width sign begins a cell',
    file: 'schemas/values/csv.ts',
    find: '\\uFF1D',
    replace: '',
    tests: ['plugins/cost/export/export.test.ts'],
    only: 'R2-N13',
  },
]
