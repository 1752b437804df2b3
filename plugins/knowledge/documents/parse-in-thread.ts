import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ParseRequest } from './parse-document.ts'
import type { ParseReport } from './parse-worker.ts'
import { IngestFailure } from './parsed-document.ts'
import type { ParsedDocument } from './parsed-document.ts'

/** Limits for parsing one document. */
export interface ThreadLimits {
  readonly timeoutMs: number
  readonly memoryMb: number
  readonly signal?: AbortSignal
}

const CHECK_MS = 200

// Bundled as JavaScript beside the chunks.
const bundled = new URL('./parse-worker.js', import.meta.url)
const program = existsSync(bundled) ? bundled : new URL('./parse-worker.ts', import.meta.url)

/**
 * Reads a document in its own thread, so that neither its cost nor a defect of a parser reaches other work. The thread is stopped when it exceeds its
 * time or memory limit, including buffers. Throws `IngestFailure`, or the reason of the signal.
 */
export async function parseInThread(
  request: ParseRequest,
  { timeoutMs, memoryMb, signal }: ThreadLimits,
): Promise<ParsedDocument> {
  signal?.throwIfAborted()
  const worker = new Worker(program, {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<ParseReport>()
  const onAbort = (): void => reject(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  const deadline = setTimeout(() => reject(new IngestFailure('parse_timeout')), timeoutMs)
  const memory = setInterval(() => {
    // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
    watchMemory(worker, memoryMb, reject)
  }, CHECK_MS)
  worker.once('message', resolve)
  worker.once('error', () => reject(new IngestFailure('too_large')))
  worker.once('exit', () => reject(new IngestFailure('unreadable')))
  try {
    const report = await promise
    if ('failure' in report) throw new IngestFailure(report.failure)
    return report.document
  } finally {
    clearTimeout(deadline)
    clearInterval(memory)
    signal?.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}

// The limit of the heap does not count buffers, into which a PDF is decompressed.
async function watchMemory(worker: Worker, memoryMb: number, stop: (error: IngestFailure) => void): Promise<void> {
  try {
    const { total_heap_size: heap, external_memory: external } = await worker.getHeapStatistics()
    if (heap + external > memoryMb * 1024 * 1024) stop(new IngestFailure('too_large'))
  } catch {
    // The thread has ended.
  }
}
