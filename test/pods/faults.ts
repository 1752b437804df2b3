import type { CaseResult } from '#test/chaos/case.ts'
import { percentile } from '#test/chaos/open-loop.ts'
import { until } from '#test/chaos/until.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import type { Scope } from '#test/harness/scope.ts'
import { apiOf, condition, until as untilAnswer } from './api.ts'
import { makeCaller } from './callers.ts'
import { whatPodsSay } from './install.ts'
import { isFailed, perSecond, startLoad } from './load.ts'
import type { Load } from './load.ts'
import { injure, isWhole, roles } from './pods.ts'
import type { PodRole, Way } from './pods.ts'
import { allEnded, compareRecords, runsGoOn } from './assertions.ts'
import { openClusterFixture } from './cluster-fixture.ts'
import type { ClusterFixture } from './cluster-fixture.ts'
import { startAgentLog } from './agent-log.ts'

/**
 * Number of kills per role. After each kill the role is drained or, every second time, one of its pods is deleted with its grace period.
 * The BFF is updated half as often.
 */
export interface PodFaultOptions {
  readonly kills: number
}

interface Fault {
  readonly role: PodRole
  readonly way: Way
}

interface Outcome extends Fault {
  readonly failed: readonly string[]
  readonly recoveryMs: number
}

const recoveryLimitMs = 180_000

/** Installs the platform on the cluster of `folder`, removes its pods under load, and compares what was accepted with what was recorded. */
export async function podFaults(scope: Scope, folder: string, { kills }: PodFaultOptions): Promise<CaseResult> {
  const fixture = await openClusterFixture(scope, folder)
  const database = await openDatabase({ url: fixture.databaseUrl, connections: 4 })
  scope.after(() => database.root.destroy())
  const agentLog = await startAgentLog(scope, fixture.cluster.hostAddress)
  try {
    const bearer = await makeCaller(fixture.cluster, 'alice', 'mesh-developer', 'demo')
    await createAgents(fixture, bearer, agentLog.command)
    const from = performance.now()
    const load = startLoad(scope, fixture.bffUrl, bearer)
    const begun = new Date()
    await until('a run of the load has succeeded', () => runsGoOn(database, begun))
    const outcomes: Outcome[] = []
    for (const fault of faultsOf(kills)) outcomes.push(await take({ fixture, database, load }, fault))
    const seconds = (performance.now() - from) / 1_000
    const samples = await load.stop()
    await until('every run has ended', () => allEnded(database), recoveryLimitMs)
    const compare = () => compareRecords({ cluster: fixture.cluster, database }, load, agentLog.invokes)
    await until('every row is there', async () => (await compare()).lost.length === 0).catch(() => undefined)
    const found = await compare()
    const invoked = [...agentLog.invokes.values()].reduce((sum, count) => sum + count, 0)
    // A rolling update and a drain of the BFF are planned: no request may fail.
    const broken = outcomes.filter(({ role, way }) => role === 'bff' && way !== 'kill').flatMap(({ failed }) => failed)
    return {
      faults: outcomes.length,
      lost: found.lost.length + broken.length,
      duplicated: found.duplicated.length,
      unaccounted: found.unaccounted.length,
      recoveryMs: outcomes.map(({ recoveryMs }) => recoveryMs),
      notes: [
        `${samples.length} requests (${(samples.length / seconds).toFixed(0)}/s of ${perSecond}/s wanted), ${load.retried()} GETs sent again, since the kept connection had just been closed; p99 ${percentile(
          samples.map(({ ms }) => ms),
          0.99,
        ).toFixed(0)} ms`,
        `${load.runs.size} runs accepted (${textOf(found.states)}), ${invoked} invokes logged by the agents; ${found.templates} templates created`,
        ...roles.map((role) => summary(outcomes, role)),
        ...[...found.lost, ...found.duplicated, ...found.unaccounted].slice(0, 10),
      ],
    }
  } catch (error) {
    throw new Error(`${String(error)}\n${await whatPodsSay(fixture.cluster, 'mesh-system')}`, { cause: error })
  }
}

// Starts with an update, during which no request may fail. The roles then take turns, so that each fault finds a complete platform.
function faultsOf(kills: number): Fault[] {
  const rounds = Array.from({ length: kills }, (_, round): Fault[] =>
    roles.flatMap((role) => [
      { role, way: 'kill' },
      ...(round % 2 === 0 ? [{ role, way: 'drain' } as const] : [{ role, way: 'delete' } as const]),
    ]),
  )
  const updates = Array.from({ length: Math.ceil(kills / 2) }, (): Fault => ({ role: 'bff', way: 'restart' }))
  return [...updates, ...rounds.flat()]
}

async function take(
  { fixture, database, load }: { readonly fixture: ClusterFixture; readonly database: Database; readonly load: Load },
  fault: Fault,
): Promise<Outcome> {
  const { cluster } = fixture
  const first = performance.now()
  const how = await injure(cluster, fault.role, fault.way)
  const [injured, instant] = [performance.now(), new Date()]
  const whole = async () => (await isWhole(cluster, fault.role)) && (await runsGoOn(database, instant))
  await until(`${fault.role} is whole again after ${fault.way}`, whole, recoveryLimitMs)
  const recoveryMs = performance.now() - injured
  const failed = load.samples.filter((sample) => isFailed(sample) && sample.at + sample.ms >= first)
  const reasons = failed.map(({ status, error }) => error ?? String(status))
  process.stderr.write(
    `${fault.role} ${fault.way} (${how}): ${failed.length} requests failed${reasons.length === 0 ? '' : ` (${[...new Set(reasons)].join(', ')})`}, recovered in ${(recoveryMs / 1_000).toFixed(1)} s\n`,
  )
  return { ...fault, failed: reasons, recoveryMs }
}

async function createAgents(fixture: ClusterFixture, bearer: string, command: readonly string[]): Promise<void> {
  const api = apiOf(fixture.bffUrl, bearer)
  const limits = { concurrency: 100 }
  // With a CPU request, since best-effort pods get almost no time on a busy node.
  const resources = { requests: { cpu: '100m' } }
  const specs = {
    hello: { model: { route: 'mock' }, limits, resources },
    logged: { runtime: { command }, limits, resources },
  }
  for (const [name, spec] of Object.entries(specs)) {
    const agent = {
      apiVersion: 'mesh.dev/v1alpha1',
      kind: 'AgentDeployment',
      metadata: { namespace: 'demo', name },
      spec,
    }
    await fixture.cluster.kubectl(['apply', '-f', '-'], JSON.stringify(agent))
    const read = () => api('GET', `/api/agents/demo/${name}`)
    await untilAnswer(`${name} is ready`, read, (body) => condition(body, 'Ready') === 'True')
  }
}

function summary(outcomes: readonly Outcome[], role: PodRole): string {
  const parts = (['restart', 'kill', 'drain', 'delete'] as const).flatMap((way) => {
    const all = outcomes.filter((one) => one.role === role && one.way === way)
    if (all.length === 0) return []
    const failed = all.reduce((sum, one) => sum + one.failed.length, 0)
    const longest = Math.max(...all.map(({ recoveryMs }) => recoveryMs))
    return [`${all.length} x ${way}: ${failed} requests failed, whole in ${(longest / 1_000).toFixed(1)} s at most`]
  })
  return `${role}: ${parts.join('; ')}`
}

function textOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}
