import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

const exceededData = Type.Object({
  amount: Type.String({ description: 'The limit, as a decimal string.' }),
  currency: Type.String({ description: 'ISO 4217 code.' }),
  window: Type.String({ description: 'Window of the limit: hour, day, week, month or total.' }),
  agentUid: Type.String({
    description: 'The agent whose call was refused; empty for the documents of a knowledge base.',
  }),
  runId: Type.Union([Type.String(), Type.Null()], { description: 'The run of the call.' }),
})

/** See {@link spendLimitExceeded}. */
export type ExceededSpendLimit = Static<typeof exceededData>

/** A spend limit refused a call for the first time in its window. The subject is the agent or tenant of the limit. */
export const spendLimitExceeded: EventType<ExceededSpendLimit> = defineEvent({
  plugin: 'budgets',
  fact: 'spend-limit-exceeded',
  summary: 'A spend limit refused a model call for the first time in its window.',
  data: exceededData,
})
