// A fingerprint of sources. Plain JavaScript for Node 18 and newer, since the set-up of a clone uses it.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const passedOver = /^(?:node_modules|testdata)$|\.test\.ts$/

/** Fingerprint of files and folders below a root, without tests: of names, sizes and modification times. Missing ones are passed over. */
export function keyOfSources(root, paths) {
  const hash = createHash('sha256')
  const files = paths.filter((path) => existsSync(join(root, path))).flatMap((path) => filesAt(root, path))
  for (const path of [...files].sort()) {
    const { size, mtimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

function filesAt(root, path) {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    if (passedOver.test(entry.name)) return []
    const below = `${path}/${entry.name}`
    if (entry.isDirectory()) return filesAt(root, below)
    return entry.isFile() ? [below] : []
  })
}
