import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Access } from '#core/cluster/caller.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { openDatabase } from '#core/database/database.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import type { Database } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { KubeObject } from '#core/kube/client.ts'
import { parseName } from '#core/kube/names.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { servePlugin } from '#plugins/agents/testing/serve.ts'
import type { Ask } from '#plugins/agents/testing/serve.ts'
import { agentResource } from '../launchers/agent-resource.ts'
import { createRun } from '../create/create-run.ts'
import { listEndpoints } from '../routes/lists.ts'
import { runEndpoints } from '../routes/run.ts'
import { runCreated, runDeleted } from '../contract/events.ts'
import { runsProjection } from '../projections.ts'
import type { RunDetail, Run } from '../contract/run.ts'
import { createCallerRuns } from '../callers/caller-runs.ts'
import { withRareIds } from '../store/lists/rare-runs.ts'
import { listRuns, selectPage } from '../store/lists/select-runs.ts'
import type { RunPage, RunFilter, RunKey } from '../contract/caller-runs.ts'
import type { RunsTables, SelectedRun } from '../contract/tables.ts'
import { grant } from '#plugins/integrations/testing/event-feed.ts'
import { createWorld } from '../testing/world.ts'
import type { World } from '../testing/world.ts'

const runsMigrations = new URL('../migrations/', import.meta.url)

async function migrateAll(database: Database): Promise<void> {
  const migrations = [storeMigrations, { name: 'cluster', migrations: clusterMigrations }]
  await migrate(database, [...migrations, { name: 'runs', migrations: runsMigrations }])
}

