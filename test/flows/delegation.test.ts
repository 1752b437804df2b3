import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/data-folder/personas.ts'
import { addRoute } from '#plugins/providers/testing/gateway.ts'
import { agentCommand } from './platform/agent-command.ts'
import type { Delegated } from './platform/agent-command.ts'
import type { Platform } from './platform/running-platform.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface Run {
  readonly id: string
  readonly agent: { readonly name: string }
  readonly state: string
  readonly output: unknown
  readonly rootRunId: string
  readonly parentRunId: string | null
  readonly trigger: { readonly kind: string; readonly by: string }
}

// Passes its input to `POST /delegate` of its launcher and returns the response. Other inputs are echoed or never answered.
const command = agentCommand(({ input }, run) => {
  if (input === 'hang') return undefined
  const delegate = typeof input === 'object' && input !== null && 'delegate' in input ? input.delegate : undefined
  return delegate === undefined ? { echo: input } : run.delegate(delegate)
})
const runtime = { command }
// Delegates its input, or calls the model and returns the status.
const paying = agentCommand(({ input }, run) => {
  const delegate = typeof input === 'object' && input !== null && 'delegate' in input ? input.delegate : undefined
  return delegate === undefined ? run.askModel('delegation-priced') : run.delegate(delegate)
})

test('delegation: an agent has work done by another one through its launcher', async (t) => {
  const platform = await sharedEmbedded()
  const job = createJob(platform)
  await job.create('parent', { limits: { concurrency: 4 } })
  await job.create('back', { limits: { concurrency: 4 } })
  await job.create('abroad', { delegates: ['other/back'] })
  await job.create('shallow', { limits: { maxDelegationDepth: 0 } })

  await t.test('spawn and wait: the answer is the child’s, the child names parent and root', async () => {
    const { run, answer } = await job.delegate('parent', { agent: 'back', input: 'hello' })
    assert.deepEqual(
      [answer.status, answer.body.state, answer.body.output],
      [200, 'succeeded', { echo: 'hello' }],
      JSON.stringify(answer),
    )
    const child = await job.get(answer.body.runId)
    assert.deepEqual([child.parentRunId, child.rootRunId, child.agent.name], [run.id, run.id, 'back'])
    assert.deepEqual(child.trigger, { kind: 'spawn', by: 'system:serviceaccount:default:parent' })
  })

  await t.test('a grandchild names its parent, and the root of all', async () => {
    const inner = { delegate: { agent: 'default/back', input: 'deep' } }
    const { run, answer } = await job.delegate('parent', { agent: 'parent', input: inner })
    assert.equal(answer.body.state, 'succeeded', JSON.stringify(answer))
    const { body } = answer.body.output as Delegated
    const grandchild = await job.get(body.runId)
    assert.deepEqual([grandchild.parentRunId, grandchild.rootRunId], [answer.body.runId, run.id])
  })

  for (const [name, more, kind] of [
    ['spawn detached', { wait: false }, 'spawn'],
    ['handoff', { mode: 'handoff' }, 'handoff'],
  ] as const)
    await t.test(`${name}: 202 at once, the child goes on by itself`, async () => {
      const { run, answer } = await job.delegate('parent', { agent: 'back', input: name, ...more })
      assert.equal(answer.status, 202, JSON.stringify(answer))
      const child = await job.until(answer.body.runId, ({ state }) => state === 'succeeded')
      assert.deepEqual([child.parentRunId, child.trigger.kind, child.output], [run.id, kind, { echo: name }])
    })

  await t.test('what is refused says why, and makes no run', async () => {
    const before = await job.count()
    const refused = async (agent: string, target: string): Promise<unknown[]> => {
      const { answer } = await job.delegate(agent, { agent: target, input: 'x' })
      return [answer.status, answer.body.error]
    }
    assert.deepEqual(await refused('shallow', 'back'), [409, 'depth_exceeded'])
    assert.deepEqual(await refused('parent', 'unbound'), [404, 'unknown_target'])
    // The developer, for whom the run is done, has no permission in that namespace.
    assert.deepEqual(await refused('parent', 'other/back'), [403, 'delegate_not_allowed'])
    assert.deepEqual(await refused('abroad', 'other/back'), [403, 'delegation_refused'])
    assert.equal(await job.count(), before + 4, 'the four runs that asked, and no other')
  })

  await t.test('a child ends by the deadline of its parent, also if none waits for it', async () => {
    await job.create('bounded-parent', { limits: { timeout: '8s' } })
    const { answer } = await job.delegate('bounded-parent', { agent: 'back', input: 'hang', wait: false })
    assert.equal((await job.until(answer.body.runId, isFinal)).state, 'timed_out', 'its own limit is ten minutes')
  })

  await t.test(
    'B1: a child pays from the budget of the root agent, too, also without a budget of its own',
    async () => {
      const prices = { inputPerMillion: '1', outputPerMillion: '2' }
      await addRoute(platform.admin, 'default', 'delegation-priced', { provider: { type: 'mock' }, route: { prices } })
      const own = { runtime: { command: paying }, model: { route: 'delegation-priced' } }
      await job.create('poor', { ...own, budget: { amount: '0.000001' } })
      await job.create('rich', { ...own, budget: { amount: '100' } })
      const { answer } = await job.delegate('poor', { agent: 'rich', input: 'work' })
      assert.deepEqual(answer.body.output, { status: 402 }, JSON.stringify(answer))
      const alone = await job.until((await job.start('rich', 'work')).id, isFinal)
      assert.deepEqual(alone.output, { status: 200 }, 'its own budget suffices')
      await job.create('bare', own)
      for (const more of [{}, { wait: false }, { mode: 'handoff' }]) {
        const { run } = await job.delegate('poor', { agent: 'bare', input: 'work', ...more })
        const child = await job.until((await job.childOf(run.id)).id, isFinal)
        assert.deepEqual(child.output, { status: 402 }, JSON.stringify(more))
      }
      const free = await job.until((await job.start('bare', 'work')).id, isFinal)
      assert.deepEqual(free.output, { status: 200 }, 'its own run has no budget')
    },
  )

  await t.test('cancel of the parent cancels the child that it waits for', async () => {
    const parent = await job.start('parent', { delegate: { agent: 'back', input: 'hang' } })
    const child = await job.childOf(parent.id)
    await job.until(child.id, ({ state }) => state === 'running')
    const answer = await job.ask('developer', 'POST', `/runs/${parent.id}/cancel`)
    assert.equal(answer.status, 202, answer.text)
    assert.equal((await job.until(parent.id, isFinal)).state, 'cancelled')
    assert.equal((await job.until(child.id, isFinal)).state, 'cancelled')
  })
})

