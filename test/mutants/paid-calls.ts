import type { Mutant } from './mutant.ts'

const inherited = ['plugins/budgets/payment/inherited.test.ts']
const roles = ['plugins/budgets/payment/call-payment.test.ts']
const tokens = ['core/model-apis/token-count.test.ts']
const payers = ['plugins/budgets/payment/payers.test.ts']

/** Defects of what the gateway charges: calls that are free, too cheap, or paid by another agent. */
export const mutants: readonly Mutant[] = [
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
    name: 'gateway: a filter gets more output than is held',
    file: 'plugins/providers/gateway/call-bounds.ts',
    find: '(limit !== undefined && limit <= maxOutputTokens)',
    replace: 'limit !== undefined',
    tests: inherited,
  },
  {
    name: 'gateway: a call that a filter refuses keeps its hold',
    file: 'plugins/providers/gateway/pay-call.ts',
    find: "    await payment.fail('refused')\n",
    replace: '',
    tests: inherited,
  },
  {
    name: 'gateway: writes to a cache are metered as other input',
    file: 'core/model-apis/message-usage.ts',
    find: ', ...toCacheWrites(written, hour) }',
    replace: ' }',
    tests: ['plugins/providers/anthropic/native-messages.test.ts'],
  },
  {
    name: 'gateway: a count of tokens is not guarded',
    file: 'plugins/providers/gateway-routes.ts',
    find: 'withFilters(filters, { call, target, body, isMessages: true, onRules }, (filtered) =>',
    replace: 'withFilters(undefined, { call, target, body, isMessages: true, onRules }, (filtered) =>',
    tests: ['plugins/providers/anthropic/native-messages.test.ts'],
  },
  {
    name: 'gateway: a count of tokens reaches files of the key',
    file: 'plugins/providers/gateway/native-messages.ts',
    find: 'validated(checkNativeInput, body, beta)',
    replace: 'validated(() => undefined, body, beta)',
    tests: ['plugins/providers/anthropic/native-messages.test.ts'],
  },
  {
    name: 'gateway: a frame that has not ended has no tokens',
    file: 'core/model-apis/token-count.ts',
    find: 'tokens: () => tokens + tokensOf(rest, size),',
    replace: 'tokens: () => tokens,',
    tests: tokens,
  },
  {
    name: 'gateway: frames that are alike cost one token each',
    file: 'core/model-apis/token-count.ts',
    find: 'Math.max(text, size - envelope)',
    replace: 'Math.max(0, size - envelope)',
    tests: tokens,
    only: 'R2-N5',
  },
  {
    name: 'gateway: fields with a price of their own are sent where money is counted',
    file: 'plugins/providers/gateway/pay-call.ts',
    find: 'refuseUncountedFields(model)\n}',
    replace: 'void model\n}',
    tests: ['plugins/budgets/payment/request-fields.test.ts'],
    only: 'R2-N9',
  },
  {
    name: 'gateway: a launcher that applies rules lets fields with a price pass',
    file: 'plugins/providers/filters/create-filters.ts',
    find: 'if (call.header(guardedHeader) !== undefined) onRules?.()',
    replace: 'void guardedHeader',
    tests: ['plugins/budgets/payment/request-fields.test.ts'],
    only: 'R2-N9',
  },
  {
    name: 'gateway: an agent calls routes that its spec does not allow',
    file: 'plugins/providers/gateway/agent-routes.ts',
    find: 'return ref.namespace === namespace && ref.name === name',
    replace: 'return ref.namespace !== namespace || ref.name !== "" ',
    tests: ['plugins/providers/gateway/agent-routes.test.ts'],
    only: 'R2-CL-4',
  },
  {
    name: 'gateway: calls of persons are free',
    file: 'plugins/providers/gateway/pay-call.ts',
    find: 'return hold && { hold, bounds }\n  }\n  if (payer',
    replace: 'return hold && undefined\n  }\n  if (payer',
    tests: ['plugins/budgets/payment/persons.test.ts'],
  },
  {
    name: 'gateway: frames with CRLF have no tokens',
    file: 'core/model-apis/token-count.ts',
    find: 'if (line <= 1) endFrame()',
    replace: 'if (line === 0) endFrame()',
    tests: tokens,
  },
]
