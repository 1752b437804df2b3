import assert from 'node:assert/strict'
import test from 'node:test'
import { createCallers } from '#core/cluster/callers.ts'
import type { Access } from '#core/cluster/caller.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { isStatus } from '#core/kube/status.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import type { AgentDocument, AgentDocumentOwner } from '../contract/points.ts'
import { createAgentsApi } from '../create-api.ts'
import { createAuthored } from './create-authored.ts'
import { toNewAgent } from './new-agent.ts'
import { readOneAgent } from './read-agent-file.ts'

const namespace = parseLabel('namespace', 'default')
const signal = AbortSignal.timeout(60_000)
const agentIn = (of: string, name = 'bot', spec: object = {}): AgentDeploymentObject =>
  AgentDeployment.object({ metadata: { name, namespace: of }, spec: { model: { route: 'mock' }, ...spec } })

async function setUp(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t, { crds: [toCrd(AgentDeployment)] })
  const pool = createPool(server.url)
  t.after(() => pool.close())
  const caller = await createCallers({ server: server.url, pool }).as(ADMIN)
  const stored: AgentDocument[] = []
  const asked: boolean[] = []
  const owner: AgentDocumentOwner = {
    kind: 'PromptVersion',
    create: async (_caller, document, { dryRun }) => {
      asked.push(dryRun)
      if (!dryRun) stored.push(document)
    },
  }
  const exists = (name: string) =>
    caller.cluster.get(AgentDeployment, { namespace, name: parseName('name', name) }).then(
      () => true,
      (error: unknown) => !isStatus(error, 404),
    )
  return { caller, owner, stored, asked, exists }
}

test('an agent of another plugin is created with the proof of its caller only', async (t) => {
  const { caller, exists } = await setUp(t)
  const api = createAgentsApi({ documents: () => [], references: () => ({}) } as never)
  const proof = await caller.review('create', 'agentdeployments', { namespace })
  const made = await api.create(caller, proof, agentIn('default'), { signal })
  assert.match(made.metadata.uid ?? '', /./)
  const dry = await api.create(caller, proof, agentIn('default', 'dry'), { signal, dryRun: true })
  assert.deepEqual([dry.metadata.name, await exists('dry')], ['dry', false])
  type Proof = Access<'create', 'agentdeployments'>
  for (const changed of [
    { namespace: 'other' },
    { verb: 'get' },
    { resource: 'runs' },
    { username: 'another' },
    { name: 'other' },
    { group: 'acme.example' },
  ])
    await assert.rejects(
      api.create(caller, { ...proof, ...changed } as unknown as Proof, agentIn('default', 'next'), { signal }),
      { code: 'forbidden' },
      JSON.stringify(changed),
    )
  assert.equal(await exists('next'), false)
  const cluster = await caller.review('create', 'agentdeployments', { namespace: '' })
  await api.create(caller, cluster, agentIn('default', 'next'), { signal })
  for (const name of ['', '../x', 'a\u0000', '\ud800', 'a'.repeat(300)])
    await assert.rejects(api.create(caller, proof, agentIn('default', name), { signal }), { name: 'InvalidName' })
  await assert.rejects(api.create(caller, proof, agentIn('', 'bot'), { signal }), { name: 'InvalidName' })
})

test('documents go to their owner after the cluster has validated the agent, and before it exists', async (t) => {
  const { caller, owner, stored, asked, exists } = await setUp(t)
  const config = { name: 'talker', model: { route: 'mock' }, prompt: { text: 'Greet {{name}}.' } }
  const authored = toNewAgent({ namespace, config })
  assert.deepEqual(authored.documents, [
    { kind: 'PromptVersion', namespace, name: 'talker', spec: { text: 'Greet {{name}}.' } },
  ])
  await assert.rejects(
    createAuthored(() => [], caller, authored, { dryRun: false, signal }),
    { code: 'not_wired' },
  )
  assert.equal(await exists('talker'), false)
  await createAuthored(() => [owner], caller, authored, { dryRun: true, signal })
  assert.deepEqual([stored.length, asked, await exists('talker')], [0, [true], false])
  const failing: AgentDocumentOwner = { ...owner, create: () => Promise.reject(new Error('no room')) }
  await assert.rejects(
    createAuthored(() => [failing], caller, authored, { dryRun: false, signal }),
    /no room/,
  )
  assert.equal(await exists('talker'), false, 'no agent without its document')
  await createAuthored(() => [owner], caller, authored, { dryRun: false, signal })
  assert.deepEqual([stored.length, await exists('talker')], [1, true])
  await assert.rejects(
    createAuthored(() => [owner], caller, authored, { dryRun: false, signal }),
    { status: 409 },
  )
  assert.equal(stored.length, 1, 'a refused agent leaves no document')
})

test('a file with text of a prompt replaces no agent', () => {
  const file = 'name: talker\nmodel: { route: mock }\nprompt: { text: Hi }\n'
  assert.throws(() => readOneAgent(file, namespace), { code: 'invalid_agent_file' })
})
