import type { Usage } from '#schemas/runs/run.ts'

/** Zero tokens. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }

/** The sum of two counts. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  }
}
