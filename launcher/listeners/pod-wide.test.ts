import assert from 'node:assert/strict'
import test from 'node:test'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import { startAmpLauncher, startAmpState } from '../testdata/amp-launcher.ts'
import { keyedAgent, registryOf } from '../testdata/envelopes.ts'
import { fetch, until } from '../testdata/launch.ts'
import type { PortContract, RouteContract } from '../contract/http/port.ts'
import { listenerDefinitions } from '../listener-definitions.ts'

const isPodWide = (name: PortName): boolean => reservedPorts[name].bind === 'pod'
const podWide = Object.keys(reservedPorts).filter((name) => isPodWide(name as PortName))

/** Probes that respond to anybody. What they ask the agent is shared and has no effect. */
const open = ['/livez', '/agent/livez', '/healthz']
const forged: readonly Record<string, string>[] = [
  {},
  { authorization: 'Bearer x', 'x-mesh-hook': '' },
  { 'x-mesh-hook': 'wrong', 'x-mesh-run-id': 'r1', 'x-mesh-run-grant': 'x', 'x-mesh-run-attempt': 'x' },
  { 'x-mesh-hook': '\u00ff'.repeat(4096), 'x-amp-envelope': 'a.b.c', 'x-a2a-envelope': 'a.b.c' },
]

/** A launcher beside an agent container, with every port of its pod, and what would have an effect on it. */
async function startPod(t: test.TestContext) {
  const state = await startAmpState(t)
  const peer = await keyedAgent('planner')
  state.registries = [registryOf(peer)]
  const effects: string[] = []
  const supervision = {
    ready: () => Promise.resolve(true),
    started: () => true,
    alive: () => true,
    lost: () => void effects.push('lost'),
    ending: () => void effects.push('ending'),
    restart: async () => void effects.push('restart'),
  }
  const env = { MESH_AGENT_CONTAINER: 'true', MESH_HOOK_TOKEN: 'hook-1', MESH_GRACE_SECONDS: '9' }
  const pod = await startAmpLauncher(t, await keyedAgent('writer'), {
    stateUrl: state.url,
    env,
    command: [],
    supervision,
  })
  return { pod, state, effects }
}

function ask(url: string, { method, path }: RouteContract, headers: Record<string, string>): Promise<Response> {
  const body = method === 'GET' ? {} : { body: JSON.stringify({ input: {}, envelope: 'a.b.c', payload: 1 }) }
  const type: Record<string, string> = method === 'GET' ? {} : { 'content-type': 'application/json' }
  const sent = { method, headers: { ...type, ...headers }, ...body }
  return fetch(`${url}${path.replace(/:\w+/g, 'writer')}`, sent) as unknown as Promise<Response>
}

test('R2-CL-3: no route of a port that other pods reach has an effect without a credential', async (t) => {
  const { pod, state, effects } = await startPod(t)
  const contracts: readonly PortContract[] = listenerDefinitions.flatMap(({ port }) => port)
  const before = pod.launcher.registry.bytes()
  for (const name of podWide) {
    const contract = contracts.find((one) => one.name === name)
    assert.ok(contract !== undefined && pod.open[name] !== undefined, `${name} is open`)
    const url = `https://127.0.0.1:${pod.open[name]}`
    for (const route of Object.values(contract.routes))
      for (const headers of forged) {
        const { status } = await ask(url, route, headers)
        const expected = open.includes(route.path) ? [200] : [400, 401, 403, 503]
        assert.ok(expected.includes(status), `${name} ${route.method} ${route.path}: ${status}`)
      }
  }
  assert.deepEqual(effects, [], 'nothing happened to the agent')
  assert.deepEqual(pod.launcher.registry.active(), [])
  assert.equal(pod.launcher.registry.bytes(), before)
  const written = state.requests.filter(({ method }) => method !== 'GET')
  assert.deepEqual(written, [], 'nothing reached the state role')
})

test('R2-CL-3: refused hooks are counted, and logged once for many; the hook of the pod is logged', async (t) => {
  const { pod, effects } = await startPod(t)
  const url = `https://127.0.0.1:${pod.open['invoke']}/idle`
  const refused = await Promise.all(Array.from({ length: 20 }, () => fetch(url)))
  assert.ok(refused.every(({ status }) => status === 401))
  const warned = pod.lines.filter(({ msg }) => msg === 'preStop hook without its token refused')
  assert.equal(warned.length, 1)
  assert.equal(warned[0]?.['from'], '127.0.0.1')
  void fetch(url, { headers: { 'x-mesh-hook': 'hook-1' } })
  await until(() => effects.includes('ending'), 'the hook with its token has its effect')
  assert.ok(pod.lines.some(({ msg }) => msg === 'preStop hook received: the agent is about to end'))
  assert.ok(!JSON.stringify(pod.lines).includes('hook-1'))
})
