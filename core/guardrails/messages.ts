import type { Finding } from './guard.ts'

const contents = { request: 'the request', response: 'the answer', tool_call: 'a tool call' } as const

/** Why a call is refused, for its caller: names of policy and rule, never content. */
export function refusalMessage({ policy, rule, stage, action }: Finding): string {
  const what = action === 'require_approval' ? 'requires approval of' : 'blocked'
  return `The rule ${rule} of the guardrail policy ${policy} ${what} ${contents[stage]}.`
}

/** Data of the run event `guardrail.decided`: names and numbers. */
export function toDecided({ policy, rule, stage, action, count }: Finding): Readonly<Record<string, string | number>> {
  return { policy, rule, stage, action, count }
}
