import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import type { InvokeResult } from '#schemas/runs/run.ts'
import { createTracer } from '#core/telemetry/tracer.ts'
import { listen } from '../http/listener.ts'
import { createUpstream } from '../http/upstream.ts'
import { unsigned } from '../listeners/invoke/authorizer.ts'
import { invokePort } from '../listeners/invoke/port.ts'
import { probeHandlers } from '../listeners/invoke/probes.ts'
import { runHandlers } from '../listeners/invoke/run-handlers.ts'
import { createRegistry } from '../runs/run-registry.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import { watchAgent } from '../supervise/readiness.ts'
import { createLog } from '../telemetry/log.ts'
import { post, until } from '../testdata/launch.ts'
import { createHttpAgent } from './http-agent.ts'

const log = createLog('error')

/** The launcher's runs of an agent that is another process of the pod. */
function registryOf(t: TestContext, port: number, lost = (): void => undefined): RunRegistry {
  const { dispatcher, close } = createUpstream()
  t.after(close)
  return createRegistry({
    agentName: 'robot',
    agent: createHttpAgent({ port, dispatcher, cancelGraceMs: 100, lost }),
    tracer: createTracer(() => undefined),
    concurrency: 10,
    timeoutMs: 60_000,
  })
}

async function listening(t: TestContext, server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function outcomeOf(registry: RunRegistry, runId: string): Promise<InvokeResult> {
  return registry.start({ runId, epoch: 1, request: { input: 1 }, parent: undefined }).done
}

test('PODA29: a connection that the agent closes when the next run arrives does not fail that run', async (t) => {
  const requests: number[] = []
  const answer = (socket: Socket): void => {
    let nth = 0
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      if (!chunk.toString().startsWith('POST /invoke')) return
      // The idle time of the connection ends while the second request is in transit.
      if (++nth > 1) return void socket.resetAndDestroy()
      requests.push(nth)
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\ndone')
    })
  }
  const registry = registryOf(t, await listening(t, createTcpServer(answer)))
  for (const id of ['r1', 'r2', 'r3']) {
    const outcome = await outcomeOf(registry, id)
    assert.equal(outcome.state, 'succeeded', JSON.stringify(outcome))
  }
  assert.equal(requests.length, 3, 'each was sent once')
})

test('R2-CL-3, PODA28: no run starts once the kubelet may end the agent, and runs start again when it is back', async (t) => {
  const answers = new Map<string, () => void>()
  const createAgent = () =>
    createServer((request, response) => {
      if (request.url === '/healthz') return void response.writeHead(200).end()
      const id = String(request.headers['x-mesh-run-id'])
      request.resume().on('end', () => answers.set(id, () => response.end('done')))
    })
  const agent = createAgent()
  const agentPort = await listening(t, agent)
  const stop = new AbortController()
  t.after(() => stop.abort())
  const logged: string[] = []
  const watched = watchAgent(agentPort, stop.signal, { ...log, info: (_, message) => logged.push(message) })
  const registry = registryOf(t, agentPort, watched.lost)
  const served = invokePort.serve({
    ...probeHandlers({
      health: () => Promise.resolve('ok'),
      alive: () => true,
      idle: registry.idle,
      idleMs: 10_000,
      agentEnding: () => watched.ending(10_000),
      hookToken: 'hook-1',
      log,
      leavingMs: 20,
    }),
    ...runHandlers({
      registry,
      authorizer: unsigned,
      unsigned: true,
      agentRevision: undefined,
      started: watched.started,
    }),
  })
  const { port, close } = await listen(served, { address: '127.0.0.1', number: 0, log })
  t.after(close)
  const url = `http://127.0.0.1:${port}`
  const invoke = (id: string) => post(`${url}/invoke`, { input: 1 }, { 'x-mesh-run-id': id })
  await until(watched.started, 'the agent is ready')
  assert.equal((await invoke('early')).status, 202)

  // Any pod reaches this port.
  for (const headers of [{}, { 'x-mesh-hook': '' }, { 'x-mesh-hook': 'hook-2' }, { authorization: 'Bearer hook-1' }])
    assert.equal((await fetch(`${url}/idle`, { headers })).status, 401)
  assert.equal(watched.started(), true, 'a refused hook has no effect')

  // The EndpointSlices of the worker still list the pod.
  let ended = false
  const idle = fetch(`${url}/idle`, { headers: { 'x-mesh-hook': 'hook-1' } }).finally(() => (ended = true))
  await until(() => !watched.started(), 'runs are refused')
  const refused = await invoke('late')
  assert.deepEqual([refused.status, refused.body.error, ended], [503, 'agent_not_ready', false])
  await until(() => answers.has('early'), 'the first run arrives')
  answers.get('early')?.()
  await until(async () => (await post(`${url}/runs/early/ack`)).status === 204, 'the result is read')
  assert.equal((await idle).status, 200)
  assert.equal((await invoke('later')).body.error, 'agent_not_ready', 'after the response, before SIGTERM')
  assert.equal((await fetch(`${url}/runs/later/ticket`)).status, 503)

  agent.closeAllConnections()
  await new Promise((resolve) => agent.close(resolve))
  await until(() => logged.includes('agent ended: runs start when it responds again'), 'its end is noticed')
  assert.equal((await invoke('gone')).status, 503)
  await listening(t, createAgent(), agentPort)
  await until(watched.started, 'the agent is back')
  assert.equal((await invoke('late')).status, 202)
})