async function observeNamespaces(database: Database, names: readonly string[]): Promise<void> {
  for (const name of names)
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${`uid-${name}`}, 'Namespace', '', ${name}, '1', 'x')`.execute(database.root)
}

function newRun(
  world: World,
  namespace: string,
  labels: Readonly<Record<string, string>> = {},
  uid = `agent-${namespace}`,
) {
  const runId = uuidV7()
  return createRun(world, {
    runId,
    agent: { namespace, name: 'robot', uid },
    namespaceUid: `uid-${namespace}`,
    input: 1,
    conversationId: runId,
    labels,
    trigger: { kind: 'api', by: 'alice' },
    subject: 'alice',
    actor: { name: 'alice', kind: 'user' },
    grant: 'unsigned',
    traceparent: `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`,
  })
}

/** Creates several runs in one transaction by their events, faster than one by one; returns their ids. */
function newRuns(world: World, namespace: string, count: number): Promise<readonly string[]> {
  return world.store.transact(async (tx) => {
    const made: string[] = []
    for (let n = 0; n < count; n++) {
      const runId = uuidV7()
      const data = {
        runId,
        agent: { namespace, name: 'robot', uid: `agent-${namespace}`, revision: null },
        namespaceUid: `uid-${namespace}`,
        conversationId: runId,
        rootRunId: runId,
        parentRunId: null,
        trigger: { kind: 'api', by: 'alice' },
        subject: 'alice',
        traceId: 't',
        labels: { team: 'a' },
      }
      await tx.append(`runs/${runId}`, 0, [
        { type: runCreated, subject: { namespace, kind: 'Run', name: runId }, data },
      ])
      made.push(runId)
    }
    return made
  })
}

const readIn = (namespace: string) => ({ verb: 'list', resource: 'runs', namespace }) as Access<'list', 'runs'>

/** A node of `explain (analyze, format json)`. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

const flat = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)]

/** Rows that a page reads; a sequential scan fails the test. */
async function readRows(database: Database, namespace: string, filter: RunFilter, asked: RunPage): Promise<number> {
  const db = database.root.withTables<RunsTables>()
  const { rows } = await sql<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>`
    explain (analyze, format json) ${selectPage(db, readIn(namespace), filter, asked)}`.execute(db)
  const nodes = rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan }) => flat(Plan))
  const ours = nodes.filter((node) => node['Relation Name']?.startsWith('runs_'))
  assert.ok(ours.length > 0)
  for (const node of ours) assert.notEqual(node['Node Type'], 'Seq Scan', JSON.stringify([namespace, filter]))
  return ours.reduce(
    (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    0,
  )
}

const runs = 100_000
const runsOfPart = 5_000

/** Runs of a busy namespace, newest last. The requested runs are old, rare, or in the quiet namespace. */
async function fill(database: Database): Promise<void> {
  await observeNamespaces(database, ['loud', 'quiet'])
  const newest = new Date()
  // In parts: each is a statement within the limits of requests, also on a busy machine.
  for (let first = 1; first < runs; first += runsOfPart)
    await sql`insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id, root_run_id,
      trigger_kind, trigger_by, subject, state, fail_reason, labels, trace_id, created_at, started_at, finished_at)
    select r.id, 1, space, 'uid-' || space, 'robot', 'agent-' || space,
      case when n % 500 = 0 then 'talk' else r.id::text end, r.id, case when n % 1500 = 0 then 'schedule' else 'api' end, 'alice',
      case when n % 1600 = 0 then 'carol' else 'alice' end,
      case when n % 2000 = 0 then 'paused' when space = 'quiet' and n % 2 = 0 then 'failed' else 'succeeded' end,
      case when n % 1700 = 0 then 'tool_error' end,
      case when space = 'quiet' then '{"season": "spring"}' when n <= ${runs / 2} then '{"season": "old"}'
        when n % 1000 = 1 then '{"season": "rare", "b": "c"}' else '{}' end::jsonb, 'trace',
      ${newest}::timestamptz - make_interval(secs => ${runs} - n), ${newest}::timestamptz - make_interval(secs => ${runs} - n),
      ${newest}::timestamptz - make_interval(secs => ${runs} - n - case when n % 1300 = 0 then 9 else 0 end)
    from (select n, gen_random_uuid() as id, case when n % 1000 = 0 then 'quiet' else 'loud' end as space
      from generate_series(${first}::integer, ${first + runsOfPart - 1}::integer) n) r`.execute(database.root)
  await sql`insert into runs_rated select id from runs_runs where trigger_kind = 'schedule'`.execute(database.root)
  await sql`insert into runs_costs (run_id, calls, unpriced, answered, metered, model, micros, mixed, reported, own_reports)
    select id, 1, 0, 1, true, case trigger_kind when 'schedule' then 'large' else 'small' end, 1, false, 0, 0 from runs_runs`.execute(
    database.root,
  )
  for (const table of ['runs_runs', 'runs_labels', 'runs_rated', 'runs_costs'])
    await sql`analyze ${sql.table(table)}`.execute(database.root)
}

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: a page of runs by state, label or conversation reads only its own rows`, { skip }, async (t) => {
    const database = await open(t)
    await migrateAll(database)
    await fill(database)
    const cases: readonly [namespace: string, filter: RunFilter, count: number][] = [
      ['', {}, 50],
      ['', { state: 'paused' }, 50],
      ['', { state: 'failed' }, 50],
      ['', { state: 'rejected' }, 0],
      ['', { label: ['season', 'old'] }, 50],
      ['', { label: ['season', 'rare'] }, 50],
      ['', { label: ['season', 'never'] }, 0],
      ['loud', { state: 'succeeded' }, 50],
      ['loud', { state: 'paused' }, 0],
      ['loud', { state: 'failed' }, 0],
      ['loud', { label: ['season', 'old'] }, 50],
      ['loud', { label: ['season', 'spring'] }, 0],
      ['loud', { agentUid: 'agent-loud', state: 'failed' }, 0],
      ['quiet', { state: 'paused' }, 50],
      ['quiet', { state: 'failed' }, 50],
      ['quiet', { label: ['season', 'spring'] }, 50],
      ['quiet', { label: ['season', 'spring'], state: 'paused' }, 50],
      ['quiet', { label: ['season', 'old'] }, 0],
      ['loud', { label: ['season', 'old'], since: new Date() }, 0],
      // UXM11: runs of a conversation.
      ['', { conversationId: 'talk' }, 50],
      ['', { conversationId: 'never' }, 0],
      ['loud', { conversationId: 'talk' }, 50],
      ['quiet', { conversationId: 'talk' }, 50],
      ['quiet', { conversationId: 'talk', state: 'paused' }, 50],
      ['quiet', { agentUid: 'agent-quiet', conversationId: 'talk' }, 50],
      ['', { subject: 'carol' }, 50],
      ['', { subject: 'unknown' }, 0],
      ['loud', { subject: 'carol' }, 50],
      ['', { trigger: 'schedule' }, 50],
      ['loud', { trigger: 'schedule' }, 33],
      ['loud', { trigger: 'never' }, 0],
      ['', { failReasons: ['tool_error'] }, 50],
      ['loud', { failReasons: ['tool_error'] }, 50],
      ['loud', { failReasons: ['model_error', 'agent_error'] }, 0],
      ['', { states: ['failed', 'rejected'] }, 50],
      ['', { minDurationMs: 9000 }, 50],
      ['loud', { minDurationMs: 9000 }, 50],
      ['loud', { minDurationMs: 10_000 }, 0],
      ['', { hasFeedback: true }, 50],
      ['loud', { hasFeedback: false }, 50],
      ['', { model: 'large' }, 50],
      ['loud', { model: 'small' }, 50],
      ['loud', { model: 'never' }, 0],
      ['', { prefix: 'car' }, 50],
      ['', { prefix: 'al' }, 50],
      ['', { prefix: 'sprin' }, 50],
      ['loud', { prefix: 'never' }, 0],
      ['loud', { prefix: '%' }, 0],
    ]
    const db = database.root.withTables<RunsTables>()
    for (const [namespace, filter, count] of cases) {
      const what = `${namespace || 'all'} ${JSON.stringify(filter)}`
      const found = await listRuns(db, readIn(namespace), filter, { limit: 50 })
      assert.equal(found.length, count, what)
      const last = found.at(-1)
      const pages: RunPage[] = [{ limit: 50 }]
      if (last) pages.push({ limit: 50, after: { createdAt: last.created_at, id: last.id } })
      for (const asked of pages) {
        const read = await readRows(database, namespace, await withRareIds(db, filter), asked)
        assert.ok(read <= 400, `${what}: ${read} rows read`)
      }
    }
  })

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: pages in each order show each run once, while runs are created`, { skip }, async (t) => {
    const database = await open(t)
    await migrateAll(database)
    await observeNamespaces(database, ['demo'])
    const world = createWorld(database)
    await newRuns(world, 'demo', 60)
    await sql`update runs_runs set started_at = created_at,
      finished_at = created_at + make_interval(secs => (get_byte(uuid_send(id), 15) % 5)::float8)`.execute(
      database.root,
    )
    const db = database.root.withTables<RunsTables>()
    for (const order of ['newest', 'oldest', 'longest'] as const) {
      const seen: SelectedRun[] = []
      for (let after: RunKey | undefined; ;) {
        const found: readonly SelectedRun[] = await listRuns(db, readIn('demo'), {}, { limit: 7, order, after })
        const last = found.at(-1)
        if (last === undefined || seen.length > 100) break
        seen.push(...found)
        after = { createdAt: last.created_at, durationMs: lasted(last), id: last.id }
        if (order !== 'oldest') await newRuns(world, 'demo', 1)
      }
      assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, order)
      assert.ok(seen.length >= 60, `${order}: ${seen.length}`)
      const keys = seen.map((run) => (order === 'longest' ? lasted(run) : run.created_at.getTime()))
      const sorted = keys.toSorted((a, b) => (order === 'oldest' ? a - b : b - a))
      assert.deepEqual(keys, sorted, order)
    }
  })

const lasted = ({ started_at: from, finished_at: to }: SelectedRun) => (to?.getTime() ?? 0) - (from?.getTime() ?? 0)

test('labels are created and deleted with their runs, by older processes too, and survive a rebuild', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrateAll(database)
  const world = createWorld(database)
  const labels = async () => {
    const { rows } = await sql<{ run_id: string; label: string }>`
      select run_id, key || '=' || value as label from runs_labels order by label`.execute(database.root)
    return rows.map((row) => [row.run_id, row.label])
  }
  const kept = await newRun(world, 'demo', { a: '1', b: '2' })
  const gone = await newRun(world, 'demo', { c: '3' })
  await newRun(world, 'demo')
  await world.store.transact((tx) =>
    tx.append(`runs/${gone.id}`, 'any', [
      { type: runDeleted, subject: { namespace: 'demo', kind: 'Run', name: gone.id }, data: { runId: gone.id } },
    ]),
  )
  const expected = [
    [kept.id, 'a=1'],
    [kept.id, 'b=2'],
  ]
  assert.deepEqual(await labels(), expected)
  await rebuild(database, runsProjection)
  assert.deepEqual(await labels(), expected)
})

test('labels of runs that an older process creates are stored', async (t) => {
  const database = await openMemoryStore()
  t.after(() => database.close())
  await migrateAll(database)
  const id = uuidV7()
  await sql`insert into runs_runs (id, version, namespace, namespace_uid, conversation_id, root_run_id, trigger_kind, trigger_by,
      state, labels, trace_id, created_at) values (${id}, 1, 'demo', 'uid', 'c', ${id}, 'api', 'a', 'queued', '{"k": "v"}', 't', now())`.execute(
    database.root,
  )
  const count = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from runs_labels where key = 'k'`.execute(database.root)).rows
  assert.deepEqual(await count(), [{ n: 1 }])
  await sql`delete from runs_runs where id = ${id}`.execute(database.root)
  assert.deepEqual(await count(), [{ n: 0 }])
})

