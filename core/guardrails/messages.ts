import type { CheckName, Finding, Stage } from './guard.ts'

const contents = { request: 'the request', response: 'the answer', tool_call: 'a tool call' } as const

/** Why a call is refused, for its caller: names of policy and rule, never content. */
export function refusalMessage({
  policy,
  rule,
  stage,
  action,
}: Pick<Finding, 'policy' | 'rule' | 'stage' | 'action'>): string {
  const what = action === 'require_approval' ? 'requires approval of' : 'blocked'
  return `The rule ${rule} of the guardrail policy ${policy} ${what} ${contents[stage]}.`
}

/** Data of the run event `guardrail.decided`: names and numbers. */
export function toDecided({
  policy,
  rule,
  check,
  stage,
  action,
  count,
}: Finding): Readonly<Record<string, string | number>> {
  return { policy, rule, check, stage, action, count }
}

/** Names an approval in a proof. */
export function approvalKey({ policy, rule, stage }: Pick<Finding, 'policy' | 'rule' | 'stage'>): string {
  return `${policy} ${rule} ${stage}`
}

/** A finding as a parameter of an error: `namespace/policy:rule:check:stage`. */
export function toErrorParam({ policy, rule, check, stage }: Finding): string {
  return [policy, rule, check, stage].join(':')
}

/** The finding of an error of the gateway; undefined for any other parameter. */
export function fromErrorParam(param: string | null, action: Finding['action']): Finding | undefined {
  const [policy = '', rule = '', check = '', stage = '', ...rest] = (param ?? '').split(':')
  if (!/^[-a-z0-9]{1,63}\/[-.a-z0-9]{1,253}$/.test(policy) || !/^[-a-z0-9]{1,63}$/.test(rule)) return undefined
  if (!isCheck(check) || !isStage(stage) || rest.length > 0) return undefined
  return { policy, rule, check, stage, action, count: 1 }
}

const checkNames: ReadonlySet<string> = new Set<CheckName>([
  'regex',
  'secrets',
  'pii',
  'words',
  'models',
  'outputSchema',
  'http',
])

function isCheck(text: string): text is CheckName {
  return checkNames.has(text)
}

function isStage(text: string): text is Stage {
  return Object.hasOwn(contents, text)
}
