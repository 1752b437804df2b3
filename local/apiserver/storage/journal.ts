import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'

/** An append-only file of JSON lines, each with its checksum; a line is durable once `append` resolves. */
export interface Journal {
  append(record: string): Promise<void>
  /** Resolves when everything appended so far is on disk. */
  settled(): Promise<void>
  /** Replaces the whole file by these records at the next quiet moment between two batches. */
  compact(records: () => Iterable<string>): void
  readonly bytes: number
  close(): Promise<void>
}

const encode = (record: string): string => `${crc32(record).toString(16).padStart(8, '0')} ${record}\n`

/**
 * Reads the records of a journal and cuts a torn tail: the bytes after the last whole line with a right checksum
 * were never acknowledged. They are kept beside the file, so that a cut is never silent.
 */
export function readJournal(file: string, log: (line: string) => void): string[] {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  const records: string[] = []
  let good = 0
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, good)) {
    const record = bytes.toString('utf8', good + 9, end)
    if (bytes.toString('latin1', good, good + 9) !== encode(record).slice(0, 9)) break
    records.push(record)
    good = end + 1
  }
  if (good < bytes.length) {
    writeFileSync(`${file}.torn`, bytes.subarray(good))
    truncateSync(file, good)
    log(`cut ${bytes.length - good} bytes of a torn write from ${file} (kept in ${file}.torn)`)
  }
  return records
}

/** Writes a journal anew: a temporary file, synced, renamed over the old one, the folder synced. */
function rewrite(file: string, records: Iterable<string>): number {
  const temporary = `${file}.tmp`
  const descriptor = openSync(temporary, 'w', 0o600)
  let bytes = 0
  let chunk = ''
  const write = () => {
    bytes += writeSync(descriptor, chunk)
    chunk = ''
  }
  for (const record of records) {
    chunk += encode(record)
    if (chunk.length > 1 << 20) write()
  }
  write()
  fsyncSync(descriptor)
  closeSync(descriptor)
  renameSync(temporary, file)
  syncFolder(dirname(file))
  return bytes
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Opens a journal for appending; all appends made while one batch is being synced form the next batch. */
export async function openJournal(file: string): Promise<Journal> {
  let handle: FileHandle = await open(file, 'a', 0o600)
  let bytes = (await handle.stat()).size
  syncFolder(dirname(file))
  let waiting: string[] = []
  let next: Promise<void> | undefined
  let running: Promise<void> = Promise.resolve()
  let compaction: (() => Iterable<string>) | undefined
  let failed: Error | undefined

  async function flush(): Promise<void> {
    next = undefined
    const batch = waiting.join('')
    waiting = []
    if (failed) throw failed
    try {
      await handle.appendFile(batch)
      await handle.datasync()
      bytes += Buffer.byteLength(batch)
      if (compaction) await replace(compaction)
    } catch (error) {
      // After a failed sync the kernel may have dropped the pages: nothing written later can be trusted.
      failed = error instanceof Error ? error : new Error(String(error))
      throw failed
    }
  }

  async function replace(records: () => Iterable<string>): Promise<void> {
    compaction = undefined
    waiting = [] // the records given already hold what waits: memory is ahead of the file
    bytes = rewrite(file, records())
    await handle.close()
    handle = await open(file, 'a', 0o600)
  }

  function settled(): Promise<void> {
    return next ?? running
  }

  return {
    append(record) {
      waiting.push(encode(record))
      if (!next) {
        next = running.catch(() => undefined).then(flush)
        running = next
        next.catch(() => undefined)
      }
      return next
    },
    settled,
    compact(records) {
      compaction = records
    },
    get bytes() {
      return bytes
    },
    async close() {
      await settled().catch(() => undefined)
      await handle.close()
    },
  }
}
