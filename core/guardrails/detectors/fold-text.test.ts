import assert from 'node:assert/strict'
import test from 'node:test'
import { createRedactor } from '../redactor.ts'
import { foldText } from './fold-text.ts'
import { wordDetector } from './words.ts'

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

test('R2-N11: digits, spaces, dashes and styled forms of every script are folded, and offsets lead back', () => {
  const digits = [0x660, 0x966, 0x1d7ce, 0x1d7d8, 0x1e950, 0x11066, 0xff10].map((zero) =>
    String.fromCodePoint(zero + 4),
  )
  for (const digit of digits) assert.equal(foldText(`x${digit}`).text, 'x4', digit)
  for (const space of ['\u00a0', '\u2003', '\u3000', '\u2028', '\u1680']) assert.equal(foldText(space).text, ' ')
  for (const one of ['\u2010', '\u2212', '\ufe63', '\uff0d']) assert.equal(foldText(one).text, '-')
  const raw = `\u{1F600}a\u{E0041}\u{1D41B}c`
  const folded = foldText(raw)
  assert.equal(folded.text, '\u{1F600}abc')
  assert.deepEqual(
    [2, 3, 4, 5].map((offset) => folded.toRaw(offset)),
    [2, 5, 7, 8],
  )
  assert.deepEqual(
    [2, 5, 7].map((offset) => folded.fromRaw(offset)),
    [2, 3, 4],
  )
})

test('R2-N11: letters of other scripts stay, so that their words are found', () => {
  for (const text of ['\u00fcber', '\u4f60\u597d', '\u0645\u0631\u062d\u0628\u0627', '\u{1F469}\u{1F3FD}'])
    assert.equal(foldText(text).text, text)
})

test('R2-N11: a gap between the words of a phrase is of any kind but letters and digits', () => {
  const { find, longest } = wordDetector(['project apollo'])
  for (const gap of [' ', ' \n\n\n ', ' -- ', '\t.\t.\t', ' \u2014 * \u2014 ', ' '.repeat(30)]) {
    const { text } = foldText(`project${gap}apollo`)
    assert.ok(text.length <= longest)
    assert.equal(find(text, 0, text.length).length, 1, JSON.stringify(gap))
  }
  assert.equal(find('project x apollo', 0, 16).length, 0)
})
