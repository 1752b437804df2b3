import { isObject } from '#core/json/is-object.ts'
import { paths } from './bodies.ts'
import type { KindName } from './bodies.ts'
import { send } from './http.ts'
import type { Answer, Target } from './http.ts'
import type { Step } from './step.ts'
import type { Sequence } from './steps.ts'

/** One request and its response; the final watch has no step. */
export interface Played {
  readonly request: string
  readonly step: Step | undefined
  readonly answer: Answer
}

/** Plays one sequence against one server, step by step, so that two servers are kept in sync. */
export interface Player {
  take(step: Step): Promise<Played[]>
  /** Deletes the object of a step in any state, so that neither server has it. */
  forget(step: Step): Promise<void>
  /** Stores the version from which the final watch starts. */
  mark(): Promise<void>
  watch(): Promise<Played>
}

interface Versioned {
  readonly uid: string
  readonly versions: string[]
}

type Fields = { [key: string]: unknown }

const metadataOf = (body: unknown): Fields => (isObject(body) && isObject(body['metadata']) ? body['metadata'] : {})
const isShort = (name: unknown): name is string => typeof name === 'string' && /^[abc]$/.test(name)

/** Name of the object of a step; undefined for the collection. */
export function nameOf(step: Step): string | undefined {
  const name = step.name ?? metadataOf(step.body)['name']
  return typeof name === 'string' ? name : undefined
}

/** Path of a step in a namespace. Names of cluster-scoped objects contain the namespace, so that sequences do not interfere. */
function pathOf(step: Pick<Step, 'kind' | 'name' | 'subresource' | 'query' | 'path'>, namespace: string): string {
  const [prefix, , , namespaced] = paths[step.kind]
  const query = new URLSearchParams(step.query).toString()
  const suffix = query ? `?${query}` : ''
  if (step.path !== undefined) return step.path.replace('NAMESPACE', namespace) + suffix
  const called = namespaced || !isShort(step.name) ? step.name : `${namespace}-${step.name}`
  return [
    `${prefix}${namespaced ? `/namespaces/${namespace}` : ''}/${step.kind}`,
    ...(called === undefined ? [] : [called]),
    ...(step.subresource ? [step.subresource] : []),
  ]
    .join('/')
    .concat(suffix)
}

const TRIES = 500

async function sendUntil(
  target: Target,
  { verb, user, until }: Step,
  given: { path: string; body?: unknown; type?: string },
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(target, { verb, user, ...given })
    if (until === undefined || answer.status === until || tries === TRIES) return answer
  }
}

