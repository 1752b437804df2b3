import { nullable, reply, string } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

/** Several holds in one request. */
export const openings = { method: 'POST', path: '/budgets/openings' } as const

/** What the limits on a run of the agent leave, or those on the agent itself without the query `runId`; null: none counts money. */
export const remaining = statePath({
  method: 'GET',
  path: '/budgets/remaining',
  status: 200,
  response: reply({ budget: nullable(reply({ remaining: string(), currency: string() })) }),
})
