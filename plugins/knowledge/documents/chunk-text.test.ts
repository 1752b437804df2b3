import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { chunkText } from './chunk-text.ts'

test('chunks: a text is divided at paragraphs, else at sentences or words', () => {
  const paragraphs = ['a'.repeat(150), 'b'.repeat(150), 'c'.repeat(150)].join('\n\n')
  assert.deepEqual(
    chunkText(paragraphs, { size: 200, overlap: 0 }).map(({ text }) => text[0]),
    ['a', 'b', 'c'],
  )
  const sentences = `${'word '.repeat(30).trim()}. ${'next '.repeat(30).trim()}.`
  const [first, second] = chunkText(sentences, { size: 200, overlap: 0 })
  assert.ok(first?.text.endsWith('word.'))
  assert.ok(second?.text.startsWith('next'))
  assert.deepEqual(chunkText('  short ', { size: 200, overlap: 0 }), [{ text: 'short', start: 2, end: 7, page: null }])
  assert.deepEqual(chunkText(' \n ', { size: 200, overlap: 100 }), [])
})

test('chunks: a chunk never crosses a page, and names it', () => {
  const text = `${'one '.repeat(50)}\n\n${'two '.repeat(50)}\n\n${'three '.repeat(50)}`
  const pages = [text.indexOf('two'), text.indexOf('three')]
  const chunks = chunkText(text, { size: 200, overlap: 0 }, pages)
  assert.ok(chunks.length >= 4)
  for (const { start, page } of chunks)
    assert.equal(page, start < (pages[0] ?? 0) ? 1 : start < (pages[1] ?? 0) ? 2 : 3)
})

const letters = fc.array(fc.constantFrom('a', 'b', ' ', '\n', '\n\n', '. ', '😀', '\t', 'ü'), { maxLength: 3_000 })

test('chunks: offsets name the text, no visible character is lost, no pair is divided, and chunks stay below the size', () => {
  fc.assert(
    fc.property(
      letters,
      fc.integer({ min: 200, max: 500 }),
      fc.integer({ min: 0, max: 400 }),
      (parts, size, overlap) => {
        const text = parts.join('')
        const chunks = chunkText(text, { size, overlap })
        let covered = 0
        for (const chunk of chunks) {
          assert.equal(text.slice(chunk.start, chunk.end), chunk.text)
          assert.ok(chunk.text.isWellFormed() && chunk.text.length <= size + 1)
          if (chunk.start > covered) assert.equal(text.slice(covered, chunk.start).trim(), '')
          covered = Math.max(covered, chunk.end)
        }
        assert.equal(text.slice(covered).trim(), '')
      },
    ),
    { numRuns: 300 },
  )
})

test('F2: dividing costs linear time, whatever the overlap', () => {
  const cost = (length: number): number => {
    const before = process.cpuUsage()
    for (const text of ['x'.repeat(length), ' x'.repeat(length / 2), '\n'.repeat(length)])
      chunkText(text, { size: 8_000, overlap: 2_000 })
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  cost(10_000)
  const [small, large] = [cost(500_000), cost(4_000_000)]
  assert.ok(large < 40 * Math.max(small, 20_000), `${small} and ${large} us`)
})
