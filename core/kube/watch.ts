import type { KubeObject, ListOptions, Resource, WatchEvent } from './client.ts'
import { callForStream, isTransport } from './request.ts'
import type { Connection } from './request.ts'
import { observed } from './instrument.ts'
import { errorFromStatus, isStatus, unreachableError } from './status.ts'
import { resourcePath, withQuery } from './url.ts'

/** Options of a watch. The server ends it after `timeoutSeconds` (default 290); the caller continues from its last version. */
export type WatchOptions = ListOptions & { readonly timeoutSeconds?: number }

// A frame is one object of at most 1.5 MiB in etcd; the limit stops a stream without newlines.
const MAX_FRAME_BYTES = 16 * 1024 * 1024

/** Yields events until the server or the signal ends the stream. A 410 by status or inside the stream is `expired` (M10). */
export async function* watch<O extends KubeObject>(
  connection: Connection,
  resource: Resource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<O>> {
  const timeoutSeconds = options.timeoutSeconds ?? 290
  // A frozen server never applies its own timeout; this one fires a little later.
  const patience = AbortSignal.timeout((timeoutSeconds + 15) * 1000)
  const signal = options.signal === undefined ? patience : AbortSignal.any([options.signal, patience])
  try {
    const path = watchPath(resource, options, timeoutSeconds)
    const request = { method: 'GET', path, signal, deadlineMs: options.deadlineMs } as const
    const answer = await observed(connection, request, () => callForStream(connection, request))
    for await (const line of lines(answer.body)) {
      const frame = toEvent<O>(line)
      yield frame
      if (frame.type === 'expired') return
    }
  } catch (error) {
    if (isStatus(error, 410)) yield { type: 'expired' }
    else if (options.signal?.aborted === true || patience.aborted) return
    else throw isTransport(error) ? unreachableError() : error
  }
}

function watchPath(resource: Resource, options: WatchOptions, timeoutSeconds: number): string {
  return withQuery(resourcePath(resource, { namespace: options.namespace }), {
    watch: true,
    allowWatchBookmarks: true,
    timeoutSeconds,
    resourceVersion: options.resourceVersion,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
  })
}

function toEvent<O extends KubeObject>(line: string): WatchEvent<O> {
  const frame: { type?: string; object?: O & { code?: number } } = JSON.parse(line)
  const object = frame.object
  if (object === undefined) throw unreachableError()
  if (frame.type === 'ERROR') {
    const error = errorFromStatus(typeof object.code === 'number' ? object.code : 500, object)
    if (error.status === 410) return { type: 'expired' }
    throw error
  }
  if (frame.type === 'BOOKMARK') return { type: 'bookmark', resourceVersion: object.metadata.resourceVersion ?? '' }
  return { type: changeType(frame.type), object, bytes: line.length }
}

function changeType(type: string | undefined): 'added' | 'modified' | 'deleted' {
  if (type === 'ADDED') return 'added'
  return type === 'DELETED' ? 'deleted' : 'modified'
}

/** Splits a byte stream at newlines. Chunks may split a multi-byte character, which never contains a newline byte. */
export async function* lines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pending: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...pending, chunk.subarray(start, end)]).toString('utf8')
      pending = []
      size = 0
      start = end + 1
      if (line.trim() !== '') yield line
    }
    if (start === chunk.length) continue
    pending.push(chunk.subarray(start))
    size += chunk.length - start
    if (size > MAX_FRAME_BYTES) throw unreachableError()
  }
}
