import { createPause } from '#core/async/time-slice.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { UnreadableBody } from '#core/guardrails/body/unreadable-body.ts'
import type { NewPause } from '#core/guardrails/compile-guard.ts'
import { guardBody, guardToolCall } from '#core/guardrails/guard-body.ts'
import type { ContentGuard, Finding, GuardOutcome, Stage } from '#core/guardrails/guard.ts'
import { isObject } from '#core/json/is-object.ts'
import type { CHECKS } from '#schemas/crds/guardrail-checks.ts'
import type { GuardrailPolicyObject } from '#schemas/crds/guardrail-policy.ts'
import { guardrailErrors } from '../contract/errors.ts'
import { compilePolicy, toApplied } from '../policies/agent-policies.ts'

/** A body to try, and the content that it is. */
export interface TrialRequest {
  readonly stage: Stage
  readonly body: unknown
}

/** Clock of a trial, and the end of its caller's interest. */
export interface TrialLimits {
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Time for the rules: a large pattern reads a character in microseconds. */
export const MOST_MS = 2_000

interface Tried extends GuardOutcome {
  readonly body: unknown
}

/** What the rules of a policy would do with a body. Throws `invalid_body`, `guardrail_unavailable` or `guardrail_too_slow`. */
export async function tryPolicy(policy: GuardrailPolicyObject, { stage, body }: TrialRequest, limits: TrialLimits) {
  const applied = toApplied(policy)
  const guard = compilePolicy(applied, boundedPause(limits))
  const {
    decision,
    by,
    findings,
    body: passed,
  } = await refusingUnreadable(() => {
    if (stage === 'request') return tryRequest(guard, body, applied.namespace)
    return stage === 'response' ? tryResponse(guard, body) : tryToolCall(guard, body)
  })
  return {
    decision,
    by: by?.rule ?? null,
    hits: findings.map(({ rule, check, action, count }) => ({ rule, check, action, count })),
    skipped: applied.rules
      .filter(({ http, stages }) => http !== undefined && (stages?.includes(stage) ?? true))
      .map(({ name, action }) => ({ rule: name, check: 'http' as const satisfies (typeof CHECKS)[number], action })),
    body: decision === 'pass' ? passed : null,
  }
}

// Patterns take linear time, but their product with the body may be minutes.
function boundedPause({ now, signal }: TrialLimits): NewPause {
  const end = now() + MOST_MS
  return () => {
    const pause = createPause()
    return () => {
      signal.throwIfAborted()
      if (now() > end) throw new Fail(guardrailErrors.guardrail_too_slow, `The rules took more than ${MOST_MS} ms.`)
      return pause()
    }
  }
}

async function tryRequest(guard: ContentGuard, body: unknown, namespace: string): Promise<Tried> {
  if (typeof body === 'string') {
    const { texts, ...outcome } = await guard.texts('request', [body])
    return { ...outcome, body: texts[0] }
  }
  if (!isObject(body)) throw wrong('/body', 'must be a string or the body of a model call')
  const ofModel = typeof body.model === 'string' ? guard.model(toRoute(body.model, namespace)) : none
  if (ofModel.decision !== 'pass') return { ...ofModel, body }
  const outcome = await guardBody(guard, body)
  return { ...outcome, findings: [...ofModel.findings, ...outcome.findings] }
}

async function tryResponse(guard: ContentGuard, body: unknown): Promise<Tried> {
  if (typeof body !== 'string') throw wrong('/body', 'must be a string')
  const { texts, ...outcome } = await guard.texts('response', [body])
  return { ...outcome, body: texts[0] }
}

async function tryToolCall(guard: ContentGuard, body: unknown): Promise<Tried> {
  if (!isObject(body) || typeof body.name !== 'string') throw wrong('/body/name', 'must be a string')
  const { name, arguments: given } = body
  if (typeof given !== 'string' && !isObject(given)) throw wrong('/body/arguments', 'must be an object or its JSON')
  const json = typeof given === 'string' ? given : JSON.stringify(given)
  const { name: named, arguments: changed, ...outcome } = await guardToolCall(guard, { name, arguments: json })
  const written: unknown = typeof given === 'string' ? changed : JSON.parse(changed)
  return { ...outcome, body: { name: named, arguments: written } }
}

const none: GuardOutcome = { decision: 'pass', findings: [] as readonly Finding[] }

function toRoute(model: string, namespace: string): string {
  return model.includes('/') ? model : `${namespace}/${model}`
}

async function refusingUnreadable(work: () => Promise<Tried>): Promise<Tried> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UnreadableBody ? wrong('/body', `${error.field}: ${error.detail}`) : error
  }
}

function wrong(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
