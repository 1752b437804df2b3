import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '#core/database/database.ts'
import { until } from '#test/chaos/until.ts'
import type { Scope } from '#test/harness/scope.ts'
import { apiOf, at, condition } from './api.ts'
import { makeCaller } from './callers.ts'
import type { ClusterFixture } from './cluster-fixture.ts'
import { startAgentLog } from './agent-log.ts'

/** Final state of a run. */
export interface Ended {
  readonly id: string
  readonly state: string
  readonly failReason: string | null
  /** Of a run that did not succeed, for a failure message. */
  readonly error: unknown
  /** Pods that received an invoke of the run, in order; a single one if it was started once. */
  readonly pods: readonly string[]
}

/** Applies one agent of several pods and starts runs on it. Each run takes the `ms` of its input. */
export interface RunClients {
  /** Applies the agent. Another `round` changes its pod template. */
  apply(replicas: number, round?: number): Promise<void>
  /** Waits until exactly this number of pods serves, all of the latest template. */
  ready(replicas: number): Promise<void>
  /** Starts runs and returns their ids. */
  run(count: number, ms: number): Promise<readonly string[]>
  /** Waits until a pod has received each run. */
  begun(ids: readonly string[]): Promise<void>
  podOf(id: string): string | undefined
  /** Waits until each run has ended. */
  ended(ids: readonly string[]): Promise<readonly Ended[]>
}

const name = 'sleeper'
/** Namespace of the agent. */
export const namespace = 'sleepers'

/** Creates the clients of one agent in the cluster. */
export async function createRunClients(
  t: Scope,
  { cluster, bffUrl, databaseUrl }: ClusterFixture,
): Promise<RunClients> {
  const database = await openDatabase({ url: databaseUrl, connections: 2 })
  t.after(() => database.close())
  const agentLog = await startAgentLog(t, cluster.hostAddress)
  const api = apiOf(bffUrl, await makeCaller(cluster, 'alice', 'mesh-developer', namespace))
  const podsOf = (id: string): string[] =>
    agentLog.calls.flatMap((one) => (one.what === 'invoke' && one.runId === id ? [one.pod] : []))
  const isReady = async (replicas: number): Promise<boolean> => {
    const { body } = await api('GET', `/api/agents/${namespace}/${name}`)
    const settled = at(body, 'status', 'observedGeneration') === at(body, 'metadata', 'generation')
    const listed = ['-n', namespace, 'get', 'pods', '-l', `mesh.dev/agent=${name}`, '-o', 'json']
    const pods = at(JSON.parse(await cluster.kubectl(listed)), 'items')
    const serving = Array.isArray(pods) && pods.every((pod: unknown) => condition(pod, 'Ready') === 'True')
    const calm = condition(body, 'Ready') === 'True' && condition(body, 'Progressing') !== 'True'
    return settled && calm && serving && pods.length === replicas
  }
  const errorOf = async ({ id, state }: Pick<Ended, 'id' | 'state'>): Promise<unknown> =>
    state === 'succeeded' ? null : at((await api('GET', `/api/runs/${id}`)).body, 'error')
  const start = async (ms: number): Promise<string> => {
    const { status, body } = await api('POST', '/api/runs', { agent: { namespace, name }, input: { ms } })
    // 429: more than limits.underWayPerCaller in progress. 503: the database is slow while two cores run the whole cluster.
    if (status === 429 || status === 503) return sleep(1_000).then(() => start(ms))
    const id = at(body, 'id')
    if (typeof id !== 'string') throw new Error(JSON.stringify(body))
    return id
  }
  return {
    apply: async (replicas, round = 1) => {
      const env = [{ name: 'ROUND', value: String(round) }]
      const runtime = { command: agentLog.command, env }
      const resources = { requests: { cpu: '50m' } }
      const spec = { runtime, scaling: { replicas }, limits: { concurrency: 100 }, resources }
      const object = { apiVersion: 'mesh.dev/v1alpha1', kind: 'AgentDeployment', metadata: { namespace, name }, spec }
      await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(object))
    },
    ready: async (replicas) => void (await until(`${name} has ${replicas} pods`, () => isReady(replicas), 240_000)),
    run: (count, ms) => Promise.all(Array.from({ length: count }, () => start(ms))),
    begun: async (ids) => void (await until('each run was begun', () => ids.every((id) => podsOf(id).length > 0))),
    podOf: (id) => podsOf(id)[0],
    ended: async (ids) => {
      const read = sql<Pick<Ended, 'id' | 'state' | 'failReason'>>`
        select id::text, state, fail_reason as "failReason" from runs_runs where id = any(${ids}::uuid[])`
      const isOver = ({ state }: { readonly state: string }): boolean =>
        !['queued', 'running', 'cancelling'].includes(state)
      const rows = await until('each run has ended', async () => {
        const found = await read.execute(database.root)
        return found.rows.every(isOver) && found.rows
      })
      return Promise.all(rows.map(async (row) => ({ ...row, error: await errorOf(row), pods: podsOf(row.id) })))
    },
  }
}
