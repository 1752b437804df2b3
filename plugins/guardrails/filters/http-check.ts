import type { Stage } from '#core/guardrails/guard.ts'
import { OutboundError } from '#core/http-client/outbound-error.ts'
import { isObject } from '#core/json/is-object.ts'
import type { Core } from '#core/plugin/core-services.ts'
import type { FilteredCall } from '#plugins/providers/contract/points.ts'
import { durationToMs } from '#schemas/values/duration.ts'
import { guardrailMetrics } from '../contract/metrics.ts'
import type { ExternalRule } from '../policies/agent-policies.ts'

/** Verdict of a service on texts. */
export interface HttpVerdict {
  readonly flagged: boolean
  /** The texts as masked by the service; undefined: it returned none. */
  readonly texts: readonly string[] | undefined
}

/** Calls the service of a rule with texts. Without a valid response, nothing is flagged if the rule fails open; otherwise the call fails. */
export type HttpCheck = (rule: ExternalRule, stage: Stage, texts: readonly string[]) => Promise<HttpVerdict>

/** One call of the gateway. */
export interface CheckedCall {
  readonly call: FilteredCall
  readonly signal: () => AbortSignal
}

const defaultTimeoutMs = 2_000
/** Responses contain at most the texts, as JSON. */
const maxAnswerBytes = 1024 * 1024
const passed: HttpVerdict = { flagged: false, texts: undefined }

/** Creates the function. Texts are sent to the service only; the log has names and reasons. */
export function createHttpCheck(core: Core, { call, signal }: CheckedCall): HttpCheck {
  const checks = core.metrics.counter(guardrailMetrics.checks)
  return async (external, stage, texts) => {
    const { policy, rule } = external
    try {
      const verdict = await ask(core, { external, body: toBody(external, call, { stage, texts }), signal: signal() })
      checks.inc({ outcome: verdict.flagged ? 'flagged' : 'passed' })
      return verdict
    } catch (error) {
      signal().throwIfAborted()
      checks.inc({ outcome: 'failed' })
      const reason = error instanceof OutboundError ? error.reason : 'invalid_answer'
      core.log.warn({ policy, rule: rule.name, reason, onFailure: rule.http.onFailure }, 'guardrail check failed')
      if (rule.http.onFailure === 'open') return passed
      throw error
    }
  }
}

function toBody(
  { policy, rule }: ExternalRule,
  { model, agent, runId }: FilteredCall,
  content: { readonly stage: Stage; readonly texts: readonly string[] },
): object {
  const path = `${model.namespace}/${model.name}`
  return {
    policy,
    rule: rule.name,
    model: model.kind === 'agent' ? `agent/${path}` : path,
    agent: agent === undefined ? null : `${agent.namespace}/${agent.name}`,
    runId: runId ?? null,
    ...content,
  }
}

async function ask(
  { outbound }: Core,
  { external, body, signal }: { readonly external: ExternalRule; readonly body: object; readonly signal: AbortSignal },
): Promise<HttpVerdict> {
  const { url, timeout } = external.rule.http
  const answer = await outbound.request({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    signal,
    deadlineMs: (timeout === undefined ? undefined : durationToMs(timeout)) ?? defaultTimeoutMs,
    maxBytes: maxAnswerBytes,
  })
  if (answer.status !== 200) throw new Error('the service did not respond with 200')
  return readVerdict(answer.body)
}

function readVerdict(bytes: Buffer): HttpVerdict {
  const value: unknown = JSON.parse(bytes.toString('utf8'))
  if (!isObject(value) || typeof value.flagged !== 'boolean') throw new Error('the response has no verdict')
  const { flagged, texts } = value
  if (texts === undefined || texts === null) return { flagged, texts: undefined }
  if (!Array.isArray(texts) || !texts.every((text): text is string => typeof text === 'string'))
    throw new Error('the response has no list of strings')
  return { flagged, texts }
}