interface Page {
  readonly items: readonly Run[]
  readonly nextCursor: string | null
}

async function serve(t: TestContext) {
  const database = await openDatabase({ url: await createDatabase(t) })
  t.after(() => database.close())
  await migrateAll(database)
  const world = createWorld(database)
  const observed = createObserved(world.store)
  // Stands still once a test sets it.
  const clock: { at?: number } = {}
  const core = { keys: testKeyring(), now: () => new Date(clock.at ?? Date.now()) }
  const services = { ...world, core, observed }
  const runsOf = createCallerRuns(services)
  const served = await servePlugin(t, 'runs', () => [
    ...listEndpoints({ runs: runsOf }, { observed }),
    ...runEndpoints({ ...world, runs: runsOf }),
  ])
  await observeNamespaces(database, [served.namespace, served.other])
  return { ...served, world, database, clock }
}

async function page(ask: Ask, who: string, query: string): Promise<Page> {
  const answer = await ask(who, 'GET', `/runs?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<Page>()
}

const real = needs('etcd', 'kube-apiserver', 'kubectl', 'postgres', 'initdb')

test('C2: paging while runs are created returns no run twice and misses no earlier one', real, async (t) => {
  const { ask, namespace, world } = await serve(t)
  const before: string[] = []
  for (let n = 0; n < 30; n++) before.push(...(await newRuns(world, namespace, 10)))
  // Beside each page and the next one: a rate would have each walk read all that a slow machine let in during the one before.
  let writing: Promise<unknown> = Promise.resolve()
  const write = (): Promise<unknown> =>
    (writing = Promise.all(Array.from({ length: 8 }, () => newRuns(world, namespace, 1))))
  for (const filter of ['', '&state=queued', '&label=team%3Da']) {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`
      const former = writing
      write()
      const asked = page(ask, 'viewer', `namespace=${namespace}&limit=20${filter}${after}`)
      const [{ items, nextCursor }] = await Promise.all([asked, former])
      seen.push(...items.map(({ id }) => id))
      cursor = nextCursor
    }
    assert.equal(new Set(seen).size, seen.length, `${filter}: no duplicate`)
    const all = new Set(seen)
    assert.ok(
      before.every((id) => all.has(id)),
      `${filter}: every run that existed at the start`,
    )
  }
  await writing
})

