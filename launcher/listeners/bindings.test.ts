import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { freePort } from '#test/harness/free-port.ts'
import { reservedPorts } from '#schemas/launcher/launcher-ports.ts'
import type { PortName } from '#schemas/launcher/launcher-ports.ts'
import { startTestLauncher } from '../testdata/start-launcher.ts'
import { listenerDefinitions } from '../listener-definitions.ts'

interface Binding {
  /** Variables without which the listener is not bound. */
  readonly variables: readonly string[]
  /** Further ports that these variables bind. */
  readonly also?: readonly PortName[]
}

/** What binds each port; undefined: nothing, it is always open. A new listener is added here. */
const bindings: Readonly<Partial<Record<PortName, Binding | undefined>>> = {
  delegate: {
    variables: ['STATE_URL', 'FEEDBACK_PORT', 'DISCOVERY_PORT'],
    also: ['feedback', 'amp', 'ampInbound', 'discovery'],
  },
  feedback: { variables: ['FEEDBACK_PORT'] },
  budget: { variables: ['MESH_BUDGET_PORT'] },
  amp: { variables: ['AGENT_REGISTRY_ID'], also: ['ampInbound'] },
  ampInbound: { variables: ['AGENT_REGISTRY_ID'], also: ['amp'] },
  memory: { variables: ['MEMORY_BACKEND_ADDR'] },
  discovery: { variables: ['DISCOVERY_PORT'] },
  otlpGrpc: { variables: ['OTLP_GRPC_PORT'], also: ['otlpHttp'] },
  otlpHttp: { variables: ['OTLP_HTTP_PORT'], also: ['otlpGrpc'] },
  invoke: undefined,
}
const served = listenerDefinitions.flatMap(({ port }) => port).map(({ name }) => name)
const nowhere = 'http://127.0.0.1:1'

async function start(t: TestContext, without: readonly string[]) {
  const names = Object.keys(reservedPorts) as PortName[]
  const ports = await Promise.all(names.map(async (name) => [name, await freePort()] as const))
  const variables = {
    ...Object.fromEntries(ports.map(([name, port]) => [reservedPorts[name].env, String(port)])),
    STATE_URL: nowhere,
    MODEL_GATEWAY_URL: nowhere,
    MEMORY_BACKEND_ADDR: nowhere,
    AGENT_REGISTRY_ID: 'default/team',
  }
  const env: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(variables).filter(([name]) => !without.includes(name)),
  )
  const plugins = { memory: { session: true, longTerm: true }, knowledge: {} }
  const { open } = await startTestLauncher(t, {
    signed: true,
    config: { name: 'robot', namespace: 'default', uid: 'uid-1', plugins },
    // Without the state role nothing could verify grants, and the launcher would not start.
    env: { ...env, ...(env['STATE_URL'] === undefined ? { MESH_UNSIGNED: 'true' } : {}) },
  })
  return { open: Object.keys(open), ports: Object.fromEntries(ports) as Record<PortName, number> }
}

// The code of the error, or `connected`.
function outcomeAt(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => resolve('connected'))
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code))
    socket.once('connect', () => socket.destroy())
  })
}

test('each listener has its binding here', () => {
  assert.deepEqual(Object.keys(bindings).toSorted(), served.toSorted())
})

test('a port whose binding is absent refuses connections, and all others are open', async (t) => {
  for (const [name, binding] of [['all', undefined], ...Object.entries(bindings)] as const)
    await t.test(name, async (sub) => {
      const closed = binding === undefined ? [] : [name, ...(binding.also ?? [])]
      const { open, ports } = await start(sub, binding?.variables ?? [])
      assert.deepEqual(open.toSorted(), served.filter((one) => !closed.includes(one)).toSorted())
      for (const [of, port] of Object.entries(ports))
        assert.equal(await outcomeAt(port), open.includes(of) ? 'connected' : 'ECONNREFUSED', of)
    })
})
