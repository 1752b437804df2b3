import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { cancelRun } from '../callers/caller-runs.ts'
import { runAttached } from '../contract/events.ts'
import { decideFailure, decideStart } from '../lifecycle/decide.ts'
import type { RunFact, RunFacts } from '../lifecycle/decide.ts'
import { claimRuns } from '../store/claims.ts'
import type { Claim } from '../store/internal/lease.ts'
import type { RunsTables } from '../contract/tables.ts'
import { createWorld, queueRun } from '../testing/world.ts'
import { findRun } from '../store/internal/find-run.ts'
import { readJournal } from '../store/reads.ts'
import { LeaseLost, subjectOf, workerAuthor } from '../lifecycle/run-writer.ts'

const migrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }

const one = (holder: string) => ({ holder, limit: 1, share: 1, held: new Map<string, number>() })

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: O6: a worker that has lost its lease writes nothing`, { skip }, async (t) => {
    const database = await open(t, [storeMigrations, migrations])
    const world = createWorld(database)
    const run = await queueRun(world, {})
    const claim = async (holder: string): Promise<Claim> => {
      const { claims } = await world.store.transact((tx) => claimRuns(tx.tables<RunsTables>(), one(holder)))
      const [claimed] = claims
      assert.ok(claimed, `${holder} has no claim`)
      return claimed
    }
    const start = (by: Claim) =>
      world.writer.change(run.id, workerAuthor(by, run), (facts) => ({ facts: decideStart(facts, by.epoch) }))

    const paused = await claim('paused')
    const none = await world.store.transact((tx) => claimRuns(tx.tables<RunsTables>(), one('other')))
    assert.deepEqual(none, { claims: [], more: false })
    await sql`update runs_lease set expires_at = clock_timestamp() - interval '1 second'`.execute(database.root)
    const next = await claim('next')
    assert.ok(next.epoch > paused.epoch)
    await assert.rejects(start(paused), LeaseLost)
    assert.equal((await start(next))?.state, 'running')
    await assert.rejects(start(paused), LeaseLost)
  })

  test(`${name}: O6: a worker decides again when the run that it holds was changed`, { skip }, async (t) => {
    const database = await open(t, [storeMigrations, migrations])
    const world = createWorld(database)
    const run = await queueRun(world, {})
    const { claims } = await world.store.transact((tx) => claimRuns(tx.tables<RunsTables>(), one('w')))
    const [claim] = claims
    assert.ok(claim)
    const author = workerAuthor(claim, run)
    const states: string[] = []
    const change = (decide: (facts: RunFacts) => readonly RunFact[]) =>
      world.writer.change(run.id, author, (facts) => {
        states.push(facts.state)
        return { facts: decide(facts) }
      })
    // An event without a journal entry, then a change with one.
    const event = { type: runAttached, subject: subjectOf(run), data: { runId: run.id, epoch: 1, agentRevision: 7 } }
    await world.store.transact((tx) => tx.append(`runs/${run.id}`, run.version, [event]))
    const started = await change((facts) => decideStart(facts, claim.epoch))
    assert.deepEqual([started?.agent_revision, started?.version, states], [7, 3, ['queued', 'queued']])
    await cancelRun(world.writer, run.id, { name: 'alice', kind: 'user' })
    const ended = await change((facts) => decideFailure(facts, 'agent_unreachable'))
    assert.deepEqual([ended?.state, states.slice(2)], ['cancelled', ['running', 'cancelling']])
    const reader = world.store.reader<RunsTables>()
    assert.deepEqual(await findRun(reader, run.id), ended, 'the row is what its holder knows')
    assert.deepEqual(
      (await readJournal(reader, run, 0, 10)).map(({ seq, kind }) => [seq, kind]),
      ['run.queued', 'run.started', 'run.cancelling', 'run.cancelled'].map((kind, index) => [index + 1, kind]),
    )
  })
}
