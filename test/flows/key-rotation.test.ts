import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { runForTest } from '#core/host/testing/run-command.ts'
import { plugins } from '#plugins/index.ts'
import { forms, startPlatform } from './platform.ts'
import { agentCommand } from './platform/agent-command.ts'
import type { Delegated } from './platform/agent-command.ts'
import type { ServingRole } from './platform/roles.ts'
import type { Platform } from './platform/running-platform.ts'

// Both orders together restart every signer before and after every verifier.
const orders: readonly (readonly ServingRole[])[] = [
  ['manager', 'bff', 'worker', 'gateway', 'state'],
  ['state', 'gateway', 'worker', 'bff'],
]

const cluster = forms.find(({ form }) => form === 'cluster')

test(
  'PODA15: keys rotate under runs, whichever role restarts first: no run fails, none is invoked twice',
  cluster?.options ?? {},
  async (t) => {
    const [platform, witness] = await Promise.all([startPlatform(t, 'cluster'), startWitness(t)])
    const { roles } = platform
    assert.ok(roles)
    const user = createUser(platform)
    await user.createAgent('front', witness.url)
    await user.createAgent('back', witness.url)
    // A chat waits for an agent that was created a moment ago, a delegation does not know that it exists.
    await user.chats()
    await user.probe()

    const before = readdirSync(roles.keysDir).toSorted()
    for (const kind of ['init', 'rotate'] as const)
      assert.match(await keys(roles.keysDir, kind), /nothing to change/, `${kind} within the hour`)
    assert.deepEqual(readdirSync(roles.keysDir).toSorted(), before)

    const { cursor, replayed } = await user.remember()
    const held: string[] = []
    for (const order of orders) {
      held.push(await user.start('hold'))
      await witness.holds(held.length)
      assert.match(await keys(roles.keysDir, 'rotate', '--force'), /6 keys made/)
      for (const role of order) {
        roles.mountKeys(role)
        await roles.restart(role)
        await user.probe()
      }
    }

    // Started before both rotations, like the cursor and the stored response.
    witness.release()
    for (const id of held) assert.equal((await user.ended(id)).state, 'succeeded')
    await cursor()
    await replayed()
    assert.deepEqual(await user.statesOfAll(), new Set(['succeeded']))
    assert.deepEqual(witness.invokedTwice(), [])
  },
)

interface Run {
  readonly id: string
  readonly state: string
  readonly output: unknown
}

async function keys(dir: string, kind: 'init' | 'rotate', ...flags: string[]): Promise<string> {
  const { code, out, err } = await runForTest(`keys ${kind}`, ['--dir', dir, ...flags], { plugins })
  assert.equal(code, 0, err)
  return out
}

/** Agents report each invoke to this server and continue with its response. */
async function startWitness(t: TestContext) {
  const invoked: string[] = []
  const waiting: ServerResponse[] = []
  let arrived = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://witness')
    invoked.push(url.searchParams.get('run') ?? '')
    if (url.searchParams.get('hold') !== 'true') return void response.end()
    waiting.push(response)
    arrived.resolve()
    arrived = Promise.withResolvers()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holds: async (count: number): Promise<void> => {
      while (waiting.length < count) await arrived.promise
    },
    release: (): void => {
      for (const response of waiting.splice(0)) response.end()
    },
    invokedTwice: () => invoked.filter((id, index) => invoked.indexOf(id) !== index),
  }
}

function createUser(platform: Platform) {
  const { send, tokens, gatewayUrl } = platform
  const bearer = tokens.developer
  const agent = { namespace: 'default', name: 'front' }
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send({ method, path: `/api${path}`, bearer, headers, ...(body === undefined ? {} : { body }) })
  const ended = async (id: string): Promise<Run> => {
    const { text } = await ask('GET', `/runs/${id}/events`)
    assert.match(text, /event: run\./)
    return (await ask('GET', `/runs/${id}`)).json<Run>()
  }
  const invokes = async (): Promise<void> => {
    const answer = await ask('POST', '/invoke', { agent, input: 'delegate' })
    const { state, output } = answer.json<{ state: string; output: Delegated }>()
    assert.deepEqual([state, output.status, output.body.state], ['succeeded', 200, 'succeeded'], answer.text)
  }
  const chats = async (): Promise<void> => {
    const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'agent/default/back', messages: [{ role: 'user', content: 'hi' }] }),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  return {
    ended,
    chats,
    createAgent: async (name: string, witness: string): Promise<void> => {
      const command = agentCommand(async ({ input }, run, url) => {
        await fetch(`${url}/?run=${run.id}&hold=${input === 'hold'}`)
        return input === 'delegate' ? run.delegate({ agent: 'back', input: 'hi' }) : 'done'
      }, witness)
      const config = { name, runtime: { command }, limits: { concurrency: 8 } }
      const made = await ask('POST', '/agents', { namespace: 'default', config })
      assert.equal(made.status, 201, made.text)
    },
    start: async (input: string): Promise<string> => {
      const made = await ask('POST', '/runs', { agent, input })
      assert.equal(made.status, 201, made.text)
      return made.json<Run>().id
    },
    /** Runs granted by the BFF, the state role and the gateway, each started by a worker. */
    probe: async (): Promise<void> => {
      await Promise.all([invokes(), chats()])
    },
    /** A page cursor, and a response stored for its key. Each returned function requests it again. */
    remember: async () => {
      const page = await ask('GET', '/runs?namespace=default&limit=1')
      const { nextCursor } = page.json<{ nextCursor: string }>()
      const create = () => ask('POST', '/runs', { agent, input: 'once' }, { 'idempotency-key': 'once' })
      const first = await create()
      return {
        cursor: async (): Promise<void> => {
          const next = await ask('GET', `/runs?namespace=default&limit=1&cursor=${encodeURIComponent(nextCursor)}`)
          assert.equal(next.status, 200, next.text)
        },
        replayed: async (): Promise<void> => assert.equal((await create()).text, first.text),
      }
    },
    statesOfAll: async (): Promise<ReadonlySet<string>> => {
      const page = await ask('GET', '/runs?namespace=default&limit=200')
      return new Set(page.json<{ items: Run[] }>().items.map(({ state }) => state))
    },
  }
}
