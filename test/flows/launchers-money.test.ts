import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import { sql } from 'kysely'
import { contribute } from '#core/jobs/extension-point.ts'
import { completes, frameOf, opens, startProxied } from '#launcher/testdata/proxied-launcher.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'
import { limitSource } from '#plugins/budgets/contract/points.ts'
import type { CallLimit } from '#plugins/budgets/contract/points.ts'
import { createLedger } from '#plugins/budgets/store/ledger.ts'
import { readAccounts } from '#plugins/budgets/testing/ledger.ts'
import { addBudgetedAgent, addRoutes, startStateRole } from '#plugins/budgets/testing/state-role.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { countOf } from '#test/harness/counts.ts'
import { needs } from '#test/harness/find-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const namespace = `launchers-${process.pid}`
const tenant = { kind: 'Tenant', name: 'team', uid: 'tenant-1' } as const
const quotas: CallLimit[] = []
const source = contribute(limitSource, { name: 'test', limitsOf: async () => quotas })
const messages = [{ role: 'user', content: 'hello' }]
// A token of output is 0.001 USD, and input is free.
const chat = { model: 'counted', max_tokens: 1, messages }
const oneToken = completes('x', { prompt_tokens: 9, completion_tokens: 1 })

test('money through real launchers and the real state role', needs('kube-apiserver', 'etcd', 'initdb'), async (t) => {
  const state = await startStateRole(t, { contributed: [source] })
  const { admin, database, store } = state
  await addRoutes(admin, namespace)
  const prices = { inputPerMillion: '0', outputPerMillion: '1000' }
  await apply(admin, {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'ModelRoute',
    metadata: { name: 'counted', namespace },
    spec: { providerRef: { name: 'mock' }, model: 'm', prices },
  })
  const folder = tempFolder('money')
  t.after(folder.remove)
  const ledger = createLedger(store, { leaseSeconds: 60, retentionDays: 30 })
  let agents = 0
  const agentWith = async (amount: string) => {
    const name = `agent-${++agents}`
    const { uid, token } = await addBudgetedAgent(admin, namespace, name, { amount, window: 'total' })
    const tokenFile = join(folder.path, name)
    writeFileSync(tokenFile, token)
    return { name, uid, tokenFile }
  }
  const launcherOf = ({ name, uid, tokenFile }: Awaited<ReturnType<typeof agentWith>>, reply: GatewayReply) =>
    startProxied(t, {
      reply,
      config: { name, namespace, uid },
      env: { STATE_URL: state.url, MESH_STATE_TOKEN_FILE: tokenFile },
    })
  const moneyOf = async (uid: string) => (await readAccounts(database))[`AgentDeployment/${uid}`]
  const post = (url: string, body: object, signal: AbortSignal | null = null) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })

  await t.test(
    'B1: of concurrent calls through several launchers exactly those are made that are paid for',
    async () => {
      const calls = countOf(300, 3_000)
      const paid = calls / 10
      const agent = await agentWith(String(paid / 1_000))
      const launchers = await Promise.all(Array.from({ length: 3 }, () => launcherOf(agent, oneToken)))
      const statuses = await Promise.all(
        Array.from({ length: calls }, async (_, index) => {
          const answer = await post(launchers[index % 3]?.url ?? '', chat)
          await answer.text()
          return answer.status
        }),
      )
      // A launcher has places for 256 calls.
      const counted = (status: number): number => statuses.filter((one) => one === status).length
      assert.equal(counted(200) + counted(402) + counted(429), calls, String([...new Set(statuses)]))
      for (let left = paid - counted(200); left > 0; left--)
        assert.equal((await post(launchers[0]?.url ?? '', chat)).status, 200)
      assert.equal((await post(launchers[0]?.url ?? '', chat)).status, 402)
      const upstream = launchers.reduce((sum, { gateway }) => sum + gateway.requests.length, 0)
      assert.equal(upstream, paid)
      assert.deepEqual(await moneyOf(agent.uid), { spent: BigInt(paid) * 1_000n, held: 0n, overrun: 0n })
    },
  )

  await t.test(
    'B3: a stream that ends before any of its chunks is charged, by the gateway or by its caller',
    async () => {
      const chunks = 6
      // Of which input has a price too.
      const streamed = { model: 'paid', max_tokens: 50, messages, stream: true }
      let cutBefore = chunks
      let written = Promise.withResolvers<void>()
      const agent = await agentWith('10')
      const launcher = await launcherOf(agent, (response) => {
        opens(response)
        for (let chunk = 0; chunk < Math.min(cutBefore, chunks); chunk++) response.write(frameOf({ content: 'word ' }))
        written.resolve()
        if (cutBefore < 0) return
        response.write('', () => response.destroy())
      })
      let spent = 0n
      const charged = async (what: string): Promise<void> => {
        for (;;) {
          const now = await moneyOf(agent.uid)
          if (now?.held === 0n) {
            assert.ok(now.spent > spent, what)
            spent = now.spent
            return
          }
          await new Promise((resolve) => setImmediate(resolve))
        }
      }
      for (cutBefore = 0; cutBefore <= chunks; cutBefore++) {
        await (await post(launcher.url, streamed)).text().catch(() => undefined)
        await charged(`the gateway cuts before chunk ${cutBefore}`)
      }
      cutBefore = -1
      for (const leaves of ['before the answer', 'within it']) {
        written = Promise.withResolvers<void>()
        const headers = { 'content-type': 'application/json' }
        const call = httpRequest({ port: launcher.port, method: 'POST', path: '/v1/chat/completions', headers })
        call.on('error', () => undefined)
        call.end(JSON.stringify(streamed))
        if (leaves === 'within it') {
          const [response] = (await once(call, 'response')) as [IncomingMessage]
          response.on('error', () => undefined)
        } else await written.promise
        call.destroy()
        await charged(`the caller leaves ${leaves}`)
      }
    },
  )

  await t.test(
    'B6: a place in flight is freed once, by success, error, a caller that leaves, and a lease that ends',
    async () => {
      const agent = await agentWith('10')
      quotas.push({ subject: tenant, concurrency: 3 })
      t.after(() => void quotas.splice(0))
      const inFlight = async () => (await ledger.usageOf(['Tenant/tenant-1'])).get('Tenant/tenant-1')?.inFlight
      const until = async (count: number): Promise<void> => {
        while ((await inFlight()) !== count) await new Promise((resolve) => setImmediate(resolve))
      }
      const held: (() => void)[] = []
      const launcher = await launcherOf(agent, (response, seen) => {
        if (seen.body['seed'] === 1) response.writeHead(500).end('{}')
        else if (seen.body['seed'] === 2) held.push(() => oneToken(response, seen))
        else oneToken(response, seen)
      })
      assert.equal((await post(launcher.url, chat)).status, 200)
      assert.equal(await inFlight(), 0)
      assert.ok((await post(launcher.url, { ...chat, seed: 1 })).status >= 500)
      assert.equal(await inFlight(), 0)
      const leaving = new AbortController()
      const left = post(launcher.url, { ...chat, seed: 2 }, leaving.signal).catch(() => undefined)
      await until(1)
      leaving.abort()
      await left
      await until(0)
      const three = Array.from({ length: 3 }, () => post(launcher.url, { ...chat, seed: 2 }))
      await until(3)
      const refused = await post(launcher.url, chat)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
      // As after the end of a killed launcher's lease; its late settlement frees nothing more.
      await sql`update budgets_holds set expires_at = 'epoch' where state = 'open'`.execute(database.root)
      assert.equal(await ledger.expire(10), 3)
      assert.equal(await inFlight(), 0)
      for (const answer of held.slice(1)) answer()
      for (const answer of await Promise.all(three)) await answer.text()
      assert.equal(await inFlight(), 0)
      assert.equal((await post(launcher.url, chat)).status, 200, 'a place is free')
      assert.equal(await inFlight(), 0)
    },
  )

  await t.test('B5: without the store no call reaches the gateway: 503, which differs from 402', async () => {
    quotas.splice(0)
    const [rich, poor] = [await agentWith('1'), await agentWith('0.0001')]
    const [launcher, other] = [await launcherOf(rich, oneToken), await launcherOf(poor, oneToken)]
    assert.equal((await post(other.url, chat)).status, 402)
    await database.close()
    const refused = await post(launcher.url, chat)
    const { error } = (await refused.json()) as { error: { code: string } }
    assert.deepEqual([refused.status, error.code], [503, 'budget_unavailable'])
    assert.deepEqual([launcher.gateway.requests.length, other.gateway.requests.length], [0, 0])
  })
})
