import { crud } from '#core/plugin/crud.ts'
import { GuardrailPolicy } from '#schemas/crds/guardrail-policy.ts'

// An example rule for each check.
const sample = {
  appliesTo: 'agents',
  rules: [
    { name: 'contacts', action: 'mask', mask: '[contact]', pii: { kinds: ['email', 'phone'] } },
    { name: 'keys', action: 'block', stages: ['request', 'response'], secrets: {} },
    { name: 'staff', action: 'allow', regex: { patterns: ['EMP-[0-9]{6}'], ignoreCase: true, maxLength: 64 } },
    { name: 'merger', action: 'require_approval', stages: ['tool_call'], words: { phrases: ['project apollo'] } },
    { name: 'cheap', action: 'block', models: { allow: ['mock*'], deny: ['shared/*'] } },
    { name: 'form', action: 'block', outputSchema: { type: 'object', required: ['answer'] } },
    { name: 'toxic', action: 'block', http: { url: 'https://checks.example/v1', timeout: '1s', onFailure: 'closed' } },
  ],
  allowedNamespaces: ['team-a'],
}

/** Guardrail policies, which are written with kubectl. The API lists them. */
export const guardrailKind = crud(GuardrailPolicy, { verbs: ['list'], sample })
