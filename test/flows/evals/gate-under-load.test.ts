import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { forms, startPlatform } from '#test/flows/platform.ts'
import type { Form } from '#test/flows/platform/running-platform.ts'
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
import type { GateRig } from './gate-rig.ts'
import { outcomesOf, promoteUnder, runFor } from './open-runs.ts'

const perSecond = countOf(15, 50)
const lastsMs = countOf(4_000, 20_000)

// The callers are one user, whose runs are queued where the machine is slower than they are.
const settings = `agents: { isolation: none }
limits: { perCallerPerMinute: 1000000, underWayPerCaller: 1000, waitsPerCaller: 1000 }
runs: { queuedPerNamespace: 100000, queuedPerCaller: 100000 }
`

async function start(t: TestContext, form: Form): Promise<GateRig> {
  const folder = tempFolder('gate')
  t.after(folder.remove)
  const config = join(folder.path, 'mesh.yaml')
  writeFileSync(config, settings)
  const options = { env: { MESH_CONFIG: config }, candidates: true, isLoaded: long }
  const rig = createGateRig(await startPlatform(t, form, options))
  await makeRoutes(rig)
  await makeDataset(rig, 'greetings', 3)
  await makeSuite(rig, 'polite', 'greetings', { timeout: '10m' })
  await makeAgent(rig)
  await ended(rig, 'Passed')
  await served(rig)
  return rig
}

for (const { form, options } of long ? forms : forms.slice(0, 1))
  test(
    `${form}: ${perSecond} runs a second reach no held revision, and none is lost at a promotion`,
    { ...options, timeout: 1_200_000 },
    async (t) => {
      const rig = await start(t, form)
      const { agent, useRoute, gate } = rig

      await t.test('a candidate that fails gets none of them', async () => {
        const serving = (await agent()).status?.currentRevision
        await useRoute('rude')
        const [found, failed] = await Promise.all([runFor(rig, perSecond, lastsMs), ended(rig, 'Failed')])
        assert.deepEqual([failed.score, failed.evaluation?.cases.failed], [0, 3])
        await eventually('it is held', async () => ((await gate()) === 'True Failed' ? true : undefined))
        found.push(...(await runFor(rig, perSecond, lastsMs / 4)))
        assert.deepEqual(outcomesOf(found), new Set([`succeeded ${replies.kind}`]))
        assert.equal((await agent()).status?.currentRevision, serving)
        t.diagnostic(`${found.length} runs beside a candidate that is evaluated, and held`)
      })

      await t.test('one that passes gets them after its evaluation only, and each ends', async () => {
        const [found, passed] = await promoteUnder(rig, perSecond, lastsMs)
        found.push(...(await runFor(rig, perSecond, lastsMs / 4)))
        assert.deepEqual(outcomesOf(found), new Set([`succeeded ${replies.kind}`, `succeeded ${replies.kinder}`]))
        const byNew = found.filter(({ output }) => output === replies.kinder)
        assert.deepEqual(new Set(byNew.map(({ revision }) => revision)), new Set([passed.revision]))
        const finishedAt = Date.parse(passed.evaluation?.finishedAt ?? '')
        assert.ok(byNew.every(({ startedAt }) => startedAt >= finishedAt))
        t.diagnostic(`${found.length} runs, ${byNew.length} of them by the promoted revision`)
      })
    },
  )
