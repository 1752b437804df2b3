import { setTimeout as sleep } from 'node:timers/promises'
import type { Announced } from './platform.ts'

/** A platform whose API can be called. */
export type Reachable = Pick<Announced, 'url' | 'tokens'>

/** Creates declarative agents through the API as the operator; `labels` distinguish them. */
export async function createAgents(
  platform: Reachable,
  options: { readonly count: number; readonly namespace: string; readonly replicas?: number },
): Promise<void> {
  const names = Array.from({ length: options.count }, (_, index) => `bench-${String(index).padStart(5, '0')}`)
  const workers = Array.from({ length: 8 }, async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) await createAgent(platform, name, options)
  })
  await Promise.all(workers)
}

async function createAgent(
  platform: Reachable,
  name: string,
  options: { readonly namespace: string; readonly replicas?: number },
): Promise<void> {
  const replicas = options.replicas === undefined ? {} : { replicas: options.replicas }
  const object = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: { name, namespace: options.namespace },
    spec: { systemPrompt: 'You greet people in one sentence.', model: { route: 'mock' }, ...replicas },
  }
  await create(platform, object)
}

// A starved platform may refuse a request for its time or its number.
const retried: ReadonlySet<number> = new Set([408, 429, 503])

async function create(platform: Reachable, object: object): Promise<void> {
  const headers = { ...bearerOf(platform), 'content-type': 'application/json' }
  const body = JSON.stringify(object)
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${platform.url}/api/agents`, { method: 'POST', headers, body })
    const text = await answer.text()
    if (answer.status === 201) return
    if (!retried.has(answer.status) || tries === 30) throw new Error(`${answer.status} ${text}: ${body}`)
    await sleep(1000 * Number(answer.headers.get('retry-after') ?? 1))
  }
}

/** Waits until every agent of the namespace has its desired number of ready replicas. */
export async function untilReady(platform: Reachable, namespace: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${platform.url}/api/agents?namespace=${namespace}&limit=200`, {
      headers: bearerOf(platform),
    })
    const { items } = (await answer.json()) as { items: readonly { status?: { conditions?: readonly Condition[] } }[] }
    const isReady = (one: (typeof items)[number]): boolean =>
      one.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
    if (items.every(isReady)) return
    await sleep(200)
  }
}

interface Condition {
  readonly type: string
  readonly status: string
}

/** Authorization header of the persona with access to everything. */
export function bearerOf(platform: Reachable): Record<string, string> {
  return { authorization: `Bearer ${platform.tokens['operator']}` }
}

/** Creates an agent from a simplified configuration in the namespace `default`, and waits until it is ready. */
export async function createConfigured(platform: Reachable, config: object): Promise<void> {
  await create(platform, { namespace: 'default', config })
  await untilReady(platform, 'default')
}
