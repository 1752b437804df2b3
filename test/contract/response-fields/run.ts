import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { declared, unfilled } from './lists.ts'

// npm run test:fields [-- FOLDER]: runs all tests of npm test, and fails for a field of a response that had no value other than null in any of
// them. FOLDER holds the notes of an earlier run, which are judged instead.
const [given] = process.argv.slice(2)
const folder = given ?? noteRun()
const noted = readdirSync(folder).flatMap((name) => readFileSync(`${folder}/${name}`, 'utf8').split('\n'))
const filled = new Set(noted)
const missing = declared.filter((field) => !filled.has(field) && !(field in unfilled))
const stale = Object.keys(unfilled).filter((field) => filled.has(field))
for (const field of missing) console.log(`no test fills ${field}`)
for (const field of stale) console.log(`unfilled.yaml names ${field}, which a test fills`)
console.log(`${declared.length} fields, ${missing.length} of them never filled, ${stale.length} wrongly listed`)
process.exit(missing.length + stale.length === 0 ? 0 : 1)

function noteRun(): string {
  const { path, remove } = tempFolder('fields')
  process.once('exit', remove)
  const script = fileURLToPath(import.meta.resolve('../../../scripts/test.ts'))
  const env = { ...process.env, MESH_TEST_FIELDS: path }
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
  return path
}
