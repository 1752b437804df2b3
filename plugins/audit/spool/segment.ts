import { closeSync, fdatasync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

const flushToDisk = promisify(fdatasync)

/** One file of the spool: a line an entry. */
export interface Segment {
  readonly path: string
  /** Entries that are not yet in the store. */
  pending: number
  bytes: number
  /** Its entries are in nobody's memory: it is read back before it may go. */
  unread: boolean
}

/** The segment that is written to. */
export interface OpenSegment {
  readonly segment: Segment
  /** In the page cache when it returns, so that kill -9 of this process loses nothing; throws what the disk says. */
  append(line: string): void
  /** Forgets every entry. */
  empty(): void
  /** To the disk itself, for the machine's own end. */
  sync(): Promise<void>
  close(): void
}

/** Makes a segment's file, readable by this user only. */
export function createSegment(path: string, unread: boolean): OpenSegment {
  const fd = openSync(path, 'ax', 0o600)
  const segment: Segment = { path, pending: 0, bytes: 0, unread }
  let open = true
  return {
    segment,
    append: (line) => {
      const bytes = Buffer.byteLength(line)
      const written = writeSync(fd, line)
      // A disk that is full takes a part: the torn line goes, or the next entry would be glued to it.
      if (written < bytes) {
        ftruncateSync(fd, segment.bytes)
        throw new Error('the disk took a part of an entry')
      }
      segment.bytes += bytes
      segment.pending++
    },
    empty: () => {
      ftruncateSync(fd, 0)
      segment.bytes = 0
    },
    sync: async () => {
      if (open) await flushToDisk(fd).catch(() => undefined)
    },
    close: () => {
      open = false
      closeSync(fd)
    },
  }
}

/** Removes the file of a segment; one that is gone already is fine. */
export function removeSegment(segment: Segment): void {
  rmSync(segment.path, { force: true })
}
