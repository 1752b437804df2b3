import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { paths } from './bodies.ts'
import type { KindName } from './bodies.ts'
import type { Sequence, Step } from './steps.ts'

/** A server under comparison. */
export interface Target {
  readonly url: string
  readonly ca?: string
  readonly tokens: { readonly admin: string; readonly alice: string }
}

/** An answer as it came: the body parsed when it is JSON. */
export interface Answer {
  readonly status: number
  readonly warning?: string
  readonly body: unknown
}

interface Versioned {
  readonly uid: string
  readonly versions: string[]
}

const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) }

/** Closes what the driver keeps open. */
export function closeConnections(): void {
  agents.http.destroy()
  agents.https.destroy()
}

/** Sends one request with its path untouched; `onLine` reads a stream until it answers true. */
export function send(
  target: Target,
  given: {
    verb: string
    path: string
    user: 'admin' | 'alice'
    body?: unknown
    type?: string
    onLine?: (line: string) => boolean
  },
): Promise<Answer> {
  const secure = target.url.startsWith('https')
  const { hostname, port } = new URL(target.url)
  const text = given.body === undefined ? undefined : JSON.stringify(given.body)
  const headers: { [name: string]: string } = {
    authorization: `Bearer ${target.tokens[given.user]}`,
    'user-agent': 'differential/1',
    accept: 'application/json',
  }
  if (text !== undefined)
    Object.assign(headers, {
      'content-type': given.type ?? 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    })
  const options = {
    host: hostname,
    port,
    method: given.verb,
    path: given.path,
    headers,
    ...(target.ca ? { ca: target.ca } : {}),
  }
  return new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage) =>
      resolve(given.onLine ? readLines(answer, given.onLine) : readBody(answer))
    const call = secure
      ? httpsRequest({ ...options, agent: agents.https }, onAnswer)
      : httpRequest({ ...options, agent: agents.http }, onAnswer)
    call.once('error', reject)
    call.end(text)
  })
}

async function readBody(answer: IncomingMessage): Promise<Answer> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  const warning = answer.headers['warning']
  return { status: answer.statusCode ?? 0, ...(warning ? { warning } : {}), body: parse(text) }
}

async function readLines(answer: IncomingMessage, onLine: (line: string) => boolean): Promise<Answer> {
  const events: unknown[] = []
  let rest = ''
  for await (const chunk of answer.setEncoding('utf8')) {
    rest += chunk
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      events.push(parse(line))
      if (!onLine(line)) continue
      answer.destroy()
      return { status: answer.statusCode ?? 0, body: events }
    }
  }
  return { status: answer.statusCode ?? 0, body: rest ? parse(rest) : events }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The path of a step in a namespace; cluster-scoped names carry the namespace, so that sequences stay apart. */
export function pathOf(
  step: Pick<Step, 'kind' | 'name' | 'subresource' | 'query' | 'path'>,
  namespace: string,
): string {
  const [prefix, , , namespaced] = paths[step.kind]
  const query = new URLSearchParams(step.query).toString()
  const suffix = query ? `?${query}` : ''
  if (step.path !== undefined) return step.path.replace('NAMESPACE', namespace) + suffix
  const name =
    step.name === undefined
      ? ''
      : `/${namespaced || !/^[abc]$/.test(step.name) ? step.name : `${namespace}-${step.name}`}`
  return `${prefix}${namespaced ? `/namespaces/${namespace}` : ''}/${step.kind}${name}${step.subresource ? `/${step.subresource}` : ''}${suffix}`
}

/** Plays a sequence against one server and returns every answer, the watch of the whole last. */
export async function play(
  target: Target,
  sequence: Sequence,
  namespace: string,
): Promise<{ request: string; step: Step | undefined; answer: Answer }[]> {
  const seen = new Map<string, Versioned>()
  const out: { request: string; step: Step | undefined; answer: Answer }[] = []
  await send(target, {
    verb: 'POST',
    path: '/api/v1/namespaces',
    user: 'admin',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  })
  const watch = { kind: sequence.watched, query: {} }
  const start = await send(target, { verb: 'GET', path: pathOf(watch, namespace), user: 'admin' })
  for (const step of sequence.steps) {
    let path = pathOf(step, namespace)
    const request = `${step.user} ${step.verb} ${path}`
    for (let page = 0; page < 20; page += 1) {
      const answer = await send(target, { verb: step.verb, path, user: step.user, ...bodyOf(step, seen, namespace) })
      remember(seen, step, answer.body)
      out.push({ request: page > 0 ? `${request} page ${page}` : request, step, answer })
      const next = step.walk ? continueOf(answer.body) : undefined
      if (next === undefined) break
      path = pathOf({ ...step, query: { ...step.query, continue: next } }, namespace)
    }
  }
  out.push({
    request: `watch ${sequence.watched} ${sequence.watchSelector ?? ''}`,
    step: undefined,
    answer: await watchAll(target, sequence, { namespace, since: versionOf(start.body) }),
  })
  return out
}

async function watchAll(
  target: Target,
  sequence: Sequence,
  { namespace, since }: { namespace: string; since: string },
): Promise<Answer> {
  const query = {
    watch: 'true',
    resourceVersion: since,
    timeoutSeconds: '20',
    ...(sequence.watchSelector === null ? {} : { labelSelector: sequence.watchSelector }),
  }
  // The last object of the sequence ends the watch: nothing waits for a clock.
  const marker = markers[sequence.watched]
  const [, apiVersion, kind] = paths[sequence.watched]
  const labels = { app: sequence.watchSelector === 'app!=x' ? 'y' : 'x' }
  await send(target, {
    verb: 'POST',
    path: pathOf({ kind: sequence.watched, query: {} }, namespace),
    user: 'admin',
    body: { apiVersion, kind, metadata: { name: 'marker', labels }, ...marker },
  })
  return send(target, {
    verb: 'GET',
    path: pathOf({ kind: sequence.watched, query }, namespace),
    user: 'admin',
    onLine: (line) => line.includes('"name":"marker"'),
  })
}

const markers: { readonly [kind in KindName]?: object } = {
  widgets: { spec: { size: 1 } },
  services: { spec: { ports: [{ port: 80 }] } },
  deployments: {
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'a', image: 'i' }] } },
    },
  },
}

type Fields = { [key: string]: unknown }
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const metadataOf = (body: unknown): Fields => (isFields(body) && isFields(body['metadata']) ? body['metadata'] : {})
const versionOf = (body: unknown): string => String(metadataOf(body)['resourceVersion'] ?? '')

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

/** The body with the versions and identities of this very server filled in. */
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
  if (!namespaced && typeof metadata['name'] === 'string' && /^[abc]$/.test(metadata['name']))
    metadata['name'] = `${namespace}-${metadata['name']}`
  if (step.rv && step.rv !== 'none')
    metadata['resourceVersion'] = { fresh: known?.versions.at(-1) ?? '1', stale, zero: '0' }[step.rv]
  return { ...type, body }
}
