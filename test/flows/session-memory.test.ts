import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { openRedis } from '#core/state-store/testing/adapters.ts'
import { startProxied } from '#launcher/testdata/proxied-launcher.ts'
import { addRememberingAgent, startMemoryRole } from '#plugins/memory/testing/memory-role.ts'
import { needs } from '#test/harness/find-server.ts'
import { startRedis } from '#test/harness/redis.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const LAUNCHERS = 16
const AT_ONCE = 64

// Launchers of one agent, the state role, and a store that keeps what it has acknowledged.
test(
  'H5: session memory through kill -9 and a frozen store',
  { ...needs('kube-apiserver', 'etcd', 'postgres', 'initdb', 'redis-server'), timeout: 600_000 },
  async (t) => {
    const redis = await startRedis(t, ['--appendonly', 'yes', '--appendfsync', 'everysec'])
    const stateStore = await openRedis(t, redis.url)
    const role = await startMemoryRole(t, { stateStore })
    const namespace = `session-${process.pid}`
    const memory = { session: {} }
    const { token } = await addRememberingAgent(role.admin, { namespace, name: 'robot', memory })
    const launchers = await Promise.all(Array.from({ length: LAUNCHERS }, () => startLauncher(t, role.url, token)))
    const [one] = launchers
    assert.ok(one !== undefined)

    await t.test(
      'kill -9 under 1,024 concurrent appends: a read has whole entries only, and each that was acknowledged',
      async () => {
        // The authentication is remembered by then.
        assert.deepEqual(await one.read('killed'), { status: 200, entries: [] })
        const padding = 'x'.repeat(500)
        const acknowledged: number[] = []
        const enough = Promise.withResolvers<void>()
        const appends = launchers.flatMap((launcher, at) =>
          Array.from({ length: AT_ONCE }, async (_, index) => {
            const n = at * AT_ONCE + index
            const status = await launcher.append('killed', { n, padding })
            if (status === 201) acknowledged.push(n)
            if (acknowledged.length === 300) enough.resolve()
            return status
          }),
        )
        // A machine so busy that fewer succeed within their deadline must not wait for more.
        await Promise.race([enough.promise, Promise.all(appends)])
        await redis.kill9()
        const statuses = new Set(await Promise.all(appends))
        assert.deepEqual([...statuses].toSorted(), [201, 502])
        assert.deepEqual((await one.read('killed')).status, 502)
        await redis.restart()
        const { entries } = await untilRead(one, 'killed')
        for (const entry of entries) assert.deepEqual(Object.keys(entry as object), ['n', 'padding'])
        const stored = entries.map((entry) => (entry as { n: number }).n)
        assert.equal(new Set(stored).size, stored.length, 'no entry twice')
        assert.deepEqual(
          acknowledged.filter((n) => !stored.includes(n)),
          [],
        )
        assert.ok(entries.every((entry) => (entry as { padding: string }).padding === padding))
        assert.equal(await one.append('killed', { n: -1, padding }), 201)
      },
    )

    await t.test('a frozen store is 502 within the deadline, and the launcher serves again afterwards', async () => {
      redis.freeze()
      const started = performance.now()
      assert.equal(await one.append('frozen', 1), 502)
      assert.ok(performance.now() - started < 60_000)
      assert.equal((await fetch(`${one.url}/healthz`)).status, 200)
      redis.thaw()
      await untilRead(one, 'frozen')
      while ((await one.append('frozen', 2)) !== 201);
    })
  },
)

type Launcher = Awaited<ReturnType<typeof startLauncher>>

async function startLauncher(t: Parameters<typeof startProxied>[0], stateUrl: string, token: string) {
  const folder = tempFolder('session-memory')
  t.after(folder.remove)
  const tokenFile = join(folder.path, 'state')
  writeFileSync(tokenFile, token)
  const { open } = await startProxied(t, {
    money: false,
    config: { plugins: { memory: { session: true } } },
    env: { MEMORY_PORT: '0', MEMORY_BACKEND_ADDR: stateUrl, MESH_STATE_TOKEN_FILE: tokenFile },
  })
  const url = `http://127.0.0.1:${open['memory']}`
  return {
    url,
    append: async (conversation: string, entry: unknown): Promise<number> => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(entry)
      const answer = await fetch(`${url}/memory/${conversation}/append`, { method: 'POST', headers, body })
      const { error } = (await answer.json()) as { error?: string }
      if (answer.status === 502) assert.equal(error, 'memory_unavailable')
      return answer.status
    },
    read: async (conversation: string) => {
      const answer = await fetch(`${url}/memory/${conversation}`)
      const body = (await answer.json()) as unknown
      return { status: answer.status, entries: answer.status === 200 ? (body as unknown[]) : [] }
    },
  }
}

/** Reads until the state role has its connection again. */
async function untilRead(launcher: Launcher, conversation: string) {
  for (;;) {
    const read = await launcher.read(conversation)
    if (read.status === 200) return read
  }
}