test('CON8: an exactly full last page has no cursor', real, async (t) => {
  const { ask, namespace, other, world } = await serve(t)
  for (const space of [namespace, other]) await newRuns(world, space, 5)
  assert.equal((await page(ask, 'operator', `namespace=${namespace}&limit=5`)).nextCursor, null)
  assert.notEqual((await page(ask, 'operator', `namespace=${namespace}&limit=4`)).nextCursor, null)
  const first = await page(ask, 'operator', 'scope=permitted&limit=5')
  const second = await page(ask, 'operator', `scope=permitted&limit=5&cursor=${first.nextCursor}`)
  assert.deepEqual([first.items.length, second.items.length, second.nextCursor], [5, 5, null])
  assert.equal(new Set([...first.items, ...second.items].map(({ id }) => id)).size, 10)
  assert.equal((await page(ask, 'operator', 'scope=permitted&limit=10')).nextCursor, null)
})

test("C1: another caller's cursor shows nothing that this caller may not read", real, async (t) => {
  const { ask, namespace, other, world } = await serve(t)
  for (const space of [namespace, other]) for (let n = 0; n < 5; n++) await newRun(world, space)
  const spaces = ({ items }: Page) => new Set(items.map(({ agent }) => agent?.namespace))
  const cursorOf = async (who: string, query: string): Promise<string> => {
    const { nextCursor } = await page(ask, who, query)
    assert.ok(nextCursor !== null)
    return nextCursor
  }
  for (const limit of [2, 6]) {
    const walk = `scope=permitted&limit=${limit}`
    const cursor = await cursorOf('operator', walk)
    assert.ok([...spaces(await page(ask, 'viewer', `${walk}&cursor=${cursor}`))].every((space) => space === namespace))
    const others = await page(ask, 'other-tenant', `${walk}&cursor=${cursor}`)
    assert.ok([...spaces(others)].every((space) => space === other))
    assert.deepEqual(await page(ask, 'unbound', `${walk}&cursor=${cursor}`), {
      items: [],
      nextCursor: null,
      scope: 'permitted',
    })
  }
  const own = `namespace=${namespace}&limit=2`
  const cursor = await cursorOf('viewer', own)
  for (const [who, query, status] of [
    ['other-tenant', `${own}&cursor=${cursor}`, 403],
    ['viewer', `limit=2&cursor=${cursor}`, 403],
    // The cursor belongs to one namespace and is invalid for another.
    ['other-tenant', `namespace=${other}&limit=2&cursor=${cursor}`, 400],
    ['operator', `limit=2&cursor=${cursor}`, 400],
    ['viewer', `${own}&state=queued&cursor=${cursor}`, 400],
  ] as const) {
    const answer = await ask(who, 'GET', `/runs?${query}`)
    assert.equal(answer.status, status, `${who} ${query}: ${answer.text}`)
    assert.doesNotMatch(answer.text, /"items"/)
  }
})

