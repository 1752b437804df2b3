import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { bundleLauncher } from './bundle.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// Each of them came by an import that looked harmless, and costs every agent pod its start and its memory.
const absent = [
  /\/undici\/lib\/milo\//,
  /\/undici\/lib\/dispatcher\/client-h2\.js$/,
  /\/undici\/lib\/(?:mock|cache|web\/websocket)\//,
  /node_modules\/(?:fastify|kysely|pg|typebox|awilix|commander|pino|@kubernetes)\//,
  /^core\/(?:database|event-store|messaging|host|plugin)\//,
]

test('the bundle of the launcher carries one HTTP/1 parser, no server framework and no database', async (t) => {
  const folder = tempFolder('launcher-bundle')
  t.after(() => folder.remove())
  const { outputs } = await bundleLauncher(root, join(folder.path, 'launcher.js'))
  const paths = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))
  assert.ok(paths.some((path) => path.endsWith('undici/lib/llhttp/llhttp_simd-wasm.js')))
  for (const pattern of absent)
    assert.deepEqual(
      paths.filter((path) => pattern.test(path)),
      [],
      String(pattern),
    )
})
