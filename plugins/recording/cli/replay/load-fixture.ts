import { opendir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { checkOf } from '#core/validation/validate.ts'
import { mergeFixture, parsePart } from '#plugins/recording/contract/format/merge.ts'
import { MAX_PART_BYTES } from '#schemas/runs/fixture-format.ts'
import { SessionFixture } from '#plugins/recording/contract/format/append.ts'
import { isObject } from '#core/json/is-object.ts'
import type { Fixture } from '#schemas/runs/fixture.ts'

/** Thrown for a path without a recording. The message completes a sentence about the path and quotes nothing of its files. */
export class UnusableFixture extends Error {
  override readonly name = 'UnusableFixture'
}

const MIB = 1024 * 1024
/** A recording is completely in memory while it is replayed. */
const MAX_MIB = 256
/** More entries than the folder of the largest recording has. */
const MAX_ENTRIES = 101_000

const check = checkOf(SessionFixture)

/**
 * Reads a merged recording, or merges the parts below a folder. Links are not followed within the folder. Throws `UnusableFixture`, or the
 * error of the file system.
 */
export async function loadFixture(path: string): Promise<Fixture> {
  const found = await stat(path)
  if (found.isDirectory()) return mergeFolder(path)
  if (!found.isFile()) throw new UnusableFixture('is neither a file nor a folder')
  if (found.size > MAX_MIB * MIB) throw new UnusableFixture(`has more than ${MAX_MIB} MiB`)
  const value = parse(await readFile(path))
  const { format } = (isObject(value) ? value : {}) as { readonly format?: unknown }
  if (typeof format === 'string' && /^mesh\.fixture\/v(?!1$)\d{1,4}$/.test(format))
    throw new UnusableFixture(`has the format ${format}, which this version does not read: install a newer one`)
  const [problem] = check(value)
  if (problem !== undefined)
    throw new UnusableFixture(`is not a recording (mesh.fixture/v1): "${problem.pointer.slice(0, 120)}" is not valid`)
  return value as Fixture
}

async function mergeFolder(path: string): Promise<Fixture> {
  const parts = await readParts(path)
  const runs = new Set(parts.flatMap((value) => parsePart(value)?.runId ?? []))
  const [runId] = runs
  if (runId === undefined) throw new UnusableFixture('has no part of a recording')
  if (runs.size > 1) throw new UnusableFixture('has parts of more than one run')
  return mergeFixture(runId, parts)
}

async function readParts(path: string): Promise<readonly unknown[]> {
  const parts: unknown[] = []
  let [entries, bytes] = [0, 0]
  for await (const entry of await opendir(path, { recursive: true })) {
    if (++entries > MAX_ENTRIES) throw new UnusableFixture(`has more than ${MAX_ENTRIES} files`)
    if (!entry.isFile() || entry.name.startsWith('.') || !entry.name.endsWith('.json')) continue
    const file = join(entry.parentPath, entry.name)
    const { size } = await stat(file)
    bytes += size
    if (bytes > MAX_MIB * MIB) throw new UnusableFixture(`has more than ${MAX_MIB} MiB`)
    // The merge reports parts that are too large as missing.
    parts.push(size > 2 * MAX_PART_BYTES ? undefined : parse(await readFile(file)))
  }
  return parts
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
