import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { kubectl } from '#test/harness/kubectl.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { findDrift } from '../scripts/generate.ts'
import { generate as generateAgentFile } from '../scripts/generators/agent-file.ts'
import { generate as generateCrds } from '../scripts/generators/crds.ts'
import { expandAgentConfig, expandAgentFile, findConfigProblems } from './agent-file.ts'
import { toStructuralSchema } from './crd-schema.ts'
import { API_VERSION } from './group.ts'
import { kinds } from './kinds.ts'
import { badSamples, configSamples, goodSamples } from './samples.ts'

const NAMES = kinds.map((kind) => `crd/${kind.plural}.${kind.group}`)
const CRDS = new URL('../deploy/crds', import.meta.url).pathname

async function admin(t: TestContext) {
  const kube = await sharedKube(t)
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  return async (args: string[], input?: object) =>
    kubectl(config, args, input === undefined ? undefined : JSON.stringify(input))
}

type Admin = Awaited<ReturnType<typeof admin>>

async function installCrds(run: Admin): Promise<void> {
  const applied = await run(['apply', '--server-side', '--force-conflicts', '-k', CRDS])
  assert.equal(applied.code, 0, applied.stderr)
  const waited = await run(['wait', '--for=condition=Established', '--timeout=30s', ...NAMES])
  assert.equal(waited.code, 0, waited.stderr)
}

const dryRun = ['create', '--dry-run=server', '--validate=strict', '-o', 'json', '-f', '-']

test('CRDs: no generated file differs from its source', async () => {
  assert.deepEqual(await findDrift(new Map([...(await generateCrds()), ...(await generateAgentFile())])), [])
})

test('CRDs: plain apply and server-side apply are accepted; every kind is Established and structural', async (t) => {
  const run = await admin(t)
  const plain = await run(['apply', '-k', CRDS])
  assert.equal(plain.code, 0, plain.stderr)
  await installCrds(run)
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

test('CRDs: short names, category and explain work', async (t) => {
  const run = await admin(t)
  await installCrds(run)
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

test('CRDs: good samples are accepted', async (t) => {
  const run = await admin(t)
  await installCrds(run)
  for (const [name, object] of Object.entries(goodSamples)) {
    const made = await run(dryRun, object)
    assert.equal(made.code, 0, `${name}: ${made.stderr}`)
  }
})

test('CRDs: bad samples are refused with the message of the rule', async (t) => {
  const run = await admin(t)
  await installCrds(run)
  for (const { object, says } of badSamples) {
    const made = await run(dryRun, object)
    assert.notEqual(made.code, 0, `${says}: was accepted`)
    assert.ok(made.stderr.includes(says), `${says}: ${made.stderr}`)
  }
})

test('CRDs: the examples of the agent format are accepted by the cluster', async (t) => {
  const run = await admin(t)
  await installCrds(run)
  const folder = new URL('../examples/', import.meta.url)
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.yaml'))) {
    const { documents } = expandAgentFile(await readFile(new URL(name, folder), 'utf8'), name)
    const made = await run(dryRun, documents[0])
    assert.equal(made.code, 0, `${name}: ${made.stderr}`)
  }
})

test('CRDs: the checks of the agent format and the CEL rules of the cluster agree', async (t) => {
  const run = await admin(t)
  await installCrds(run)
  for (const { config, spec, says } of configSamples) {
    const problems = findConfigProblems(config)
    const object =
      spec === undefined
        ? expandAgentConfig(config).documents[0]
        : { apiVersion: API_VERSION, kind: 'AgentDeployment', metadata: { name: 'a' }, spec }
    const made = await run(dryRun, object)
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
