import assert from 'node:assert/strict'
import test from 'node:test'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import type { Tx } from '#core/event-store/store.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { createKeyring } from '#core/signing/create-keyring.ts'
import type { Access } from '#core/cluster/caller.ts'
import { sealRun } from './seal.ts'
import type { NewRun } from '../create/create-run.ts'
import type { PreparedRun, PrepareRequest, QueueOptions, RunsApi } from '../contract/api.ts'
import { grantAgeMs, readGrant, signGrant } from '../grants/grants.ts'
import { readContent } from '../store/internal/content.ts'
import { dropExpiredPrepared } from '../store/internal/prepared.ts'
import { findRun } from '../store/internal/find-run.ts'
import type { RunsTables } from '../contract/tables.ts'
import { deleteRuns } from '../retention/delete-runs.ts'
import { keyTypes, robot, startRig } from './testing/rig.ts'

type Rig = Awaited<ReturnType<typeof startRig>>

const hour = 3_600_000
const request: PrepareRequest = { agent: robot, input: 'private words', trigger: 'approval' }

async function memoryRig(t: TestContext, settings: object = {}): Promise<Rig> {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrate(database, [storeMigrations])
  return startRig(t, database, settings)
}

async function aliceMayInvoke(rig: Rig): Promise<RunsApi> {
  await rig.allow({ user: 'alice', namespace: 'team' })
  return rig.api('bff')
}

async function prepare(rig: Rig, more: Partial<PrepareRequest> = {}): Promise<PreparedRun> {
  return rig.api('bff').prepare(await rig.caller('alice'), await rig.proof('alice'), { ...request, ...more })
}

const queue = (
  rig: Rig,
  prepared: PreparedRun,
  options?: QueueOptions,
  role: 'worker' | 'manager' | 'bff' = 'worker',
) => rig.world.store.transact((tx: Tx) => rig.api(role).queueIn(tx, prepared, options))

const runs = (rig: Rig) => rig.world.store.reader<RunsTables>().selectFrom('runs_runs').selectAll().execute()

