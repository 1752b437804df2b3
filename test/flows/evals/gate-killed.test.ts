import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import { forms } from '#test/flows/platform.ts'
import { clusterOf, startAll } from '#test/flows/platform/embedded.ts'
import type { AllProcess } from '#test/flows/platform/embedded.ts'
import { startOnCluster } from '#test/flows/platform/on-cluster.ts'
import type { Form } from '#test/flows/platform/running-platform.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { countOf, long } from '#test/harness/counts.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
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
} from './gate-rig.ts'
import type { GatedRun, GateRig } from './gate-rig.ts'

const CASES = countOf(16, 40)

/** A platform whose processes are killed. */
interface Killed {
  rig(): GateRig
  /** Each kills a process with SIGKILL and starts it again. */
  readonly kills: readonly (() => Promise<void>)[]
}

/** One process with all roles, killed and started again on its data. */
async function startEmbeddedForKills(t: TestContext): Promise<Killed> {
  const folder = tempFolder('killed')
  t.after(folder.remove)
  const rigOf = ({ ready }: AllProcess): GateRig => {
    const { server, ca } = clusterOf(ready.kubeconfig)
    return createGateRig({ send: createSend(t, ready.url), kube: createSend(t, server, ca), tokens: ready.tokens })
  }
  let all = await startAll(t, join(folder.path, 'data'))
  let rig = rigOf(all)
  const kill = async (): Promise<void> => {
    await all.server.end('SIGKILL')
    // A revision that is held keeps the addresses of the one that serves.
    all = await startAll(t, join(folder.path, 'data'), { ports: all.ports })
    rig = rigOf(all)
  }
  return { rig: () => rig, kills: [kill] }
}

/** A process per role, of which worker and manager are killed. */
async function startClusterForKills(t: TestContext): Promise<Killed> {
  const closers: (() => unknown)[] = []
  t.after(async () => {
    for (const close of closers.toReversed()) await close()
  })
  const platform = await startOnCluster({ after: (close) => void closers.push(close) }, { candidates: true })
  const rig = createGateRig(platform)
  const kill = (role: 'worker' | 'manager') => async () => platform.roles?.restart(role, 'SIGKILL')
  return { rig: () => rig, kills: [kill('worker'), kill('manager')] }
}

const starts: Readonly<Record<Form, (t: TestContext) => Promise<Killed>>> = {
  embedded: startEmbeddedForKills,
  cluster: startClusterForKills,
}

/** Kills each process once more cases have ended. */
async function killInTheMiddle({ rig, kills }: Killed): Promise<void> {
  let seen = 0
  for (const kill of kills) {
    const done = await eventually('cases end', async () => {
      const { evaluation } = await rig().results()
      const scored = (evaluation?.cases.passed ?? 0) + (evaluation?.cases.failed ?? 0)
      return evaluation?.phase === 'Running' && scored > seen ? scored : undefined
    })
    assert.ok(done < CASES, `${done} cases ended before the process was killed`)
    await kill()
    seen = done
  }
}

/** The number of cases, each once, and of their runs. */
async function countedCases({ ask }: GateRig, { cases, evaluation, revision }: EvalResultsView) {
  const path = `/api/runs?namespace=demo&agent=bot&limit=200`
  const { items } = (await ask('developer', 'GET', path)).json<{ items: GatedRun[] }>()
  const runs = items.filter(
    ({ trigger, agent, error }) =>
      // A run that is lost with its launcher is repeated.
      trigger.kind === 'eval' && agent?.revision === revision && error?.code !== 'lost_worker',
  )
  return {
    cases: new Set(cases.map(({ caseId }) => caseId)).size,
    counts: evaluation?.cases,
    runs: runs.length,
    states: new Set(runs.map(({ state }) => state)),
    runsOfCases: new Set(cases.flatMap(({ runIds }) => runIds)).size,
    errors: cases.flatMap(({ error }) => error ?? []),
  }
}

/** Whether the revision that serves responds, and what holds the candidate. */
async function heldBy({ ask, agent, gate }: GateRig) {
  const body = { agent: { namespace: 'demo', name: 'bot' }, input: 'Hi', timeout: '120s' }
  const invoked = await ask('developer', 'POST', '/api/invoke', body)
  const { output } = invoked.json<GatedRun>()
  assert.ok(typeof output === 'string', invoked.text)
  return { output, gate: await gate(), serving: (await agent()).status?.currentRevision }
}

const once = (outcome: 'passed' | 'failed') => ({
  cases: CASES,
  counts: { total: CASES, passed: 0, failed: 0, errored: 0, [outcome]: CASES },
  runs: CASES,
  states: new Set(['succeeded']),
  runsOfCases: CASES,
  errors: [],
})

for (const { form, options } of long ? forms : forms.slice(0, 1))
  test(
    `${form}: killed processes continue an evaluation, and hold what is held`,
    { ...options, timeout: 900_000 },
    async (t) => {
      const killed = await starts[form](t)
      await makeRoutes(killed.rig())
      await makeDataset(killed.rig(), 'greetings', CASES)
      await makeDataset(killed.rig(), 'nothing', 0)
      // Slow, so that an evaluation has a middle.
      await makeSuite(killed.rig(), 'polite', 'greetings', { concurrency: 1, timeout: '15m' })
      await makeSuite(killed.rig(), 'unsure', 'nothing')
      await makeAgent(killed.rig())

      await t.test('the first revision is evaluated to its end, each case once', async () => {
        await killInTheMiddle(killed)
        const passed = await ended(killed.rig(), 'Passed')
        assert.deepEqual(await countedCases(killed.rig(), passed), once('passed'))
        await served(killed.rig())
      })

      await t.test('Failed holds, and the last good one serves through restarts', async () => {
        const serving = (await killed.rig().agent()).status?.currentRevision
        await killed.rig().useRoute('rude')
        await killInTheMiddle(killed)
        const failed = await ended(killed.rig(), 'Failed')
        assert.deepEqual(await countedCases(killed.rig(), failed), once('failed'))
        const held = { output: replies.kind, gate: 'True Failed', serving }
        await eventually('it is held', async () => ((await killed.rig().gate()) === held.gate ? true : undefined))
        assert.deepEqual(await heldBy(killed.rig()), held)
        for (const kill of long ? killed.kills : []) {
          await kill()
          assert.deepEqual(await heldBy(killed.rig()), held)
        }
        const { history } = await killed.rig().results()
        assert.deepEqual(
          history.map(({ phase, deployed }) => [phase, deployed]),
          [
            ['Failed', false],
            ['Passed', true],
          ],
        )
      })

      await t.test('Inconclusive holds as Failed does', async () => {
        const serving = (await killed.rig().agent()).status?.currentRevision
        await killed.rig().change({ model: { route: 'kinder' }, evalGate: { suiteRef: { name: 'unsure' } } })
        const unsure = await ended(killed.rig(), 'Inconclusive', 'unsure')
        assert.equal(unsure.evaluation?.reason, 'NoCases')
        const held = { output: replies.kind, gate: 'True Inconclusive', serving }
        await eventually('it is held', async () => ((await killed.rig().gate()) === held.gate ? true : undefined))
        for (const kill of killed.kills) await kill()
        assert.deepEqual(await heldBy(killed.rig()), held)
      })
    },
  )