test('UXM10, UXM11: a list omits fields that it did not load, and filters by conversation', real, async (t) => {
  const { ask, namespace, world } = await serve(t)
  const ended = await newRun(world, namespace)
  await newRun(world, namespace)
  await world.writer.change(ended.id, { actor: { name: 'worker', kind: 'system' } }, () => ({
    facts: [{ fact: 'failed', failReason: 'agent_unreachable' }],
  }))
  const { items } = await page(ask, 'viewer', `namespace=${namespace}&conversationId=${ended.conversation_id}`)
  assert.deepEqual(
    items.map(({ id, error }) => [id, error]),
    [[ended.id, { code: 'agent_unreachable', message: 'agent_unreachable' }]],
  )
  for (const absent of ['input', 'output', 'decisions']) assert.ok(!(absent in (items[0] ?? {})), absent)
  const ofAgent = await ask('viewer', 'GET', `/runs?namespace=${namespace}&conversationId=none`)
  assert.deepEqual(ofAgent.json<Page>().items, [])
  for (const bad of ['', '%00', 'a'.repeat(129), '%ED%A0%80']) {
    const answer = await ask('viewer', 'GET', `/runs?namespace=${namespace}&conversationId=${bad}`)
    assert.equal(answer.status, 400, `${bad}: ${answer.text}`)
  }
})

