import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Requirements quote names of tests, and records of measurements are rewritten by their own programs.
const others = /^docs\/(?:reference\/|operations\/(?:faults|performance)\.md)/
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('{docs,examples}/**/*.md', { cwd: root })]

const avoided = /\b(?:told|tells|teller|nobody|somebody|whoever|anew|for ever)\b/gi

test('documents name processes and accounts, and report rather than tell', () => {
  const faults = pages.filter((page) => !others.test(page)).flatMap(wordsOf)
  assert.deepEqual(faults, [])
})

test('the word list finds a word in prose and none in code', () => {
  assert.deepEqual(avoidedIn('p', 'It tells.\n`nobody` is a value.\n```\nnobody\n```\n'), ['p: tells'])
})

function wordsOf(page: string): string[] {
  return avoidedIn(page, readFileSync(join(root, page), 'utf8'))
}

function avoidedIn(page: string, text: string): string[] {
  const prose = text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(avoided)].map(([word]) => `${page}: ${word}`)
}
