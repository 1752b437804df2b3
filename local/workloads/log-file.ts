import { once, EventEmitter } from 'node:events'
import { createReadStream, existsSync, mkdirSync, renameSync, writeSync, openSync, closeSync, fstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { StringDecoder } from 'node:string_decoder'
import { LAUNCHER_LINE } from '#schemas/launcher/launcher-line.ts'

/** A container's log on disk: each line follows its time. */
export interface ContainerLog {
  /** Appends output of a process; an incomplete line is buffered. */
  write(chunk: Buffer): void
  /** Ends the last line and closes the followers. */
  end(): void
  /** The last line with text, for a pod's termination message; undefined for an empty log. */
  lastLine(): string | undefined
  /** The selected lines, then new ones if following. */
  read(query: LogQuery): AsyncGenerator<string>
}

/** Parameters of a log request (Kubernetes API reference, read log of the specified Pod). */
export interface LogQuery {
  readonly follow: boolean
  readonly timestamps: boolean
  readonly tailLines?: number
  readonly since?: Date
  readonly signal: AbortSignal
}

/** Maximum size of the current file; one previous file is kept. */
const MAX_FILE_BYTES = 10 * 1024 * 1024

/** Number of characters; the kubelet takes this number of bytes from the end of a log. */
const MAX_LAST_LINE = 2048

/** Opens the log of one container of one start. */
export function createContainerLog(path: string, now: () => Date = () => new Date()): ContainerLog {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const written = new EventEmitter({ captureRejections: false })
  written.setMaxListeners(0)
  let file = openSync(path, 'a', 0o600)
  let size = fstatSync(file).size
  const decoder = new StringDecoder('utf8') // a character may be cut by a chunk
  let pending = ''
  let ended = false
  let last: string | undefined
  const append = (line: string): void => {
    // The agent's own output explains its end better than the launcher's line after it.
    const isSaid = line.trim() !== '' && !(last !== undefined && line.startsWith(LAUNCHER_LINE))
    if (isSaid) last = line.slice(0, MAX_LAST_LINE)
    const text = `${now().toISOString()} ${line}\n`
    if (size > MAX_FILE_BYTES) {
      closeSync(file)
      renameSync(path, `${path}.old`)
      file = openSync(path, 'a', 0o600)
      size = 0
    }
    size += writeSync(file, text)
    written.emit('line', text)
  }
  return {
    write: (chunk) => {
      if (ended) return
      const lines = (pending + decoder.write(chunk)).split('\n')
      pending = lines.pop() ?? ''
      for (const line of lines) append(line)
    },
    end: () => {
      if (ended) return
      if (pending !== '') append(pending)
      ended = true
      closeSync(file)
      written.emit('end')
    },
    lastLine: () => last,
    read: (query) => read(path, query, { written, isEnded: () => ended }),
  }
}

interface Live {
  readonly written: EventEmitter
  readonly isEnded: () => boolean
}

async function* read(path: string, query: LogQuery, live: Live): AsyncGenerator<string> {
  // Listens before reading: a line that is written meanwhile is read twice, and skipped once by its offset.
  const queue: string[] = []
  const wake = new EventEmitter()
  const onLine = (text: string): void => {
    queue.push(text)
    wake.emit('wake')
  }
  const stop = (): void => {
    wake.emit('wake')
  }
  live.written.on('line', onLine).on('end', stop)
  query.signal.addEventListener('abort', stop, { once: true })
  try {
    const stored = await readStored(path, query)
    const overlap = queue.filter((text) => stored.includes(text)).length
    queue.splice(0, overlap)
    for (const text of tail(stored, query.tailLines)) yield shown(text, query)
    while (query.follow && !query.signal.aborted) {
      for (let text = queue.shift(); text !== undefined; text = queue.shift()) yield shown(text, query)
      if (live.isEnded() || query.signal.aborted) return
      await once(wake, 'wake')
    }
  } finally {
    live.written.off('line', onLine).off('end', stop)
    query.signal.removeEventListener('abort', stop)
  }
}

async function readStored(path: string, query: LogQuery): Promise<string[]> {
  const lines: string[] = []
  const since = query.since?.toISOString() ?? ''
  for (const file of [`${path}.old`, path]) {
    if (!existsSync(file)) continue
    // Times have a fixed width: strings compare like times.
    for await (const line of createInterface({ input: createReadStream(file, 'utf8') }))
      if (line >= since) lines.push(`${line}\n`)
  }
  return lines
}

function tail(lines: readonly string[], count: number | undefined): readonly string[] {
  if (count === undefined) return lines
  return count === 0 ? [] : lines.slice(-count)
}

function shown(text: string, query: LogQuery): string {
  return query.timestamps ? text : text.slice(text.indexOf(' ') + 1)
}
