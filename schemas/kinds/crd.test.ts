import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Agent, fetch } from 'undici'
import { applyShipped } from '#test/harness/deploy.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { findDrift } from '../../scripts/generate.ts'
import { generate as generateAgentFile } from '../../scripts/generators/agent-file.ts'
import { generate as generateCrds } from '../../scripts/generators/crds.ts'
import { expandAgentConfig, expandAgentFile } from '../agent-file/expand-agent-file.ts'
import { findConfigProblems } from '../agent-file/find-problems.ts'
import { toCrd } from './crd.ts'
import { toStructuralSchema } from './crd-schema.ts'
import { API_VERSION } from '../names/group.ts'
import { checkOf } from '#core/validation/validate.ts'
import { accessOfPlugins, kindsOf } from '#core/plugin/access-of-plugins.ts'
import { plugins } from '#plugins/index.ts'
import { configSamples } from '../testing/agent-configs.ts'
import { badSamples } from '../testing/refused-objects.ts'

const kinds = kindsOf(plugins)

const NAMES = kinds.map((kind) => `crd/${kind.plural}.${kind.group}`)
const CRDS = new URL('../../deploy/crds', import.meta.url).pathname

async function admin(t: TestContext) {
  const kube = await sharedKube(t)
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  return async (args: string[], input?: object) =>
    kubectl(config, args, input === undefined ? undefined : JSON.stringify(input))
}

