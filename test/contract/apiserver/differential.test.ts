import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sample } from 'fast-check'
import { parse } from 'yaml'
import type { CustomResourceDefinition } from '@mesh.dev/embedded-apiserver'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { countOf } from '#test/harness/counts.ts'
import { startKube } from '#test/harness/kube.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { compareSequence } from './compare.ts'
import type { Findings } from './compare.ts'
import { compareDefinitions } from './compare-definitions.ts'
import { definitionCases } from './definition-cases.ts'
import { allowed } from './differences.ts'
import { closeConnections, send } from './http.ts'
import type { Target } from './http.ts'
import { hardeningRegressions } from './regressions-hardening.ts'
import { workloadRegressions } from './regressions-workloads.ts'
import { regressions } from './regressions.ts'
import { sequences } from './steps.ts'
import { storedKindCases } from './stored-kind-cases.ts'
import { widgetCrd } from './widget-crd.ts'

const RUNS = Number(process.env['MESH_DIFFERENTIAL_RUNS'] ?? countOf(60, 300))
const SEED = Number(process.env['MESH_DIFFERENTIAL_SEED'] ?? 42)
const ONLY = process.env['MESH_DIFFERENTIAL_ONLY']
const SHOWN = Number(process.env['MESH_DIFFERENTIAL_SHOWN'] ?? 40)
const alice = { name: 'alice', token: 'token-alice', user: 'alice', groups: ['devs'] }
const crdFolder = new URL('../../../deploy/crds/', import.meta.url).pathname

function readCrds(): CustomResourceDefinition[] {
  const files = readdirSync(crdFolder).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
  return [
    widgetCrd,
    ...files.map((file): CustomResourceDefinition => parse(readFileSync(join(crdFolder, file), 'utf8'))),
  ]
}

async function install(target: Target, crds: readonly CustomResourceDefinition[]): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const body of crds) assert.equal((await send(target, { verb: 'POST', path, user: 'admin', body })).status, 201)
  for (const { spec } of crds) {
    const served = `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}`
    while ((await send(target, { verb: 'GET', path: served, user: 'admin' })).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Starts both servers with the same kinds and users; they stop with the test. */
async function startBoth(t: TestContext): Promise<{ real: Target; ours: Target }> {
  const kube = await startKube(t, { personas: [alice] })
  const folder = tempFolder('differential')
  const crds = readCrds()
  const tokens = { admin: kube.tokens['admin'] ?? '', alice: alice.token }
  const embedded = await startApiServer({
    dataDir: folder.path,
    crds,
    tokens: [
      { token: tokens.admin, username: 'admin', uid: 'uid-admin', groups: ['system:masters'] },
      { token: alice.token, username: alice.user, uid: 'uid-alice', groups: alice.groups },
    ],
    // The real one runs without its controller manager.
    controllers: false,
  })
  t.after(async () => {
    closeConnections()
    await embedded.close()
    folder.remove()
  })
  const real: Target = { url: kube.url, ca: kube.ca, tokens }
  await install(real, crds)
  return { real, ours: { url: embedded.url, tokens } }
}

const noFindings = (): Findings => ({ found: new Map(), met: new Map(), requests: 0 })

function assertNone({ found }: Findings): void {
  const report = [...found.values()].sort((a, b) => b.count - a.count)
  for (const { count, text } of report.slice(0, SHOWN)) console.log(`${count} times: ${text}\n`)
  // The output of a test that passes in its second run is not shown; its message is.
  const first = report[0]?.text.replaceAll(/\s+/g, ' ').slice(0, 1000)
  assert.equal(report.length, 0, `${report.length} kinds of difference that differences.ts does not name: ${first}`)
}

test('the embedded API server answers as a real kube-apiserver does', { timeout: 600_000 }, async (t) => {
  const both = await startBoth(t)
  for (const [i, { holds, sequence, statuses }] of [
    ...regressions,
    ...workloadRegressions,
    ...hardeningRegressions,
  ].entries()) {
    await t.test(holds, async () => {
      const findings = noFindings()
      const answered = await compareSequence({ ...both, namespace: `known-${i}`, findings }, sequence)
      assertNone(findings)
      assert.deepEqual(answered, statuses, 'the statuses of the real one')
    })
  }
  // At once: each has its own group, and most of their time is that of controllers.
  const cases = [...definitionCases, ...storedKindCases].map((each, i) => ({
    each,
    compared: compareDefinitions(both, each, `definitions-${i}.example`),
  }))
  await Promise.allSettled(cases.map(({ compared }) => compared))
  for (const { each, compared } of cases) {
    await t.test(each.holds, async () => {
      const { statuses, found } = await compared
      assert.deepEqual(found, [])
      assert.deepEqual(statuses, each.statuses, 'the statuses of the real one')
    })
  }
  await t.test(`${RUNS} sequences of requests (seed ${SEED})`, async (st) => {
    const findings = noFindings()
    const all = [...sample(sequences, { seed: SEED, numRuns: RUNS }).entries()]
    const chosen = ONLY === undefined ? all : all.filter(([i]) => i === Number(ONLY))
    for (const [i, sequence] of chosen) await compareSequence({ ...both, namespace: `seq-${i}`, findings }, sequence)
    st.diagnostic(`${findings.requests} requests compared`)
    for (const each of allowed) st.diagnostic(`allowed ${findings.met.get(each) ?? 0} times: ${each.why}`)
    assertNone(findings)
  })
})
