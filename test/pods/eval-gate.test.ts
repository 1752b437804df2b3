import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  createGateRig,
  ended,
  eventually,
  makeAgent,
  makeDataset,
  makeRoutes,
  makeSuite,
  replies,
  served,
} from '#test/flows/evals/gate-rig.ts'
import type { GateRig } from '#test/flows/evals/gate-rig.ts'
import { outcomesOf, promoteUnder, runFor } from '#test/flows/evals/open-runs.ts'
import type { Platform } from '#test/flows/platform/running-platform.ts'
import { createSend } from '#test/flows/platform/send.ts'
import type { RawAnswer, RawRequest } from '#test/flows/platform/send.ts'
import type { Scope } from '#test/harness/scope.ts'
import { makeCaller } from './callers.ts'
import type { Cluster } from './cluster.ts'
import { sharedCluster } from './cluster-fixture.ts'
import type { ClusterFixture } from './cluster-fixture.ts'
import { whatPodsSay } from './install.ts'
import { injure } from './pods.ts'

// Two quiet cores carry the cluster, the platform, its servers and the callers at this rate.
const perSecond = Number(process.env['MESH_RUNS_PER_SECOND'] ?? 50)
const lastsMs = 20_000
const cases = 20

test(
  `under ${perSecond} runs a second, and with killed pods, a gate holds what fails and promotes what passes`,
  { timeout: 14 * 60_000 },
  async (t) => {
    const fixture = await sharedCluster()
    const rig = createGateRig(await platformOf(t, fixture))
    await gate(rig, fixture).catch(async (error) => {
      const said = await Promise.all(['demo', 'mesh-system'].map((one) => whatPodsSay(fixture.cluster, one)))
      throw new Error([String(error), ...said].join('\n'), { cause: error })
    })
  },
)

async function gate(rig: GateRig, { cluster }: ClusterFixture): Promise<void> {
  await makeRoutes(rig)
  await makeDataset(rig, 'greetings', cases)
  await makeSuite(rig, 'polite', 'greetings', { concurrency: 2 })
  // With a CPU request, since best-effort pods get almost no time on a busy node, and fail their probes.
  await makeAgent(rig, { resources: { requests: { cpu: '200m' } } })
  await ended(rig, 'Passed')
  const serving = (await served(rig)).currentRevision
  await rig.useRoute('rude')
  const injured = injureWithin(rig, cluster)
  // The killed pods start again under it.
  const restarted = injured.then(() => pause(lastsMs / 2))
  const load = runFor(rig, perSecond, lastsMs, restarted)
  load.catch(() => undefined)
  await injured
  const failed = await ended(rig, 'Failed')
  assert.deepEqual(failed.evaluation?.cases, { total: cases, passed: 0, failed: cases, errored: 0 })
  await eventually('it is held', async () => ((await rig.gate()) === 'True Failed' ? true : undefined))
  assert.deepEqual(outcomesOf(await load), new Set([`succeeded ${replies.kind}`]))
  assert.deepEqual(outcomesOf(await runFor(rig, perSecond, lastsMs / 4)), new Set([`succeeded ${replies.kind}`]))
  assert.equal((await rig.agent()).status?.currentRevision, serving)

  const [found] = await promoteUnder(rig, perSecond, lastsMs)
  found.push(...(await runFor(rig, perSecond, lastsMs / 4)))
  assert.deepEqual(outcomesOf(found), new Set([`succeeded ${replies.kind}`, `succeeded ${replies.kinder}`]))
}

/** Kills a worker and the manager in the middle of the evaluation of a candidate. */
async function injureWithin(rig: GateRig, cluster: Cluster): Promise<void> {
  // Not once a case has ended: cases wait behind the runs of the load, which lasts until the kills.
  await eventually('the candidate is evaluated', async () =>
    (await rig.results()).evaluation?.phase === 'Running' ? true : undefined,
  )
  for (const role of ['worker', 'manager'] as const) await injure(cluster, role, 'kill')
}

/** The installation as the flows use it. Objects of the cluster are made as its admin. */
async function platformOf(
  t: Scope,
  { cluster, bffUrl }: ClusterFixture,
): Promise<Pick<Platform, 'send' | 'kube' | 'tokens'>> {
  const bearerOf = (role: string) => makeCaller(cluster, `gate-${role}`, `mesh-${role}`, 'demo')
  const [developer, viewer] = [await bearerOf('developer'), await bearerOf('viewer')]
  const kube = async ({ body }: RawRequest): Promise<RawAnswer> => {
    const text = await cluster.kubectl(['create', '-f', '-', '-o', 'json'], JSON.stringify(body))
    return { status: 201, headers: {}, text, json: <T>() => JSON.parse(text) as T }
  }
  const tokens = { admin: '', operator: '', developer, viewer, 'other-tenant': '' }
  return { send: createSend(t, bffUrl), kube, tokens }
}