function isFinal({ state }: Run): boolean {
  return ['succeeded', 'failed', 'rejected', 'timed_out', 'cancelled'].includes(state)
}

function createJob(platform: Platform) {
  const ask = (persona: Persona, method: string, path: string, body?: unknown) =>
    platform.send({ method, path: `/api${path}`, bearer: platform.tokens[persona], ...(body ? { body } : {}) })
  const get = async (id: string | undefined): Promise<Run> => {
    const answer = await ask('developer', 'GET', `/runs/${id}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json<Run>()
  }
  /** Polls until the run matches; bounded by the test's own time limit. */
  const until = async (id: string | undefined, holds: (run: Run) => boolean): Promise<Run> => {
    for (;;) {
      const run = await get(id)
      if (holds(run)) return run
      await pause(50)
    }
  }
  const list = async (): Promise<readonly Run[]> =>
    (await ask('developer', 'GET', '/runs?namespace=default&limit=200')).json<{ items: Run[] }>().items
  const start = async (agent: string, input: unknown): Promise<Run> => {
    const made = await ask('developer', 'POST', '/runs', { agent: { namespace: 'default', name: agent }, input })
    assert.equal(made.status, 201, made.text)
    return made.json<Run>()
  }
  return {
    ask,
    get,
    until,
    start,
    count: async () => (await list()).length,
    async create(name: string, more: object): Promise<void> {
      const config = { name, runtime, ...more }
      const made = await ask('developer', 'POST', '/agents', { namespace: 'default', config })
      assert.equal(made.status, 201, made.text)
    },
    async delegate(agent: string, delegation: object): Promise<{ run: Run; answer: Delegated }> {
      const run = await until((await start(agent, { delegate: delegation })).id, isFinal)
      assert.equal(run.state, 'succeeded', JSON.stringify(run))
      return { run, answer: run.output as Delegated }
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
