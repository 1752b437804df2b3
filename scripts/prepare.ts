import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareImage } from '#core/database/pglite-data-dir.ts'
import { imageOf } from '#local/data-folder/store-image.ts'
import { prepareProgram } from './program/prepare-program.ts'

// Runs once after an installation; saves four seconds of CPU at the first start.
const image = imageOf(process.env)
if (image !== undefined) await prepareImage(image).catch(() => undefined)
const root = fileURLToPath(new URL('..', import.meta.url))
const program = await prepareProgram(root)
// Both load all their modules and exit immediately, the first because its data folder is a file. The compiled code stays in the cache.
load([join(program, 'main.js'), 'all', '--data', 'package.json'])
load(['--import', join(program, 'local/workloads/compile-cache.mjs'), join(program, 'launcher/main.js')])

function load(args: readonly string[]): void {
  spawnSync(process.execPath, args, { cwd: root, stdio: 'ignore', env: { PATH: process.env.PATH } })
}