test(
  'UXH7: a run that waits for its agent, or failed for it, shows the reason to callers that may get the agent',
  real,
  async (t) => {
    const { ask, namespace, world, admin, clock } = await serve(t)
    const metadata = { name: 'robot', namespace }
    const robot = {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'AgentDeployment',
      metadata,
      spec: { model: { route: 'mock' } },
    }
    const { uid = '' } = (await admin.create<KubeObject>(agentResource, robot)).metadata
    const ref = { namespace, name: parseName('name', 'robot') }
    const setReady = (status: string, lastTransitionTime: string) => {
      const reason = status === 'True' ? 'Serving' : 'CrashLoopBackOff'
      const condition = { type: 'Ready', status, reason, message: 'agent exited with code 127', lastTransitionTime }
      const patch = { status: { conditions: [{ ...condition, observedGeneration: 1 }] } }
      return admin.patch(agentResource, ref, { type: 'merge', body: patch }, { subresource: 'status' })
    }
    const reason = `No pod of ${namespace}/robot is ready: CrashLoopBackOff: agent exited with code 127`
    const expected = { code: 'agent_not_ready', reason: 'CrashLoopBackOff', message: reason }
    await grant(admin, 'runs-only', ['unbound'], { namespace, rules: [{ verbs: ['get'], resources: ['runs'] }] })
    const [waiting, failed, other] = [
      await newRun(world, namespace, {}, uid),
      await newRun(world, namespace, {}, uid),
      await newRun(world, namespace, {}, 'an-older-agent'),
    ]
    await world.writer.change(failed.id, { actor: { name: 'worker', kind: 'system' } }, () => ({
      facts: [{ fact: 'failed', failReason: 'agent_unreachable' }],
    }))
    const read = async (id: string, who = 'viewer') => {
      const answer = await ask(who, 'GET', `/runs/${id}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.json<RunDetail>()
    }
    // The API server allows what a new role allows once its own watch has seen it.
    while ((await ask('unbound', 'GET', `/runs/${waiting.id}`)).status !== 200) await setImmediate()
    const createdAt = Date.parse((await read(waiting.id)).createdAt)
    clock.at = createdAt + 1_000
    await setReady('False', '2026-01-01T00:00:00Z')
    assert.equal((await read(waiting.id)).waitReason, undefined, 'a worker may claim it at any moment')
    clock.at = createdAt + 3_000
    assert.deepEqual((await read(waiting.id)).waitReason, expected)
    assert.equal((await read(waiting.id, 'unbound')).waitReason, undefined, 'may get runs, and no agent')
    assert.equal((await read(other.id)).waitReason, undefined, 'another agent of that name')
    assert.deepEqual((await read(failed.id)).error, { code: 'agent_unreachable', message: reason })
    assert.equal((await read(failed.id, 'unbound')).error?.message, 'agent_unreachable')
    await setReady('False', '2099-01-01T00:00:00Z')
    assert.equal((await read(failed.id)).error?.message, 'agent_unreachable', 'it turned after the run had ended')
    await setReady('True', '2026-01-01T00:00:00Z')
    assert.equal((await read(waiting.id)).waitReason, undefined)
  },
)

test(
  'a run without an agent names its executor, and the tree of a long journal says where it goes on',
  real,
  async (t) => {
    const { ask, namespace, world, database } = await serve(t)
    const runId = uuidV7()
    await createRun(world, {
      runId,
      executor: { kind: 'export', namespace },
      namespaceUid: `uid-${namespace}`,
      input: 1,
      conversationId: runId,
      labels: {},
      trigger: { kind: 'nightly', by: 'alice' },
      subject: 'alice',
      actor: { name: 'alice', kind: 'user' },
      grant: 'unsigned',
      traceparent: `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`,
    })
    await sql`insert into runs_journal (run_id, seq, ts, kind, path, span_id, data)
    select ${runId}, n, now(), 'usage.reported', '[]', '', '{}' from generate_series(2, 10001) n`.execute(database.root)
    await sql`update runs_lease set journal_seq = 10001 where run_id = ${runId}`.execute(database.root)
    const shown = await ask('viewer', 'GET', `/runs/${runId}`)
    const { agent, executor } = shown.json<{ agent: object | null; executor: string }>()
    assert.deepEqual([agent, executor], [null, 'export'])
    const treeAfter = async (after: number) => {
      const { truncated, nextAfter } = (await ask('viewer', 'GET', `/runs/${runId}/tree?after=${after}`)).json<{
        truncated: boolean
        nextAfter: number | null
      }>()
      return [truncated, nextAfter]
    }
    assert.deepEqual(
      [await treeAfter(0), await treeAfter(10_000)],
      [
        [true, 10_000],
        [false, null],
      ],
    )
  },
)

test('SEC6, F5: filters that the store cannot hold are a 400 that names them', real, async (t) => {
  const { ask, namespace } = await serve(t)
  for (const [filter, pointer] of [
    ['label=a%00=b', '?label'],
    ['label=a=%00', '?label'],
    ['agent=%00', '?agent'],
    ['since=0000-01-01T00:00:00Z', '?since'],
    ['since=9999-12-31T23:59:59-23:59', '?since'],
    ['namespace=%00', '?namespace'],
  ] as const) {
    const answer = await ask(
      'viewer',
      'GET',
      `/runs?namespace=${namespace}&${filter}`.replace(/namespace=[^&]*&(?=namespace)/, ''),
    )
    assert.equal(answer.status, 400, filter)
    assert.equal(answer.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer, pointer, filter)
  }
})
