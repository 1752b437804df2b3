import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { sleep } from '#core/async/sleep.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { isStatus } from '#core/kube/status.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { AnyPlugin } from '#core/plugin/plugin.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import type { Persona } from '../data-folder/personas.ts'
import { createShipped, onceInDemo } from './bootstrap.ts'

/** A running platform, and what stops the work. */
export interface EvaluatedDemoInput {
  readonly url: string
  readonly tokens: Readonly<Record<Persona, string>>
  readonly cluster: KubeClient
  /** Folder of the shipped manifests. */
  readonly demo: string
  readonly plugins: readonly AnyPlugin[]
  readonly signal: AbortSignal
}

/** A request of a persona; paths are those below `/api`. */
interface StoredRequest {
  readonly as: Persona
  readonly post?: string
  readonly put?: string
  readonly body: object
}

interface StoredDemo {
  readonly contents: readonly { readonly absent: string; readonly requests: readonly StoredRequest[] }[]
  readonly change: readonly StoredRequest[]
}

const agent = { namespace: parseLabel('namespace', 'demo'), name: parseName('name', 'concierge') }
const neededPlugins = ['agents', 'datasets', 'evals', 'prompts', 'providers', 'runs']
const LOOK_MS = 1_000

/**
 * Creates, once, a prompt, a dataset, a suite, and an agent with one revision that passes and one that fails. Personas send it to the API as users
 * would, so it takes as long as two evaluations. A start that was interrupted is continued by the next one.
 */
export async function createEvaluatedDemo(input: EvaluatedDemoInput): Promise<void> {
  const { cluster, demo, plugins } = input
  if (neededPlugins.some((needed) => plugins.every(({ name }) => name !== needed))) return
  const { contents, change } = parse(readFileSync(join(demo, 'stored.yaml'), 'utf8')) as StoredDemo
  await onceInDemo(cluster, 'mesh.dev/demo-evaluated', async () => {
    for (const { absent, requests } of contents)
      if ((await send(input, { as: 'developer', path: absent })) === 404) await sendAll(input, requests)
    await createShipped(cluster, 'evaluated.yaml', input)
    if (await servesFirst(input)) await sendAll(input, change)
  })
}

async function sendAll(input: EvaluatedDemoInput, requests: readonly StoredRequest[]): Promise<void> {
  for (const { as, post, put, body } of requests) {
    const path = post ?? put ?? ''
    const status = await send(input, { as, path, method: post === undefined ? 'PUT' : 'POST', body })
    if (status >= 300) throw new Error(`${path} responded with ${status}`)
  }
}

interface Sent {
  readonly as: Persona
  readonly path: string
  readonly method?: string
  readonly body?: object
}

async function send({ url, tokens, signal }: EvaluatedDemoInput, { as, path, method, body }: Sent): Promise<number> {
  const response = await fetch(`${url}/api/${path}`, {
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${tokens[as]}`, 'content-type': 'application/json' },
    signal,
  })
  await response.body?.cancel()
  return response.status
}

/** Waits until the first revision has passed and serves. False: a user has changed or deleted the agent, or it does not pass. */
async function servesFirst({ cluster, signal }: EvaluatedDemoInput): Promise<boolean> {
  for (;;) {
    signal.throwIfAborted()
    const found = await cluster
      .get<AgentDeploymentObject>(AgentDeployment, agent, { signal })
      .catch((error: unknown) => {
        if (!isStatus(error, 404)) throw error
      })
    const { evalGate: { phase } = {}, conditions = [] } = found?.status ?? {}
    const isChanged = found === undefined || found.metadata.generation !== 1
    if (isChanged || !['Pending', 'Running', 'Passed', undefined].includes(phase)) return false
    if (phase === 'Passed' && conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return true
    await sleep(LOOK_MS, signal)
  }
}
