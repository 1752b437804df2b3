import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { toMarkdown } from './report.ts'
import type { SummaryLine } from './summary.ts'

// npm run test:authz [-- --write] [--rerun-failed]: runs the whole matrix on both forms and prints a summary; --write updates
// docs/reference/authorization-matrix.md. With --rerun-failed a failed matrix runs once more, and is reported as FLAKY if it passes then.
const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = tempFolder('authz')
const report = join(folder.path, 'lines')
const rerun = process.argv.filter((flag) => flag === '--rerun-failed')
const matrix = 'test/contract/routes/authorization.test.ts'
const started = performance.now()
const { status } = spawnSync(
  process.execPath,
  [join(root, 'scripts/test.ts'), matrix, '--timeout', '1200', '--verbose', ...rerun],
  { stdio: 'inherit', env: { ...process.env, MESH_AUTHZ: 'whole', MESH_AUTHZ_REPORT: report } },
)
const text = existsSync(report) ? readFileSync(report, 'utf8').trimEnd() : ''
folder.remove()
const lines = text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as SummaryLine)
const markdown = toMarkdown(lines)
const file = join(root, 'docs/reference/authorization-matrix.md')
if (process.argv.includes('--write')) writeFileSync(file, markdown)
console.log(markdown)
const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
if (known !== markdown) console.log('docs/reference/authorization-matrix.md differs: run with --write.')
const mismatches = lines.reduce((sum, line) => sum + line.mismatches, 0)
console.log(`${mismatches} mismatches, ${Math.round((performance.now() - started) / 1000)} s`)
process.exit(status === 0 && mismatches === 0 && lines.length > 0 ? 0 : 1)
