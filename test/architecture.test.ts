import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { pluginCycles } from './architecture/cycles.ts'
import { rules } from './architecture/rules.ts'
import { isTest, readSources, toSource } from './architecture/sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = readSources(root)

for (const rule of rules) {
  test(rule.name, () => {
    assert.equal(
      rule.check(toSource(rule.bad.path, rule.bad.text)).length,
      1,
      'the rule does not catch its own bad example',
    )
    assert.deepEqual(sources.flatMap(rule.check), [])
  })
}

test('plugins import each other without a cycle', () => {
  const made = [
    toSource('plugins/a/index.ts', "import { b } from '../b/index.ts'"),
    toSource('plugins/b/index.ts', "import { c } from '#plugins/c/c.ts'\nimport type { a } from '../a/index.ts'"),
    toSource('plugins/c/c.ts', "import { point } from '../b/points.ts'\nimport { a } from '../a/index.ts'"),
  ]
  assert.deepEqual(pluginCycles(made), ['a -> b -> c -> a'])
  assert.deepEqual(pluginCycles(sources), [])
})

test('every import of ours names a file that exists', () => {
  const missing = sources.flatMap(({ path, imports }) =>
    imports
      .filter(
        ({ target }) =>
          /^(?:schemas|core|plugins|launcher|cli|local|scripts|test|bench)\//.test(target) &&
          !existsSync(join(root, target)),
      )
      .map(({ target }) => `${path} imports ${target}`),
  )
  assert.deepEqual(missing, [])
})

test('a larger embedded API server than 4,000 lines has an ADR that says why', () => {
  const lines = sources
    .filter(({ path }) => path.startsWith('local/apiserver/') && !isTest(path))
    .reduce((sum, source) => sum + source.lines, 0)
  assert.ok(lines <= 4000 || explained(/local\/apiserver[\s\S]*\blines\b/), `local/apiserver has ${lines} lines`)
})

test('files are short: those over 200 lines are listed, one over 500 fails', (t) => {
  const long = sources
    .filter(({ path, lines }) => lines > 200 && !path.includes('/generated/'))
    .toSorted((a, b) => b.lines - a.lines)
  for (const { path, lines } of long) t.diagnostic(`${lines} lines: ${path}`)
  assert.deepEqual(
    long.filter(({ lines, path }) => lines > 500 && !isTest(path)).map(({ path }) => path),
    [],
  )
})

function explained(by: RegExp): boolean {
  const folder = join(root, 'docs', 'decisions')
  return existsSync(folder) && readdirSync(folder).some((file) => by.test(readFileSync(join(folder, file), 'utf8')))
}
