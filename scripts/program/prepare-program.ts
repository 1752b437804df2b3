import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { imageOf } from '#local/data-folder/store-image.ts'
import { currentPackedConsole } from '../console/current-packed.ts'
import { findProgram, programFolder, programsFolder } from './current-program.mjs'
import { makeProgram } from './make-program.ts'

const prepareStore = 'local/data-folder/prepare-store'
// Tests start a worker whose agents have addresses of this machine.
const furtherEntries = [`${prepareStore}.ts`, 'test/flows/platform/role-process.ts']
// A running platform may still load a chunk of an older bundle.
const keptMs = 7 * 24 * 3600 * 1000

/** Bundles the program of the current sources, unless the bundle exists, and removes bundles older than a week. Returns its folder. */
export async function prepareProgram(root: string): Promise<string> {
  const known = findProgram(root)
  if (known !== undefined) return known
  const folder = programFolder(root)
  const programs = programsFolder(root)
  mkdirSync(programs, { recursive: true })
  removeOld(programs)
  const unfinished = mkdtempSync(join(programs, 'unfinished-'))
  try {
    // Kept for those who serve it from the sources.
    const packed = await currentPackedConsole(root)
    await makeProgram(root, unfinished, { further: furtherEntries, console: packed })
    // The sources were edited meanwhile: the bundle may match neither state.
    if (programFolder(root) !== folder) return await prepareProgram(root)
    fillStore(unfinished)
    moveTo(folder, unfinished)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
  return folder
}

// Without the migrated store, the first start migrates its own store.
function fillStore(program: string): void {
  const image = imageOf(process.env)
  const entry = join(program, `${prepareStore}.js`)
  const args = ['--liftoff-only', entry, ...(image === undefined ? [] : [image])]
  spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] })
}

// Another process may have created the same bundle meanwhile.
function moveTo(folder: string, made: string): void {
  try {
    renameSync(made, folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

function removeOld(programs: string): void {
  for (const name of readdirSync(programs)) {
    const folder = join(programs, name)
    if (Date.now() - statSync(folder).mtimeMs > keptMs) rmSync(folder, { recursive: true, force: true })
  }
}
