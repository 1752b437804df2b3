import type { Payer } from '#core/retrieval/payer.ts'
import type { SpendCap } from '#core/role-models/spend-cap.ts'
import type { WorkerContext } from '#core/plugin/role-contexts.ts'
import type { ScoringCore } from '../contract/services.ts'
import type { AskJudge, EvaluatorContext, PostJson } from '../contract/points.ts'

const JUDGE_TOKENS = 512
const JUDGE_MS = 60_000
const MAX_RESPONSE_BYTES = 64 * 1024
const MAX_JUDGEMENT = 16 * 1024

/** The judge of the scores of one run. */
export interface JudgeOfRun {
  readonly models: WorkerContext['models']
  /** Pays for the judge, as for a call of the run that is judged. */
  readonly payer: Payer
  readonly runId: string
  /** `namespace/name` of the route of its model. */
  readonly route: string
  readonly cap: SpendCap | undefined
  /** Called with the cost of each priced call. */
  readonly spent: (cost: { readonly amount: string; readonly currency: string }) => void
}

/** What the evaluators of a run may use. */
export function createEvaluatorContext(
  { outbound }: Pick<ScoringCore, 'outbound'>,
  signal: AbortSignal,
  judge: JudgeOfRun | undefined,
): EvaluatorContext {
  return {
    signal,
    post: createPost(outbound, signal),
    ...(judge === undefined ? {} : { judge: createJudge(judge, signal) }),
  }
}

function createJudge({ models, payer, runId, route, cap, spent }: JudgeOfRun, signal: AbortSignal): AskJudge {
  return async ({ instructions, message, schema }) => {
    const { text, cost } = await models.paidBy(payer, runId).chat({
      route,
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: message },
      ],
      temperature: 0,
      maxOutputTokens: JUDGE_TOKENS,
      schema: { name: 'score', schema },
      cap,
      signal,
      timeoutMs: JUDGE_MS,
    })
    if (cost !== null) spent(cost)
    if (text.length > MAX_JUDGEMENT) throw new Error('the judge responded with too much text')
    return text
  }
}

function createPost(outbound: ScoringCore['outbound'], signal: AbortSignal): PostJson {
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
