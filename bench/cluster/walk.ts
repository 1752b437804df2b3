import { createKubeClient } from '#core/kube/create-client.ts'
import type { KubePool } from '#core/kube/pool.ts'
import { toCrd } from '#schemas/crd.ts'
import { kinds } from '#schemas/kinds.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'

/** Where a list is read, how its next page is asked for, and where an answer says whether there is one. */
export interface Listing {
  readonly path: string
  readonly cursor: 'cursor' | 'continue'
}

interface Page {
  readonly items: readonly unknown[]
  readonly nextCursor?: string | null
  readonly metadata?: { readonly continue?: string }
}

/** Walks a list to its end as any client would: each page read whole and parsed. Answers with the number of objects. */
export async function walk(pool: KubePool, bearer: string, listing: Listing): Promise<number> {
  let count = 0
  for await (const { page } of pages(pool, bearer, listing)) count += page.items.length
  return count
}

/** The texts of a list's pages, for what is done with the same bytes without a server. */
export async function readPages(pool: KubePool, bearer: string, listing: Listing): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { text } of pages(pool, bearer, listing)) texts.push(text)
  return texts
}

async function* pages(pool: KubePool, bearer: string, { path, cursor }: Listing) {
  let next = ''
  do {
    const query = next === '' ? '' : `&${cursor}=${encodeURIComponent(next)}`
    const answer = await pool.calls.request({
      method: 'GET',
      path: `${path}?limit=200${query}`,
      headers: { authorization: `Bearer ${bearer}`, accept: 'application/json' },
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`)
    const page = JSON.parse(text) as Page
    yield { text, page }
    next = page.nextCursor ?? page.metadata?.continue ?? ''
  } while (next !== '')
}

/** Agents as an installation has them: a prompt of a few hundred characters and two tools. */
export async function createObjects(pool: KubePool, bearer: string, count: number): Promise<void> {
  const cluster = createKubeClient({ server: pool.server, pool, bearer })
  for (let from = 0; from < count; from += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, count - from) }, (_, index) =>
        cluster.create(AgentDeployment, agent(from + index)),
      ),
    )
}

/** Makes the platform's kinds known to an API server and waits until it serves them. */
export async function installKinds(pool: KubePool, bearer: string): Promise<void> {
  const cluster = createKubeClient({ server: pool.server, pool, bearer })
  const group = 'apiextensions.k8s.io'
  const definitions = { group, version: 'v1', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition' }
  for (const kind of kinds) await cluster.create({ ...definitions, namespaced: false }, { ...toCrd(kind) })
  while (!(await isServed(cluster))) continue
}

async function isServed(cluster: ReturnType<typeof createKubeClient>): Promise<boolean> {
  return cluster.list(AgentDeployment, { limit: 1 }).then(
    () => true,
    () => false,
  )
}

function agent(index: number) {
  return {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: { name: `bench-${String(index).padStart(5, '0')}`, namespace: 'default', labels: { team: 'bench' } },
    spec: {
      systemPrompt: 'You answer questions about orders, shipments and invoices, briefly and kindly. '.repeat(5),
      model: { route: 'mock' },
      tools: [{ name: 'calculate', requireApproval: ['*'] }],
    },
  }
}
