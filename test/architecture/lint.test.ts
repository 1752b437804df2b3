import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '#test/harness/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const fixture = 'test/architecture/testdata/dropped.ts'

test('PODA1: lint reports each promise whose rejection no code handles', (t) => {
  const folder = tempFolder('lint')
  t.after(() => folder.remove())
  // Without overrides, since the rules are off for tests and their data.
  const config = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as object
  writeFileSync(join(folder.path, 'rules.json'), JSON.stringify({ ...config, overrides: [] }))
  const flags = ['--type-aware', '--config', join(folder.path, 'rules.json'), '--format', 'unix', fixture]
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), flags, { cwd: root, encoding: 'utf8' })
  const reported = stdout.split('\n').filter((line) => /no-floating-promises|no-void/.test(line))
  const lines = readFileSync(join(root, fixture), 'utf8').split('\n')
  const marked = lines.flatMap((line, index) => (line.includes('// <-') ? [index + 1] : []))
  assert.deepEqual(
    reported.map((line) => Number(line.slice(fixture.length + 1).split(':')[0])).toSorted((a, b) => a - b),
    marked,
    stdout,
  )
})
