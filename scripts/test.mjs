// Runs test.ts on a Node with type stripping, even if started by an older Node. Plain JavaScript for that reason.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findNode, oldestNode } from './find-node.mjs'

const found = findNode()
if (found === undefined) {
  console.error(`No Node.js >= ${oldestNode.join('.')} found: run \`node scripts/setup.mjs\`, which says what to do.`)
  process.exit(1)
}
if (found === process.execPath) {
  await import('./test.ts')
} else {
  const script = fileURLToPath(new URL('test.ts', import.meta.url))
  const { status } = spawnSync(found, [script, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exit(status ?? 1)
}
