import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { avoidedWords, exempt, wordViolations } from './language.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('comments, messages, names and documents use no avoided word', () => {
  assert.deepEqual(wordViolations(root), [])
})

test('folders exempt from the word list still need the exemption', () => {
  const needless = exempt.filter((folder) => wordViolations(root, [folder]).length === 0)
  assert.deepEqual(needless, [])
})

test('an avoided word is found in prose, messages and camel case, with its line', () => {
  // Split, so that this file contains none.
  const [verb, pronoun, adverb] = ['te' + 'lls', 'some' + 'body', 'for\n * ' + 'ever']
  const capital = 'To' + 'ld'
  assert.deepEqual(avoidedWords('p', `a\n// It ${verb}.\nfail('${pronoun} ended it')\n/** waits ${adverb} */`), [
    `p:2: ${verb}`,
    `p:3: ${pronoun}`,
    'p:4: ' + 'for * ' + 'ever',
  ])
  assert.deepEqual(avoidedWords('p', `list${capital}Objects()`), [`p:1: ${capital}`])
})

test('the account of that name and longer words are no avoided words', () => {
  assert.deepEqual(avoidedWords('p', "setuid('nob" + "ody')\nnob" + 'ody:x:65534:65534:nob' + 'ody:/\nstoryteller'), [])
})
