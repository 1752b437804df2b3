import { ModelCallFailed } from '#core/role-models/model-call-error.ts'
import type { PaidChat, RoleModels } from '#core/role-models/role-models.ts'

/** Scores what says please. */
export const polite = { name: 'polite', type: 'contains', config: { values: ['please'] } }

/** Scores what a model finds friendly. */
export const judged = { name: 'judged', type: 'modelJudge', config: { rubric: 'It is friendly.' } }

/** A judge that costs 0.002 EUR a call, and whose cap covers so many calls. */
export function cappedJudge(covered: number, judgement: { readonly score: number; readonly reason: string }) {
  const asked: PaidChat[] = []
  const models: RoleModels = {
    paidBy: () => ({
      chat: async (call) => {
        asked.push(call)
        if (asked.length > covered) throw new ModelCallFailed('cap_exceeded')
        const cost = { amount: '0.002', currency: 'EUR' }
        return { text: JSON.stringify(judgement), finishReason: 'stop', usage: null, cost }
      },
    }),
  }
  return { asked, models }
}
