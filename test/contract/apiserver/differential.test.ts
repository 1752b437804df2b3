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
import { allowed } from './differences.ts'
import { closeConnections, play, send } from './drive.ts'
import type { Target } from './drive.ts'
import { differences, normalise } from './normalise.ts'
import { sequences } from './steps.ts'
import { widgetCrd } from './widget-crd.ts'

const RUNS = Number(process.env['MESH_DIFFERENTIAL_RUNS'] ?? 400)
const SEED = Number(process.env['MESH_DIFFERENTIAL_SEED'] ?? 42)
const SHOWN = 40
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
  const found = new Map<string, { count: number; text: string }>()
  for (const [i, sequence] of sample(sequences, { seed: SEED, numRuns: RUNS }).entries()) {
    const namespace = `seq-${i}`
    const [expected, actual] = await Promise.all([play(real, sequence, namespace), play(ours, sequence, namespace)])
    compare({ i, expected, actual, found })
  }
  const report = [...found.values()].sort((a, b) => b.count - a.count)
  for (const { count, text } of report.slice(0, SHOWN)) console.log(`${count} times: ${text}\n`)
  assert.equal(report.length, 0, `${report.length} kinds of difference that differences.ts does not name`)
})

type Played = Awaited<ReturnType<typeof play>>

function compare({
  i,
  expected,
  actual,
  found,
}: {
  i: number
  expected: Played
  actual: Played
  found: Map<string, { count: number; text: string }>
}): void {
  for (const [at, { request, step, answer }] of expected.entries()) {
    const own = actual[at]
    const all = differences(normalise(answer), normalise(own?.answer)).filter(
      (each) => !allowed.some((one) => one.is(each, step)),
    )
    // Of two answers with different statuses their texts say enough.
    const told =
      answer.status === own?.answer.status
        ? all
        : all.filter(({ path }) => path === '.body.message' || path === '.status').slice(0, 1)
    for (const { path, real, ours } of told) {
      const where = path.replaceAll(/\[\d+\]/g, '[]')
      const key = `${step?.does} ${step?.kind} ${where} ${answer.status} ${own?.answer.status}`
      const texts = [answer.body, own?.answer.body].map((body) => show(isStatus(body) ? body.message : body))
      const known = found.get(key)
      const lines = [
        `sequence ${i}, request ${at}: ${request} ${step?.type ?? ''}`,
        `  body ${show(step?.body)}`,
        `  ${path}: real ${show(real)}, ours ${show(ours)}`,
        ...(answer.status === own?.answer.status && answer.status < 400
          ? []
          : [`  real ${answer.status} ${texts[0]}`, `  ours ${own?.answer.status} ${texts[1]}`]),
      ]
      found.set(key, { count: (known?.count ?? 0) + 1, text: known?.text ?? lines.join('\n') })
    }
    // Once the two have gone apart, what follows says nothing new.
    if (answer.status !== own?.answer.status) return
  }
}

function isStatus(body: unknown): body is { message: string } {
  return typeof body === 'object' && body !== null && 'message' in body
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 400)
}
