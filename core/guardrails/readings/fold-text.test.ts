import assert from 'node:assert/strict'
import test from 'node:test'
import { wordDetector } from '../detectors/words.ts'
import { createRedactor } from '../redactor.ts'
import { foldText } from './fold-text.ts'

const key = 'sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2'
const invisible = [
  0xad,
  0x34f,
  0x200b,
  0x2063,
  0x3164,
  0xffa0,
  0x1d173,
  0xe0001,
  0xe0041,
  0xe01ef,
  0,
  7,
  0x7f,
  0x85 - 1,
]

test('R2-N11: invisible characters of every plane, controls and lone surrogates do not hide a match', () => {
  const { text: redact } = createRedactor(['email'])
  for (const hidden of [...invisible.map((code) => String.fromCodePoint(code)), '\uD800', '\uDC00'])
    assert.equal(redact(`a ${[...key].join(hidden)} b`), 'a [redacted] b', JSON.stringify(hidden))
  for (const at of ['@', '\uFE6B', '\uFF20'])
    assert.equal(redact(`to eve${at}example.com`), 'to [redacted]', JSON.stringify(at))
})

test('R2-N11: digits, spaces, dashes and styled forms of every script are folded', () => {
  const digits = [0x660, 0x966, 0x1d7ce, 0x1d7d8, 0x1e950, 0x11066, 0xff10].map((zero) =>
    String.fromCodePoint(zero + 4),
  )
  for (const digit of digits) assert.equal(foldText(`x${digit}`), 'x4', digit)
  for (const space of ['\u00a0', '\u2003', '\u3000', '\u2028', '\u1680']) assert.equal(foldText(space), ' ')
  for (const one of ['\u2010', '\u2212', '\ufe63', '\uff0d']) assert.equal(foldText(one), '-')
  assert.equal(foldText('\u{1F600}a\u{E0041}\u{1D41B}c'), '\u{1F600}abc')
  assert.equal(foldText('\u{1F170}\u{1F151}\uFB01\u2460'), 'ABfi1')
})

test('R2-N11: letters of other scripts stay, so that their words are found', () => {
  for (const text of ['\u4f60\u597d', '\u0645\u0631\u062d\u0628\u0627', '\u{1F469}\u{1F3FD}', '\u0441\u043e\u0440'])
    assert.equal(foldText(text), text)
  assert.equal(foldText('\u00fcber'), foldText('u\u0308ber'))
  assert.notEqual(foldText('\u00fcber'), foldText('uber'))
})

test('R2-N6: letters of another script are those that they look like, in words with Latin letters and in shapes', () => {
  assert.equal(foldText('pr\u043eject \u0430\u0440ollo'), 'project apollo')
  assert.equal(foldText('\u0441\u043e\u0440', 'shapes'), 'cop')
  assert.equal(foldText('a\u0338p\u0332ollo 4\uFE0F\u20E3'), 'apollo 4')
  assert.equal(foldText('k\u00e9y', 'shapes'), 'key')
})

test('R2-N11: a gap between the words of a phrase is of any kind but letters and digits', () => {
  const { find, longest } = wordDetector(['project apollo'])
  for (const gap of [' ', ' \n\n\n ', ' -- ', '\t.\t.\t', ' \u2014 * \u2014 ', ' '.repeat(900)]) {
    const text = foldText(`project${gap}apollo`)
    assert.ok(text.length <= longest)
    assert.equal(find(text, 0, text.length).length, 1, JSON.stringify(gap))
  }
  assert.equal(find('project x apollo', 0, 16).length, 0)
})
