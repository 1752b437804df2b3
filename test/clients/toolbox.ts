import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exec } from './exec.ts'

/** This folder, with the lock files of the tools. */
export const here = fileURLToPath(new URL('.', import.meta.url))

// Milliseconds for an installation from the registries.
const INSTALL_MS = 900_000

/** Installs the npm packages of a folder here once per lock file. Returns where they are. */
export function installNpmTools(from = 'tools'): Promise<string> {
  const files = ['package.json', 'package-lock.json'].map((file) => join(from, file))
  return installed('npm', files, async (cwd) => {
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await exec([process.platform === 'win32' ? 'npm.cmd' : 'npm', 'ci', ...flags], { cwd, timeout: INSTALL_MS })
  })
}

/** Installs the Python tools into a virtual environment, once per requirements.txt. Returns their folder. */
export function installPythonTools(): Promise<string> {
  return installed('python', [join('tools', 'requirements.txt')], async (cwd) => {
    // Its programs contain the path of their interpreter, so it is created in place.
    await exec(['python3', '-m', 'venv', 'venv'], { cwd, timeout: INSTALL_MS })
    const pip = ['-m', 'pip', 'install', '--quiet', '-r', 'requirements.txt'] as const
    await exec(['venv/bin/python', ...pip], { cwd, timeout: INSTALL_MS })
  })
}

// A stamp is written last. Remains of an interrupted installation are removed.
async function installed(
  name: string,
  files: readonly string[],
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(here, file)))
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mesh', 'clients')
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 12)}`)
  if (existsSync(join(folder, 'installed'))) return folder
  console.log(`installing the ${name} tools into ${folder} ...`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of files) cpSync(join(here, file), join(folder, basename(file)))
  await install(folder)
  writeFileSync(join(folder, 'installed'), '')
  return folder
}
