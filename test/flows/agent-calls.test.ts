import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { signEnvelope } from '#core/signing/envelope.ts'
import { toThumbprinted } from '#core/signing/key-thumbprint.ts'
import type { LauncherSigner } from '#core/signing/launcher-token.ts'
import { requestCertificate } from '#launcher/identity/request-certificate.ts'
import { claimsOf } from '#launcher/testdata/envelopes.ts'
import type { EnvelopeClaims } from '#launcher/testdata/envelopes.ts'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { agentCommand } from './platform/agent-command.ts'
import { allowInvoke } from './platform/allow-invoke.ts'
import type { PeerCalled } from './platform/agent-command.ts'
import type { Platform } from './platform/running-platform.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Run {
  readonly id: string
  readonly agent: { readonly namespace: string; readonly name: string }
  readonly state: string
  readonly output: unknown
  readonly rootRunId: string
  readonly parentRunId: string | null
  readonly subject: string
  readonly trigger: { readonly kind: string; readonly by: string }
}

// Calls another agent, or the model.
const paying = agentCommand(({ input }, run) => {
  if (typeof input !== 'object' || input === null || !('call' in input)) return run.askModel('called-priced')
  const { to, input: payload } = input.call as Call
  return run.call(to, payload)
})

interface Call {
  readonly to: string
  readonly input: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly times?: number
}

// Calls another agent through its launcher and returns the response. Other inputs are echoed or never answered.
const command = agentCommand(async ({ input }, run) => {
  if (input === 'hang') return undefined
  if (typeof input !== 'object' || input === null || !('call' in input)) return { echo: input }
  const { to, input: payload, headers, times = 1 } = input.call as Call
  const answers = await Promise.all(Array.from({ length: times }, () => run.call(to, payload, headers)))
  return times === 1 ? answers[0] : answers
})

