import assert from 'node:assert/strict'
import test from 'node:test'
import { createServedDirectory } from '#core/cluster/namespace-directory.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { buildServer } from '#core/http/testing/build-server.ts'
import { parseLabel } from '#core/kube/names.ts'
import { findForCaller } from '#plugins/runs/read/find-run.ts'
import type { RunsTables } from '#plugins/runs/contract/tables.ts'
import { feedbackRoutes } from './routes.ts'
import type { FeedbackServices } from './services.ts'
import { openScores } from './testing/scores.ts'

interface Scores {
  readonly items: readonly { readonly id: string; readonly value: unknown; readonly comment: string | null }[]
  readonly nextCursor: string | null
  readonly scope?: string
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a person scores a run, and reads the scores page by page`, { skip }, async (t) => {
    const { services, run, world } = await openScores(t, open)
    const { store } = world
    const runs: FeedbackServices['runs'] = {
      ...services.runs,
      find: (caller, reference) => findForCaller(store.reader<RunsTables>(), caller, reference),
    }
    const endpoints = feedbackRoutes({ ...services, runs } as FeedbackServices)
    const directory = createServedDirectory([parseLabel('namespace', 'default')])
    const { app } = await buildServer(t, [{ endpoints }], { store, directory })
    const headers = { authorization: 'Bearer good-token' }
    const { id: runId } = await run()
    const ids: string[] = []
    for (const payload of [
      { runId, value: 4, comment: 'Short and right.' },
      { runId, value: true },
    ]) {
      const made = await app.inject({ method: 'POST', url: '/api/feedback', headers, payload })
      assert.equal(made.statusCode, 202, made.body)
      ids.unshift(made.json<{ id: string }>().id)
    }
    const read = async (query: string): Promise<Scores> => {
      const page = await app.inject({ url: `/api/feedback?${query}`, headers })
      assert.equal(page.statusCode, 200, page.body)
      return page.json<Scores>()
    }
    const first = await read('scope=permitted&limit=1')
    const rest = await read(`scope=permitted&limit=1&cursor=${encodeURIComponent(first.nextCursor ?? '')}`)
    assert.deepEqual(
      [first, rest].map(({ scope, items }) => [scope, items.map(({ id, value, comment }) => [id, value, comment])]),
      [
        ['permitted', [[ids[0], true, null]]],
        ['permitted', [[ids[1], 4, 'Short and right.']]],
      ],
    )
    assert.equal(rest.nextCursor, null)
    const unknown = { runId: '019a0000-0000-7000-8000-000000000000', value: 1 }
    const refused = await app.inject({ method: 'POST', url: '/api/feedback', headers, payload: unknown })
    assert.equal(refused.statusCode, 404, refused.body)
  })
}
