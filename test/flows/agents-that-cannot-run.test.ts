import assert from 'node:assert/strict'
import test from 'node:test'
import { sharedEmbedded } from './platform/shared-platform.ts'

interface SeenRun {
  readonly id: string
  readonly state: string
  readonly error: { readonly message: string } | null
  readonly waitReason?: { readonly code: string; readonly reason: string; readonly message: string }
}

async function asDeveloper() {
  const platform = await sharedEmbedded()
  const ask = (method: string, path: string, body?: unknown) =>
    platform.send({ method, path: `/api${path}`, bearer: platform.tokens.developer, ...(body ? { body } : {}) })
  const make = async (config: object) => {
    const made = await ask('POST', '/agents', { namespace: 'default', config })
    assert.equal(made.status, 201, made.text)
  }
  const invoke = (name: string) => ask('POST', '/invoke', { agent: { namespace: 'default', name }, input: 'Hi' })
  const until = async <T>(read: () => Promise<T | undefined>): Promise<T> => {
    for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
      const found = await read()
      if (found !== undefined) return found
    }
    throw new Error('never happened')
  }
  return { ask, make, invoke, until }
}

test('R2-UX-11: an agent that names a missing route fails its run before the end of the wait, and says why', async () => {
  const { ask, make, invoke, until } = await asDeveloper()
  await make({ name: 'no-route', systemPrompt: 'Be brief.', model: { route: 'missing-route' } })
  await until(async () => {
    const { conditions = [] } =
      (await ask('GET', '/agents/default/no-route')).json<{
        status?: { conditions?: readonly { type: string; status: string; lastTransitionTime: string }[] }
      }>().status ?? {}
    const found = conditions.find(({ type, status }) => type === 'ResolvedRefs' && status === 'False')
    return found && Date.parse(found.lastTransitionTime) + 6_000 < Date.now() ? found : undefined
  })
  const run = (await invoke('no-route')).json<SeenRun>()
  assert.equal(run.state, 'failed')
  assert.match(run.error?.message ?? '', /^No pod of default\/no-route is ready: NotFound: .*missing-route/)
  const { items } = (await ask('GET', '/runs?namespace=default&agent=no-route')).json<{ items: readonly SeenRun[] }>()
  assert.deepEqual(
    items.map(({ id, state }) => [id, state]),
    [[run.id, 'failed']],
  )
  const events = await ask('GET', `/runs/${run.id}/events`)
  // A worker that is busy for two seconds says that the run waits.
  const kinds = events.text.match(/^event: .*/gm)?.filter((kind) => kind !== 'event: run.waiting')
  assert.deepEqual(kinds, ['event: run.queued', 'event: run.failed', 'event: stream.end'])
  assert.match(events.text, /Agent default\/no-route cannot run: an object that it names does not exist \(NotFound\)\./)
})

test('R2-UX-11: a run of an agent without replicas says in its stream and in the list what it waits for', async () => {
  const { ask, make, until } = await asDeveloper()
  await make({ name: 'asleep', systemPrompt: 'Be brief.', model: { route: 'mock' }, scaling: { replicas: 0 } })
  const made = await ask('POST', '/runs', { agent: { namespace: 'default', name: 'asleep' }, input: 'Hi' })
  const { id } = made.json<SeenRun>()
  const listed = await until(async () => {
    const { items } = (await ask('GET', '/runs?namespace=default&agent=asleep')).json<{ items: readonly SeenRun[] }>()
    return items[0]?.waitReason?.reason === 'ScaledToZero' ? items[0] : undefined
  })
  assert.equal(listed.waitReason?.message, 'Waits for agent default/asleep: it is scaled to zero (ScaledToZero).')
  const invoked = await ask('POST', '/invoke', {
    agent: { namespace: 'default', name: 'asleep' },
    input: 'Hi',
    timeout: '3s',
  })
  assert.equal(invoked.status, 202, invoked.text)
  const { code, reason, message } = invoked.json<SeenRun>().waitReason ?? {}
  assert.deepEqual([code, reason], ['agent_not_ready', 'ScaledToZero'])
  assert.match(message ?? '', /default\/asleep/)
  assert.equal((await ask('POST', `/runs/${id}/cancel`)).status, 202)
  await until(async () => ((await ask('GET', `/runs/${id}`)).json<SeenRun>().state === 'cancelled' ? true : undefined))
  const { text } = await ask('GET', `/runs/${id}/events`)
  assert.match(text, /^event: run\.waiting\ndata: .*"reason":"ScaledToZero"/m)
})

test('R2-UX-12: the log of an agent whose program does not exist names the program', async () => {
  const { ask, make, until } = await asDeveloper()
  await make({ name: 'no-program', runtime: { command: ['pyhton3', 'agent.py'] } })
  const text = await until(async () => {
    const log = await ask('GET', '/agents/default/no-program/logs')
    return log.status === 200 && log.text !== '' ? log.text : undefined
  })
  assert.match(text, /^mesh launcher: program pyhton3 not found$/m)
})
