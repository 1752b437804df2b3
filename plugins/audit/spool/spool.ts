import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { takeLock } from '#core/database/lock-file.ts'
import { createSegment, removeSegment } from './segment.ts'
import type { OpenSegment, SpoolSegment } from './segment.ts'

/** A bounded folder of entries that are not stored yet. It survives its process. */
export interface Spool {
  /**
   * Appends an entry. Returns undefined if there is no room or the write fails. `held`: the entry is in memory, too, and its owner
   * settles it; otherwise `next` returns its segment in order.
   */
  write(line: string, held: boolean): SpoolSegment | undefined
  /** Marks entries of a segment as stored. When all are, their bytes are released. */
  settle(segment: SpoolSegment, entries: number): void
  /** Lines of the oldest segment that is not in memory: of an earlier process, or written when memory was full. */
  next(): { readonly segment: SpoolSegment; readonly lines: readonly string[] } | undefined
  /** Syncs all entries to the disk. */
  sync(): Promise<void>
  /** Number of waiting entries. */
  size(): number
  close(): void
}

/** Location and limits of the spool. */
export interface SpoolOptions {
  /** Folder of one process. A folder in use is refused with the pid of its owner. */
  readonly folder: string
  readonly maxBytes: number
  /** Size of a file in bytes before the next one is started. */
  readonly segmentBytes?: number
}

/** Opens the spool's folder (mode 0700, files 0600) and takes over the entries of an earlier process. */
export function openSpool(options: SpoolOptions): Spool {
  const { folder, maxBytes, segmentBytes = 1_048_576 } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const lock = takeLock(join(folder, 'lock'))
  const segments = new Set(findSegments(folder))
  // Names increase: several segments within a millisecond run ahead of the clock, including those of the previous process.
  let made = Math.max(0, ...[...segments].map(({ path }) => Number(basename(path, '.jsonl'))))
  // Held and released entries have separate files: held ones are settled by their owner, released ones are read back as a whole.
  const open: Partial<Record<'held' | 'left', OpenSegment>> = {}
  const total = (of: (segment: SpoolSegment) => number): number => {
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
  const forget = (segment: SpoolSegment): void => {
    if (segment === open.held?.segment) return open.held.empty()
    segments.delete(segment)
    removeSegment(segment)
  }
  return {
    write: (line, held) => {
      try {
        const into = openFor(held ? 'held' : 'left')
        // Other segments change rarely, and there are only a few.
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

// In order of creation, since names are timestamps.
function findSegments(folder: string): SpoolSegment[] {
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
