import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { consoleFile, consolesFolder } from './current-console.mjs'

// Reads of the project: ui schemas scripts/console plugins/*/console package.json
/** The packed console of the current sources: built unless it exists, and kept in place of that of earlier sources. */
export async function currentPackedConsole(root: string): Promise<Buffer> {
  const file = consoleFile(root)
  if (file === undefined) throw new Error(`${root} has no sources of the console`)
  const kept = read(file)
  if (kept !== undefined) return kept
  // The bundler is loaded only here.
  const { packConsole } = await import('./pack-console.ts')
  const { packed } = await packConsole(root)
  // Sources that were edited meanwhile may have been read in either state.
  if (consoleFile(root) === file) keep(root, file, packed)
  return packed
}

// Another process may remove it between a look and a read.
function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

// Another process may build the same console.
function keep(root: string, file: string, packed: Buffer): void {
  const folder = consolesFolder(root)
  mkdirSync(folder, { recursive: true })
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, packed)
  renameSync(unfinished, file)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (path !== file && name.endsWith('.json.gz')) rmSync(path, { force: true })
  }
}