const code = (expected: string, detail?: RegExp) => (error: unknown) =>
  error instanceof Fail && error.code === expected && (detail === undefined || detail.test(error.message))

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: a prepared run is queued once by any role, for its subject`, { skip }, async (t) => {
    const rig = await startRig(t, await open(t))
    await aliceMayInvoke(rig)
    const prepared = await prepare(rig, { labels: { batch: '7' }, conversationId: 'c-1' })
    assert.deepEqual(await runs(rig), [], 'nothing exists before it is queued')
    // Stored as JSON by the plugin and read back with other key order.
    const stored = JSON.parse(JSON.stringify({ ...prepared, runId: prepared.runId })) as PreparedRun
    const made = await Promise.all(
      (['worker', 'manager', 'bff', 'worker'] as const).map((role) => queue(rig, stored, {}, role)),
    )
    assert.deepEqual(new Set(made.map(({ runId }) => runId)), new Set([prepared.runId]))
    const [run, ...more] = await runs(rig)
    assert.deepEqual(more, [])
    assert.deepEqual(
      [
        run?.subject,
        run?.trigger_kind,
        run?.trigger_by,
        run?.namespace,
        run?.agent_uid,
        run?.labels,
        run?.conversation_id,
      ],
      ['alice', 'approval', 'alice', 'team', 'uid-team-robot', { batch: '7' }, 'c-1'],
    )
    const [event] = await rig.world.store.readStream(`runs/${prepared.runId}`)
    assert.deepEqual(event?.actor, { name: 'alice', kind: 'user' })
    const content = await readContent(rig.world.store.reader<RunsTables>(), prepared.runId)
    assert.equal(content?.input, 'private words')
  })

test('SEC: a prepared run that was changed in any part is refused', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  const prepared = await prepare(rig)
  const other = await prepare(rig, { input: 'other words' })
  const edited = (change: (run: Record<string, unknown>) => object): PreparedRun => ({
    ...prepared,
    content: JSON.stringify(change(JSON.parse(prepared.content) as Record<string, unknown>)),
  })
  const moved = { namespace: 'other', name: 'robot', uid: 'uid-other-robot' }
  const cases: Record<string, unknown> = {
    'another input': edited((run) => ({ ...run, input: 'x' })),
    'another subject': edited((run) => ({ ...run, subject: 'bob' })),
    'another namespace': edited((run) => ({ ...run, agent: moved, namespaceUid: 'uid-other' })),
    'another agent uid': edited((run) => ({ ...run, agent: { ...robot, uid: 'uid-other-robot' } })),
    'another run id': { ...prepared, runId: other.runId },
    'the content of another': { ...prepared, content: other.content },
    'the token of another': { ...prepared, token: other.token },
    'the grant in place of the token': { ...prepared, token: (JSON.parse(prepared.content) as NewRun).grant },
    'a cut token': { ...prepared, token: prepared.token.slice(0, -2) },
    'no token': { ...prepared, token: '' },
    'no content': { runId: prepared.runId, token: prepared.token },
    'text in place of an object': 'x',
    nothing: null,
    'a number': { ...prepared, content: 7 },
    'U+0000': { ...prepared, content: '\0' },
    'a long token': { ...prepared, token: 'a'.repeat(10_000_000) },
  }
  for (const [what, given] of Object.entries(cases))
    await assert.rejects(queue(rig, given as PreparedRun), code('prepared_run_refused'), what)
  assert.deepEqual(await runs(rig), [])
  const { rows } = await sql`select 1 from runs_prepared`.execute(rig.database.root)
  assert.deepEqual(rows, [], 'a refused one is not used up')
  await queue(rig, prepared)
})

test('SEC: keys of another installation, and of roles that may not sign, are refused', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  const run = JSON.parse((await prepare(rig)).content) as NewRun
  const options = { now: new Date(rig.clock.now), seconds: 60 }
  const foreign = createKeyring({ generate: keyTypes })
  for (const by of ['grant', 'account'] as const)
    await assert.rejects(
      queue(rig, await sealRun(foreign, run, { ...options, by })),
      code('prepared_run_refused', /not signed by this installation/),
      by,
    )
  await assert.rejects(
    rig.api('worker').prepare(await rig.caller('alice'), await rig.proof('alice'), request),
    /no key "grant"/,
  )
  await assert.rejects(
    rig.api('manager').prepare(await rig.caller('alice'), await rig.proof('alice'), request),
    /no key "grant"/,
  )
  await rig.account('team', 'bot')
  await rig.allow({ user: 'system:serviceaccount:team:bot', namespace: 'team' })
  const account = { namespace: 'team', name: 'bot' }
  await assert.rejects(rig.api('bff').prepareAs(rig.manager, account, request), /no key "account"/)
})

test('SEC: the key of the manager signs for service accounts only', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  const run = JSON.parse((await prepare(rig)).content) as NewRun
  const keys = rig.keys('manager')
  const now = new Date(rig.clock.now)
  const forged = await sealRun(keys, run, { now, seconds: 60, by: 'account' })
  await assert.rejects(queue(rig, forged), code('prepared_run_refused', /service accounts only/))
  const of = { runId: run.runId, agentUid: run.agent?.uid ?? '', groups: [] }
  for (const subject of ['alice', 'system:admin', 'system:serviceaccount:', 'system:serviceaccount:a:b:c']) {
    const grant = await signGrant(keys, { ...of, subject }, now, 'account')
    await assert.rejects(readGrant(rig.keys('state'), grant, now), /token refused: claims/, subject)
  }
  const subject = 'system:serviceaccount:team:bot'
  const grant = await signGrant(keys, { ...of, subject }, now, 'account')
  assert.equal((await readGrant(rig.keys('state'), grant, now)).subject, subject)
})

test('SEC: a prepared run expires, and is used once also after its run was removed', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  const short = await prepare(rig, { expiresInSeconds: 60 })
  const used = await prepare(rig)
  await queue(rig, used)
  rig.clock.now += 61_000
  await assert.rejects(queue(rig, short), code('prepared_run_refused', /expired/))
  const actor = { name: 'runs.retention', kind: 'controller' } as const
  await rig.world.store.transact((tx) => deleteRuns(tx, [used.runId], actor))
  await sql`delete from streams`.execute(rig.database.root)
  await assert.rejects(queue(rig, used), code('prepared_run_refused', /queued and removed/))
  assert.deepEqual(await runs(rig), [])
  const drop = () => rig.world.store.transact((tx) => dropExpiredPrepared(tx.tables<RunsTables>(), 10))
  assert.equal(await drop(), 0, 'kept while it is valid')
  await sql`update runs_prepared set expires_at = now() - interval '2 hours'`.execute(rig.database.root)
  assert.equal(await drop(), 1)
})

test('SEC: a prepared run of a replaced agent or namespace is refused', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  const prepared = await prepare(rig)
  await rig.forget('uid-team-robot')
  await rig.observe('AgentDeployment', 'team', 'robot', 'uid-of-successor')
  await assert.rejects(queue(rig, prepared), code('not_found'))
  const { run } = { run: await findRun(rig.world.store.reader<RunsTables>(), prepared.runId) }
  assert.equal(run, undefined)
  assert.equal((await queue(rig, await prepare(rig))).state, 'queued', 'the successor can be prepared')
})

test('SEC: prepare demands the proof of this caller for this agent', async (t) => {
  const rig = await memoryRig(t)
  await rig.allow({ user: 'alice', namespace: 'team', name: 'robot' })
  await rig.allow({ user: 'alice', namespace: 'team', resource: 'things' })
  await rig.allow({ user: 'bob', namespace: 'team' })
  const api = rig.api('bff')
  const alice = await rig.caller('alice')
  const proof = await rig.proof('alice')
  const things = await alice.review('create', 'things', { namespace: proof.namespace })
  const refusals: [string, Access, Partial<PrepareRequest>][] = [
    ['of another caller', await rig.proof('bob'), {}],
    ['for another resource', things, {}],
    ['for another namespace', proof, { agent: { namespace: 'other', name: 'robot' } }],
    ['for another agent', proof, { agent: { namespace: 'team', name: 'second' } }],
  ]
  for (const [what, access, more] of refusals)
    await assert.rejects(api.prepare(alice, access, { ...request, ...more }), /proof/, what)
  await api.prepare(alice, proof, request)
})

test('a request that the API would refuse is refused by field, before anything is signed', async (t) => {
  const rig = await memoryRig(t)
  const api = await aliceMayInvoke(rig)
  const [alice, proof] = [await rig.caller('alice'), await rig.proof('alice')]
  const cases: [string, object][] = [
    ['/agent/namespace', { agent: { namespace: '../x', name: 'robot' } }],
    ['/agent/name', { agent: { namespace: 'team', name: '' } }],
    ['/input', { input: 'a\0b' }],
    ['/input/x', { input: { x: '\ud800' } }],
    ['/input', { input: 'x'.repeat(1024 * 1024) }],
    ['/conversationId', { conversationId: '../' }],
    ['/labels', { labels: { 'a\0': 'b' } }],
    ['/trigger', { trigger: 'api' }],
    ['/trigger', { trigger: 'An Approval' }],
    ['/expiresInSeconds', { expiresInSeconds: 8 * 24 * 3600 }],
    ['/expiresInSeconds', { expiresInSeconds: 0 }],
    ['/expiresInSeconds', { expiresInSeconds: Number.NaN }],
    ['/subject', { subject: 'bob' }],
  ]
  for (const [pointer, more] of cases)
    await assert.rejects(
      api.prepare(alice, proof, { ...request, ...more }),
      (error) => error instanceof Fail && error.errors?.[0]?.pointer.startsWith(pointer) === true,
      `${pointer} ${JSON.stringify(more).slice(0, 60)}`,
    )
})

test('SEC: a run of a ServiceAccount needs its existence, its namespace and its right at that moment', async (t) => {
  const rig = await memoryRig(t)
  const api = rig.api('manager')
  const bot = { namespace: 'team', name: 'bot' }
  const as = (account = bot, more: Partial<PrepareRequest> = {}) =>
    api.prepareAs(rig.manager, account, { ...request, trigger: 'schedule', ...more })
  await rig.allow({ user: 'system:serviceaccount:team:gone', namespace: 'team' })
  await assert.rejects(as({ ...bot, name: 'gone' }), code('not_found'), 'a binding alone is no account')
  await rig.account('team', 'bot')
  await assert.rejects(as(), code('forbidden', /may not create agentdeployments.invoke robot/))
  const withdraw = await rig.allow({ user: 'system:serviceaccount:team:bot', namespace: 'team', name: 'robot' })
  await rig.allow({ user: 'system:serviceaccount:team:bot', namespace: 'other' })
  await assert.rejects(as(bot, { agent: { namespace: 'other', name: 'robot' } }), code('forbidden', /own namespace/))
  await rig.observe('AgentDeployment', 'team', 'second', 'uid-second')
  await assert.rejects(as(bot, { agent: { namespace: 'team', name: 'second' } }), code('forbidden'))
  await assert.rejects(as({ namespace: 'team', name: '../x' }), /serviceAccount/)
  const prepared = await as()
  await queue(rig, prepared, {}, 'manager')
  const [run] = await runs(rig)
  assert.deepEqual(
    [run?.subject, run?.trigger_by, run?.trigger_kind],
    ['system:serviceaccount:team:bot', 'system:serviceaccount:team:bot', 'schedule'],
  )
  await withdraw()
  await assert.rejects(as(), code('forbidden'), 'the right is reviewed each time')
})

test('quotas count for the subject, in any role', async (t) => {
  const rig = await memoryRig(t, { queuedPerCaller: 2 })
  await aliceMayInvoke(rig)
  const three = [await prepare(rig), await prepare(rig), await prepare(rig)] as const
  await queue(rig, three[0])
  await queue(rig, three[1], {}, 'bff')
  await assert.rejects(queue(rig, three[2]), code('too_many_requests'))
  assert.equal((await queue(rig, three[0])).runId, three[0].runId, 'a repeat makes no run and needs no room')
  assert.equal((await runs(rig)).length, 2)
})

test('a transaction that fails leaves the prepared run usable, and an idempotency key makes one run', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  const idempotency = { key: hashOf('key'), request: hashOf('body') }
  const [first, second] = [await prepare(rig, { idempotency }), await prepare(rig, { idempotency })]
  const failing = rig.world.store.transact(async (tx: Tx) => {
    await rig.api('worker').queueIn(tx, first)
    throw new Error('later statement')
  })
  await assert.rejects(failing, /later statement/)
  assert.equal((await queue(rig, first)).runId, first.runId)
  assert.equal((await queue(rig, second)).runId, first.runId)
  const conflicting = await prepare(rig, { idempotency: { ...idempotency, request: hashOf('another body') } })
  await assert.rejects(queue(rig, conflicting), code('idempotency_conflict'))
  assert.equal((await runs(rig)).length, 1)
})

test('a child has the subject and the trace of its parent, and none under an ended one', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  await rig.allow({ user: 'bob', namespace: 'team' })
  const parent = await queue(rig, await prepare(rig))
  const { runId } = await queue(rig, await prepare(rig), { parentRunId: parent.runId })
  const found = await runs(rig)
  const [top, child] = [parent.runId, runId].map((id) => found.find((run) => run.id === id))
  assert.deepEqual(
    [child?.parent_run_id, child?.root_run_id, child?.trace_id],
    [parent.runId, parent.runId, top?.trace_id],
  )
  const ofBob = await rig.api('bff').prepare(await rig.caller('bob'), await rig.proof('bob'), request)
  await assert.rejects(queue(rig, ofBob, { parentRunId: parent.runId }), code('prepared_run_refused', /subject/))
  let deepest = runId
  for (let depth = 2; depth <= 8; depth++)
    deepest = (await queue(rig, await prepare(rig), { parentRunId: deepest })).runId
  await assert.rejects(queue(rig, await prepare(rig), { parentRunId: deepest }), code('depth_exceeded'))
  const actor = { name: 'alice', kind: 'user' } as const
  await rig.world.writer.change(parent.runId, { actor }, () => ({ facts: [{ fact: 'cancel-requested' }] }))
  await assert.rejects(queue(rig, await prepare(rig), { parentRunId: parent.runId }), code('run_terminal'))
})

test('the grant of a prepared run is as old as its review', async (t) => {
  const rig = await memoryRig(t)
  await aliceMayInvoke(rig)
  const prepared = await prepare(rig)
  rig.clock.now += 2 * hour
  await queue(rig, prepared)
  const content = await readContent(rig.world.store.reader<RunsTables>(), prepared.runId)
  const age = grantAgeMs(content?.grant_token ?? '', new Date(rig.clock.now))
  assert.ok(age !== undefined && age >= 2 * hour)
  assert.equal(grantAgeMs('no token', new Date()), undefined)
})

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
