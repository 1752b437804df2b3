import type { Mutant } from './mutant.ts'

const migration = 'plugins/budgets/migrations/0001-ledger.ts'
const ledger = ['plugins/budgets/store/ledger.test.ts']
const holds = ['plugins/budgets/holds.test.ts']
const money = ['plugins/budgets/money/money.test.ts']
const inherited = ['plugins/budgets/payment/inherited.test.ts']
const roles = ['plugins/budgets/payment/call-payment.test.ts']

/** Defects of money: holds beyond a limit, charges that are lost, doubled or free, holds of others. */
export const mutants: readonly Mutant[] = [
  {
    name: 'budgets: embeddings of roles are made without a hold',
    file: 'plugins/budgets/payment/call-payment.ts',
    find: 'if (limits.length === 0) return undefined',
    replace: 'if (limits.length < 9) return undefined',
    tests: roles,
  },
  {
    name: 'budgets: embeddings of roles ignore the budget of the agent',
    file: 'plugins/budgets/payment/call-payment.ts',
    find: '[...budgetOf(payer.agent), ...budgetsOf(above),',
    replace: '[...budgetsOf(above),',
    tests: roles,
  },
  {
    name: 'budgets: the agent of the root run does not pay for embeddings',
    file: 'plugins/budgets/payment/call-payment.ts',
    find: '...budgetsOf(above), ',
    replace: '',
    tests: roles,
  },
  {
    name: 'budgets: the gateway holds nothing for agents above',
    file: 'plugins/budgets/payment/call-payment.ts',
    find: 'if (limits.length === 0 || (await isLimited',
    replace: 'if (limits.length < 9 || (await isLimited',
    tests: inherited,
  },
  {
    name: 'budgets: any id of a hold replaces that of the gateway',
    file: 'plugins/budgets/payment/call-payment.ts',
    find: 'if (await services.ledger.isLive(hold)) return undefined',
    replace: 'return undefined',
    tests: inherited,
  },
  {
    name: 'budgets: leases of calls in progress are not renewed',
    file: 'plugins/budgets/payment/renewal.ts',
    find: '    renew([...open]).catch',
    replace: '    renew([]).catch',
    tests: inherited,
    only: 'leases',
  },
  {
    name: 'budgets: only the nearest agent above pays',
    file: 'plugins/runs/store/internal/agents-above.ts',
    find: 'where chain.height < ${longestChain})',
    replace: 'where chain.height < 1 and r.id = chain.parent_run_id)',
    tests: holds,
  },
  {
    name: 'budgets: any agent above that pauses does so for the budget of another one',
    file: 'plugins/budgets/payment/call-payment.ts',
    find: 'one.metadata.uid === subject.uid && pausesRuns(one)',
    replace: 'pausesRuns(one)',
    tests: inherited,
  },
  {
    name: 'budgets: writes to a cache for an hour cost as much as shorter ones',
    file: 'plugins/budgets/money/price.ts',
    find: 'hour * prices.cacheWrite1h',
    replace: 'hour * prices.cacheWrite',
    tests: money,
  },
  {
    name: 'budgets: a hold does not cover writes to a cache',
    file: 'plugins/budgets/money/price.ts',
    find: '[prices.cached, prices.cacheWrite, prices.cacheWrite1h]',
    replace: '[prices.cached]',
    tests: money,
  },
  {
    name: 'budgets: a hold is compared with the limit alone',
    file: migration,
    find: 'used[l.account] + asked.amount > l.most then',
    replace: 'asked.amount > l.most then',
    tests: ledger,
  },
  {
    name: 'budgets: holds of one group do not see each other',
    file: migration,
    find: 'used[l.account] := used[l.account] + asked.amount; taken',
    replace: 'taken',
    tests: ledger,
  },
  {
    name: 'budgets: a hold that has ended is charged again',
    file: migration,
    find: "found.id is null or found.state <> 'open' or",
    replace: 'found.id is null or',
    tests: ledger,
  },
  {
    name: 'budgets: a hold is settled by another holder',
    file: migration,
    find: "(asked.state = 'expired' or h.holder = asked.holder)",
    replace: 'true',
    tests: ledger,
  },
  {
    name: 'budgets: a place in flight is not freed',
    file: migration,
    find: 'set in_flight = b.in_flight - s.places',
    replace: 'set in_flight = b.in_flight',
    tests: ledger,
  },
  {
    name: 'budgets: an expired hold is free',
    file: 'plugins/budgets/store/end.ts',
    find: "state: 'expired', charge: undefined }",
    replace: "state: 'expired', charge: 0n }",
    tests: ledger,
  },
  {
    name: 'budgets: a call without usage is free',
    file: 'plugins/budgets/holds.ts',
    find: 'usage === null || currency === null\n      ? undefined',
    replace: 'usage === null || currency === null\n      ? 0n',
    tests: holds,
  },
  {
    name: 'budgets: a repeated hold has the prices of its last request',
    file: 'plugins/budgets/store/ledger.ts',
    find: "if (result.kind === 'held' && result.id === hold.id) recent.add(hold)",
    replace: "if (result.kind === 'held') recent.add({ ...hold, id: result.id })",
    tests: ledger,
  },
  {
    name: 'budgets: an unpriced model is free',
    file: 'plugins/budgets/payment/reserve-call.ts',
    find: "counted.size > 0 && settings.unknownPrice === 'refuse'",
    replace: "counted.size > 9 && settings.unknownPrice === 'refuse'",
    tests: holds,
  },
  {
    name: 'budgets: a run of another agent is accepted',
    file: 'plugins/budgets/limits/agent-limits.ts',
    find: "if (found === undefined) throw new Fail('not_found')",
    replace: 'if (found === undefined) return []',
    tests: holds,
  },
  {
    name: 'budgets: a route of another namespace is usable',
    file: 'plugins/budgets/limits/route-prices.ts',
    find: 'found === undefined || !mayRefer(own, ref.namespace, found.allowed)',
    replace: 'found === undefined',
    tests: holds,
  },
  {
    name: 'budgets: the gateway accepts any hold',
    file: 'plugins/budgets/hold-admission.ts',
    find: 'hold === undefined || !(await ledger.isLive(hold))',
    replace: 'hold === undefined',
    tests: ['plugins/budgets/hold-admission.test.ts'],
  },
  {
    name: 'budgets: a cost is rounded down',
    file: 'plugins/budgets/money/price.ts',
    find: '(total + PER_PRICE - 1n) / PER_PRICE',
    replace: 'total / PER_PRICE',
    tests: money,
  },
]