/** Asks the API server for a dry run as kubectl does; an error's text is what kubectl prints of it. */
async function creator(t: TestContext) {
  const kube = await sharedKube(t)
  await applyShipped(kube)
  const dispatcher = new Agent({ connect: { ca: kube.ca } })
  t.after(() => dispatcher.close())
  return async (object: { readonly kind?: unknown } | undefined): Promise<{ code: number; stderr: string }> => {
    const { plural, scope } = kinds.find(({ kind }) => kind === object?.kind) ?? assert.fail('no such kind')
    const path = scope === 'Cluster' ? plural : `namespaces/default/${plural}`
    const url = `${kube.url}/apis/${API_VERSION}/${path}?dryRun=All&fieldValidation=Strict`
    const headers = { authorization: `Bearer ${kube.tokens['admin']}`, 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', dispatcher, headers, body: JSON.stringify(object) })
    const { message = '' } = (await answer.json()) as { readonly message?: string }
    return { code: answer.ok ? 0 : 1, stderr: message }
  }
}

const dryRun = ['create', '--dry-run=server', '--validate=strict', '-o', 'json', '-f', '-']

test('CRDs: no generated file differs from its source', async () => {
  assert.deepEqual(await findDrift(new Map([...(await generateCrds()), ...(await generateAgentFile())])), [])
})

test('CRDs: plain apply and server-side apply are accepted; every kind is Established and structural', async (t) => {
  const run = await admin(t)
  const plain = await run(['apply', '-k', CRDS])
  assert.equal(plain.code, 0, plain.stderr)
  await applyShipped(await sharedKube(t))
  const { stdout } = await run(['get', ...NAMES, '-o', 'json'])
  const { items } = JSON.parse(stdout) as {
    items: { metadata: { name: string }; status: { conditions: { type: string; status: string }[] } }[]
  }
  assert.equal(items.length, kinds.length)
  for (const { metadata, status } of items) {
    const on = status.conditions.filter((condition) => condition.status === 'True').map((condition) => condition.type)
    assert.deepEqual(on.toSorted(), ['Established', 'NamesAccepted'], metadata.name)
  }
})

test('CRDs: a kind has a status exactly if a controller reports on its objects', () => {
  const reported = new Set(accessOfPlugins(plugins).map(({ resource }) => resource))
  for (const kind of kinds) {
    const isReported = reported.has(`${kind.plural}/status`)
    const [version] = toCrd(kind).spec.versions
    const { status } = version?.subresources ?? {}
    const { properties } = version?.schema.openAPIV3Schema ?? {}
    assert.equal(status !== undefined, isReported, kind.kind)
    assert.equal('status' in Object(properties), isReported, kind.kind)
  }
})

test('CRDs: short names, category and explain work', async (t) => {
  const run = await admin(t)
  await applyShipped(await sharedKube(t))
  const resources = await run(['api-resources', '--categories=mesh', '-o', 'name'])
  assert.deepEqual(
    resources.stdout.trim().split('\n').toSorted(),
    kinds.map((kind) => `${kind.plural}.${kind.group}`).toSorted(),
  )
  const explained = await run(['explain', 'agent.spec.tools.requireApproval'])
  assert.match(explained.stdout, /Tools whose calls wait for a person/)
  const table = await run(['get', 'ad', '-n', 'default'])
  assert.equal(table.code, 0, table.stderr)
})

test('CRDs: every field has a description', () => {
  const bare: string[] = []
  const walk = (node: Record<string, unknown>, path: string): void => {
    const properties = (node['properties'] ?? {}) as Record<string, Record<string, unknown>>
    for (const [name, property] of Object.entries(properties)) {
      if (property['description'] === undefined) bare.push(`${path}.${name}`)
      walk(property, `${path}.${name}`)
    }
    if (typeof node['items'] === 'object') walk(node['items'] as Record<string, unknown>, `${path}[]`)
  }
  for (const kind of kinds) walk(toStructuralSchema(kind.spec), `${kind.kind}.spec`)
  assert.deepEqual(bare, [])
})

const scripted = {
  apiVersion: API_VERSION,
  kind: 'ModelProvider',
  metadata: { name: 'scripted' },
  spec: { type: 'mock', mock: { script: [{ contains: 'time', toolCalls: [{ name: 'time', arguments: {} }] }] } },
}

test('CRDs: the sample of each kind is accepted, and its schema is that of the API', async (t) => {
  const run = await admin(t)
  await applyShipped(await sharedKube(t))
  const slots = plugins.flatMap((plugin) => plugin.kinds ?? [])
  for (const { kind, sample } of slots) assert.deepEqual(checkOf(kind.spec)(sample.spec), [], kind.kind)
  for (const object of [...slots.map(({ sample }) => sample), scripted]) {
    const made = await run(dryRun, object)
    assert.equal(made.code, 0, `${object.kind}: ${made.stderr}`)
  }
})

test('CRDs: bad samples are refused with the message of the rule', async (t) => {
  const create = await creator(t)
  for (const { object, says } of badSamples) {
    const made = await create(object)
    assert.notEqual(made.code, 0, `${says}: was accepted`)
    assert.ok(made.stderr.includes(says), `${says}: ${made.stderr}`)
  }
})

test('CRDs: the examples of the agent format are accepted by the cluster', async (t) => {
  const run = await admin(t)
  await applyShipped(await sharedKube(t))
  const folder = new URL('../../examples/', import.meta.url)
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.yaml'))) {
    const { documents } = expandAgentFile(await readFile(new URL(name, folder), 'utf8'), name)
    const made = await run(dryRun, documents[0])
    assert.equal(made.code, 0, `${name}: ${made.stderr}`)
  }
})

test('CRDs: the checks of the agent format and the CEL rules of the cluster agree', async (t) => {
  const create = await creator(t)
  for (const { config, spec, says } of configSamples) {
    const problems = findConfigProblems(config)
    const object =
      spec === undefined
        ? expandAgentConfig(config).documents[0]
        : { apiVersion: API_VERSION, kind: 'AgentDeployment', metadata: { name: 'a' }, spec }
    const made = await create(object)
    assert.equal(made.code === 0, problems.length === 0, `${JSON.stringify(config)}: ${made.stderr}`)
    if (says !== undefined) {
      assert.ok(made.stderr.includes(says), `cluster, ${says}: ${made.stderr}`)
      assert.ok(
        problems.some((problem) => problem.message.includes(says)),
        `format, ${says}: ${JSON.stringify(problems)}`,
      )
    }
  }
})
