import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Log } from '../json/log.ts'

/**
 * An append-only file of JSON lines, each with its checksum. A line is durable once `append` resolves. If a record cannot be written, it and
 * all queued records reject with `JournalFailure`. The file is then truncated to its last durable record, so that the next append can succeed.
 */
export interface Journal {
  append(record: string): Promise<void>
  /** Resolves when every append so far is on disk or rejected. */
  settled(): Promise<void>
  /** Replaces the file by these records between two batches. */
  compact(records: () => Iterable<string>): void
  readonly bytes: number
  close(): Promise<void>
}

/** The journal cannot be written now; `code` is the system's (ENOSPC, EIO). */
export class JournalFailure extends Error {
  readonly code: string
  constructor(cause: unknown) {
    super('the journal cannot be written', { cause })
    this.name = 'JournalFailure'
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  }
}

/** How a journal reports to its owner. */
export interface JournalOptions {
  /** Called before the failed appends reject: their changes in memory must be undone by then. */
  onRefused(failure: JournalFailure): void
  readonly log: Log
}

/** The part of a damaged journal that was removed at start. */
export interface JournalCut {
  readonly file: string
  /** Records before the first damaged one. */
  readonly records: number
  readonly cutBytes: number
  /** Intact records after it, which are lost with it. */
  readonly cutRecords: number
  /** The file that holds the removed part. */
  readonly kept: string
}

const encode = (record: string): string => `${crc32(record).toString(16).padStart(8, '0')} ${record}\n`

/**
 * Reads the records of a journal up to the first line with a wrong checksum and removes the rest: after a crash these
 * bytes were never acknowledged. They are kept in a second file and logged, because a damaged file looks the same.
 */
export function readJournal(
  file: string,
  log: Log,
): { readonly records: readonly string[]; readonly cut?: JournalCut } {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { records: [] }
    throw error
  }
  const { records, good } = readRecords(bytes, 0)
  if (good === bytes.length) return { records }
  const kept = freeName(`${file}.torn`)
  writeFileSync(kept, bytes.subarray(good), { mode: 0o600 })
  truncateSync(file, good)
  const cutRecords = countRecords(bytes, good)
  const cut = { file, records: records.length, cutBytes: bytes.length - good, cutRecords, kept }
  log('journal truncated at its first damaged record', cut)
  return { records, cut }
}

function readRecords(bytes: Buffer, from: number): { records: string[]; good: number } {
  const records: string[] = []
  let good = from
  for (let end = bytes.indexOf(10, good); end !== -1; end = bytes.indexOf(10, good)) {
    const record = bytes.toString('utf8', good + 9, end)
    if (bytes.toString('latin1', good, good + 9) !== encode(record).slice(0, 9)) break
    records.push(record)
    good = end + 1
  }
  return { records, good }
}

/** Intact records after a damaged one: none after a crash during a write, many in a file damaged later. */
function countRecords(bytes: Buffer, from: number): number {
  let count = 0
  for (let end = bytes.indexOf(10, from); end !== -1;) {
    const { records, good } = readRecords(bytes, end + 1)
    count += records.length
    end = bytes.indexOf(10, good)
  }
  return count
}

function freeName(name: string): string {
  let free = name
  for (let i = 1; existsSync(free); i += 1) free = `${name}.${i}`
  return free
}

/** Writes the records to a second file and syncs it; returns its size. */
function writeBeside(temporary: string, records: Iterable<string>): number {
  const descriptor = openSync(temporary, 'w', 0o600)
  let bytes = 0
  let chunk = ''
  const write = () => {
    // Unlike writeSync, it does not write a part when the disk is full.
    writeFileSync(descriptor, chunk)
    bytes += Buffer.byteLength(chunk)
    chunk = ''
  }
  try {
    for (const record of records) {
      chunk += encode(record)
      if (chunk.length > 1 << 20) write()
    }
    write()
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return bytes
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

interface Batch {
  text: string
  readonly done: PromiseWithResolvers<void>
}

/** Opens a journal for appending; all appends made while one batch is being synced form the next batch. */
export async function openJournal(file: string, { onRefused, log }: JournalOptions): Promise<Journal> {
  let handle: FileHandle | undefined = await open(file, 'a', 0o600)
  let bytes = (await handle.stat()).size
  syncFolder(dirname(file))
  let waiting: Batch | undefined
  let last: Promise<void> = Promise.resolve()
  let running = false
  let compaction: (() => Iterable<string>) | undefined
  /** File size at which a failed compaction is retried. */
  let compactFrom = 0
  /** Bytes after `bytes` may belong to a failed batch. */
  let torn = false

  async function run(): Promise<void> {
    await undefined // appends of the same turn belong to the same batch
    while (waiting) {
      const batch = waiting
      waiting = undefined
      try {
        if (batch.text !== '') await write(batch.text)
      } catch (error) {
        await refuse(batch, new JournalFailure(error))
        continue
      }
      batch.done.resolve()
      if (compaction) await replace(compaction)
    }
    running = false
  }

  async function write(text: string): Promise<void> {
    handle ??= await open(file, 'a', 0o600)
    if (torn) await cut(handle)
    await handle.appendFile(text)
    await handle.datasync()
    bytes += Buffer.byteLength(text)
  }

  async function cut(to: FileHandle): Promise<void> {
    torn = true
    await to.truncate(bytes)
    await to.datasync()
    torn = false
  }

  /** After a failed sync the kernel may have dropped pages: only bytes that were synced before are kept. */
  async function refuse(batch: Batch, failure: JournalFailure): Promise<void> {
    const behind = waiting
    waiting = undefined
    onRefused(failure)
    torn = true
    if (handle) await cut(handle).catch(() => undefined)
    // Reported after the truncation, so that a caller that learns of the failure finds no trace of it in the file.
    batch.done.reject(failure)
    behind?.done.reject(failure)
  }

  async function replace(records: () => Iterable<string>): Promise<void> {
    compaction = undefined
    const temporary = `${file}.tmp`
    try {
      const size = writeBeside(temporary, records())
      renameSync(temporary, file)
      const old = handle
      handle = undefined
      bytes = size
      compactFrom = 0
      syncFolder(dirname(file))
      // The snapshot includes the queued records: memory is ahead of the file.
      if (waiting) waiting.text = ''
      await old?.close()
    } catch (error) {
      rmSync(temporary, { force: true })
      compactFrom = bytes * 1.25
      log('journal not compacted', { file, code: new JournalFailure(error).code })
    }
  }

  return {
    append(record) {
      if (!waiting) {
        waiting = { text: '', done: Promise.withResolvers() }
        last = waiting.done.promise
        last.catch(() => undefined)
      }
      waiting.text += encode(record)
      const { promise } = waiting.done
      if (!running) {
        running = true
        // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
        void run()
      }
      return promise
    },
    settled: () => last.catch(() => undefined),
    compact(records) {
      if (bytes >= compactFrom) compaction = records
    },
    get bytes() {
      return bytes
    },
    async close() {
      await last.catch(() => undefined)
      await handle?.close()
    },
  }
}
