import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { prepareImage } from '#core/database/pglite-data-dir.ts'
import { imageOf } from '#local/data-folder/store-image.ts'

// Runs once after an installation, and saves the first start four seconds of CPU.
const image = imageOf(process.env)
if (image !== undefined) await prepareImage(image).catch(() => undefined)
// Both load all their modules and exit at once, the first since its data folder is a file; the compiled code stays in the cache.
const root = fileURLToPath(new URL('..', import.meta.url))
const cache = new URL('../local/workloads/compile-cache.mjs', import.meta.url).href
load(['main.ts', 'all', '--data', 'package.json'])
load(['--import', cache, 'launcher/main.ts'])

function load(args: readonly string[]): void {
  spawnSync(process.execPath, args, { cwd: root, stdio: 'ignore', env: { PATH: process.env.PATH } })
}
