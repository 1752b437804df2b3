import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Send } from '../flows/platform/send.ts'

/** What pages need besides the demo: of each state a run. */
export interface DemoContent {
  readonly succeeded: string
  readonly paused: string
  readonly failed: string
}

/** A platform with its credentials. */
export interface DemoPlatform {
  readonly send: Send
  /** Of the API server. */
  readonly kube: Send
  readonly tokens: Readonly<Record<string, string>>
}

const kinds = '/apis/mesh.dev/v1alpha1/namespaces/demo'
const apiVersion = 'mesh.dev/v1alpha1'
// Nothing listens there.
const away = { type: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }
const FINAL_MS = 60_000

/** Lets agents of the demo run, and one whose provider is away. */
export async function makeDemoContent({ send, kube, tokens }: DemoPlatform): Promise<DemoContent> {
  const { developer: bearer, admin } = tokens
  for (const [plural, kind, name, spec] of [
    ['modelproviders', 'ModelProvider', 'away', away],
    ['modelroutes', 'ModelRoute', 'away', { providerRef: { name: 'away' }, model: 'away' }],
    ['agentdeployments', 'AgentDeployment', 'refund-agent', { systemPrompt: 'You refund.', model: { route: 'away' } }],
    ['agentdeployments', 'AgentDeployment', 'writer', { systemPrompt: 'You write.', model: { route: 'mock' } }],
  ] as const) {
    const body = { apiVersion, kind, metadata: { name, namespace: 'demo' }, spec }
    const made = await kube({ method: 'POST', path: `${kinds}/${plural}`, bearer: admin, body })
    assert.ok([201, 409].includes(made.status), made.text)
  }
  const start = async (name: string, input: string): Promise<string> => {
    const body = { agent: { namespace: 'demo', name }, input }
    const made = await send({ method: 'POST', path: '/api/runs', bearer, body })
    assert.equal(made.status, 201, made.text)
    return made.json<{ id: string }>().id
  }
  const until = async (id: string, states: readonly string[]): Promise<string> => {
    for (const end = Date.now() + FINAL_MS; Date.now() < end; await pause(250)) {
      const { state } = (await send({ path: `/api/runs/${id}`, bearer })).json<{ state: string }>()
      if (states.includes(state)) return id
    }
    throw new Error(`run ${id} is not ${states.join(' or ')} after ${FINAL_MS} ms`)
  }
  const failed = await start('refund-agent', 'Refund order 77120: the parcel was damaged')
  const hellos = ['My name is Ada.', 'Summarise RFC 9728 for engineers', 'Order 48213 arrived damaged']
  const greeted = await Promise.all(hellos.map((input) => start('hello', input)))
  const paused = await start('careful', 'approve 6 * 7')
  await breakNewest({ send, tokens }, 'writer')
  for (const id of greeted) await until(id, ['succeeded'])
  await until(paused, ['paused'])
  await until(failed, ['failed', 'timed_out'])
  return { succeeded: greeted[0] ?? '', paused, failed }
}

interface AgentStatus {
  readonly metadata: object
  readonly spec: object
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

/** Changes an agent that serves, so that its newest version does not start. */
async function breakNewest({ send, tokens }: Pick<DemoPlatform, 'send' | 'tokens'>, name: string): Promise<void> {
  const path = `/api/agents/demo/${name}`
  const bearer = tokens['developer'] ?? ''
  const until = async (type: string): Promise<AgentStatus> => {
    for (const end = Date.now() + FINAL_MS; Date.now() < end; await pause(250)) {
      const agent = (await send({ path, bearer })).json<AgentStatus>()
      if (agent.status?.conditions?.some((one) => one.type === type && one.status === 'True') === true) return agent
    }
    throw new Error(`agent ${name} is not ${type} after ${FINAL_MS} ms`)
  }
  await until('Ready')
  const spec = { model: { route: 'mock' }, runtime: { command: ['node', '-e', 'process.exit(1)'] } }
  const body = { apiVersion, kind: 'AgentDeployment', metadata: { name, namespace: 'demo' }, spec }
  for (let status = 504; status !== 200;) {
    const made = await send({ method: 'PUT', path, bearer, body })
    // A busy machine: the replacement is the same if it is sent again.
    assert.ok([200, 504].includes(made.status), made.text)
    ;({ status } = made)
  }
  await until('Degraded')
}
