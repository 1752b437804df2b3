import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { startAuthorizationServer } from '#plugins/mcp/testing/authorization-server.ts'
import { startProtectedServer } from '#plugins/mcp/testing/protected-server.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { addConsentedAgents, startForConsents } from './platform/consents.ts'

// An agent of its own process: it calls the tool on port 2999, and fails where the call is refused.
const program = `require('http').createServer(async (request, answer) => {
  if (request.url === '/healthz') return answer.end()
  const headers = { 'content-type': 'application/json', 'x-mesh-run-id': request.headers['x-mesh-run-id'] }
  const url = 'http://127.0.0.1:' + process.env.DISCOVERY_PORT + '/tools/tickets_echo/call'
  const called = await fetch(url, { method: 'POST', headers, body: '{"arguments":{"text":"hi"}}' })
  const result = await called.json()
  if (!called.ok) return answer.writeHead(500).end(JSON.stringify({ error: { message: result.message } }))
  answer.setHeader('content-type', 'application/json')
  answer.end(JSON.stringify({ output: result.content[0].text }))
}).listen(process.env.AGENT_PORT, '127.0.0.1')`

const agents = [
  { name: 'looping', model: { route: 'script' } },
  { name: 'calling', runtime: { command: [process.execPath, '-e', program] } },
]

async function start(t: TestContext) {
  const folder = tempFolder('consent')
  t.after(folder.remove)
  const at = await startAuthorizationServer(t, { account: 'root' })
  const server = await startProtectedServer(t, at)
  const data = join(folder.path, 'data')
  const first = await startForConsents(t, data)
  await addConsentedAgents(first, server.url, agents)
  at.as('ada')
  return { at, server, data, first }
}

test('M-4: a run waits for the consent of its subject and goes on by itself with that token, over a restart of the platform', async (t) => {
  const { server, data, first } = await start(t)
  const accounts = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = server.accounts.length
    await work()
    return [...new Set(server.accounts.slice(before))]
  }

  await t.test(
    'a run pauses, pauses again if it is resumed without a grant, and succeeds after the grant',
    async () => {
      const { runId, state } = await first.invoke('looping')
      assert.equal(state, 'paused')
      const [asked] = (await first.run(runId)).interrupts
      const { id = '', reason, consent } = asked ?? {}
      assert.equal(reason, 'auth_required')
      const path = `/consent/default/tickets?run=${runId}`
      assert.deepEqual(consent, { namespace: 'default', server: 'tickets', path })
      const resumed = await first.ask('developer', `POST /runs/${runId}/resume`, { decision: 'approve' })
      assert.equal(resumed.status, 202, resumed.text)
      const again = await first.until(
        runId,
        (run) => run.state === 'paused' && run.interrupts.some((one) => one.id !== id),
      )
      assert.equal(again.interrupts.at(-1)?.id, id.replace(/_0$/, '_1'))
      const used = await accounts(async () => {
        await first.consent('developer', 'tickets')
        const { output, subject } = await first.until(runId, (run) => run.state === 'succeeded')
        assert.deepEqual([output, subject], ['Echoed.', 'developer'])
      })
      assert.deepEqual(used, ['ada'])
      assert.deepEqual(server.calls, ['echo'], 'called once')
    },
  )

  await t.test(
    'another run of the person needs no consent but to further scopes, and the grant of others is used for nothing',
    async () => {
      const used = await accounts(async () => assert.equal((await first.invoke('calling')).state, 'succeeded'))
      assert.deepEqual(used, ['ada'])
      server.require('tickets.write')
      const { runId, state } = await first.invoke('looping')
      assert.equal(state, 'paused', 'the server asks for a further scope')
      await first.consent('developer', 'tickets')
      assert.equal(
        (await first.until(runId, (run) => run.state !== 'paused' && run.state !== 'running')).state,
        'succeeded',
      )
      const { items } = (await first.ask('developer', 'GET /mcp/oauth/grants')).json<{
        items: { scopes: string[] }[]
      }>()
      assert.deepEqual(items[0]?.scopes, ['tickets.read', 'tickets.write'])
      server.require('tickets.read')
      const revoked = await first.ask('developer', 'DELETE /mcp/oauth/grant/tickets?namespace=default')
      assert.equal(revoked.status, 204, revoked.text)
    },
  )

  await t.test('runs of both kinds of agents wait over a restart', async () => {
    const runs = [await first.invoke('looping'), await first.invoke('calling')]
    assert.deepEqual(
      runs.map(({ state }) => state),
      ['paused', 'paused'],
    )
    first.signal('SIGTERM')
    assert.equal(await first.exited, 0, first.output())
    const second = await startForConsents(t, data)
    for (const { runId } of runs) assert.equal((await second.run(runId)).state, 'paused')
    const used = await accounts(async () => {
      await second.consent('developer', 'tickets')
      const outputs: unknown[] = []
      for (const { runId } of runs)
        outputs.push((await second.until(runId, ({ state }) => state === 'succeeded')).output)
      assert.deepEqual(outputs, ['Echoed.', '{"text":"hi"}'])
    })
    assert.ok(used.includes('ada'), String(used))
    assert.deepEqual(server.calls.length, 5)
  })
})
