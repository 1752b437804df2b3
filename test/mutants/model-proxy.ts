import type { Mutant } from './mutant.ts'

const port = ['launcher/listeners/model-proxy/model-proxy.test.ts']
const guardrails = ['launcher/listeners/model-proxy/guardrails.test.ts']
const runs = ['launcher/listeners/model-proxy/runs.test.ts']

/** Defects in the money of model calls through the launcher. */
export const mutants: readonly Mutant[] = [
  {
    name: 'a frozen gateway is waited for',
    file: 'launcher/model-calls/forward-call.ts',
    find: '...(to.timeouts ?? defaultTimeouts),',
    replace: '...defaultTimeouts,',
    tests: ['launcher/listeners/model-proxy/frozen-gateway.test.ts'],
    only: 'a frozen gateway ends a call',
  },
  {
    name: 'an unknown answer of the state role is no budget',
    file: 'launcher/model-calls/holds.ts',
    find: "if (status === 404 && code === 'unbudgeted') return undefined",
    replace: 'if (status === 404) return undefined',
    tests: port,
    only: 'each refusal of the state role',
  },
  {
    name: 'a caller that leaves a stream pays nothing',
    file: 'launcher/model-calls/answers.ts',
    find: 'return { ...settlement, usage: { ...noUsage, ...counts }, estimated: true }',
    replace: 'return { ...settlement, usage: noUsage, estimated: true }',
    tests: port,
    only: 'a caller that leaves after any chunk',
  },
  {
    name: 'a stream that the gateway cuts costs nothing',
    file: 'launcher/model-calls/answers.ts',
    find: "if (usage !== null || outcome !== 'aborted') return { ...settlement, usage }",
    replace: "if (usage !== null || outcome !== 'aborted') return { ...settlement, usage: usage ?? noUsage }",
    tests: port,
    only: 'a cut or unknown answer costs the hold',
  },
  {
    name: 'the usage of a stream is not requested',
    file: 'launcher/model-calls/model-request.ts',
    find: 'if (options === undefined) return addField(bytes, \'"stream_options":{"include_usage":true}\')',
    replace: 'if (options === undefined) return bytes',
    tests: port,
    only: 'usage is requested on each stream',
  },
  {
    name: 'a call has no limit that its hold pays for',
    file: 'launcher/model-calls/model-calls.ts',
    find: 'coveredBy(request, charge.hold?.maxOutputTokens ?? null)',
    replace: 'coveredBy(request, null)',
    tests: port,
    only: 'a request without a limit',
  },
  {
    name: 'a stopped launcher does not settle',
    file: 'launcher/launcher.ts',
    find: '      await modelCalls?.stop()\n',
    replace: '',
    tests: port,
    only: 'a draining launcher refuses',
  },
  {
    name: 'a traceparent names no run',
    file: 'launcher/runs/attribution.ts',
    find: 'named ?? active.find(traced) ?? (',
    replace: 'named ?? (',
    tests: runs,
    only: 'calls belong to the run',
  },
  {
    name: 'usage that an agent reports is counted beside the measured one',
    file: 'launcher/http-agent/http-agent.ts',
    find: 'options.usageIsMeasured === true ?',
    replace: 'options.usageIsMeasured === undefined ?',
    tests: runs,
    only: 'usage and cost of a call',
  },
  {
    name: 'a blocked request keeps its money',
    file: 'launcher/model-calls/model-calls.ts',
    find: '          await charge.release()\n          throw error\n',
    replace: '          throw error\n',
    tests: guardrails,
    only: 'a blocked request is not forwarded',
  },
  {
    name: 'log probabilities pass the rules',
    file: 'launcher/model-calls/guard-answer.ts',
    find: "if (guardsText) removeUnseen(choice, delta, 'delta')",
    replace: '',
    tests: guardrails,
    only: 'an answer in a form that rules cannot read',
  },
  {
    name: 'tool calls pass in parts',
    file: 'launcher/model-calls/guard-answer.ts',
    find: 'if (guardsCalls && takeCalls(state.calls, delta))',
    replace: 'if (guardsCalls && choices.size > 1e9)',
    tests: guardrails,
    only: 'tool calls reach the caller',
  },
  {
    name: 'a call without known policies is forwarded',
    file: 'launcher/model-calls/guard-source.ts',
    find: 'if (known === undefined || performance.now() - confirmedAt >= staleMs) throw unavailable()',
    replace: "known ??= await compile({ status: 200, headers: {}, body: { digest: '', policies: [] } })",
    tests: guardrails,
    only: 'without policies no call is made',
  },
]
