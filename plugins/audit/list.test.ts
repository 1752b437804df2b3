import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Access, Caller } from '#core/cluster/caller.ts'
import { createObserved } from '#core/cluster/observed-objects.ts'
import { buildServer, DENIED } from '#core/http/testing/build-server.ts'
import { KubeError } from '#core/kube/status.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { createAudit } from './audit-log.ts'
import { auditJobs } from './jobs.ts'
import { auditRoutes } from './routes.ts'
import type { AuditRow } from './rows/audit-row.ts'
import type { AuditTables } from './contract/tables.ts'
import { writeRows } from './store/write-rows.ts'

import { check, insertMeanwhile, rowOf } from './testing/rig.ts'
import type { Page } from './testing/rig.ts'

// The rows of the interface, and `actor_exact`.
const AUDIT_FIELDS =
  'action actor actor_exact actor_kind detail id namespace occurred_at outcome resource_kind resource_name source trace_id'.split(
    ' ',
  )

check(
  'R2-M1, C2, C1, A9: paging during inserts returns each earlier row once; cursors are bound to the namespace; rows have the names of the interface',
  async (rig, t) => {
    const at = Date.now() - 60_000
    // Ten rows share each millisecond: the id breaks the tie.
    const start = Array.from({ length: 200 }, (_, n) => rowOf(n, new Date(at - Math.floor(n / 10))))
    const write = (rows: readonly AuditRow[]) =>
      rig.store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
    await write(start)
    await write([{ ...rowOf(999, new Date(at)), namespace: 'elsewhere' }])
    const { app } = await buildServer(t, [
      { endpoints: [auditRoutes(createAudit(rig.store, 90), createObserved(rig.store))] },
    ])
    const get = (query: string, token = 'good-token') =>
      app.inject({ url: `/api/audit?${query}`, headers: { authorization: `Bearer ${token}` } })
    const ids: string[] = []
    const inserting = insertMeanwhile(write, at)
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = (await get(`namespace=demo&limit=17${cursor === '' ? '' : `&cursor=${cursor}`}`)).json()
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    t.diagnostic(`${await inserting} rows/s were written meanwhile`)
    assert.equal(new Set(ids).size, ids.length, 'no duplicate')
    const walked = new Set(ids)
    assert.deepEqual(
      start.filter(({ id }) => !walked.has(id)),
      [],
      'every row of the start',
    )
    const first: Page = (await get('namespace=demo&limit=3')).json()
    const cursor = first.nextCursor ?? ''
    // A cursor grants no right: it returns nothing to a caller who may not read.
    const moved = `namespace=demo&limit=3&cursor=${cursor}`
    assert.equal((await get(moved)).json<Page>().items.length, 3)
    const refused = await get(moved, DENIED)
    assert.deepEqual([refused.statusCode, refused.json<{ items?: unknown }>().items], [403, undefined])
    for (const query of [
      `namespace=elsewhere&cursor=${cursor}`,
      `cursor=${cursor}`,
      `namespace=demo&actor=x&cursor=${cursor}`,
      `namespace=demo&cursor=${cursor}x`,
    ])
      assert.equal((await get(query)).statusCode, 400, query)
    assert.deepEqual(
      (await get('namespace=elsewhere')).json<Page>().items.map(({ namespace }) => namespace),
      ['elsewhere'],
    )
    assert.equal((await get('namespace=elsewhere')).json<Page>().nextCursor, null)
    assert.deepEqual((await get('actor=unknown')).json(), { items: [], nextCursor: null })
    const matching = 'kind=AgentTemplate&action=update&actor=user&limit=200'
    const { items } = (await get(matching)).json<Page>()
    assert.equal(items.length, 200)
    assert.deepEqual(Object.keys(items[0] ?? {}).toSorted(), AUDIT_FIELDS)
    for (const query of [
      'limit=0',
      'limit=-1',
      'limit=201',
      'limit=x',
      'offset=1',
      'resourceKind=AgentTemplate',
      'namespace=..',
      'namespace=a&namespace=b',
    ])
      assert.equal((await get(query)).statusCode, 400, query)
    const denied = await get('namespace=demo', DENIED)
    assert.equal(denied.statusCode, 403)
    assert.equal(
      (await app.inject({ method: 'POST', url: '/api/audit', headers: { authorization: 'Bearer good-token' } }))
        .statusCode,
      405,
    )
  },
)

