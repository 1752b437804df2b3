import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../docs/decisions', import.meta.url))
const files = readdirSync(folder)
  .filter((name) => /^\d{4}-/.test(name))
  .toSorted()

test('every decision has one form: number and title, Status, Context, Decision, Consequences', () => {
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    assert.match(text, new RegExp(`^# ${file.slice(0, 4)}\\. \\S`), file)
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    assert.deepEqual(headings, ['Status', 'Context', 'Decision', 'Consequences'], file)
  }
})

test('the index of decisions has each number up to the last once, with title and status', () => {
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const rows = [...index.matchAll(/^\| (\d{4}) \| (.+) \| (.+) \|$/gm)].map(([, number = '', title = '']) => [
    number,
    title,
  ])
  const wanted = files.map((file) => {
    const [, title = ''] = /^# \d{4}\. (.+)$/m.exec(readFileSync(join(folder, file), 'utf8')) ?? []
    return [file.slice(0, 4), `[${title}](${file})`]
  })
  assert.deepEqual(
    rows.filter(([, title]) => title !== 'not used'),
    wanted,
  )
  const last = Number(files.at(-1)?.slice(0, 4))
  const used = new Set(rows.map(([number]) => Number(number)))
  const gaps = Array.from({ length: last }, (_, place) => place + 1).filter((number) => !used.has(number))
  assert.deepEqual(gaps, [])
})
