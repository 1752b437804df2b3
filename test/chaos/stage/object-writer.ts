import type { KubeObject } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import type { Random } from '../random.ts'
import type { RawAnswer, RawRequest } from '#test/flows/platform/send.ts'
import type { Latency } from './latency.ts'
import type { Change, ExpectedChanges } from './expected-changes.ts'
import type { Stage } from './stage.ts'

/** Changes objects that no other writer uses, one at a time. */
export interface ObjectWriter {
  /** Makes one change. Returns false if it was refused or got no response. */
  act(): Promise<boolean>
}

/** Dependencies of a writer. */
export interface WriterOptions {
  readonly random: Random
  readonly expected: ExpectedChanges
  readonly latencies: Latency[]
  readonly prefix: string
  /** Share of run creations and cancellations, which change the database and not the cluster. Default 0. */
  readonly runShare?: number | undefined
}

interface Owned {
  readonly name: string
  readonly uid: string
}

/** Creates a writer for a namespace. */
export function createObjectWriter(
  stage: Stage,
  namespace: string,
  { random, expected, latencies, prefix, runShare = 0 }: WriterOptions,
): ObjectWriter {
  const owned: Owned[] = []
  const runs: string[] = []
  let agent: Owned | undefined
  let last = 0

  const write = async (
    via: Change['via'],
    verb: Change['verb'],
    name: string,
    run: () => Promise<Made | undefined>,
  ): Promise<Owned | undefined> => {
    const from = performance.now()
    try {
      const made = await run()
      const to = performance.now()
      if (via === 'api') latencies.push({ at: to, ms: to - from })
      if (made === undefined) return undefined
      expected.changes.push({ verb, uid: made.uid, version: made.version, name, via, from, to })
      return { name, uid: made.uid }
    } catch {
      expected.doubtful.add(`${verb}/${name}`)
      return undefined
    }
  }
  const accepted = async (request: Omit<RawRequest, 'bearer'>): Promise<RawAnswer | undefined> => {
    const answer = await stage.send({ ...request, bearer: stage.bearer })
    // Below 500 the request was refused before it reached the cluster or the database. From 500 it may have been applied.
    if (answer.status >= 500) throw new Error(`${answer.status}`)
    return answer.status >= 300 ? undefined : answer
  }
  const byApi = async (method: string, path: string, body?: object, uid?: string): Promise<Made | undefined> => {
    const answer = await accepted({ method, path, ...(body === undefined ? {} : { body }) })
    if (answer === undefined) return undefined
    return uid === undefined ? madeOf(answer.json<KubeObject>().metadata) : { uid, version: '' }
  }
  const create = async (via: Change['via']): Promise<boolean> => {
    const name = `${prefix}-${++last}`
    const object = template(namespace, name)
    const made = await write(via, 'create', name, async () =>
      via === 'api'
        ? byApi('POST', '/api/templates', object)
        : madeOf((await stage.admin.create(AgentTemplate, object, options)).metadata),
    )
    if (made !== undefined) owned.push(made)
    return made !== undefined
  }
  const update = async ({ name }: Owned): Promise<boolean> => {
    const patch = { type: 'merge', body: { spec: { description: `${++last}` } } } as const
    const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
    const run = async () => madeOf((await stage.admin.patch(AgentTemplate, ref, patch, options)).metadata)
    return (await write('cluster', 'update', name, run)) !== undefined
  }
  const updateAgent = async (): Promise<boolean> => {
    const name = `${prefix}-agent`
    if (agent === undefined) {
      const body = { namespace, config: { name, model: { route: 'mock' } } }
      agent = await write('api', 'create', name, () => byApi('POST', '/api/agents', body))
      return agent !== undefined
    }
    const body = {
      metadata: { name, namespace, annotations: { 'chaos/change': `${++last}` } },
      spec: { model: { route: 'mock' } },
    }
    const path = `/api/agents/${namespace}/${name}`
    return (await write('api', 'update', name, () => byApi('PUT', path, body))) !== undefined
  }
  // A run without a response is not in doubt: the database records whether it was committed.
  const startRun = async (): Promise<boolean> => {
    if (agent === undefined) return updateAgent()
    const body = { agent: { namespace, name: agent.name }, input: 'chaos' }
    const made = await write('api', 'create', 'a run', async () => {
      const answer = await accepted({ method: 'POST', path: '/api/runs', body })
      return answer && { uid: answer.json<{ id: string }>().id, version: '' }
    })
    if (made !== undefined) runs.push(made.uid)
    return made !== undefined
  }
  const cancelRun = async (uid: string): Promise<boolean> => {
    const cancelled = await write(
      'api',
      'cancel',
      uid,
      async () => (await accepted({ method: 'POST', path: `/api/runs/${uid}/cancel` })) && { uid, version: '' },
    )
    return cancelled !== undefined
  }
  const remove = async (via: Change['via'], { name, uid }: Owned): Promise<boolean> => {
    const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
    const gone = await write(via, 'delete', name, async () => {
      if (via === 'api') return byApi('DELETE', `/api/templates/agent/${namespace}/${name}`, undefined, uid)
      await stage.admin.delete(AgentTemplate, ref, options)
      return { uid, version: '' }
    })
    return gone !== undefined
  }
  return {
    act: async () => {
      if (random.next() < runShare) {
        const run = runs.length > 3 || (runs.length > 0 && random.next() < 0.5) ? runs.shift() : undefined
        return run === undefined ? startRun() : cancelRun(run)
      }
      const via = random.next() < 0.5 ? 'api' : 'cluster'
      const roll = random.next()
      if (owned.length === 0 || (roll < 0.35 && owned.length < 50)) return create(via)
      const one = random.pick(owned)
      if (roll < 0.75) return via === 'api' ? updateAgent() : update(one)
      owned.splice(owned.indexOf(one), 1)
      return remove(via, one)
    },
  }
}

interface Made {
  readonly uid: string
  readonly version: string
}

// Shorter than the default: a write without a response is recorded as doubtful, and the writer continues.
const options = { deadlineMs: 5_000, fieldManager: 'chaos' } as const

function madeOf({ uid, resourceVersion }: KubeObject['metadata']): Made | undefined {
  return uid === undefined || resourceVersion === undefined ? undefined : { uid, version: resourceVersion }
}

function template(namespace: string, name: string) {
  return AgentTemplate.object({
    metadata: { namespace, name },
    spec: { title: name, template: { spec: { model: { route: 'mock' } } } },
  })
}
