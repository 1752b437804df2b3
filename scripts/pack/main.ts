import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePackage, packTarball } from './pack.ts'

// npm run pack: dist/package, the published package as a folder, and its tarball in dist.
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'dist', 'package')
await makePackage(root, folder)
console.log(packTarball(folder, join(root, 'dist')))
