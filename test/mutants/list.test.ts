import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { mutated } from './checkout.ts'
import { all } from './list.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

test('each listed defect applies to the code as it is, and names tests that are there', () => {
  for (const mutant of all) {
    assert.notEqual(mutated(read(mutant.file), mutant), read(mutant.file), mutant.name)
    assert.ok(mutant.tests.length > 0, mutant.name)
    for (const file of mutant.tests) assert.ok(existsSync(join(root, file)), `${mutant.name}: ${file}`)
  }
})

// A title may begin with an adapter and a subject, which a loop over the adapters adds.
const withoutAdapter = (only: string): string =>
  only.replace(/\b(?:PGlite|PostgreSQL|embedded)(?:\.\*|: (?:cron jobs: |tasks: )?|$)|, embedded/gu, '')

test('each listed defect names a title that is in its tests', () => {
  for (const { name, only, tests } of all)
    if (only !== undefined)
      assert.ok(
        tests.some((file) => new RegExp(withoutAdapter(only), 'u').test(read(file))),
        `${name}: no title in ${tests.join(', ')} matches ${only}`,
      )
})

test('each defect has a name of its own', () => {
  assert.equal(new Set(all.map(({ name }) => name)).size, all.length)
})
