import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import type { Access } from '#core/cluster/caller.ts'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { createMigrated, adapters, pluginAdapters } from '#core/database/testing/databases.ts'
import { rebuild } from '#core/event-store/rebuild-projection.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { servePlugin } from '#plugins/agents/testing/serve.ts'
import { needs } from '#test/harness/find-server.ts'
import { runDeleted } from '../contract/events.ts'
import type { RunsTables } from '../contract/tables.ts'
import { createRun } from '../create/create-run.ts'
import { runsProjection } from '../projections.ts'
import { conversationEndpoints } from '../routes/conversations.ts'
import { listConversations, listSubjects, readTurnPage, selectConversations } from '../store/conversations.ts'
import { createWorld } from '../testing/world.ts'
import type { World } from '../testing/world.ts'

const own = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
const migrations = [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, own]

async function observe(database: Database, names: readonly string[]): Promise<void> {
  for (const name of names)
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${`uid-${name}`}, 'Namespace', '', ${name}, '1', 'x')`.execute(database.root)
}

interface Talk {
  readonly namespace: string
  readonly id: string
  readonly subject?: string
  readonly agent?: string
  readonly input?: unknown
}

async function turn(world: World, { namespace, id, subject = 'ada', agent = 'robot', input = 'Hi' }: Talk) {
  const runId = uuidV7()
  await createRun(world, {
    runId,
    agent: { namespace, name: agent, uid: `${agent}-${namespace}` },
    namespaceUid: `uid-${namespace}`,
    input,
    conversationId: id,
    labels: {},
    trigger: { kind: 'api', by: 'backend' },
    subject,
    actor: { name: 'backend', kind: 'user' },
    grant: 'unsigned',
    traceparent: `00-${runId.replaceAll('-', '')}-${'1'.repeat(16)}-01`,
  })
  return runId
}

async function remove(world: World, ...ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await world.store.transact((tx) =>
      tx.append(`runs/${id}`, 'any', [
        { type: runDeleted, subject: { namespace: 'a', kind: 'Run', name: id }, data: { runId: id, traceId: 't' } },
      ]),
    )
}

const list = (namespace: string) => ({ verb: 'list', resource: 'runs', namespace }) as Access<'list', 'runs'>
const get = (namespace: string) => ({ verb: 'get', resource: 'runs', namespace }) as Access<'get', 'runs'>

for (const { name, skip, open } of pluginAdapters)
  test(
    `${name}: a conversation belongs to an agent and a subject, and lives as long as a turn`,
    { skip },
    async (t) => {
      const database = await open(t, migrations)
      await observe(database, ['a', 'b'])
      const world = createWorld(database)
      const db = world.store.reader<RunsTables>()
      const first = await turn(world, { namespace: 'a', id: 'talk' })
      const second = await turn(world, { namespace: 'a', id: 'talk' })
      await turn(world, { namespace: 'a', id: 'talk', subject: 'bob' })
      await turn(world, { namespace: 'a', id: 'other', agent: 'clock' })
      const last = await turn(world, { namespace: 'b', id: 'talk' })
      const shown = async (namespace: string, filter = {}) =>
        (await listConversations(db, list(namespace), filter, { limit: 50, after: undefined })).map(
          ({ conversation_id: id, agent_uid: uid, subject, turns }) => `${id} ${uid} ${subject} ${turns}`,
        )
      const ofA = ['other clock-a ada 1', 'talk robot-a bob 1', 'talk robot-a ada 2']
      assert.deepEqual(await shown('a'), ofA)
      assert.deepEqual(await shown(''), ['talk robot-b ada 1', ...ofA])
      assert.deepEqual(await shown('', { subject: 'bob' }), ['talk robot-a bob 1'])
      assert.deepEqual(await shown('a', { agent: 'clock' }), ['other clock-a ada 1'])
      assert.deepEqual(await shown('gone'), [])
      const subjects = async (namespace: string, q = '') =>
        (await listSubjects(db, list(namespace), q, { limit: 50, after: undefined })).map(
          ({ namespace: place, subject, conversations }) => `${place} ${subject} ${conversations}`,
        )
      assert.deepEqual(await subjects(''), ['a ada 2', 'a bob 1', 'b ada 1'])
      assert.deepEqual(await subjects('a'), ['a ada 2', 'a bob 1'])
      assert.deepEqual(await subjects('', 'b'), ['a bob 1'])
      assert.deepEqual(await subjects('', 'ada%'), [], 'a prefix is no pattern')
      const pages: string[] = []
      for (let after: readonly (string | number)[] | undefined; ;) {
        const [row] = await listSubjects(db, list(''), '', { limit: 1, after })
        if (row === undefined) break
        pages.push(`${row.namespace} ${row.subject}`)
        after = [row.namespace_uid, row.subject]
      }
      assert.deepEqual(pages, ['a ada', 'a bob', 'b ada'])
      const before = (await db.selectFrom('runs_conversations').selectAll().orderBy('last_run_id').execute()).map(
        String,
      )
      await rebuild(database, runsProjection)
      assert.deepEqual(
        (await db.selectFrom('runs_conversations').selectAll().orderBy('last_run_id').execute()).map(String),
        before,
      )
      await remove(world, first, last)
      assert.deepEqual(await shown(''), ['other clock-a ada 1', 'talk robot-a bob 1', 'talk robot-a ada 1'])
      await remove(world, second)
      assert.deepEqual(await shown(''), ['other clock-a ada 1', 'talk robot-a bob 1'])
    },
  )

for (const { name, skip, open } of pluginAdapters)
  test(`${name}: the migration has the conversations of runs that exist`, { skip }, async (t) => {
    const database = await open(t, migrations)
    await observe(database, ['a'])
    const world = createWorld(database)
    await turn(world, { namespace: 'a', id: 'talk' })
    const last = await turn(world, { namespace: 'a', id: 'talk' })
    const rows = () => sql<{ last_run_id: string }>`select * from runs_conversations`.execute(database.root)
    const written = (await rows()).rows
    await sql`drop table runs_conversations`.execute(database.root)
    const { up } = await import('../migrations/0022-conversations.ts')
    await up(database.root)
    assert.deepEqual((await rows()).rows, written)
    assert.equal(written[0]?.last_run_id, last)
  })

const turns = 20_000

// Conversations of one turn, and one with as many turns as all of them.
async function fill(database: Database): Promise<void> {
  await observe(database, ['busy'])
  for (const [subject, id] of [
    ['ada', sql`'talk'`],
    ['bob', sql`n::text`],
  ] as const)
    await sql`insert into runs_runs (id, version, namespace, namespace_uid, agent_name, agent_uid, conversation_id,
        root_run_id, trigger_kind, trigger_by, subject, state, labels, trace_id, created_at)
      select r.id, 1, 'busy', 'uid-busy', 'robot', 'robot-busy', ${id}, r.id, 'api', 'x', ${subject}, 'succeeded', '{}',
        't', '2026-11-01T00:00:00Z'::timestamptz + make_interval(secs => n)
      from (select n, gen_random_uuid() as id from generate_series(1, ${turns}::integer) n) r`.execute(database.root)
  await sql`truncate runs_conversations`.execute(database.root)
  await sql`insert into runs_conversations select subject, agent_uid, conversation_id, max(namespace),
    max(namespace_uid), max(agent_name), min(created_at), max(created_at), (array_agg(id order by created_at desc))[1]
    from runs_runs group by 1, 2, 3`.execute(database.root)
  for (const table of ['runs_runs', 'runs_conversations']) await sql`analyze ${sql.table(table)}`.execute(database.root)
}

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

const flat = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)]

const [, postgres] = adapters

test('a page of conversations or turns reads its own rows of many', { skip: postgres.skip }, async (t) => {
  const database = await postgres.open(t, migrations)
  await fill(database)
  const db = database.root.withTables<RunsTables>()
  const deep = ['2026-11-01T02:00:00.000Z', uuidV7()]
  for (const [namespace, filter] of [
    ['', {}],
    ['busy', {}],
    ['busy', { subject: 'bob' }],
    ['busy', { agent: 'robot' }],
  ] as const)
    for (const after of [undefined, deep]) {
      const { rows } = await sql<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>`
        explain (analyze, format json) ${selectConversations(namespace, filter, { limit: 50, after })}`.execute(db)
      const nodes = rows.flatMap((row) => row['QUERY PLAN']).flatMap(({ Plan }) => flat(Plan))
      const read = nodes
        .filter((node) => node['Relation Name']?.startsWith('runs_'))
        .reduce(
          (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
          0,
        )
      // A conversation is counted to 200 turns.
      assert.ok(read <= 50 * 3 + 250, `${namespace} ${JSON.stringify(filter)}: ${read} rows`)
    }
  const time = async (after: readonly (string | number)[] | undefined): Promise<number> => {
    const from = performance.now()
    for (let n = 0; n < 20; n++) {
      const found = await readTurnPage(db, get('busy'), { id: 'talk' }, { limit: 20, after })
      assert.equal(found.length, 20)
    }
    return performance.now() - from
  }
  await time(undefined)
  t.diagnostic(`20 pages of turns: first ${await time(undefined)} ms, deep ${await time(deep)} ms`)
})

async function serve(t: TestContext) {
  const database = await openDatabase({ url: await createMigrated(t, migrations) })
  t.after(() => database.close())
  const world = createWorld(database)
  const served = await servePlugin(t, 'runs', () => conversationEndpoints(world))
  await observe(database, [served.namespace, served.other])
  return { ...served, world }
}

interface Turns {
  readonly items: readonly Record<string, unknown>[]
  readonly nextCursor: string | null
}

test(
  'who may get a run may read its turn, and no one learns of other turns',
  needs('etcd', 'kube-apiserver', 'kubectl', 'postgres', 'initdb'),
  async (t) => {
    const { ask, namespace, other, world } = await serve(t)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.push(await turn(world, { namespace, id: 'talk', input: n }))
    const long = await turn(world, { namespace, id: 'talk', input: 'x'.repeat(20_000) })
    const foreign = await turn(world, { namespace: other, id: 'talk', subject: 'eve' })
    const read = async (who: string, query = '') => {
      const answer = await ask(who, 'GET', `/conversations/talk${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.json<Turns>()
    }
    const runsOf = ({ items }: Turns): readonly unknown[] => items.map(({ runId }) => runId)
    const seen = await read('viewer')
    assert.deepEqual(runsOf(seen), [...ids, long])
    const [first] = seen.items
    assert.deepEqual(
      [first?.['input'], first?.['output'], first?.['truncated'], first?.['state']],
      [0, null, false, 'queued'],
    )
    assert.deepEqual([seen.items.at(-1)?.['input'], seen.items.at(-1)?.['truncated']], [null, true])
    assert.deepEqual(runsOf(await read('other-tenant')), [foreign])
    assert.deepEqual(runsOf(await read('operator')), [...ids, long, foreign])
    assert.deepEqual(runsOf(await read('operator', '?subject=eve')), [foreign])
    const walked: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Turns = await read(
        'operator',
        `?limit=2${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      walked.push(...runsOf(page))
      cursor = page.nextCursor
    }
    assert.deepEqual(walked, [...ids, long, foreign])
    assert.equal((await ask('unbound', 'GET', '/conversations/talk')).status, 404)
    for (const id of ['none', '..%2F..', 'a%00b', '%ED%A0%80', '-x', 'x'.repeat(1_000)])
      assert.equal((await ask('operator', 'GET', `/conversations/${id}`)).status >= 400, true, id)
    for (const query of ['limit=0', 'limit=101', 'cursor=x', 'subject=', 'q=a', `subject=${'a'.repeat(318)}`])
      assert.equal((await ask('viewer', 'GET', `/conversations/talk?${query}`)).status, 400, query)
    const lists = async (who: string, path: string) => {
      const answer = await ask(who, 'GET', path)
      return answer.status === 200 ? answer.json<Turns>().items.length : answer.status
    }
    for (const path of ['/conversations', '/subjects']) {
      assert.equal(await lists('viewer', path), 403, path)
      assert.equal(await lists('operator', path), 2, path)
      assert.equal(await lists('viewer', `${path}?scope=permitted`), 1, path)
      assert.equal(await lists('viewer', `${path}?namespace=${namespace}`), 1, path)
      assert.equal(await lists('viewer', `${path}?namespace=${other}`), 403, path)
      assert.equal(await lists('unbound', `${path}?scope=permitted`), 0, path)
      assert.equal(await lists('stranger', path), 401, path)
      assert.equal(await lists('viewer', `${path}?namespace=..`), 400, path)
    }
    assert.equal(await lists('operator', '/subjects?q=e'), 1)
    assert.equal(await lists('operator', `/subjects?q=${'a'.repeat(318)}`), 400)
    assert.equal(await lists('operator', '/subjects?q=a%00b'), 400)
    const { items } = (await ask('viewer', 'GET', `/conversations?namespace=${namespace}`)).json<Turns>()
    const { startedAt: _, lastAt: __, ...talk } = items[0] ?? {}
    assert.deepEqual(talk, {
      id: 'talk',
      agent: { namespace, name: 'robot', uid: `robot-${namespace}` },
      subject: 'ada',
      turns: 6,
      last: { runId: long, state: 'queued' },
    })
  },
)
