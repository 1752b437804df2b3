import assert from 'node:assert/strict'
import test from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { agentOf, declarative } from '../../testing/agent-fixture.ts'
import { agentEvents } from '../../contract/events.ts'
import { factsOf } from './agent-facts.ts'
import { createPublishFacts } from './publish-facts.ts'

const at = '2026-11-29T10:00:00Z'
const statusOf = (revision: string, since: string) => ({
  currentRevision: revision,
  latestSuccessfulRevision: revision,
  latestSuccessfulTime: since,
  conditions: [
    {
      type: 'Ready',
      status: 'True' as const,
      reason: 'Serving',
      message: '',
      lastTransitionTime: at,
      observedGeneration: 1,
    },
  ],
})
const of = (status: Parameters<typeof factsOf>[1]) =>
  factsOf(agentOf(declarative), status, { newest: undefined, held: [], candidate: undefined })

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a transition is published once, also by a manager that starts again`, { skip }, async (t) => {
    const database = await open(t, [])
    const store = createStore(database, { projections: [], eventTypes: agentEvents })
    let now = new Date('2026-11-29T10:00:05Z')
    const publish = createPublishFacts(store, () => now)
    const factsIn = async () =>
      (await store.readStream('agents/u1')).map(({ type, data, actor }) => [
        type,
        (data as { revision: string }).revision,
        actor?.kind,
      ])
    const first = of(statusOf('bot-1', at))
    await publish('u1', first)
    await publish('u1', first)
    await createPublishFacts(store, () => now)('u1', first)
    const two = [
      ['dev.mesh.agents.revision-deployed.v1', 'bot-1', 'controller'],
      ['dev.mesh.agents.ready.v1', 'bot-1', 'controller'],
    ]
    assert.deepEqual(await factsIn(), two)
    await Promise.all([0, 1].map(() => createPublishFacts(store, () => now)('u1', of(statusOf('bot-2', at)))))
    const three = [...two, ['dev.mesh.agents.revision-deployed.v1', 'bot-2', 'controller']]
    assert.deepEqual(await factsIn(), three, 'two managers publish it once')
    now = new Date('2026-11-30T10:00:05Z')
    await createPublishFacts(store, () => now)('u1', of(statusOf('bot-3', at)))
    assert.deepEqual(await factsIn(), three, 'the key of an old transition may be gone')
  })

  test(`${name}: a transition that the store did not take is published later`, { skip }, async (t) => {
    const database = await open(t, [])
    const store = createStore(database, { projections: [], eventTypes: agentEvents })
    let isAway = true
    const transact: typeof store.transact = (fn) => {
      if (isAway) return Promise.reject(new Error('away'))
      return store.transact(fn)
    }
    const publish = createPublishFacts({ transact }, () => new Date(at))
    const facts = of(statusOf('bot-1', at))
    await assert.rejects(publish('u1', facts), /away/)
    isAway = false
    await publish('u1', facts)
    assert.equal((await store.readStream('agents/u1')).length, 2)
    await createPublishFacts(undefined, () => new Date(at))('u1', facts)
  })
}
