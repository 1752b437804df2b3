import type { CollectedResponse } from '#core/http-client/request.ts'
import { getAt } from '#core/json/get-at.ts'
import { ModelCallFailed } from './model-call-error.ts'
import { costHeader } from './spend-cap.ts'

/** The response of a model. */
export interface ChatResult {
  readonly text: string
  /** `stop`, `length` and so on; null if the provider names none. */
  readonly finishReason: string | null
  /** Reported tokens; null if the provider reports none. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null
  /** Cost by the gateway; null if the price is unknown. */
  readonly cost: { readonly amount: string; readonly currency: string } | null
}

/** Reads the first choice of a chat completion. Throws `ModelCallFailed` with `invalid_answer` for a body of another shape. */
export function readChatResult({ body, headers }: Pick<CollectedResponse, 'body' | 'headers'>): ChatResult {
  const response = parse(body)
  const text = getAt(response, ['choices', '0', 'message', 'content'])
  if (typeof text !== 'string') throw new ModelCallFailed('invalid_answer')
  const reason = getAt(response, ['choices', '0', 'finish_reason'])
  const [inputTokens, outputTokens] = [
    getAt(response, ['usage', 'prompt_tokens']),
    getAt(response, ['usage', 'completion_tokens']),
  ]
  const usage = isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : null
  const finishReason = typeof reason === 'string' ? reason.slice(0, 64) : null
  return { text, finishReason, usage, cost: readCost(headers[costHeader]) }
}

function readCost(header: unknown): ChatResult['cost'] {
  const [, amount, currency] = /^([0-9.]{1,19}) ([A-Z]{3})$/.exec(typeof header === 'string' ? header : '') ?? []
  return amount === undefined || currency === undefined ? null : { amount, currency }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new ModelCallFailed('invalid_answer')
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
