import { access, constants, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { sleep } from '#core/async/sleep.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ApiClient } from '#cli/contract/api-client.ts'
import { toSafeText } from '#cli/contract/safe-text.ts'
import { writePrivateFile } from '#cli/contract/write-private-file.ts'
import { checkOf } from '#core/validation/validate.ts'
import { appendRun, SessionFixture } from '#plugins/recording/contract/format/append.ts'
import type { Fixture } from '#schemas/runs/fixture.ts'

const check = checkOf(SessionFixture)
// Parts are stored shortly after the end of a run.
const TRIES = 100
const PAUSE_MS = 50
// As much as a replay reads.
const MAX_BYTES = 256 * 1024 * 1024

/** Adds runs to the file of `--record`. */
export interface RunRecorder {
  /** Adds the recording of an ended run. Rejects with a `CliProblem`; the file is then as before. */
  add(runId: string): Promise<void>
}

/** Reads the recording that a file has, if it exists. Throws `CliProblem` for a file that is no recording: it would be overwritten. */
export async function openRecorder(path: string): Promise<(api: ApiClient) => RunRecorder> {
  let known = await readKnown(path)
  // Found now, not after the first run.
  await access(dirname(path), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(path, error)
  })
  let last: Promise<unknown> = Promise.resolve()
  const add = async (api: ApiClient, runId: string): Promise<void> => {
    const run = await readWhole(api, runId)
    const { input = null } = await api.get<{ readonly input?: unknown }>(['runs', runId])
    known = appendRun(known, run, input)
    await writePrivateFile(path, [JSON.stringify(known), '\n']).catch((error: NodeJS.ErrnoException) => {
      throw unwritable(path, error)
    })
  }
  return (api) => ({
    add: (runId) => {
      const added = last.then(() => add(api, runId))
      last = added.catch(() => undefined)
      return added
    },
  })
}

async function readKnown(path: string): Promise<SessionFixture | undefined> {
  let text: string
  try {
    const found = await stat(path)
    // A device may never end.
    const isReadable = found.isDirectory() || (found.isFile() && found.size <= MAX_BYTES)
    text = isReadable ? await readFile(path, 'utf8') : ''
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw unwritable(path, error as NodeJS.ErrnoException)
  }
  const value = parse(text)
  if (check(value).length > 0)
    throw new CliProblem(`--record ${toSafeText(path)}: the file exists and is no recording`, 'Name another file.')
  return value as SessionFixture
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unwritable(path: string, { code }: NodeJS.ErrnoException): CliProblem {
  return new CliProblem(
    `--record ${toSafeText(path)} cannot be written: ${code ?? 'unknown error'}`,
    'Name a file of a folder that you may write.',
  )
}

async function readWhole(api: ApiClient, runId: string): Promise<Fixture> {
  for (let tries = 1; ; tries++) {
    const found = await api.get<Fixture>(['runs', runId, 'fixture']).catch((error: unknown) => {
      if (tries >= TRIES) throw error
      return undefined
    })
    if (found?.complete === true || (found !== undefined && tries >= TRIES)) return found
    await sleep(PAUSE_MS)
  }
}
