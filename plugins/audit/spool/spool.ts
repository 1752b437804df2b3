import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { takeLock } from '#core/store/process-lock.ts'
import { createSegment, type OpenSegment, removeSegment, type Segment } from './segment.ts'

/** A bounded folder of files that outlives its process: what was recorded and is not yet in the store. */
export interface Spool {
  /**
   * Appends an entry; undefined when there is no room or the disk refuses. `held`: it is in somebody's memory too, who settles it; else
   * `next` gives its segment when its turn comes.
   */
  write(line: string, held: boolean): Segment | undefined
  /** As many entries of a segment are in the store; when all are, their bytes are free again. */
  settle(segment: Segment, entries: number): void
  /** The lines of the oldest segment that is in nobody's memory: of a dead process, or written when memory was full. */
  next(): { readonly segment: Segment; readonly lines: readonly string[] } | undefined
  /** Everything written so far to the disk itself. */
  sync(): Promise<void>
  /** Entries that wait here. */
  size(): number
  close(): void
}

/** Where the spool is and how much it may hold. */
export interface SpoolOptions {
  /** One process at a time; a live one's folder is refused with its pid. */
  readonly folder: string
  readonly maxBytes: number
  /** Bytes after which the next file begins. */
  readonly segmentBytes?: number
}

/** Opens the folder (0700, files 0600) and takes over what a dead process left in it. */
export function openSpool(options: SpoolOptions): Spool {
  const { folder, maxBytes, segmentBytes = 1_048_576 } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const lock = takeLock(join(folder, 'lock'))
  const segments = new Set(findSegments(folder))
  // Names go up: several segments of one millisecond run ahead of the clock, also those of the process before.
  let made = Math.max(0, ...[...segments].map(({ path }) => Number(basename(path, '.jsonl'))))
  // What is held and what is left stand in files of their own: one is settled by whoever holds it, the other is read back whole.
  const open: Partial<Record<'held' | 'left', OpenSegment>> = {}
  const total = (of: (segment: Segment) => number): number => {
    let sum = 0
    for (const segment of segments) sum += of(segment)
    return sum
  }
  const openFor = (use: 'held' | 'left'): OpenSegment => {
    const current = open[use]
    if (current !== undefined && current.segment.bytes < segmentBytes) return current
    const path = join(folder, `${(made = Math.max(made + 1, Date.now()))}.jsonl`)
    const opened = createSegment(path, use === 'left')
    current?.close()
    segments.add(opened.segment)
    return (open[use] = opened)
  }
  const forget = (segment: Segment): void => {
    if (segment === open.held?.segment) return open.held.empty()
    segments.delete(segment)
    removeSegment(segment)
  }
  return {
    write: (line, held) => {
      try {
        const into = openFor(held ? 'held' : 'left')
        // What is in other segments changes rarely; the sum is over a handful.
        if (total(({ bytes }) => bytes) + line.length > maxBytes) return undefined
        into.append(line)
        return into.segment
      } catch {
        return undefined
      }
    },
    settle: (segment, entries) => {
      segment.pending -= entries
      if (segment.pending <= 0 && !segment.unread) forget(segment)
    },
    next: () => {
      const segment = [...segments].find(({ unread }) => unread)
      if (segment === undefined) return undefined
      if (segment === open.left?.segment) {
        open.left.close()
        delete open.left
      }
      segment.unread = false
      const lines = readLines(segment.path)
      segment.pending = lines.length
      if (lines.length === 0) forget(segment)
      return { segment, lines }
    },
    sync: async () => {
      for (const each of Object.values(open)) await each.sync()
    },
    size: () => total(({ pending }) => pending),
    close: () => {
      for (const { segment, close } of Object.values(open)) {
        close()
        if (segment.pending === 0) removeSegment(segment)
      }
      lock.release()
    },
  }
}

// In the order in which they were made: names are times.
function findSegments(folder: string): Segment[] {
  const names = readdirSync(folder).filter((name) => /^\d+\.jsonl$/.test(name))
  return names.toSorted().map((name) => {
    const path = join(folder, name)
    return { path, pending: readLines(path).length, bytes: statSync(path).size, unread: true }
  })
}

function readLines(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '')
}
