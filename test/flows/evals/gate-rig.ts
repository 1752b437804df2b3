import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/data-folder/personas.ts'
import type { EvaluationView, EvalResultsView } from '#schemas/api/evaluations.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { Platform } from '#test/flows/platform/running-platform.ts'

/** A run as the API shows it, in part. */
export interface GatedRun {
  readonly id: string
  readonly state: string
  readonly agent: { readonly name: string; readonly revision: number | null } | null
  readonly trigger: { readonly kind: string }
  readonly output?: unknown
  readonly error?: { readonly code: string } | null
  readonly startedAt: string | null
}

/** Path of suites. */
export const suites = '/api/evalsuites'

/** What each route responds with, so that an output proves which revision ran. */
export const replies = { kind: 'Yes, please.', rude: 'No.', kinder: 'Yes, please, at once.' } as const

/** The agent `bot` of `demo` with its suite, as people use them. */
export function createGateRig({ send, kube: toCluster, tokens }: Pick<Platform, 'send' | 'kube' | 'tokens'>) {
  const kube: typeof toCluster = (request) => toCluster({ ...request, bearer: tokens.admin })
  const ask = (who: Persona, method: string, path: string, body?: object) =>
    send({ method, path, bearer: tokens[who], ...(body === undefined ? {} : { body }) })
  const agent = async () => (await ask('developer', 'GET', '/api/agents/demo/bot')).json<AgentDeploymentObject>()
  const make = async (path: string, body: object, who: Persona = 'developer') => {
    const made = await ask(who, 'POST', path, body)
    assert.ok(made.status < 300, `${path}: ${made.text}`)
    return made
  }
  const change = async (more: object) => {
    const { metadata, spec } = await agent()
    const { name, namespace, resourceVersion } = metadata
    const body = { metadata: { name, namespace, resourceVersion }, spec: { ...spec, ...more } }
    const put = await ask('developer', 'PUT', '/api/agents/demo/bot', body)
    assert.equal(put.status, 200, put.text)
  }
  const gate = async () => {
    const { status } = await agent()
    const found = status?.conditions?.find(({ type }) => type === 'EvalGated')
    return `${found?.status} ${found?.reason}`
  }
  const results = async (query = '', suite = 'polite') =>
    (await ask('viewer', 'GET', `${suites}/demo/${suite}/results${query}`)).json<EvalResultsView>()
  return {
    kube,
    ask,
    agent,
    make,
    change,
    useRoute: (route: keyof typeof replies) => change({ model: { route } }),
    gate,
    results,
  }
}

/** See {@link createGateRig}. */
export type GateRig = ReturnType<typeof createGateRig>

/** Looks every quarter of a second. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, ms = 300_000): Promise<T> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    const found = await look()
    if (found !== undefined) return found
    await pause(250)
  }
  throw new Error(what)
}

/** Waits until the newest evaluation ends in a phase. */
export const ended = (rig: GateRig, phase: EvaluationView['phase'], suite = 'polite') =>
  eventually(`an evaluation of ${suite} ends as ${phase}`, async () => {
    const found = await rig.results('', suite)
    return found.phase === phase ? found : undefined
  })

/** Waits until the agent has no candidate and is ready. */
export const served = ({ agent }: GateRig) =>
  eventually('the revision serves', async () => {
    const { status, metadata } = await agent()
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    const isSeen = status?.observedGeneration === metadata.generation
    return isSeen && ready?.status === 'True' && status?.candidate === undefined ? status : undefined
  })

/** Providers and routes with the replies. */
export async function makeRoutes({ make, kube }: GateRig): Promise<void> {
  for (const [name, reply] of Object.entries(replies)) {
    const spec = { type: 'mock', mock: { script: [{ reply }] } }
    const { status, text } = await kube({
      method: 'POST',
      path: '/apis/mesh.dev/v1alpha1/namespaces/demo/modelproviders',
      body: { apiVersion: 'mesh.dev/v1alpha1', kind: 'ModelProvider', metadata: { name, namespace: 'demo' }, spec },
    })
    assert.equal(status, 201, text)
    await make('/api/modelroutes', {
      metadata: { name, namespace: 'demo' },
      spec: { providerRef: { name }, model: 'mock' },
    })
  }
}

/** A dataset with this many cases, pinned. */
export async function makeDataset({ ask, make }: GateRig, name: string, count: number): Promise<void> {
  const path = `/api/datasets/${name}`
  const dataset = await ask('developer', 'PUT', `${path}?namespace=demo`, {})
  assert.ok(dataset.status < 300, dataset.text)
  const cases = Array.from({ length: count }, (_, index) => ({ id: `case-${index}`, input: `Hi ${index}` }))
  if (count > 0) await make(`${path}/cases/import?namespace=demo`, { cases })
  await make(`${path}/pin?namespace=demo`, { note: 'first' })
}

/** A suite of a dataset that wants each reply to be polite. */
export async function makeSuite({ make }: GateRig, name: string, dataset: string, more: object = {}): Promise<void> {
  await make(suites, {
    metadata: { name, namespace: 'demo' },
    spec: {
      datasetRef: { name: dataset },
      evaluators: [{ name: 'please', type: 'contains', config: { values: ['please'] } }],
      minScore: 0.8,
      ...more,
    },
  })
}

/** The agent, gated by the suite `polite`. */
export async function makeAgent({ make }: GateRig, more: object = {}): Promise<void> {
  await make('/api/agents', {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: { name: 'bot', namespace: 'demo' },
    spec: {
      model: { route: 'kind' },
      systemPrompt: 'You help.',
      limits: { concurrency: 16 },
      evalGate: { suiteRef: { name: 'polite' } },
      ...more,
    },
  })
}
