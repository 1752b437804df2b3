import type { Mutant } from './mutant.ts'

const keys = ['plugins/providers/gateway/route/provider-key.test.ts']
const status = ['plugins/providers/reconcilers.test.ts']
const metering = ['plugins/providers/metering/metering.test.ts']
const groups = ['plugins/providers/metering/group-writer.test.ts']

/** Defects of metering, of provider metrics and of the status of providers. */
export const mutants: readonly Mutant[] = [
  {
    name: 'providers: a frozen provider is waited for in mid-stream',
    file: 'plugins/providers/upstream/provider-client.ts',
    find: '        bodyTimeout: options.idleMs,\n',
    replace: '',
    tests: ['plugins/providers/upstream/provider-client.test.ts'],
    only: 'frozen in mid-stream',
  },
  {
    name: 'metering: queued calls are lost at a drain',
    file: 'plugins/providers/index.ts',
    find: '    await metering.close()\n',
    replace: '    if (metering === undefined) return\n',
    tests: metering,
    only: 'a drain appends',
  },
  {
    name: 'metering: a group whose commit was not confirmed is stored again',
    file: 'plugins/providers/metering/metering.ts',
    find: 'await tx.append(first.stream, 0, [first.event])',
    replace: "await tx.append(first.stream, 'any', [first.event])",
    tests: metering,
    only: 'stored once',
  },
  {
    name: 'metering: a failed group is dropped',
    file: 'plugins/providers/metering/group-writer.ts',
    find: '          failures++\n',
    replace: '          failures++\n          settle(group)\n',
    tests: groups,
    only: 'repeated unchanged',
  },
  {
    name: 'metering: a refused call blocks the others',
    file: 'plugins/providers/metering/metering.ts',
    find: 'return code === undefined || /^2[23]/.test(code)',
    replace: 'return code === undefined',
    tests: metering,
    only: 'cannot hold',
  },
  {
    name: 'metering: memory is not bounded while the store is down',
    file: 'plugins/providers/metering/group-writer.ts',
    find: 'if (closed || held >= bounds.held)',
    replace: 'if (closed)',
    tests: groups,
    only: 'above the limit',
  },
  {
    name: 'provider metrics: the number of labels is not bounded',
    file: 'plugins/providers/contract/metrics.ts',
    find: 'if (known.size >= bounds.pairs || ',
    replace: 'if (',
    tests: keys,
    only: 'UXM12: the number of routes',
  },
  {
    name: 'provider status: the address is not looked at',
    file: 'plugins/providers/reconcilers.ts',
    find: "if (error instanceof OutboundError) return { reason: 'AddressRefused', message: error.message }",
    replace: 'if (error instanceof OutboundError) return undefined',
    tests: status,
  },
  {
    name: 'provider status: a change of a provider does not reach its routes',
    file: 'plugins/providers/reconcilers.ts',
    find: 'toRefs: async (provider) => index.referrersOf(provider)',
    replace: 'toRefs: async () => []',
    tests: status,
    only: 'READY of a route',
  },
  {
    name: 'provider status: the manager receives the data of the Secret',
    file: 'core/kube/create-client.ts',
    find: 'options.metadataOnly === true ? { accept: metadataOnly } : {}',
    replace: 'options.metadataOnly === undefined ? { accept: metadataOnly } : {}',
    tests: status,
    only: 'metadata of Secrets',
  },
  {
    name: 'agent status: a route that is not ready is not shown',
    file: 'plugins/agents/reconcile/status/agent-status.ts',
    find: 'const problem = unresolved ?? warning',
    replace: 'const problem = unresolved',
    tests: ['plugins/agents/reconcile/reconcile-agent.test.ts'],
    only: 'UXM12',
  },
  {
    name: 'messages: files of the provider pass',
    file: 'plugins/providers/model-apis/native-messages.ts',
    find: "if (isObject(source) && source.type === 'file')",
    replace: "if (isObject(source) && source.type === 'none')",
    tests: ['plugins/providers/anthropic/native-messages.test.ts'],
  },
  {
    name: 'messages: tools that run at the provider pass',
    file: 'plugins/providers/model-apis/native-messages.ts',
    find: "if (typeof type !== 'string' || !clientTools.test(type))",
    replace: "if (typeof type !== 'string')",
    tests: ['plugins/providers/anthropic/native-messages.test.ts'],
  },
  {
    name: 'messages: a stream passes in parts of events',
    file: 'plugins/providers/anthropic/pass-response.ts',
    find: 'isStream ? pass(meter.pass(chunk)) : sink.data(chunk)',
    replace: 'isStream ? (meter.pass(chunk), sink.data(chunk)) : sink.data(chunk)',
    tests: ['plugins/providers/anthropic/native-messages.test.ts'],
  },
  {
    name: 'the input of a tool of the provider is one of the tools of the client',
    file: 'core/model-apis/messages-to-chat-response.ts',
    find: " || delta.partial_json === '' || index !== current)",
    replace: " || delta.partial_json === '')",
    tests: ['plugins/providers/anthropic/recorded-exchanges.test.ts'],
    only: 'R2-UX-28',
  },
]
