import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { addRoute, refused, startGateway } from '../../testing/gateway.ts'

const mock = { type: 'mock' }
const messages = [{ role: 'user' as const, content: 'hello' }]

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(10)
}

test('R26-GW1: a call reads route and provider from memory, and follows their changes', async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const ask = () => gateway.as('developer').chat.completions.create({ model: 'kept', messages })
  await addRoute(gateway.admin, a, 'kept', { provider: mock })
  // Created a moment ago: what is not stored yet is asked for.
  await ask()
  await until(async () => {
    gateway.asked.length = 0
    await ask()
    return gateway.asked.length === 0
  })

  await gateway.run('patch', 'modelroute', 'kept', '-n', a, '--type=merge', '-p', '{"spec":{"model":"other"}}')
  await until(async () => (await ask()).model === 'other')
  assert.deepEqual(gateway.asked, [], 'a change comes with the watch')

  await gateway.run('delete', 'modelprovider', 'kept', '-n', a)
  await until(async () => (await ask().catch(() => undefined)) === undefined)
  assert.equal((await refused(ask())).code, 'provider_misconfigured')
  await gateway.run('delete', 'modelroute', 'kept', '-n', a)
  await until(async () => (await refused(ask())).status === 404)
})

test('R26-GW1: what the caller may do is reviewed for each call', async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const ask = () => gateway.as('developer').chat.completions.create({ model: 'kept', messages })
  await addRoute(gateway.admin, a, 'kept', { provider: mock })
  await ask()
  await gateway.run('delete', 'rolebinding', 'dev', '-n', a)
  await until(async () => (await ask().catch(() => undefined)) === undefined)
  assert.equal((await refused(ask())).status, 403)
})
