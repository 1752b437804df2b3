import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { Scope } from '#test/harness/scope.ts'

/**
 * The commit that the upgrade begins at, of 2026-11-22. It is before the plugins whose keys and migrations an upgrade has to make. The newest
 * tag takes its place when there is one.
 */
export const OLDER_COMMIT = 'ad5e6ef818b6'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A version of the history: its files, and its images as archives. */
export interface OlderVersion {
  readonly folder: string
  readonly images: readonly string[]
}

/** Why the history lacks the commit, as in a shallow clone; undefined if it is there. */
export async function whyOlderIsAbsent(): Promise<string | undefined> {
  try {
    await run('git', ['-C', root, 'cat-file', '-e', `${OLDER_COMMIT}^{commit}`])
    return undefined
  } catch (error) {
    return `commit ${OLDER_COMMIT} is not in the history (git fetch --unshallow): ${String(error)}`
  }
}

/** Extracts the commit and builds its images with the installed packages. */
export async function buildOlder(
  t: Scope,
  tag: { readonly registry: string; readonly version: string },
): Promise<OlderVersion> {
  const folder = tempFolder('older')
  t.after(folder.remove)
  const source = join(folder.path, 'source')
  mkdirSync(source)
  const archive = join(folder.path, 'source.tar')
  await run('git', ['-C', root, 'archive', '--output', archive, OLDER_COMMIT])
  await run('tar', ['xf', archive, '-C', source])
  symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
  const out = join(folder.path, 'images')
  const args = ['scripts/images.ts', '--registry', tag.registry, '--tag', tag.version, '--out', out]
  await run(process.execPath, args, { cwd: source, timeout: 300_000 })
  return { folder: source, images: ['mesh-platform.tar', 'mesh-launcher.tar'].map((file) => join(out, file)) }
}
