import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import type { Database } from '#core/database/database.ts'
import type { Static } from 'typebox'
import type { RunComparison } from '#schemas/api/run-compare.ts'
import type { RunStats } from '#schemas/api/run-stats.ts'
import type { EntryKind } from '#schemas/runs/run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { countRunsIn } from '../store/sums/count-runs.ts'
import { serveRuns } from '../testing/served-runs.ts'
import { agent } from '../testing/world.ts'

/** Ends every run after two seconds, with its first text after half a second, and 1,500 micros of cost. */
async function endAll(database: Database): Promise<void> {
  for (const change of [
    sql`update runs_runs set state = 'succeeded', started_at = created_at + interval '1 second',
      finished_at = created_at + interval '3 seconds', input_tokens = 10, output_tokens = 5`,
    sql`update runs_lease set first_token_at = r.started_at + interval '500 milliseconds' from runs_runs r where r.id = run_id`,
    sql`insert into runs_costs (run_id, calls, unpriced, answered, metered, model, micros, currency, mixed, reported, own_reports)
      select id, 1, 0, 1, true, 'small', 1500, 'USD', false, 0, 0 from runs_runs`,
  ])
    await change.execute(database.root)
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: statistics have each field, by time, group and the other groups`, { skip }, async (t) => {
    const database = await open(t)
    const { world, ask, create } = await serveRuns(t, database)
    const ids: string[] = []
    for (let n = 0; n < 6; n++) ids.push(await create(`question ${n}`))
    await endAll(database)
    await sql`update runs_runs set subject = 'bob' where id = ${ids[0]}`.execute(database.root)
    await world.store.transact((tx) => countRunsIn(tx.tables<RunsTables>(), ids))
    const read = async (query: string): Promise<RunStats> => {
      const answer = await ask('GET', `/runs/stats?${query}`)
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.json<RunStats>()
    }
    const at = (offsetMs: number): string => encodeURIComponent(new Date(Date.now() + offsetMs).toISOString())
    const window = `from=${at(-3_600_000)}&to=${at(3_600_000)}&interval=1h`
    const bySubject = await read(`namespace=${agent.namespace}&${window}&groupBy=subject&top=1`)
    const { groups, other, bins, ...all } = bySubject
    const counts = { succeeded: 5, failed: 0, paused: 0 }
    assert.deepEqual([all.count, all.interval, all.groupBy, all.namespace], [6, '1h', 'subject', agent.namespace])
    assert.deepEqual(all.cost, [{ amount: '0.009', currency: 'USD' }])
    const [group] = groups
    assert.deepEqual([group?.count, group?.succeeded, group?.usage.inputTokens], [5, counts.succeeded, 50])
    assert.deepEqual([other?.count, other?.succeeded, other?.usage.outputTokens], [1, 1, 5])
    for (const sums of [all, group, other]) {
      const close = (found: number | null | undefined, exact: number): boolean =>
        Math.abs((found ?? 0) - exact) <= exact / 10
      assert.ok(close(sums?.durationMs.p50, 2_000) && close(sums?.durationMs.p99, 2_000), JSON.stringify(sums))
      assert.ok(close(sums?.queueMs.p95, 1_000) && close(sums?.firstTokenMs.p50, 500), JSON.stringify(sums))
    }
    for (const list of [bins, group?.bins ?? []])
      assert.ok(list.length >= 2 && list.every(({ from }) => Date.parse(from) % 3_600_000 === 0), JSON.stringify(list))
    assert.equal(
      bins.reduce((sum, { count }) => sum + count, 0),
      6,
    )
    const byAgent = await read(`scope=permitted&groupBy=agent&from=${at(-3_600_000)}`)
    assert.deepEqual(
      byAgent.groups.map((one) => [one.key, one.agent]),
      [[agent.uid, { namespace: agent.namespace, name: agent.name }]],
    )
    assert.deepEqual([byAgent.scope, byAgent.other, byAgent.interval, byAgent.bins], ['permitted', null, null, []])
    for (const query of ['bins=1e9', 'bins=0', 'top=51', 'groupBy=x', 'from=x', 'interval=1ms', 'q=%00', 'x=1'])
      assert.equal((await ask('GET', `/runs/stats?${query}`)).statusCode, 400, query)
  })

  test(`${name}: a list counts its runs on request, and two runs are compared step by step`, { skip }, async (t) => {
    const { world, ask, create } = await serveRuns(t, await open(t))
    const actor = { name: 'worker', kind: 'system' } as const
    const make = async (tools: readonly string[]): Promise<string> => {
      const id = await create('x')
      const entry = (kind: EntryKind, n: number, data: object) => {
        return { ts: new Date(), kind, path: [agent.name], spanId: String(n).padStart(16, '0'), data: { ...data } }
      }
      const entries = tools.flatMap((tool, n) => [
        entry('tool.started', n, { toolCallId: `c${n}`, name: tool }),
        entry('tool.finished', n, { toolCallId: `c${n}`, result: 'done' }),
      ])
      const facts = [{ fact: 'started', epoch: 1, segment: 1 } as const, { fact: 'succeeded' } as const]
      await world.writer.change(id, { actor }, () => ({ facts, entries }))
      return id
    }
    const [a, b] = [await make(['look', 'write']), await make(['look', 'send', 'write'])]
    const page = (await ask('GET', '/runs?limit=1&total=true')).json<{ total: number; items: readonly unknown[] }>()
    assert.deepEqual([page.total, page.items.length], [2, 1])
    const answer = await ask('GET', `/runs/compare?a=${a}&b=${b}`)
    assert.equal(answer.statusCode, 200, answer.body)
    const compared = answer.json<Static<typeof RunComparison>>()
    assert.deepEqual([compared.a.id, compared.b.id, compared.truncated], [a, b, false])
    assert.deepEqual(
      compared.steps.map((step) => [step.a?.name ?? null, step.b?.name ?? null]),
      [
        ['look', 'look'],
        [null, 'send'],
        ['write', 'write'],
      ],
    )
    assert.equal(compared.firstDifference, 1)
    for (const query of [`a=${a}`, `a=${a}&b=`, `a=%00&b=${b}`, `a=x&b=${b}`])
      assert.ok([400, 404].includes((await ask('GET', `/runs/compare?${query}`)).statusCode), query)
  })
}
