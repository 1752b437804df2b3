import { parentPort, workerData } from 'node:worker_threads'
import { parseDocument } from './parse-document.ts'
import type { ParseRequest } from './parse-document.ts'
import { IngestFailure } from './parsed-document.ts'
import type { ParsedDocument } from './parsed-document.ts'

/** Report of the thread at its end. */
export type ParseReport = { readonly document: ParsedDocument } | { readonly failure: IngestFailure['problem'] }

const report = (value: ParseReport): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort?.postMessage(value)
}

try {
  report({ document: await parseDocument(workerData as ParseRequest) })
} catch (error) {
  report({ failure: error instanceof IngestFailure ? error.problem : 'unreadable' })
}
