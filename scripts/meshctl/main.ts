import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildBinary, ownTarget, targets } from './build-binary.ts'
import { bundleMeshctl } from './bundle-meshctl.ts'

// npm run meshctl [-- TARGET...]: writes single binaries of meshctl to dist/meshctl; without targets, that of this machine.
const root = fileURLToPath(new URL('../..', import.meta.url))
const given = process.argv.slice(2)
const wanted = given.length === 0 ? [ownTarget] : given
const unknown = wanted.filter((name) => !targets.some((target) => target.name === name))
if (unknown.length > 0) {
  console.error(`unknown target ${unknown.join(', ')}: there is ${targets.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}
const folder = join(root, 'dist', 'meshctl')
mkdirSync(folder, { recursive: true })
const bundle = join(folder, 'meshctl.cjs')
await bundleMeshctl(root, bundle)
for (const target of targets.filter(({ name }) => wanted.includes(name))) {
  const file = buildBinary(root, bundle, target, folder)
  console.log(`${file} ${Math.round(statSync(file).size / 1e6)} MB`)
}
