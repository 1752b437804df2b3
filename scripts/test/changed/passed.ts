import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resultOf } from '../failures.ts'
import type { FileRun } from '../file-result.ts'
import { createFingerprints } from './fingerprint.ts'

/** Test files that passed, with fingerprints of their reads. */
export interface Passed {
  /** Whether everything that a file reads is unchanged since it last passed. Paths are from the root. */
  isCurrent(path: string): boolean
  /** Records the first run of a file. A failed run, or a run of a part of its tests, is not kept. */
  note(run: FileRun): void
  /** Merges the records into the stored file, which another run may have changed. */
  save(): void
}

/** Opens the records of a clone. Fingerprints are taken before the run, so the tests of a file that is edited meanwhile run again. */
export function openPassed(root: string, env: NodeJS.ProcessEnv, files: readonly string[]): Passed {
  const notes = join(root, 'node_modules', '.cache', 'mesh', 'passed.json')
  const fingerprint = createFingerprints(root, env)
  const current = new Map(files.map((path) => [path, fingerprint(path)]))
  const before = read(notes)
  const noted = new Map<string, string | undefined>()
  return {
    isCurrent: (path) => before[path] !== undefined && before[path] === current.get(path),
    note: (run) => {
      if (run.filtered || noted.has(run.path) || run.path.startsWith('..')) return
      noted.set(run.path, resultOf(run).failed === 0 ? current.get(run.path) : undefined)
    },
    save: () => {
      if (noted.size > 0) write(notes, { ...read(notes), ...Object.fromEntries(noted) })
    },
  }
}

function read(path: string): Record<string, string | undefined> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>
  } catch {
    return {}
  }
}

function write(path: string, notes: object): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(notes, undefined, 1))
  renameSync(draft, path)
}
