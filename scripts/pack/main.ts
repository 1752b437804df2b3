import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePackage, packTarball } from './pack.ts'

// npm run pack: writes the published package as a folder to dist/package, and its tarball to dist.
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'dist', 'package')
await makePackage(root, folder)
console.log(packTarball(folder, join(root, 'dist')))
