import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { formFault, generate } from '../../scripts/generators/decisions.ts'

const record = '# 0001. A title\n\n## Status\n\nAccepted, 2026.\n\n## Context\n\n## Decision\n\n## Consequences\n'

const folder = new URL('../../docs/decisions/', import.meta.url)

test('every decision has one form: number and title, Status, Context, Decision, Consequences', () => {
  const names = readdirSync(folder).filter((name) => /^\d{4}-/.test(name))
  const faults = names.flatMap((name) => formFault(name, readFileSync(new URL(name, folder), 'utf8')) ?? [])
  assert.deepEqual(faults, [])
})

test('a decision of another form is found', () => {
  assert.equal(formFault('0001-a.md', record), undefined)
  for (const wrong of [
    record.replace('0001.', '0001:'),
    record.replace('0001', '0002'),
    record.replace('## Context\n\n', ''),
    `${record}## More\n`,
    '',
  ])
    assert.match(formFault('0001-a.md', wrong) ?? '', /must begin with "# 0001\. Title"/)
})

test('the index of decisions lists each number once, unused ones too', async () => {
  const [index = ''] = (await generate()).values()
  const numbers = [...index.matchAll(/^\| (\d{4}) \|/gm)].map(([, number]) => Number(number))
  assert.deepEqual(
    numbers,
    numbers.map((_, place) => place + 1),
  )
  for (const unused of ['0029', '0031']) assert.ok(index.includes(`| ${unused} | not used | - |\n`), unused)
})