/** Creates the namespace of a sequence, and a player in it. */
export async function createPlayer(target: Target, sequence: Sequence, namespace: string): Promise<Player> {
  const seen = new Map<string, Versioned>()
  let since = ''
  const admin = (verb: string, step: Parameters<typeof pathOf>[0], more: { body?: unknown; type?: string } = {}) =>
    send(target, { verb, path: pathOf(step, namespace), user: 'admin', ...more })
  await send(target, {
    verb: 'POST',
    path: '/api/v1/namespaces',
    user: 'admin',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  })

  async function take(step: Step): Promise<Played[]> {
    const out: Played[] = []
    let path = pathOf(step, namespace)
    const request = `${step.user} ${step.verb} ${path}`
    for (let page = 0; page < 20; page += 1) {
      const answer = await sendUntil(target, step, { path, ...bodyOf(step, seen, namespace) })
      remember(seen, step, answer.body)
      out.push({ request: page > 0 ? `${request} page ${page}` : request, step, answer })
      const next = step.walk ? continueOf(answer.body) : undefined
      if (next === undefined) break
      if (page === 0 && step.between) await take(step.between)
      path = pathOf({ ...step, query: { ...step.query, continue: next } }, namespace)
    }
    return out
  }

  async function forget(step: Step): Promise<void> {
    const { kind } = step
    const name = nameOf(step)
    const list = await admin('GET', { kind, query: {} })
    const items = isObject(list.body) && Array.isArray(list.body['items']) ? list.body['items'] : []
    for (const item of items) {
      const called = String(metadataOf(item)['name'])
      const short = paths[kind][3] ? called : called.replace(`${namespace}-`, '')
      if (name !== undefined ? short !== name : !paths[kind][3] && short === called) continue
      const type = 'application/merge-patch+json'
      await admin('PATCH', { kind, name: called, query: {} }, { body: { metadata: { finalizers: null } }, type })
      await admin('DELETE', {
        kind,
        name: called,
        query: { gracePeriodSeconds: '0', propagationPolicy: 'Background' },
      })
    }
  }

  async function mark(): Promise<void> {
    const { body } = await admin('GET', { kind: sequence.watched, query: {} })
    since = String(metadataOf(body)['resourceVersion'] ?? '')
  }

  async function watch(): Promise<Played> {
    const { watched: kind, watchQuery } = sequence
    const query = {
      watch: 'true',
      timeoutSeconds: '20',
      ...watchQuery,
      ...(sequence.watchState ? {} : { resourceVersion: since }),
    }
    // The last object of the sequence ends the watch, so that no timeout is needed.
    const [, apiVersion, type] = paths[kind]
    const labels = { app: watchQuery['labelSelector'] === 'app!=x' ? 'y' : 'x' }
    const body = { apiVersion, kind: type, metadata: { name: 'marker', labels }, ...markers[kind] }
    await admin('POST', { kind, query: {} }, { body })
    const path = pathOf({ kind, query }, namespace)
    const onLine = (line: string) => line.includes('"name":"marker"') || line.includes('"type":"ERROR"')
    return {
      request: `watch ${path}`,
      step: undefined,
      answer: await send(target, { verb: 'GET', path, user: 'admin', onLine }),
    }
  }

  return { take, forget, mark, watch }
}

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'a', image: 'i' }], restartPolicy: 'Always' },
}
const markers: { readonly [kind in KindName]?: object } = {
  widgets: { spec: { size: 1 } },
  services: { spec: { ports: [{ port: 80 }] } },
  pods: { spec: template.spec },
  deployments: { spec: { selector: { matchLabels: { app: 'x' } }, template } },
}

function continueOf(body: unknown): string | undefined {
  const next = metadataOf(body)['continue']
  return typeof next === 'string' && next !== '' ? next : undefined
}

function remember(seen: Map<string, Versioned>, step: Step, body: unknown): void {
  const { name, uid, resourceVersion } = metadataOf(body)
  if (typeof uid !== 'string' || typeof resourceVersion !== 'string' || step.query['dryRun'] === 'All') return
  const key = `${step.kind}/${String(name)}`
  const known = seen.get(key)
  if (known?.uid === uid) {
    if (known.versions.at(-1) !== resourceVersion) known.versions.push(resourceVersion)
  } else seen.set(key, { uid, versions: [resourceVersion] })
}

/** Fills in the versions and uids of this server. */
function bodyOf(step: Step, seen: Map<string, Versioned>, namespace: string): { body?: unknown; type?: string } {
  const type = step.type === undefined ? {} : { type: step.type }
  const [, , , namespaced] = paths[step.kind]
  const known = seen.get(
    `${step.kind}/${namespaced || step.name === undefined ? step.name : `${namespace}-${step.name}`}`,
  )
  const stale = known?.versions.at(-2) ?? '1'
  if (step.precondition) {
    const fresh = {
      uid: { uid: known?.uid ?? 'none' },
      'wrong uid': { uid: 'other' },
      rv: { resourceVersion: known?.versions.at(-1) ?? '1' },
      'stale rv': { resourceVersion: stale },
    }
    return { ...type, body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: fresh[step.precondition] } }
  }
  if (step.body === undefined || step.verb === 'GET' || step.does === 'odd name')
    return step.verb === 'PUT' ? { ...type, body: step.body } : {}
  const body: unknown = JSON.parse(JSON.stringify(step.body).replaceAll('NAMESPACE', namespace))
  const metadata = metadataOf(body)
  if (!namespaced && isShort(metadata['name'])) metadata['name'] = `${namespace}-${metadata['name']}`
  if (step.rv && step.rv !== 'none')
    metadata['resourceVersion'] = { fresh: known?.versions.at(-1) ?? '1', stale, zero: '0' }[step.rv]
  return { ...type, body }
}