check(
  'A12: retention hides older rows to the instant and drops whole days, by the clock of the database',
  async (rig) => {
    const hour = 3_600_000
    const cluster = [{ namespace: '' } as Access<'list', 'auditlogs'>]
    const listed = async () => (await createAudit(rig.store, 2).list(cluster, {}, { limit: 50 })).map(({ id }) => id)
    const ages = [0, 1, 47, 49, 60, 96, 120]
    const times = ages.map((hours) => new Date(Date.now() - hours * hour))
    await rig.store.transact((tx) =>
      writeRows(
        tx.tables<AuditTables>(),
        times.map((time, n) => rowOf(n, time)),
        3650,
      ),
    )
    const young = times.slice(0, 3).map((time, n) => rowOf(n, time).id)
    assert.deepEqual(await listed(), young, 'hidden before anything is dropped')
    const prune = async (core: Parameters<typeof auditJobs>[0], days: number) => {
      const [job] = auditJobs(core, days)
      const election = createLeaderElection({ database: rig.database, holder: 'one', name: job?.name ?? '' })
      await election.run(async (term) => job?.run(term), new AbortController().signal)
    }
    // A process whose clock is a year ahead deletes no more rows.
    const ahead = { ...rig.core, now: () => new Date(Date.now() + 365 * 24 * hour) }
    await prune(ahead, 2)
    assert.deepEqual(await listed(), young)
    const { rows: days } = await sql<{ day: string }>`select relname as day from pg_inherits
    join pg_class on oid = inhrelid where inhparent = 'audit_log'::regclass`.execute(rig.database.root)
    const dayOf = (time: Date): string => time.toISOString().slice(0, 10).replaceAll('-', '')
    const oldest = dayOf(new Date(Date.now() - 48 * hour))
    assert.deepEqual(
      days.filter(({ day }) => day < `audit_log_${oldest}`),
      [],
      'older days are dropped, not emptied',
    )
    const inDays = times.filter((time) => dayOf(time) >= oldest).length
    assert.equal((await rig.rows()).length, inDays, 'the boundary day is whole')
    const metrics = await rig.core.metrics.render()
    assert.match(metrics, new RegExp(`^mesh_audit_pruned_rows_total ${times.length - inDays}$`, 'm'))
    assert.match(metrics, /^mesh_audit_prune_failures_total 0$/m)
    assert.match(metrics, /^mesh_audit_prune_last_success_seconds [1-9]/m)
    // A replay does not write rows outside the window; their day was dropped.
    await rig.store.transact((tx) => writeRows(tx.tables<AuditTables>(), [rowOf(6, times[6] ?? new Date())], 2))
    assert.equal((await rig.rows()).length, inDays)
    // A leader without its lease deletes nothing and fails.
    await auditJobs(rig.core, 1)[0]?.run({ epoch: 0n, signal: new AbortController().signal })
    assert.equal((await rig.rows()).length, inDays)
    assert.match(await rig.core.metrics.render(), /^mesh_audit_prune_failures_total 1$/m)
  },
)

check(
  'SEC17, UXM16: filters by outcome and time; a re-created namespace hides the rows of its predecessor',
  async (rig, t) => {
    const at = Date.now() - 3_600_000
    const make = (n: number, more: Partial<AuditRow>): AuditRow => ({ ...rowOf(n, new Date(at + n * 1_000)), ...more })
    const rows = [
      make(0, { namespace_uid: 'uid-before' }),
      make(1, { namespace_uid: 'uid-now' }),
      make(2, { namespace_uid: 'uid-now', outcome: 'denied' }),
      make(3, { namespace_uid: null }),
    ]
    await rig.store.transact((tx) => writeRows(tx.tables<AuditTables>(), rows, 90))
    const audit = createAudit(rig.store, 90)
    // The upstream allows one namespace, and the whole cluster to `good-token` alone.
    const observed = { namespaceUid: async () => 'uid-now' }
    const { app } = await buildServer(t, [{ endpoints: [auditRoutes(audit, observed)] }], {
      cluster: { as: async (bearer) => reviewer(bearer === 'good-token') },
    })
    const get = async (query: string, token = 'good-token') => {
      const answer = await app.inject({ url: `/api/audit?${query}`, headers: { authorization: `Bearer ${token}` } })
      return answer.statusCode === 200
        ? answer.json<Page>().items.map(({ id }) => rows.findIndex((row) => row.id === id))
        : answer.statusCode
    }
    const time = (n: number): string => encodeURIComponent(new Date(at + n * 1_000).toISOString())
    assert.deepEqual(await get('namespace=demo'), [3, 2, 1, 0], 'who may list the whole log sees every row')
    assert.deepEqual(await get('namespace=demo', 'tenant-token'), [2, 1])
    assert.deepEqual(await get('namespace=demo&outcome=denied', 'tenant-token'), [2])
    assert.deepEqual(await get('outcome=denied'), [2])
    assert.deepEqual(await get(`from=${time(1)}&to=${time(3)}`), [2, 1])
    assert.deepEqual(await get('outcome=odd'), 400)
    assert.deepEqual(await get('from=yesterday'), 400)
  },
)

function reviewer(wholeCluster: boolean): Caller {
  const allowed = (where: { readonly namespace: string }): boolean => wholeCluster || where.namespace !== ''
  const review: Caller['review'] = async (verb, resource, { namespace }) => {
    if (!allowed({ namespace })) throw new KubeError(403, 'Forbidden', 'no')
    return { verb, resource, namespace, username: 'test' } as Access<typeof verb, typeof resource>
  }
  return {
    username: 'test',
    bearer: 'x',
    get cluster(): never {
      throw new Error('this upstream has no cluster')
    },
    whoami: async () => ({ username: 'test', uid: '', groups: [], extra: {} }),
    rulesIn: async () => ({ complete: true, rules: [] }),
    review,
    may: (verb, resource, where) => review(verb, resource, where).catch(() => undefined),
  }
}