test('H3, E2, E4: agents call each other through the signed envelope of their launchers', async (t) => {
  const platform = await sharedEmbedded()
  const job = createJob(platform)
  await job.registry('team', {
    roles: [
      { name: 'lead', agents: [{ name: 'planner' }] },
      { name: 'guest', agents: [{ name: 'visitor' }] },
    ],
    calls: [
      { from: ['lead', 'member'], to: ['*'] },
      { from: ['guest'], to: ['lead'] },
    ],
    maxDepth: 2,
  })
  const registries = ['team']
  await job.agent('planner', { registries, limits: { concurrency: 8 } })
  await job.agent('writer', { registries, limits: { concurrency: 8 } })
  await job.agent('checker', { registries })
  await job.agent('visitor', { registries })
  await job.agent('stranger', {})
  await job.members('team', 4)

  await t.test('the run of the called agent is a child of the calling one, for the same subject', async () => {
    const { run, answer } = await job.call('planner', { to: 'writer', input: 'hello' })
    assert.deepEqual([answer.status, answer.body.output], [200, { echo: 'hello' }], JSON.stringify(answer))
    const child = await job.get(answer.body.runId)
    assert.deepEqual([child.parentRunId, child.rootRunId, child.agent.name], [run.id, run.id, 'writer'])
    assert.deepEqual(child.trigger, { kind: 'amp', by: 'system:serviceaccount:default:planner' })
    assert.equal(child.subject, run.subject)
    const tree = await job.ask('GET', `/runs/${run.id}/tree`)
    assert.match(tree.text, new RegExp(child.id), 'the tree of the root has the call')
  })

  await t.test('a chain of calls has its depth, a cycle is refused at the caller', async () => {
    const back = { call: { to: 'planner', input: 'again' } }
    const { answer } = await job.call('planner', { to: 'writer', input: back })
    assert.equal(answer.status, 200, JSON.stringify(answer))
    assert.deepEqual(refusalOf(answer.body.output), [409, 'cycle_detected'])
    const deeper = { call: { to: 'checker', input: { call: { to: 'visitor', input: 'deep' } } } }
    const chain = (await job.call('planner', { to: 'writer', input: deeper })).answer.body.output as PeerCalled
    assert.deepEqual(refusalOf(chain.body.output), [409, 'depth_exceeded'])
  })

  await t.test('R2-M5, R2-M9: who is no member, or not allowed, is refused and no run is made', async () => {
    const before = await job.count()
    const refused = async (agent: string, to: string): Promise<unknown> =>
      refusalOf((await job.call(agent, { to, input: 'x' })).answer)
    assert.deepEqual(await refused('planner', 'stranger'), [404, 'unknown_target'])
    assert.deepEqual(await refused('planner', 'localhost'), [404, 'unknown_target'])
    assert.deepEqual(await refused('visitor', 'writer'), [403, 'caller_not_allowed'], 'R2-M5: a guest calls leads only')
    assert.deepEqual(await refused('planner', 'planner'), [409, 'cycle_detected'], 'R2-M9')
    assert.equal(await job.count(), before + 4)
    assert.equal((await job.call('visitor', { to: 'planner', input: 'x' })).answer.status, 200)
  })

  await t.test('one idempotency key is one run, also when it is sent at the same time', async () => {
    const headers = { 'idempotency-key': 'order-1' }
    const { answer } = await job.call('planner', { to: 'writer', input: 'once', headers, times: 4 })
    const answers = answer as unknown as readonly PeerCalled[]
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200], JSON.stringify(answers))
    assert.equal(new Set(answers.map(({ body }) => body.runId)).size, 1)
  })

  await t.test(
    'E2: a lying caller is refused by the state role, also if both launchers are its accomplices',
    async () => {
      const wait = { call: { to: 'writer', input: 'hang' } }
      const run = await job.start('planner', wait)
      const child = await job.childOf(run.id)
      await job.until(child.id, ({ state }) => state === 'running')
      const { subject } = run
      const forger = await createForger(platform, 'planner', 'writer')
      const before = await job.count()
      const honest = { parentRunId: run.id, rootRunId: run.id, access: { subject, actor: 'x', scopes: [] } }
      const refused = async (some: Partial<EnvelopeClaims>, payload: unknown = 'x') =>
        forger.send({ ...honest, ...some }, payload)
      const shorter = { parentRunId: child.id, path: ['default/planner'], depth: 1 }
      for (const [what, some, expected] of [
        ['the run of another agent', shorter, [404, 'not_found']],
        ['a run that does not exist', { parentRunId: randomUUID() }, [404, 'not_found']],
        ['another subject', { access: { ...honest.access, subject: 'system:admin' } }, [403, 'call_refused']],
        ['no run, and the subject of one', { parentRunId: null }, [403, 'call_refused']],
        ['a longer path', { path: ['default/checker', 'default/planner'], depth: 2 }, [403, 'call_refused']],
        ['another role', { role: 'member' }, [403, 'caller_not_allowed']],
        ['another registry', { registry: 'default/other' }, [403, 'caller_not_allowed']],
        ['another target', { to: 'default/checker' }, [403, 'caller_not_allowed']],
        ['another payload', { payloadDigest: 'x'.repeat(43) }, [403, 'caller_not_allowed']],
        ['a depth that does not fit', { depth: 2 }, [403, 'caller_not_allowed']],
      ] as const)
        assert.deepEqual(await refused(some), expected, what)
      assert.deepEqual(
        await forger.send(honest, 'x', 'visitor'),
        [403, 'caller_not_allowed'],
        'signed with the key of another',
      )
      assert.equal(await job.count(), before)
      // E1: what a launcher that was restarted, or another one of the agent, does not know from its own memory.
      const sent = { ...honest, id: randomUUID(), idempotencyKey: randomUUID() }
      for (const what of ['what the others differ from', 'its replay'])
        assert.deepEqual((await forger.send(sent, 'x'))[0], 201, what)
      assert.equal(await job.count(), before + 1, 'a replay finds the run of the first call')
      await job.ask('POST', `/runs/${run.id}/cancel`)
    },
  )

  await t.test('cancel of the calling run cancels the called one', async () => {
    const parent = await job.start('planner', { call: { to: 'writer', input: 'hang' } })
    const child = await job.childOf(parent.id)
    await job.until(child.id, ({ state }) => state === 'running')
    assert.equal((await job.ask('POST', `/runs/${parent.id}/cancel`)).status, 202)
    assert.equal((await job.until(child.id, isFinal)).state, 'cancelled')
    assert.equal((await job.until(parent.id, isFinal)).state, 'cancelled')
  })

  await t.test(
    'an agent of another namespace is called through a registry that admits it, for a subject that may',
    async () => {
      const home = { metadata: { namespace: 'default', name: 'abroad' }, spec: { allowedNamespaces: ['other'] } }
      assert.equal((await job.ask('POST', '/agentregistries', home)).status, 201)
      await job.agent('embassy', { registries: ['abroad'] })
      const abroad = [{ name: 'abroad', namespace: 'default' }]
      const guest = (name: string, spec: object) =>
        platform.admin.create(AgentDeployment, {
          apiVersion: 'mesh.dev/v1alpha1',
          kind: 'AgentDeployment',
          metadata: { namespace: parseLabel('namespace', 'other'), name },
          spec: { runtime: { command }, ...spec },
        })
      await guest('consul', { registries: abroad })
      // It names a registry of its own namespace, which does not exist.
      await guest('tourist', { registries: [{ name: 'abroad' }] })
      await job.members('abroad', 2)
      // A launcher that does not listen yet cannot be reached, which is another refusal.
      await untilReady(platform, 'other', 'consul')
      const call = (to: string) => job.call('embassy', { to, input: 'visa' })
      assert.deepEqual(refusalOf((await call('consul')).answer), [403, 'caller_not_allowed'], 'the developer may not')
      await allowInvoke(platform, 'developer', 'consul', 'other')
      const { answer } = await call('consul')
      assert.deepEqual([answer.status, answer.body.output], [200, { echo: 'visa' }], JSON.stringify(answer))
      assert.deepEqual(refusalOf((await call('tourist')).answer), [404, 'unknown_target'])
      const graph = (await job.ask('GET', '/topology?namespace=default')).json<{
        edges: { to: { name: string }; role: string }[]
      }>()
      assert.ok(graph.edges.some(({ to, role }) => to.name === 'abroad' && role === 'member'))
    },
  )

  await t.test('B1: an agent without a budget is paid by the agent that calls it', async () => {
    const prices = { inputPerMillion: '1', outputPerMillion: '2' }
    await addRoute(platform.admin, 'default', 'called-priced', { provider: { type: 'mock' }, route: { prices } })
    await job.registry('payers', {})
    const own = { registries: ['payers'], runtime: { command: paying }, model: { route: 'called-priced' } }
    await job.agent('callee', own)
    await job.agent('pauper', { ...own, budget: { amount: '0.000001' } })
    await job.agent('patron', { ...own, budget: { amount: '100' } })
    await job.agent('unlimited', own)
    await job.members('payers', 4)
    const workOf = async (agent: string, work: unknown = 'work'): Promise<unknown> => {
      const { answer } = await job.call(agent, { to: 'callee', input: work })
      assert.equal(answer.status, 200, JSON.stringify(answer))
      return answer.body.output
    }
    assert.deepEqual(await workOf('pauper'), { status: 402 }, 'the budget does not cover the call of the callee')
    assert.deepEqual(await workOf('patron'), { status: 200 })
    assert.deepEqual(await workOf('unlimited'), { status: 200 })
    const further = { call: { to: 'unlimited', input: 'work' } }
    const deep = (await workOf('pauper', further)) as PeerCalled
    assert.deepEqual([deep.status, deep.body.output], [200, { status: 402 }], 'two calls below the budget')
  })

  await t.test('a called run ends by the deadline of the calling one', async () => {
    await job.agent('hasty', { registries, limits: { timeout: '3s' } })
    await job.members('team', 5)
    const parent = await job.start('hasty', { call: { to: 'writer', input: 'hang' } })
    const child = await job.childOf(parent.id)
    assert.equal((await job.until(child.id, isFinal)).state, 'timed_out')
    await job.until(parent.id, isFinal)
  })

  await t.test(
    'R2-N3: what a developer can read signs nothing, and a token without a pod is not certified',
    async () => {
      const { items } = await platform
        .kube({ path: '/api/v1/namespaces/default/secrets', bearer: platform.tokens.developer })
        .then((answer) => answer.json<{ items: readonly { data?: Record<string, string> }[] }>())
      for (const { data = {} } of items)
        for (const value of Object.values(data))
          assert.doesNotMatch(Buffer.from(value, 'base64').toString('latin1'), /PRIVATE KEY/)
      const forger = await createForger(platform, 'planner', 'writer')
      await assert.rejects(forger.certifyWithoutPod('planner'), /responded with 403 forbidden: .*not bound to a pod/)
    },
  )

  await t.test('a member that is removed is refused at once', async () => {
    await job.leave('checker')
    await job.members('team', 4)
    const { answer } = await job.call('planner', { to: 'checker', input: 'x' })
    assert.ok(answer.status === 404 || answer.status === 403, JSON.stringify(answer))
  })
})

