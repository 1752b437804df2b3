import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import type { Database } from '#core/database/database.ts'
import type { MigrationSource } from '#core/database/migration.ts'
import { createStore } from '#core/event-store/create-store.ts'
import type { MeteredModelCall } from '#plugins/providers/contract/events.ts'
import { modelCallMetered } from '#plugins/providers/contract/events.ts'
import { usageReported } from '#plugins/runs/contract/events.ts'
import { agentLabelsChanged } from '../contract/events.ts'
import { costProjection } from '../projections/cost-days.ts'
import { readGroups } from '../store/read-cost.ts'
import type { CostAccess, GroupKey, GroupQuery } from '../store/read-cost.ts'
import type { CostTables } from '../contract/tables.ts'

/** A metered call; absent fields have defaults, `account` is the actor of a pod. */
export interface GivenCall extends Partial<MeteredModelCall> {
  readonly at?: string
  readonly account?: string
  readonly namespaceUid?: string
}

const call: MeteredModelCall = {
  operation: 'chat/completions',
  route: { namespace: 'default', name: 'fast', uid: 'route-1' },
  provider: 'default/up',
  model: 'm-1',
  agentUid: null,
  runId: null,
  status: 200,
  streamed: false,
  usageReported: true,
  inputTokens: 10,
  outputTokens: 5,
  cachedTokens: 2,
  reasoningTokens: 1,
  durationMs: 1,
  firstByteMs: 1,
  cost: { amount: '0.000001', currency: 'USD', price: 'route@1' },
}

/** The event of a metered call. */
export function meteredEvent({ at = '2026-11-02T12:00:00Z', account, namespaceUid = 'ns-1', ...given }: GivenCall) {
  const data = { ...call, ...given }
  const { namespace, name, uid } = data.route
  return {
    type: modelCallMetered,
    subject: { namespace, kind: 'ModelRoute', name, uid, namespaceUid },
    actor: account === undefined ? { name: 'ann', kind: 'user' as const } : { name: account, kind: 'system' as const },
    time: new Date(at),
    data,
  }
}

/** A migrated database with the projection and a live namespace `default`. */
export async function openCost(
  t: TestContext,
  open: (t: TestContext, sources?: readonly MigrationSource[]) => Promise<Database>,
) {
  const database = await open(t, [
    { name: 'cluster', migrations: clusterMigrations },
    { name: 'cost', migrations: new URL('../migrations/', import.meta.url) },
  ])
  const store = createStore(database, { projections: [costProjection] })
  let streams = 0
  const append = (events: Parameters<typeof toEntry>[0][]): Promise<void> =>
    store.transact((tx) => tx.appendEach(events.map(toEntry)))
  const toEntry = (event: object) => ({ stream: `test/${(streams += 1)}`, event: event as never })
  const observe = (uid: string, name: string, rv = '1') =>
    sql`insert into object_index (uid, kind, namespace, name, rv, content_hash)
      values (${uid}, 'Namespace', '', ${name}, ${rv}, '')`.execute(database.root)
  await observe('ns-1', 'default')
  return {
    database,
    store,
    observe,
    append,
    gone: (uid: string) => sql`update object_index set deleted_at = now() where uid = ${uid}`.execute(database.root),
    meter: (...calls: readonly GivenCall[]) => append(calls.map(meteredEvent)),
    report: (runId: string, inputTokens: number, at = '2026-11-02T12:00:00Z', gateway = false) =>
      append([
        {
          type: usageReported,
          subject: { namespace: 'default', kind: 'Run', name: runId, namespaceUid: 'ns-1' },
          time: new Date(at),
          data: {
            runId,
            agentUid: 'a-1',
            inputTokens,
            outputTokens: 1,
            cachedTokens: 0,
            reasoningTokens: 0,
            ...(gateway ? { gateway } : {}),
          },
        },
      ]),
    label: (uid: string, labels: Record<string, string>, namespace = 'default', namespaceUid = 'ns-1') =>
      append([
        {
          type: agentLabelsChanged,
          subject: { namespace, kind: 'AgentDeployment', name: `agent-${uid}`, uid, namespaceUid },
          data: { labels },
        },
      ]),
    groups: (by: readonly GroupKey[], namespace = '', some: Partial<GroupQuery> = {}) =>
      readGroups(store.reader<CostTables>(), [{ namespace }] as unknown as CostAccess, {
        period: { from: '2026-11-01', to: '2026-11-30' },
        by,
        limit: 1_000,
        ...some,
      }),
    /** Number of metered runs, and the sum of their reported usage. */
    metered: async () => {
      const { rows } = await sql<{ runs: string; sums: string }>`select count(*)::text as runs,
        sum(calls + unpriced + input_tokens + output_tokens + cached_tokens + reasoning_tokens)::text as sums
        from cost_runs where metered`.execute(database.root)
      return rows[0]
    },
    /** Every row that the projection wrote. */
    rows: async () => {
      const { rows } = await sql<{ all: unknown }>`select jsonb_build_array(
        (select jsonb_agg(d order by d.*) from cost_days d), (select jsonb_agg(p order by p.*) from cost_persons p),
        (select jsonb_agg(r order by r.run_id) from cost_runs r),
        (select jsonb_agg(a order by a.uid) from cost_agents a)) as all`.execute(database.root)
      return rows[0]?.all
    },
  }
}
