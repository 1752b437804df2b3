import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { countOf } from '#test/harness/counts.ts'
import { needs } from '#test/harness/find-server.ts'
import { addKey, addRoute, addTargets, startGateway, startUpstream } from '../../testing/gateway.ts'

const servers = needs('kube-apiserver', 'etcd', 'kubectl', 'postgres', 'initdb')
const messages = [{ role: 'user' as const, content: 'hello' }]
const total = countOf(200, 2_000)
// Calls under way at each time. With their 20 ms that is at most 400 calls a second.
const CALLERS = 8
const MODEL_MS = 20

type Gateway = Awaited<ReturnType<typeof startGateway>>

const answer = (response: ServerResponse, content: string): void => {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const body = JSON.stringify({ id: 'x', object: 'chat.completion', choices, usage })
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), MODEL_MS)
}

/** What each call received, in the order of their starts. `change` happens beside them, after a quarter. */
async function load(gateway: Gateway, model: string, change: () => Promise<unknown>): Promise<readonly string[]> {
  const client = gateway.as('developer')
  const received: string[] = []
  let begun = 0
  let done: Promise<unknown> | undefined
  const ask = async (): Promise<string> => {
    const { choices } = await client.chat.completions.create({ model, messages })
    return choices[0]?.message.content ?? ''
  }
  const call = async (): Promise<void> => {
    while (begun < total) {
      const place = begun
      begun += 1
      received[place] = await ask().catch((error: unknown) => String(error))
      if (begun > total / 4) done ??= change()
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call))
  await done
  return received
}

test('no call is lost when the first target goes away under load', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const [first, second] = [
    await startUpstream(t, (response) => answer(response, 'first')),
    await startUpstream(t, (response) => answer(response, 'second')),
  ]
  const providers = { first: { type: 'openai', baseUrl: first.url }, second: { type: 'openai', baseUrl: second.url } }
  const targets = [
    { providerRef: { name: 'first' }, model: 'm', weight: 1000 },
    { providerRef: { name: 'second' }, model: 'm', weight: 1 },
  ]
  await addTargets(gateway, a, 'shared', { providers, route: { targets } })
  const received = await load(gateway, 'shared', async () => {
    first.server.close()
    first.server.closeAllConnections()
  })
  assert.deepEqual([...new Set(received)].toSorted(), ['first', 'second'], 'each call was answered')
  assert.equal(received.at(-1), 'second')
})

test('no call is lost while a key is rotated, and the old key is not used afterwards', servers, async (t) => {
  const gateway = await startGateway(t)
  const { a } = gateway.namespaces
  const isRevoked = { old: false }
  const upstream = await startUpstream(t, (response, _, { authorization = '' }) =>
    isRevoked.old && authorization === 'Bearer old'
      ? void response.writeHead(401).end()
      : answer(response, authorization),
  )
  const { origin } = new URL(upstream.url)
  await addKey(gateway, a, { name: 'llm', key: 'old', origin })
  const provider = { type: 'openai', baseUrl: upstream.url, secretRef: { name: 'llm', key: 'key' } }
  await addRoute(gateway.admin, a, 'keyed', { provider })
  const received = await load(gateway, 'keyed', async () => {
    const patch = JSON.stringify({ stringData: { key: 'new' } })
    await gateway.run('patch', 'secret', 'llm', '-n', a, '--type=merge', '-p', patch)
    // As a person does: the old key ends after the new one was seen in use.
    while (!upstream.seen.some(({ headers }) => headers.authorization === 'Bearer new')) await pause(10)
    await pause(MODEL_MS * 2)
    isRevoked.old = true
  })
  assert.deepEqual([...new Set(received)].toSorted(), ['Bearer new', 'Bearer old'], 'each call was answered')
  assert.equal(received.at(-1), 'Bearer new')
})