/** Signs envelopes as a launcher of an agent and sends them as the launcher of another one. */
async function createForger(platform: Platform, from: string, to: string) {
  const { admin } = platform
  const namespace = parseLabel('namespace', 'default')
  const accounts = core('serviceaccounts', 'ServiceAccount')
  const tokenFor = async (name: string, pod?: KubeObject): Promise<string> => {
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: pod?.metadata.name, uid: pod?.metadata.uid }
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name, namespace },
      spec: { audiences: ['state'], expirationSeconds: 600, ...(pod === undefined ? {} : { boundObjectRef }) },
    }
    const issued = await admin.create<KubeObject<unknown, { token: string }>>(accounts, request, {
      subresource: 'token',
    })
    return issued.status?.token ?? ''
  }
  // As the launcher in a pod of the agent; the administrator alone can issue such a token.
  const signerOf = async (agent: string): Promise<LauncherSigner> => {
    const { items } = await admin.list(core('pods', 'Pod'), { namespace, labelSelector: `mesh.dev/agent=${agent}` })
    const { privateKey } = generateKeyPairSync('ed25519')
    const { kid, x } = toThumbprinted(privateKey)
    const bearer = await tokenFor(agent, items[0])
    const certificate = await requestCertificate({ stateUrl: platform.stateUrl, bearer, x })
    return { key: { id: kid, key: privateKey }, certificate }
  }
  const bearer = await tokenFor(to)
  return {
    certifyWithoutPod: async (agent: string) =>
      requestCertificate({ stateUrl: platform.stateUrl, bearer: await tokenFor(agent), x: 'A'.repeat(43) }),
    async send(some: Partial<EnvelopeClaims>, payload: unknown, signer = from): Promise<readonly unknown[]> {
      const base = claimsOf({ namespace, name: from }, { namespace, name: to }, payload)
      const envelope = await signEnvelope(
        await signerOf(signer),
        { ...base, registry: 'default/team', role: 'lead', ...some },
        new Date(),
      )
      const answer = await fetch(`${platform.stateUrl}/amp/calls`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({ envelope, payload }),
      })
      return [answer.status, ((await answer.json()) as { code?: string }).code]
    },
  }
}

