import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { Database } from '#core/database/database.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { RunFact } from '#plugins/runs/lifecycle/decide.ts'
import { openShares } from '../testing/shares.ts'

interface Shown {
  readonly state: string
  readonly pauseReason: string | null
  readonly failReason: string | null
  readonly error: { readonly code: string; readonly message?: string } | null
  readonly output?: unknown
  readonly finishedAt: string | null
}

/** The run that a share shows after this outcome. */
async function shareOf(t: TestContext, open: (t: TestContext) => Promise<Database>, outcome: RunFact) {
  const { run, start } = await openShares(t, open)
  const { app } = await start()
  const { id } = await run([], [outcome])
  return async (redaction: object): Promise<Shown> => {
    const headers = { authorization: 'Bearer alice-token' }
    const made = await app.inject({ method: 'POST', url: `/api/runs/${id}/shares`, headers, payload: { redaction } })
    assert.equal(made.statusCode, 201, made.body)
    const { token } = made.json<{ token: string }>()
    const read = await app.inject({ url: `/api/shared/runs/${token}` })
    assert.equal(read.statusCode, 200, read.body)
    return read.json<{ run: Shown }>().run
  }
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a share of a failed run has the reason and its error`, { skip }, async (t) => {
    const share = await shareOf(t, open, { fact: 'failed', failReason: 'model_error' })
    const full = await share({ content: 'full' })
    assert.deepEqual([full.state, full.failReason, full.pauseReason], ['failed', 'model_error', null])
    assert.equal(full.error?.code, 'model_error')
    assert.match(full.error.message ?? '', /\w/)
    assert.equal(typeof full.finishedAt, 'string')
    const bare = await share({ content: 'none' })
    assert.deepEqual([bare.failReason, bare.error], ['model_error', { code: 'model_error' }])
  })

  test(`${name}: a share of a paused run has the reason of the pause`, { skip }, async (t) => {
    const interrupts = [{ id: 'q', reason: 'input_required' as const }]
    const share = await shareOf(t, open, { fact: 'paused', pauseReason: 'input_required', interrupts })
    const { state, pauseReason, error, output, finishedAt } = await share({})
    assert.deepEqual([state, pauseReason, error, output, finishedAt], ['paused', 'input_required', null, null, null])
  })
}
