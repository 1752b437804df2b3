import type { Mutant } from './mutant.ts'

const rules = ['core/guardrails/guardrails.test.ts']
const proofs = ['core/guardrails/proof.test.ts']
const gateway = ['plugins/guardrails/gateway-filters.test.ts']
const state = ['plugins/guardrails/state-route.test.ts']
const status = ['plugins/guardrails/reconcilers.test.ts']
const approvals = ['launcher/listeners/model-proxy/approvals.test.ts']
const port = ['launcher/listeners/model-proxy/guardrails.test.ts']
const decide = ['plugins/runs/lifecycle/decide.test.ts']
const inGateway = 'guardrails in the gateway'

/** Defects of guardrail policies, in launchers, the gateway and the state role. */
export const mutants: readonly Mutant[] = [
  {
    name: 'guardrails: masks of the gateway are in the metrics only',
    file: 'plugins/guardrails/filters/policy-filters.ts',
    find: '      decided(findings)\n',
    replace: '',
    tests: ['plugins/guardrails/gateway-filters.test.ts'],
  },
  {
    name: 'guardrails: an approval holds for every rule',
    file: 'core/guardrails/rule-checks.ts',
    find: '!isApproved({ policy, rule: name, stage })',
    replace: "!isApproved({ policy, rule: 'r0', stage: 'request' })",
    tests: rules,
    only: 'an approval holds for one rule',
  },
  {
    name: 'guardrails: results of tools pass rules on tool calls',
    file: 'core/guardrails/compile-guard.ts',
    find: "ofStage('tool_call').filter(({ stages }) => !stages.has('request'))",
    replace: "ofStage('tool_call').filter(({ stages }) => stages.size > 9)",
    tests: rules,
    only: 'results of tools',
  },
  {
    name: 'guardrails: a proof of other policies is valid',
    file: 'core/guardrails/proof.ts',
    find: 'return claims.digest === digest ?',
    replace: "return claims.digest !== '' ?",
    tests: proofs,
  },
  {
    name: 'guardrails: a proof of another agent is valid',
    file: 'core/guardrails/proof.ts',
    find: 'if (claims.agentUid !== agentUid)',
    replace: "if (claims.agentUid === '')",
    tests: proofs,
  },
  {
    name: 'guardrails: a forged proof counts as none',
    file: 'plugins/guardrails/filters/policy-filters.ts',
    find: '      if (isForged) return refuseForged\n',
    replace: '',
    tests: gateway,
    only: inGateway,
  },
  {
    name: 'guardrails: a person may carry a proof',
    file: 'plugins/guardrails/filters/applying-policies.ts',
    find: 'if (agent === undefined) return forged',
    replace: 'if (agent === undefined) return notGuarded',
    tests: gateway,
    only: inGateway,
  },
  {
    name: 'guardrails: a proof skips the HTTP checks',
    file: 'plugins/guardrails/filters/policy-filters.ts',
    find: 'if (applying.isForged || applying.set.external.length === 0)',
    replace: 'if (applying.isForged || applying.isGuarded || applying.set.external.length === 0)',
    tests: gateway,
    only: inGateway,
  },
  {
    name: 'guardrails: a failed HTTP check passes',
    file: 'plugins/guardrails/filters/http-check.ts',
    find: "if (rule.http.onFailure === 'open') return passed",
    replace: 'if (rule.http !== undefined) return passed',
    tests: gateway,
    only: inGateway,
  },
  {
    name: 'guardrails: masks of held text are returned once',
    file: 'plugins/guardrails/filters/rule-hooks.ts',
    find: 'const kept = text.masks.filter(({ end }) => text.start + end > offset)',
    replace: 'const kept = text.masks.filter(({ end }) => text.start + end > offset + 1e9)',
    tests: gateway,
    only: inGateway,
  },
  {
    name: 'guardrails: tool calls pass in the gateway',
    file: 'plugins/guardrails/filters/rule-hooks.ts',
    find: 'return isSame ? undefined : { change',
    replace: 'return isSame || call !== undefined ? undefined : { change',
    tests: gateway,
    only: inGateway,
  },
  {
    name: 'guardrails: every namespace may use a policy',
    file: 'plugins/guardrails/policies/policy-source.ts',
    find: 'mayRefer(own, ref.namespace, policy.spec.allowedNamespaces)',
    replace: "mayRefer(own, ref.namespace, ['*'])",
    tests: state,
  },
  {
    name: 'guardrails: a changed policy is never compiled',
    file: 'plugins/guardrails/policies/policy-source.ts',
    find: '`${uid}/${generation}`',
    replace: '`${uid}/${generation === undefined}`',
    tests: state,
  },
  {
    name: 'guardrails: policies of the namespace beyond the first page are not applied',
    file: 'plugins/guardrails/policies/policy-source.ts',
    find: "if (page.continue === undefined || page.continue === '') return found",
    replace: 'if (page.continue !== undefined || found.length >= 0) return found',
    tests: state,
  },
  {
    name: 'guardrails: policies of any size are sent to launchers',
    file: 'plugins/guardrails/policies/agent-policies.ts',
    find: 'if (Buffer.byteLength(text) > maxBytes)',
    replace: 'if (Buffer.byteLength(text) > 64 * maxBytes)',
    tests: state,
  },
  {
    name: 'guardrails: a policy with an unknown model is accepted',
    file: 'plugins/guardrails/reconcilers.ts',
    find: 'if (found === undefined) missing.push(model)',
    replace: "if (found === undefined && name === '') missing.push(model)",
    tests: status,
  },
  {
    name: 'guardrails: an approval holds for every call of a run',
    file: 'launcher/model-calls/call-approval.ts',
    find: '.update(input)',
    replace: '',
    tests: approvals,
    only: 'invoked again after each approval',
  },
  {
    name: 'guardrails: an agent words the question about its call',
    file: 'launcher/runs/outcome.ts',
    find: 'return isReservedInterrupt(interrupt.id) ? {',
    replace: "return interrupt.id === '' ? {",
    tests: approvals,
    only: 'cannot word or forge',
  },
  {
    name: 'guardrails: approvals are forgotten at the next pause',
    file: 'launcher/runs/approvals.ts',
    find: "decision === 'approve' ? [id] : []",
    replace: "decision === 'approve' && id === '' ? [id] : []",
    tests: approvals,
    only: 'invoked again after each approval',
  },
  {
    name: 'guardrails: an approved call begins another step',
    file: 'launcher/agent/loop.ts',
    find: 'if (conversation.awaitsModel !== true) {',
    replace: 'if (conversation.steps >= 0) {',
    tests: approvals,
    only: 'continues it in the same step',
  },
  {
    name: 'guardrails: an answer that the gateway stops costs nothing',
    file: 'launcher/model-calls/answers.ts',
    find: 'const isUnknown = status === 504 || stopsAnswer(refusal)',
    replace: 'const isUnknown = status === 504',
    tests: approvals,
    only: 'a rule of the gateway',
  },
  {
    name: 'guardrails: unconfirmed policies are applied',
    file: 'launcher/model-calls/guard-source.ts',
    find: 'now() - confirmedAt >= staleMs',
    replace: 'confirmedAt > now()',
    tests: ['launcher/model-calls/guard-source.test.ts'],
  },
  {
    name: 'guardrails: results of tools pass the launcher',
    file: 'core/guardrails/body/guard-body.ts',
    find: '{ texts: results, judge:',
    replace: '{ texts: results.slice(results.length), judge:',
    tests: port,
    only: 'results of tools',
  },
  {
    name: 'guardrails: an approval holds for other tools of the same messages',
    file: 'launcher/model-calls/call-approval.ts',
    find: 'stream_options: ___, ...content }',
    replace: 'stream_options: ___, tools: ____, ...content }',
    tests: ['launcher/model-calls/call-approval.test.ts'],
  },
  {
    name: 'guardrails: a rejected call rejects the run',
    file: 'plugins/runs/lifecycle/decide.ts',
    find: 'if (id.startsWith(guardrailInterruptPrefix))',
    replace: "if (id === '')",
    tests: decide,
  },
]
