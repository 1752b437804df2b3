import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { MAX_COUNTED_CHILDREN } from '#schemas/runs/run.ts'
import type { Run, RunDetail } from '../contract/run.ts'
import { entryJson, frame, resultJson, startForgedLauncher } from '../testing/forged-launcher.ts'
import { serveRuns } from '../testing/served-runs.ts'
import { queueRun, settled, startWorker, workerServices } from '../testing/world.ts'

const hints = { readOnly: false, destructive: true }
const policy = { kind: 'McpToolBinding', name: 'default/mail', rule: 'no-secrets' }
const interrupt = { id: 'tap_1', reason: 'approval_required', tool: 'send_mail', arguments: { to: 'Zebedee' } }
const tokenAfterMs = 5_000
const dayMs = 86_400_000

/** A segment with a message, two tool calls, and a question. */
function script(): string {
  const ts = JSON.stringify(new Date(Date.now() + tokenAfterMs).toISOString())
  const paused = {
    pauseReason: 'approval_required',
    interrupts: [{ ...interrupt, hints, policy }],
    checkpoint: null,
  }
  const tool = (n: number) => entryJson('tool.started', n, `{"toolCallId":"c${n}","name":"look"}`)
  return [
    entryJson('message.started', 1, '{"messageId":"m"}', { ts }),
    entryJson('message.finished', 2, '{"messageId":"m","text":"Hi"}', { ts }),
    tool(3),
    tool(4),
    entryJson('run.paused', 5, resultJson('paused', JSON.stringify(paused).slice(1, -1))),
  ]
    .map(frame)
    .join('')
}

for (const { name, skip, open } of pluginAdapters)
  test(
    `${name}: a run shows what it did, and its interrupts who asks, since when and until when`,
    { skip },
    async (t) => {
      const database = await open(t)
      const { world, ask, create, listed } = await serveRuns(t, database)
      const id = await create('x')
      const idle = await listed(id)
      assert.deepEqual(idle && activityOf(idle), [null, 0, 0, 0])
      const launcher = await startForgedLauncher(t, (response) => response.end(script()))
      const worker = startWorker(
        workerServices(world, () => launcher.url),
        'one',
      )
      t.after(() => worker.stop())
      const run = await settled(world, id, ({ state }) => state === 'paused')
      await worker.stop()
      await queueRun(world, 'child', undefined, run)
      await sql`insert into runs_costs (run_id, calls, unpriced, answered, metered, micros, mixed, reported, own_reports)
      values (${id}, 3, 0, 3, true, 1, false, 2, 7)`.execute(database.root)
      const detail = (await ask('GET', `/runs/${id}`)).json<RunDetail>()
      const inList = await listed(id)
      assert.ok(inList !== undefined)
      for (const shown of [detail, inList]) {
        const [firstTokenMs, ...counts] = activityOf(shown)
        assert.deepEqual(counts, [3, 2, 1], 'metered calls, tool calls, children')
        // The run started at most this long before the script.
        assert.ok(
          Number(firstTokenMs) >= tokenAfterMs && Number(firstTokenMs) < tokenAfterMs + 60_000,
          `${firstTokenMs}`,
        )
        const { askedAt = '', expiresAt = '' } = shown.interrupts[0] ?? {}
        assert.ok(Math.abs(Date.parse(askedAt) - Date.now()) < 60_000, askedAt)
        assert.equal(Date.parse(expiresAt) - Date.parse(askedAt), world.settings.retentionDays * dayMs)
      }
      const [asked] = detail.interrupts
      assert.deepEqual(
        { ...asked, askedAt: '', expiresAt: '' },
        { ...interrupt, hints, policy, askedAt: '', expiresAt: '' },
      )
      const [short] = inList.interrupts
      assert.deepEqual([short?.hints, short?.policy, short?.arguments], [undefined, undefined, undefined])
      await sql`insert into runs_runs select (jsonb_populate_record(null::runs_runs,
          to_jsonb(child) || jsonb_build_object('id', gen_random_uuid(), 'created_at', '2001-01-01'))).*
        from runs_runs child, generate_series(1, 250) where child.parent_run_id = ${id}`.execute(database.root)
      assert.equal((await listed(id))?.childRuns, MAX_COUNTED_CHILDREN, 'counted up to a bound')
      const cancelled = await ask('POST', `/runs/${id}/cancel`, {})
      assert.equal(cancelled.statusCode, 202, cancelled.body)
      assert.deepEqual((await listed(id))?.interrupts, [])
    },
  )

function activityOf({ firstTokenMs, modelCalls, toolCalls, childRuns }: Run): readonly unknown[] {
  return [firstTokenMs, modelCalls, toolCalls, childRuns]
}
