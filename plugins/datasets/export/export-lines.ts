import type { Reader } from '#core/event-store/store.ts'
import type { PreparedCase } from '../cases/prepare-case.ts'
import type { DatasetsTables } from '../contract/tables.ts'
import { readStaged } from '../store/exports.ts'

/** The cases of an export as lines of JSON, page by page: memory does not depend on their number. */
export async function* exportLines(db: Reader<DatasetsTables>, runId: string): AsyncGenerator<string> {
  for await (const page of readStaged(db, runId)) yield page.map(toLine).join('')
}

function toLine({ id, input, expected, metadata, tags }: PreparedCase): string {
  const shown = expected === null ? '' : `,"expected":${expected}`
  return `{"id":${JSON.stringify(id)},"input":${input}${shown},"metadata":${metadata},"tags":${JSON.stringify(tags)}}\n`
}
