import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '#core/json/is-object.ts'
import { mergeFixture, parsePart } from '#plugins/recording/contract/format/merge.ts'
import type { SessionFixture } from '#plugins/recording/contract/format/append.ts'

/** The inputs that a recording was made with, in order, and what the replayed agent is given. */
export interface RecordedRuns {
  readonly inputs: readonly unknown[]
  /** The model that the calls named. */
  readonly model: string | undefined
  readonly fixture: SessionFixture
}

/** Reads a recording that `replay-serve` has accepted: a file, or a folder with its parts. */
export async function readRecordedRuns(path: string): Promise<RecordedRuns> {
  const fixture = (await stat(path)).isDirectory() ? await mergeParts(path) : await readJson(path)
  const known = fixture as SessionFixture
  const { inputs: kept = [], model: calls } = known
  // Local runs are added behind those of a cluster, which have no inputs.
  const first = kept[0]?.epoch ?? Number.POSITIVE_INFINITY
  const inputs = [...derivedInputs(calls.filter(({ epoch }) => epoch < first)), ...kept.map(({ input }) => input)]
  const model = calls[0]?.request.body?.['model']
  return { inputs, model: typeof model === 'string' ? model : undefined, fixture: known }
}

async function mergeParts(folder: string): Promise<SessionFixture> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'))
  const parts = await Promise.all(files.map((name) => readJson(join(folder, name))))
  const { runId = '' } = parts.map(parsePart).find((part) => part !== undefined) ?? {}
  return mergeFixture(runId, parts)
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

// A recording of the cluster has no inputs: an attempt began with the last user message of its first call. An attempt that begins with
// another message continued the one before it.
function derivedInputs(model: SessionFixture['model']): readonly unknown[] {
  const seen = new Set<number>()
  return model.flatMap(({ epoch, request: { body } }) => {
    if (seen.has(epoch)) return []
    seen.add(epoch)
    const last = Array.isArray(body?.['messages']) ? (body['messages'].at(-1) as unknown) : undefined
    return isObject(last) && last['role'] === 'user' ? [textOf(last['content'])] : []
  })
}

function textOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? ''
  const texts = content.map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
  return texts.join('')
}
