import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { avoidedWords, wordViolations } from './language.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('comments, messages, names and documents use no avoided word', () => {
  assert.deepEqual(wordViolations(root), [])
})

test('an avoided word is found in prose, messages and camel case, with its line', () => {
  // Reversed, so that this file contains none.
  const [verb, pronoun, adverb, participle] = ['sllet', 'ydobemos', 'reve * rof', 'dloT'].map(reversed)
  const text = `a\n// It ${verb}.\nfail('${pronoun} ended it')\n/** waits ${adverb?.replace(' * ', '\n * ')} */`
  assert.deepEqual(avoidedWords('p', text), [`p:2: ${verb}`, `p:3: ${pronoun}`, `p:4: ${adverb}`])
  assert.deepEqual(avoidedWords('p', `list${participle}Objects()`), [`p:1: ${participle}`])
})

test('a string is no text in messages, and an installation no install', () => {
  const [text, install] = ['txet a eb tsum', 'llatsni eht'].map(reversed)
  assert.deepEqual(avoidedWords('p', `refuse('id ${text}')\n// Keys of ${install}.`), [
    `p:1: ${text}`,
    `p:2: ${install}`,
  ])
  assert.deepEqual(avoidedWords('p', `type must be text, json_object or json_schema; ${install}ation`), [])
})

test('the account of that name and longer words are no avoided words', () => {
  const account = reversed('ydobon')
  const text = `setuid('${account}')\n${account}:x:65534:65534:${account}:/\nstoryteller`
  assert.deepEqual(avoidedWords('p', text), [])
})

function reversed(text: string): string {
  return [...text].toReversed().join('')
}
