import { closeSync, fdatasync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

const flushToDisk = promisify(fdatasync)

/** One file of the spool, with one entry per line. */
export interface SpoolSegment {
  readonly path: string
  /** Entries that are not yet in the store. */
  pending: number
  bytes: number
  /** Entries exist only on disk; the segment is read back before it is deleted. */
  unread: boolean
}

/** The segment to which new entries are appended. */
export interface OpenSegment {
  readonly segment: SpoolSegment
  /** Writes to the page cache, so that kill -9 of this process loses nothing. Throws the error of the file system. */
  append(line: string): void
  /** Removes every entry. */
  empty(): void
  /** Syncs to the disk, so that a crash of the machine loses nothing. */
  sync(): Promise<void>
  close(): void
}

/** Creates a segment's file, readable by this user only. */
export function createSegment(path: string, unread: boolean): OpenSegment {
  const fd = openSync(path, 'ax', 0o600)
  const segment: SpoolSegment = { path, pending: 0, bytes: 0, unread }
  let open = true
  return {
    segment,
    append: (line) => {
      const bytes = Buffer.byteLength(line)
      const written = writeSync(fd, line)
      // On a full disk, a part of a line may be written. It is truncated, or the next entry would be appended to it.
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

/** Removes the file of a segment, if it exists. */
export function removeSegment(segment: SpoolSegment): void {
  rmSync(segment.path, { force: true })
}
