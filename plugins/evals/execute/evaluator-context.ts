import type { AskJudge, EvaluatorContext, PostJson } from '../contract/points.ts'
import type { EvaluationStep } from './step.ts'

const JUDGE_TOKENS = 512
const JUDGE_MS = 60_000
const MAX_RESPONSE_BYTES = 64 * 1024
const MAX_JUDGEMENT = 16 * 1024

/** What the evaluators of a case may use. The agent pays for the judge, as a call of the run that is judged. */
export function createEvaluatorContext(step: EvaluationStep, runId: string): EvaluatorContext {
  const { run, services, evaluation } = step
  const { judge } = evaluation.suite_spec
  return {
    signal: run.signal,
    post: createPost(services.core.outbound, run.signal),
    ...(judge === undefined ? {} : { judge: createJudge(step, judge.route.name, runId) }),
  }
}

function createJudge({ worker, evaluation, run }: EvaluationStep, route: string, runId: string): AskJudge {
  const { namespace, agent: name, agent_uid: uid } = evaluation
  return async ({ instructions, message, schema }) => {
    const { text } = await worker.models.paidBy({ kind: 'agent', namespace, name, uid }, runId).chat({
      route: `${namespace}/${route}`,
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: message },
      ],
      temperature: 0,
      maxOutputTokens: JUDGE_TOKENS,
      schema: { name: 'score', schema },
      signal: run.signal,
      timeoutMs: JUDGE_MS,
    })
    if (text.length > MAX_JUDGEMENT) throw new Error('the judge responded with too much text')
    return text
  }
}

function createPost(outbound: EvaluationStep['services']['core']['outbound'], signal: AbortSignal): PostJson {
  return async ({ url, body, timeoutMs }) => {
    const response = await outbound.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal,
      deadlineMs: timeoutMs,
      maxBytes: MAX_RESPONSE_BYTES,
    })
    if (response.status !== 200) throw new Error(`the service responded with ${response.status}`)
    try {
      return JSON.parse(response.body.toString('utf8')) as unknown
    } catch {
      throw new Error('the service did not respond with JSON')
    }
  }
}
