import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { RunDetail } from '../contract/run.ts'
import { serveRuns } from '../testing/served-runs.ts'
import { RETRY_LABEL } from './again.ts'

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a retry has the recorded input or another, and names the run`, { skip }, async (t) => {
    const { ask, create } = await serveRuns(t, await open(t))
    const id = await create({ text: 'one' })
    const retry = async (of: string, body: object): Promise<RunDetail> => {
      const made = await ask('POST', `/runs/${of}/retry`, body)
      assert.equal(made.statusCode, 201, made.body)
      const run = made.json<RunDetail>()
      assert.equal(made.headers['location'], `/api/runs/${run.id}`)
      return (await ask('GET', `/runs/${run.id}`)).json<RunDetail>()
    }
    const same = await retry(id, {})
    assert.deepEqual(
      [same.input, same.trigger.kind, same.labels, same.state],
      [{ text: 'one' }, 'retry', { [RETRY_LABEL]: id }, 'queued'],
    )
    assert.equal((await retry(id, { input: null })).input, null, 'null is an input')
    const edited = await retry(same.id, { input: 'two', labels: { a: 'b' }, conversationId: 'c' })
    assert.deepEqual(
      [edited.input, edited.labels, edited.conversationId],
      ['two', { a: 'b', [RETRY_LABEL]: same.id }, 'c'],
    )
    const many = Object.fromEntries(Array.from({ length: 32 }, (_, n) => [`k${n}`, 'v']))
    assert.equal(Object.keys((await retry(id, { labels: many })).labels).length, 32)
    for (const [body, pointer] of [
      [{ input: 'a\0' }, '/input'],
      [{ inputs: 'a' }, '/inputs'],
      [{ labels: { '': 'a' } }, '/labels'],
      [{ conversationId: '' }, '/conversationId'],
    ] as const) {
      const refused = await ask('POST', `/runs/${id}/retry`, body)
      assert.deepEqual([refused.statusCode, refused.body.includes(pointer)], [400, true], refused.body)
    }
    for (const unknown of ['x', '019a0000-0000-7000-8000-000000000000'])
      assert.equal((await ask('POST', `/runs/${unknown}/retry`, {})).statusCode, 404, unknown)
  })

  test(`${name}: a retry that is repeated with its key has one run`, { skip }, async (t) => {
    const database = await open(t)
    const { ask, create } = await serveRuns(t, database)
    const id = await create('one')
    const count = async () =>
      (await sql<{ n: number }>`select count(*)::int as n from runs_runs`.execute(database.root)).rows[0]?.n
    const first = await ask('POST', `/runs/${id}/retry`, {}, 'key')
    const again = await ask('POST', `/runs/${id}/retry`, {}, 'key')
    assert.deepEqual([first.statusCode, again.statusCode, again.body], [201, 201, first.body])
    // As after a COMMIT whose response was lost.
    await sql`delete from idempotency`.execute(database.root)
    const lost = await ask('POST', `/runs/${id}/retry`, {}, 'key')
    assert.equal(lost.json<RunDetail>().id, first.json<RunDetail>().id)
    assert.equal(await count(), 2)
    const other = await ask('POST', `/runs/${id}/retry`, { input: 'two' }, 'key')
    assert.deepEqual([other.statusCode, await count()], [409, 2], other.body)
  })

  test(`${name}: a run whose content was erased is retried with another input only`, { skip }, async (t) => {
    const database = await open(t)
    const { ask, create } = await serveRuns(t, database)
    const id = await create('one')
    await sql`delete from runs_content where run_id = ${id}`.execute(database.root)
    const refused = await ask('POST', `/runs/${id}/retry`, {})
    assert.deepEqual([refused.statusCode, refused.json<{ code: string }>().code], [409, 'run_content_erased'])
    assert.equal((await ask('POST', `/runs/${id}/retry`, { input: 'two' })).statusCode, 201)
  })
}
