import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { GuardrailTrial, TryGuardrailsBody } from '#schemas/api/guardrails.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'
import type { GuardrailPolicyObject } from '#schemas/crds/guardrail-policy.ts'
import { tryPolicy } from './try-policy.ts'

/** Maximum body: rules read each character several times. */
const MAX_BYTES = 256 * 1024

const examples = {
  request: { summary: 'A text of a user', value: { stage: 'request', body: 'Write to ann@example.com' } },
  call: {
    summary: 'A body of a model call',
    value: { stage: 'request', body: { model: 'mock', messages: [{ role: 'user', content: 'Hi.' }] } },
  },
  tool: { summary: 'A tool call', value: { stage: 'tool_call', body: { name: 'send', arguments: { to: 'ann' } } } },
}

/** `POST /api/guardrailpolicies/{ns}/{name}/try`: the rules of a policy on a body. Nothing is stored, logged or counted. */
export const tryEndpoint = endpoint({
  method: 'POST',
  url: '/guardrailpolicies/:ns/:name/try',
  id: 'tryGuardrailPolicy',
  docs: { examples },
  summary: 'Try the rules of a guardrail policy on a body, without storing it.',
  authz: { kind: 'kube', verb: 'get', resource: 'guardrailpolicies' },
  audit: { action: 'try', resourceKind: 'GuardrailPolicy' },
  body: TryGuardrailsBody,
  bodyLimit: MAX_BYTES,
  response: { 200: GuardrailTrial },
  handle: async ({ caller, params: { ns: namespace, name }, body, signal }) => {
    const ref = { namespace, name }
    const policy = await caller.cluster.get<GuardrailPolicyObject>(GuardrailPolicy, ref, { signal })
    return tryPolicy(policy, body, { signal, now: () => performance.now() })
  },
})
