import { asObject } from '#core/json/is-object.ts'
import { readUsage } from '../worker/entries/read-result.ts'
import { MAX_OPEN, readId } from './event.ts'
import type { FrameData } from './event.ts'

/** Token usage of one model, with the field names of the protocol. */
interface TokenUsage {
  readonly model?: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly reasoningTokens: number
}

/** Sums the usage of a run by model. */
export interface UsageSum {
  add(data: FrameData): void
  /** Returns `{usage}`, or `{}` without a model call, and resets the sum. */
  take(): { readonly usage?: readonly TokenUsage[] }
}

/** Creates the sum. */
export function createUsageSum(): UsageSum {
  const byModel = new Map<string, TokenUsage>()
  return {
    add: (data) => {
      const model = readId(data['model']) ?? ''
      if (!byModel.has(model) && byModel.size >= MAX_OPEN) return
      const before = byModel.get(model)
      const usage = readUsage(asObject(data['usage']))
      byModel.set(model, {
        ...(model === '' ? {} : { model }),
        inputTokens: sum(before?.inputTokens, usage.inputTokens),
        outputTokens: sum(before?.outputTokens, usage.outputTokens),
        cachedInputTokens: sum(before?.cachedInputTokens, usage.cachedTokens),
        reasoningTokens: sum(before?.reasoningTokens, usage.reasoningTokens),
      })
    },
    take: () => {
      const usage = [...byModel.values()]
      byModel.clear()
      return usage.length === 0 ? {} : { usage }
    },
  }
}

function sum(a = 0, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER)
}
