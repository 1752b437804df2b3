import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { sample } from 'fast-check'
import { parse } from 'yaml'
import type { CustomResourceDefinition } from '#local/apiserver/objects/kinds.ts'
import { startApiServer } from '#local/apiserver/server.ts'
import { startKube } from '#test/harness/kube.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { compareSequence } from './compare.ts'
import type { Findings } from './compare.ts'
import { allowed } from './differences.ts'
import { closeConnections, send } from './http.ts'
import type { Target } from './http.ts'
import { sequences } from './steps.ts'
import { widgetCrd } from './widget-crd.ts'

const RUNS = Number(process.env['MESH_DIFFERENTIAL_RUNS'] ?? 300)
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

test(`the embedded API server answers ${RUNS} sequences of requests as a real kube-apiserver does (seed ${SEED})`, async (t) => {
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
  const ours: Target = { url: embedded.url, tokens }
  await install(real, crds)
  const findings: Findings = { found: new Map(), met: new Map(), requests: 0 }
  const all = [...sample(sequences, { seed: SEED, numRuns: RUNS }).entries()]
  const chosen = ONLY === undefined ? all : all.filter(([i]) => i === Number(ONLY))
  for (const [i, sequence] of chosen) await compareSequence({ real, ours, namespace: `seq-${i}`, findings }, sequence)
  const report = [...findings.found.values()].sort((a, b) => b.count - a.count)
  for (const { count, text } of report.slice(0, SHOWN)) console.log(`${count} times: ${text}\n`)
  t.diagnostic(`${findings.requests} requests compared`)
  for (const each of allowed) t.diagnostic(`allowed ${findings.met.get(each) ?? 0} times: ${each.why}`)
  assert.equal(report.length, 0, `${report.length} kinds of difference that differences.ts does not name`)
})
