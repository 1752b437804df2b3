import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { startAll } from '#test/flows/platform/embedded.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

interface Run {
  readonly state: string
  readonly agent: { readonly revision: number | null } | null
}
interface Pods {
  readonly items: readonly { readonly metadata: { readonly labels: Readonly<Record<string, string>> } }[]
}
interface Problem {
  readonly code: string
}

const HOLD = 'trials.acme.example/hold'

async function start(t: TestContext) {
  const folder = tempFolder('trials')
  t.after(folder.remove)
  const config = join(folder.path, 'mesh.yaml')
  writeFileSync(config, `plugins: [${fileURLToPath(import.meta.resolve('./trials.ts'))}]\n`)
  const { ready } = await startAll(t, join(folder.path, 'data'), { env: { MESH_CONFIG: config } })
  const send = createSend(t, ready.url)
  const { clusters } = parse(readFileSync(ready.kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[]
  }
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {}
  const toCluster = createSend(t, server, Buffer.from(ca, 'base64').toString())
  const ask = (who: keyof typeof ready.tokens, method: string, path: string, body?: object) =>
    send({ method, path, bearer: ready.tokens[who], ...(body === undefined ? {} : { body }) })
  const agentPath = '/apis/mesh.dev/v1alpha1/namespaces/demo/agentdeployments'
  return {
    ask,
    agent: async () => (await ask('developer', 'GET', '/api/agents/demo/bot')).json<AgentDeploymentObject>(),
    /** Merges into the agent `bot`, at the API server. */
    change: async (body: object) => {
      const contentType = 'application/merge-patch+json'
      const path = `${agentPath}/bot`
      const { status, text } = await toCluster({ method: 'PATCH', path, bearer: ready.tokens.admin, body, contentType })
      assert.equal(status, 200, text)
    },
    candidates: async () => {
      const path = '/api/v1/namespaces/demo/pods?labelSelector=mesh.dev%2Fcandidate-of%3Dbot'
      return (await toCluster({ path, bearer: ready.tokens.admin })).json<Pods>().items
    },
    workloads: async () => {
      const path = '/apis/apps/v1/namespaces/demo/deployments?labelSelector=mesh.dev%2Fagent%3Dbot'
      return (await toCluster({ path, bearer: ready.tokens.admin })).json<{ items: { spec: { replicas: number } }[] }>()
        .items
    },
  }
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 90_000; performance.now() < end;) {
    const found = await look()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(what)
}

const botWith = (more: object = {}) => ({
  apiVersion: 'mesh.dev/v1alpha1',
  kind: 'AgentDeployment',
  metadata: { name: 'bot', namespace: 'demo' },
  spec: { model: { route: 'mock' }, systemPrompt: 'One.' },
  ...more,
})

test('a third party creates agents, and tries a revision that no run reaches', { timeout: 480_000 }, async (t) => {
  const rig = await start(t)
  const { ask } = rig
  const invoke = async (): Promise<number | null | undefined> => {
    const body = { agent: { namespace: 'demo', name: 'bot' }, input: 'Hi', timeout: '60s' }
    const answer = await ask('developer', 'POST', '/api/invoke', body)
    assert.equal(answer.status, 200, answer.text)
    const run = answer.json<Run>()
    assert.equal(run.state, 'succeeded', answer.text)
    return run.agent?.revision
  }
  const condition = async (type: string) => (await rig.agent()).status?.conditions?.find((one) => one.type === type)

  await t.test('agents.create is as the caller, within its proof', async () => {
    const path = '/api/x/trials/agents'
    for (const [who, body, status, code] of [
      ['viewer', { agent: botWith(), proofFor: 'demo' }, 403, 'forbidden'],
      [
        'developer',
        { agent: botWith({ metadata: { name: 'bot', namespace: 'kube-system' } }), proofFor: 'demo' },
        403,
        'forbidden',
      ],
      ['developer', { agent: botWith({ metadata: { name: 'bot\u0000', namespace: 'demo' } }), proofFor: 'demo' }, 400],
      ['developer', { agent: botWith({ metadata: { name: '../bot', namespace: 'demo' } }), proofFor: 'demo' }, 400],
      [
        'developer',
        { agent: botWith({ spec: { pod: { hostNetwork: true } } }), proofFor: 'demo' },
        400,
        'invalid_body',
      ],
    ] as const) {
      const refused = await ask(who, 'POST', path, body)
      assert.equal(refused.status, status, refused.text)
      if (code !== undefined) assert.equal(refused.json<Problem>().code, code)
    }
    const made = await ask('developer', 'POST', path, { agent: botWith(), proofFor: 'demo' })
    assert.equal(made.status, 201, made.text)
    const again = await ask('developer', 'POST', path, { agent: botWith(), proofFor: 'demo' })
    assert.equal(again.json<Problem>().code, 'already_exists')
  })

  await t.test('agents.generate returns a checked config', async () => {
    const made = await ask('developer', 'POST', '/api/x/trials/configs', { prompt: 'A greeter', namespace: 'demo' })
    assert.equal(made.status, 201, made.text)
    assert.equal(typeof made.json<{ config: { name: string } }>().config.name, 'string')
    const refused = await ask('developer', 'POST', '/api/x/trials/configs', { prompt: 'x', namespace: '../x' })
    assert.equal(refused.status, 400, refused.text)
  })

  await t.test('a document of an agent file goes to its owner, before the agent', async () => {
    const file = (name: string, more: object = {}) => ({
      namespace: 'demo',
      config: { name, model: { route: 'mock' }, prompt: { name: 'greet', text: 'Greet {{name}}.' }, ...more },
    })
    const stored = async () =>
      (await ask('developer', 'GET', '/api/x/trials/prompts')).json<{ items: unknown[] }>().items
    const denied = await ask('viewer', 'POST', '/api/agents', file('talker'))
    assert.equal(denied.status, 403, denied.text)
    const twice = await ask('developer', 'POST', '/api/agents', file('bot'))
    assert.equal(twice.json<Problem>().code, 'already_exists')
    const dry = await ask('developer', 'POST', '/api/agents?dryRun=All', file('talker'))
    assert.equal(dry.status, 201, dry.text)
    assert.deepEqual(await stored(), [], 'an agent that is refused leaves no document')
    const made = await ask('developer', 'POST', '/api/agents', file('talker'))
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(await stored(), [
      { kind: 'PromptVersion', namespace: 'demo', name: 'greet', spec: { text: 'Greet {{name}}.' } },
    ])
  })

  await t.test('a held revision runs, and no run reaches it', async () => {
    await until('the agent serves', async () => ((await condition('Ready'))?.status === 'True' ? true : undefined))
    assert.equal(await invoke(), 1)
    await rig.change({ metadata: { labels: { [HOLD]: 'true' } }, spec: { systemPrompt: 'Two.' } })
    const tried = await until('the candidate is ready', async () => {
      const { status } = await rig.agent()
      return status?.candidate?.pods.some(({ ready }) => ready) === true ? status : undefined
    })
    assert.equal(tried.candidate?.number, 2)
    assert.equal(tried.candidateRevision, tried.candidate?.revision)
    const [pod, ...others] = await rig.candidates()
    assert.deepEqual([pod?.metadata.labels['mesh.dev/agent'], others.length], [undefined, 0])
    const revisions = await Promise.all(Array.from({ length: 12 }, invoke))
    assert.deepEqual(new Set(revisions), new Set([1]), 'zero traffic')
    const triedOn = async (revision: number): Promise<Run> => {
      const started = await ask('developer', 'POST', '/api/x/trials/runs', { namespace: 'demo', name: 'bot', revision })
      assert.equal(started.status, 201, started.text)
      const { runId } = started.json<{ runId: string }>()
      return until('the run ends', async () => {
        const run = (await ask('developer', 'GET', `/api/runs/${runId}`)).json<Run>()
        return ['succeeded', 'failed'].includes(run.state) ? run : undefined
      })
    }
    for (const revision of [2, 1, 2]) {
      const { state, agent } = await triedOn(revision)
      assert.deepEqual([state, agent?.revision], ['succeeded', revision], 'a run that names a revision runs on it')
    }
    await rig.change({ spec: { systemPrompt: 'Three.' } })
    await until('the newer revision is tried', async () => {
      const [only, ...more] = await rig.candidates()
      return only?.metadata.labels['mesh.dev/revision-number'] === '3' && more.length === 0 ? true : undefined
    })
    assert.equal(await invoke(), 1)
  })

  await t.test('a revision that passes is rolled out, and its candidate ends', async () => {
    await rig.change({ metadata: { labels: { [HOLD]: null } } })
    await until('the revision serves', async () => {
      const { status } = await rig.agent()
      return status?.latestSuccessfulRevision === status?.currentRevision &&
        status?.candidate === undefined &&
        (await rig.candidates()).length === 0 &&
        (await invoke()) === 3
        ? true
        : undefined
    })
    assert.equal((await rig.workloads()).length, 1)
    const rowsOf = async (action: string) => {
      const { items } = (await ask('operator', 'GET', `/api/audit?action=${action}&namespace=demo`)).json<{
        items: { resource_name: string; actor_kind: string }[]
      }>()
      return items.filter((one) => one.resource_name === 'bot').map((one) => one.actor_kind)
    }
    await until('one row for each transition', async () => {
      const [held, deployed] = [await rowsOf('hold'), await rowsOf('deploy')]
      assert.ok(held.length <= 2 && deployed.length <= 2, `${held.length} held, ${deployed.length} deployed`)
      return held.length === 2 && deployed.length === 2 ? true : undefined
    })
  })

  await t.test('agents.replicas sets the number of pods', async () => {
    await rig.change({ metadata: { labels: { 'trials.acme.example/replicas': '5' } } })
    await until('three pods serve', async () => ((await rig.agent()).status?.readyReplicas === 3 ? true : undefined))
    assert.match((await condition('Scaled'))?.message ?? '', /^3 replicas, not 5 \(0 to 3\), by plugin trials$/)
  })

  await t.test('a deleted agent leaves no candidate', async () => {
    await rig.change({ metadata: { labels: { [HOLD]: 'true' } }, spec: { systemPrompt: 'Four.' } })
    await until('it is tried', async () => ((await rig.candidates()).length === 1 ? true : undefined))
    assert.equal((await ask('developer', 'DELETE', '/api/agents/demo/bot')).status, 204)
    await until('it ends', async () => ((await rig.candidates()).length === 0 ? true : undefined))
    assert.deepEqual(await rig.workloads(), [])
  })
})