async function untilReady({ admin }: Platform, namespace: string, name: string): Promise<void> {
  const ref = { namespace: parseLabel('namespace', namespace), name: parseName('agent', name) }
  for (;;) {
    const { status } = await admin.get<AgentDeploymentObject>(AgentDeployment, ref)
    if (status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True')) return
    await pause(50)
  }
}

function core(plural: string, kind: string): Resource {
  return { group: '', version: 'v1', plural, kind, namespaced: true }
}

function refusalOf(answer: unknown): readonly unknown[] {
  const { status, body } = answer as PeerCalled
  return [status, body.error]
}

function isFinal({ state }: Run): boolean {
  return ['succeeded', 'failed', 'rejected', 'timed_out', 'cancelled'].includes(state)
}

function createJob(platform: Platform) {
  const ask = (method: string, path: string, body?: unknown) =>
    platform.send({ method, path: `/api${path}`, bearer: platform.tokens.developer, ...(body ? { body } : {}) })
  const get = async (id: string | undefined): Promise<Run> => {
    const answer = await ask('GET', `/runs/${id}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<Run>()
  }
  const until = async (id: string | undefined, holds: (run: Run) => boolean): Promise<Run> => {
    for (;;) {
      const run = await get(id)
      if (holds(run)) return run
      await pause(50)
    }
  }
  const list = async (): Promise<readonly Run[]> =>
    (await ask('GET', '/runs?namespace=default&limit=200')).json<{ items: Run[] }>().items
  const start = async (agent: string, input: unknown): Promise<Run> => {
    const made = await ask('POST', '/runs', { agent: { namespace: 'default', name: agent }, input })
    assert.equal(made.status, 201, made.text)
    return made.json<Run>()
  }
  return {
    ask,
    get,
    until,
    start,
    count: async () => (await list()).length,
    async registry(name: string, spec: object): Promise<void> {
      const made = await ask('POST', '/agentregistries', { metadata: { namespace: 'default', name }, spec })
      assert.equal(made.status, 201, made.text)
    },
    async agent(name: string, more: object): Promise<void> {
      const made = await ask('POST', '/agents', {
        namespace: 'default',
        config: { name, runtime: { command }, ...more },
      })
      assert.equal(made.status, 201, made.text)
    },
    async leave(name: string): Promise<void> {
      const { spec, ...agent } = (await ask('GET', `/agents/default/${name}`)).json<{
        spec: object
        metadata: object
      }>()
      const changed = await ask('PUT', `/agents/default/${name}`, { ...agent, spec: { ...spec, registries: [] } })
      assert.equal(changed.status, 200, changed.text)
    },
    async members(name: string, most: number): Promise<void> {
      for (;;) {
        const found = await ask('GET', `/agentregistries/default/${name}`)
        const { memberCount } = found.json<{ status?: { memberCount?: number } }>().status ?? {}
        if (memberCount === most) return
        await pause(50)
      }
    },
    async call(agent: string, call: Call): Promise<{ run: Run; answer: PeerCalled }> {
      const run = await until((await start(agent, { call })).id, isFinal)
      assert.equal(run.state, 'succeeded', JSON.stringify(run))
      return { run, answer: run.output as PeerCalled }
    },
    async childOf(id: string): Promise<Run> {
      for (;;) {
        const child = (await list()).find(({ parentRunId }) => parentRunId === id)
        if (child) return child
        await pause(50)
      }
    },
  }
}
