import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { UserInfo } from '#core/cluster/caller.ts'
import { memoryKeyring } from '#core/signing/testing/key-types.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { createChildRuns } from './child-runs.ts'
import { inheritedDeadline } from './inherited-deadline.ts'
import type { ChildRunServices } from './child-runs.ts'
import { readAnyGrant, readGrant, signAttempt, signGrant } from '../grants/grants.ts'
import { up as addLabels } from '../migrations/0004-list-indexes.ts'
import { up as createTables } from '../migrations/0001-runs.ts'
import { up as addSubjects } from '../migrations/0007-subjects.ts'
import { runsProjection } from '../projections.ts'
import { resumeRun } from '../interrupts/resume-run.ts'
import { readContent } from '../store/internal/content.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { agent, createWorld, queueRun, queueRunOf } from '../testing/world.ts'

const runsMigrations = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
const day = 24 * 3600 * 1000

/** Writes a row as a process from before the migration. */
async function insertOlder(database: Database, run: { by: string; root?: string; id?: string }): Promise<string> {
  const id = run.id ?? uuidV7()
  await sql`insert into runs_runs (id, version, namespace, namespace_uid, conversation_id, root_run_id, trigger_kind,
      trigger_by, state, trace_id, created_at)
    values (${id}, 1, 'default', 'ns-uid', 'c', ${run.root ?? id}, 'api', ${run.by}, 'succeeded', 'trace', now())`.execute(
    database.root,
  )
  return id
}

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: SEC7: the subject of an older run is the creator of its root run`, { skip }, async (t) => {
    const database = await open(t)
    await createTables(database.root)
    await addLabels(database.root)
    const root = await insertOlder(database, { by: 'alice' })
    const child = await insertOlder(database, { by: 'system:serviceaccount:default:front', root })
    const orphan = await insertOlder(database, { by: 'system:serviceaccount:default:front', root: uuidV7() })
    await addSubjects(database.root)
    const later = await insertOlder(database, { by: 'system:serviceaccount:default:front', root })
    const found = await database.root
      .withTables<RunsTables>()
      .selectFrom('runs_runs')
      .select(['id', 'subject'])
      .execute()
    const subjects = new Map(found.map((row) => [row.id, row.subject]))
    assert.deepEqual(
      [root, child, orphan, later].map((id) => subjects.get(id)),
      ['alice', 'alice', 'system:serviceaccount:default:front', 'alice'],
      'the last one was written by an older process after the migration',
    )
  })

  test(`${name}: SEC7: a rebuild keeps subject and decision`, { skip }, async (t) => {
    const { database, world } = await start(t, open)
    const run = await queueRun(world, 'x')
    await pauseAndAnswer(world, run.id, 'bob')
    const before = await findRun(world.store.reader<RunsTables>(), run.id)
    await rebuild(database, runsProjection)
    assert.deepEqual(await findRun(world.store.reader<RunsTables>(), run.id), before)
    assert.deepEqual([before?.subject, before?.decided_by], ['alice', 'bob'])
  })

  test(
    `${name}: SEC30: the grant of a resumed run keeps its subject and is renewed only for it`,
    { skip },
    async (t) => {
      const { database, world } = await start(t, open)
      const state = await stateRole(world, database)
      const run = await state.queued('alice', ['developers'])
      await pauseAndAnswer(world, run.id, 'bob')
      const grant = await state.recheck(run.id)
      assert.equal(grant, run.grant, 'not renewed while it is valid for long enough')
      assert.deepEqual(state.asked.at(-1), { username: 'alice', groups: ['developers'] })
      state.clock.now += 8 * day
      const renewed = await state.recheck(run.id)
      const claims = await readGrant(state.keys, renewed ?? '', new Date(state.clock.now))
      assert.deepEqual([claims.subject, claims.groups, claims.runId], ['alice', ['developers'], run.id])
      assert.equal((await readContent(world.store.reader<RunsTables>(), run.id))?.grant_token, renewed, 'stored')
      state.allow = false
      assert.equal(await state.recheck(run.id), undefined, 'the subject lost the right')
    },
  )

  test(`${name}: SEC30: a stored grant of another subject, run or key is not renewed`, { skip }, async (t) => {
    const { database, world } = await start(t, open)
    const state = await stateRole(world, database)
    const run = await state.queued('alice', [])
    const of = { runId: run.id, agentUid: agent.uid, subject: 'alice', groups: [] }
    const now = new Date(state.clock.now)
    for (const token of [
      await signGrant(state.keys, { ...of, subject: 'bob' }, now),
      await signGrant(state.keys, { ...of, runId: uuidV7() }, now),
      await signGrant(memoryKeyring(), of, now),
      'no token',
    ]) {
      await sql`update runs_content set grant_token = ${token} where run_id = ${run.id}`.execute(state.database)
      assert.equal(await state.recheck(run.id), undefined)
    }
    assert.equal(await readAnyGrant(state.keys, 'a.b.c'), undefined)
  })

  test(`${name}: a child ends by the deadline of its parent, whatever the launcher names`, { skip }, async (t) => {
    const { world } = await start(t, open)
    const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2027-01-01T00:00:00Z')]
    const free = await queueRun(world, 'x')
    const bound = await queueRunOf(world, { deadline: early })
    const of = (parent: typeof free | undefined, named?: Date) => inheritedDeadline(world.store, parent, named)
    assert.deepEqual(await of(bound, late), early, 'not later')
    assert.deepEqual(await of(bound), early)
    assert.deepEqual(await of(free, late), late)
    assert.equal(await of(free), undefined)
    assert.equal(await of(undefined), undefined)
    const tight = await queueRunOf(world, { deadline: late })
    assert.deepEqual(await of(tight, early), early, 'the run of the launcher may have an earlier end')
  })
}

async function start(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
) {
  const database = await open(t, [runsMigrations])
  return { database, world: createWorld(database) }
}

type World = ReturnType<typeof createWorld>

async function pauseAndAnswer(world: World, runId: string, by: string): Promise<void> {
  const interrupts = [{ id: 'q1', reason: 'input_required' as const }]
  await world.writer.change(runId, { actor: { name: 'worker', kind: 'system' } }, () => ({
    facts: [
      { fact: 'started', epoch: 1, segment: 1 },
      { fact: 'paused', pauseReason: 'input_required', interrupts },
    ],
  }))
  await resumeRun(world, { username: by }, { id: runId }, { payload: 'blue' })
}

/** The state role on a real store; only the result of the access review is scripted. */
async function stateRole(world: World, database: Database) {
  const keys = memoryKeyring()
  const clock = { now: Date.now() }
  const asked: Pick<UserInfo, 'username' | 'groups'>[] = []
  const role = {
    keys,
    clock,
    asked,
    allow: true,
    database: database.root,
    recheck: async (runId: string) => {
      const token = await signAttempt(keys, { runId, agentUid: agent.uid, epoch: 1 }, new Date(clock.now))
      const attempt = await delegations.attemptOf(token)
      assert.ok(attempt)
      return delegations.recheck(runId, attempt)
    },
    async queued(subject: string, groups: readonly string[]) {
      const { id } = await queueRun(world, 'x')
      const grant = await signGrant(keys, { runId: id, agentUid: agent.uid, subject, groups }, new Date(clock.now))
      await sql`update runs_content set grant_token = ${grant} where run_id = ${id}`.execute(role.database)
      return { id, grant }
    },
  }
  const delegations = createChildRuns({
    ...world,
    core: { keys, now: () => new Date(clock.now) },
    state: {
      subjectMay: async ({ username, groups }: UserInfo) => (asked.push({ username, groups }), role.allow),
    },
  } as unknown as ChildRunServices)
  return role
}
