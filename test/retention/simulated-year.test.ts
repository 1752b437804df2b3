import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { openEveryTable } from './every-table.ts'
import { measure, passDays } from './passing-time.ts'
import { openYear } from './year.ts'

const STEP_DAYS = 14
const STEPS = 27
// Longest retention of this test, and a month of events, are over by then.
const SETTLED = 9

// Tables that must have had rows, so that the year shows something.
const used = [
  'runs_runs',
  'runs_journal',
  'runs_content',
  'runs_lease',
  'sharing_shares',
  'sharing_snapshots',
  'feedback_scores',
  'traces_chunks',
  'recording_runs',
  'recording_usage',
  'objects',
  'idempotency',
  'tasks',
  'knowledge_ingests',
  'memory_items',
  'cost_days',
  'cost_runs',
  'cost_agents',
  'budgets_holds',
  'budgets_accounts',
  'events',
  'streams',
  'object_index',
]

test(
  'F10: in a simulated year of use no table and no object store grows on',
  needs('postgres', 'initdb'),
  async (t) => {
    const database = await openEveryTable(t)
    const year = await openYear(t, database)
    const sizes: (readonly [string, { readonly rows: number; readonly bytes: number }])[][] = []
    for (let step = 0; step < STEPS; step++) {
      await year.use(step)
      await passDays(database, STEP_DAYS)
      await year.enforce()
      sizes.push([...(await measure(database)), ['objects', year.objects()]])
    }
    const most = (name: string, size: 'rows' | 'bytes', from: number, to: number): number =>
      Math.max(0, ...sizes.slice(from, to).map((one) => new Map(one).get(name)?.[size] ?? 0))
    const names = [...new Set(sizes.flatMap((one) => one.map(([name]) => name)))]
    for (const name of used) assert.ok(most(name, 'rows', 0, STEPS) > 0, `${name} is used`)
    for (const name of names)
      for (const size of ['rows', 'bytes'] as const) {
        const [before, after] = [most(name, size, SETTLED, 18), most(name, size, 18, STEPS)]
        // Growing on, it would double; months are of unequal length.
        assert.ok(after <= 1.4 * before, `${name}: ${before} ${size} in the middle of the year, ${after} at its end`)
      }
    await year.holdCounters()
  },
)
