import type { Mutant } from './mutant.ts'

const migration = 'plugins/budgets/migrations/0001-ledger.ts'
const ledger = ['plugins/budgets/store/ledger.test.ts']
const holds = ['plugins/budgets/holds.test.ts']
const money = ['plugins/budgets/money/money.test.ts']
const inherited = ['plugins/budgets/payment/inherited.test.ts']
const roles = ['plugins/budgets/payment/call-payment.test.ts']
const tokens = ['core/model-apis/token-count.test.ts']
const payers = ['plugins/budgets/payment/payers.test.ts']

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
    name: 'budgets: only one choice of an inherited call is held',
    file: 'plugins/budgets/payment/call-payment.ts',
    find: 'output: maxOutputTokens * choices',
    replace: 'output: maxOutputTokens',
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
    name: 'gateway: an inherited call has more output than its hold covers',
    file: 'plugins/providers/gateway/call-model.ts',
    find: 'payment.outputLimit === undefined ? asked : limited(asked, payment.outputLimit)',
    replace: 'asked',
    tests: inherited,
  },
  {
    name: 'gateway: a call without a run escapes the agents above',
    file: 'plugins/runs/store/internal/agents-above.ts',
    find: "sql`state in ('running', 'cancelling')`",
    replace: 'sql`false`',
    tests: inherited,
  },
  {
    name: 'budgets: only the nearest agent above pays',
    file: 'plugins/runs/store/internal/agents-above.ts',
    find: 'where chain.height < ${longestChain})',
    replace: 'where chain.height < 1 and r.id = chain.parent_run_id)',
    tests: holds,
  },
  {
    name: 'gateway: anybody names who pays for embeddings',
    file: 'plugins/providers/gateway/payer.ts',
    find: "  await principal.caller.review('create', 'modelroutes/charge', { namespace })\n",
    replace: '',
    tests: payers,
  },
  {
    name: 'gateway: an agent names who pays for its embeddings',
    file: 'plugins/providers/gateway/payer.ts',
    find:
      "if (principal.kind === 'pod') throw new Fail('forbidden', 'An agent pays for its own calls and names no payer.')\n" +
      '  const { namespace, uid } = payer\n  await principal',
    replace: "const { namespace, uid } = payer\n  if (principal.kind === 'person') await principal",
    tests: payers,
  },
  {
    name: 'gateway: an agent pays that has only the name of the payer',
    file: 'plugins/providers/gateway/payer.ts',
    find: 'agent?.metadata.uid !== uid',
    replace: 'agent === undefined',
    tests: payers,
  },
  {
    name: 'gateway: a refused call of a role keeps its hold',
    file: 'plugins/providers/gateway/pay-call.ts',
    find: "how === 'refused' ? hold.release() : hold.settle(undefined)",
    replace: 'hold.settle(undefined)',
    tests: roles,
  },
  {
    name: 'gateway: a call of a role that was cut is free',
    file: 'plugins/providers/gateway/pay-call.ts',
    find: "how === 'refused' ? hold.release() : hold.settle(undefined)",
    replace: 'hold.release()',
    tests: roles,
  },
  {
    name: 'gateway: a stream that is left costs as much as a whole one',
    file: 'plugins/providers/gateway/pay-call.ts',
    find: "how === 'left' ? estimated(seen, bounds.inputTokens, most) : undefined",
    replace: 'undefined',
    tests: inherited,
  },
  {
    name: 'gateway: the input of a stream that is left is free',
    file: 'plugins/providers/gateway/pay-call.ts',
    find: 'estimated(seen, bounds.inputTokens, most)',
    replace: 'estimated(seen, 0, most)',
    tests: inherited,
  },
  {
    name: 'gateway: a stream that a filter stops costs as much as a whole one',
    file: 'plugins/providers/gateway/call-model.ts',
    find: 'filtered?.failure() !== undefined || status === 499',
    replace: 'status === 499',
    tests: inherited,
  },
  {
    name: 'gateway: the usage behind a filter is not read',
    file: 'plugins/providers/gateway/paid-answer.ts',
    find: '        answering?.meter.pass(chunk)\n',
    replace: '',
    tests: inherited,
  },
  {
    name: 'gateway: a frame that has not ended has no tokens',
    file: 'core/model-apis/token-count.ts',
    find: 'if (frame < shortestChunk) return ended',
    replace: 'if (frame >= 0) return ended',
    tests: tokens,
  },
  {
    name: 'gateway: frames with CRLF have no tokens',
    file: 'core/model-apis/token-count.ts',
    find: 'if (line <= 1) endFrame()',
    replace: 'if (line === 0) endFrame()',
    tests: tokens,
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
    find: 'found === undefined || !mayRefer(own, namespace, found.allowed)',
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
