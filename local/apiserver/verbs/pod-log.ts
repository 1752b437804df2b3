import { badRequest } from '../json/api-error.ts'
import { isObject } from '../json/json-value.ts'
import type { JsonObject } from '../json/json-value.ts'
import { part } from '../json/kube-object.ts'
import type { KubeObject } from '../json/kube-object.ts'
import { isTrue } from '../rbac/request-info.ts'
import type { Exchange } from './exchange.ts'

/** Parameters of GET pods/log; times are absolute. */
export interface PodLogRequest {
  pod: KubeObject
  container: string
  follow: boolean
  previous: boolean
  timestamps: boolean
  tailLines?: number
  limitBytes?: number
  since?: Date
  /** Aborted when the client leaves or the server closes. */
  signal: AbortSignal
}

/** Reads the log of a container in chunks; ends at the end of the log, or when following ends. */
export type PodLogReader = (request: PodLogRequest) => AsyncIterable<string | Uint8Array>

function containersOf(pod: KubeObject): string[] {
  const spec = part(pod, 'spec')
  return ['containers', 'initContainers'].flatMap((key) => {
    const list = spec[key]
    return Array.isArray(list)
      ? list.filter((item): item is JsonObject => isObject(item)).map((item) => String(item['name']))
      : []
  })
}

function containerOf(pod: KubeObject, asked: string | null): string {
  const { name } = pod.metadata
  const all = containersOf(pod)
  if (asked) {
    if (all.includes(asked)) return asked
    throw badRequest(`container ${asked} is not valid for pod ${name}`)
  }
  const containers = part(pod, 'spec')['containers']
  if (Array.isArray(containers) && containers.length > 1) {
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
  }
  return all[0] ?? ''
}

function count(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (!/^\d+$/.test(text)) throw badRequest(`${name}: ${JSON.stringify(text)} is not a number`)
  return Number(text)
}

function sinceOf(query: URLSearchParams, now: Date): Date | undefined {
  const seconds = count(query, 'sinceSeconds')
  if (seconds !== undefined) return new Date(now.getTime() - seconds * 1000)
  const time = query.get('sinceTime')
  if (time === null) return undefined
  const since = new Date(time)
  if (Number.isNaN(since.getTime())) throw badRequest(`sinceTime: ${JSON.stringify(time)} is not an RFC 3339 time`)
  return since
}

/** Serves GET pods/log as text, streamed when following. */
export async function servePodLog(
  exchange: Exchange,
  pod: KubeObject,
  read: PodLogReader | undefined,
  context: { now: Date; closing: AbortSignal },
): Promise<void> {
  const { query, response } = exchange
  const container = containerOf(pod, query.get('container'))
  if (!read)
    throw badRequest(
      `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata.name)} is waiting to start: no node runs it`,
    )
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const tailLines = count(query, 'tailLines')
  const limitBytes = count(query, 'limitBytes')
  const since = sinceOf(query, context.now)
  const chunks = read({
    pod,
    container,
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(since === undefined ? {} : { since }),
    signal: AbortSignal.any([gone.signal, context.closing]),
  })
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-cache, private' })
  response.flushHeaders()
  for await (const chunk of chunks) {
    if (response.destroyed) break
    if (!response.write(chunk)) await drained(response)
  }
  response.end()
}

function drained(response: Exchange['response']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  response.once('drain', resolve)
  response.once('close', resolve)
  return promise
}
