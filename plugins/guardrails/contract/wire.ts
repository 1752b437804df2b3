import type { GuardrailRules } from '#core/guardrails/guard.ts'
import { count, list, opaque, reply, string } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

// The rules have the schema of the kind; the launcher compiles them and refuses rules that it cannot compile.
const rules = opaque<GuardrailRules['rules']>({ type: 'array' })
const policy = reply({ namespace: string(), name: string(), uid: string(), generation: count, rules })

/** The guardrail policies of the calling agent. `digest` identifies their names, versions and rules. */
export const policies = statePath({
  method: 'GET',
  path: '/guardrails',
  status: 200,
  response: reply({ digest: string(), policies: list(policy) }),
})
