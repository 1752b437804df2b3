import assert from 'node:assert/strict'
import test from 'node:test'
import { countOf } from '#test/harness/counts.ts'
import { compileGuard } from '../compile-guard.ts'
import type { ContentGuard } from '../guard.ts'

const KiB = 1024
// Parts cost more each, and find the same.
const sizes = { whole: 1024 * KiB, parts: countOf(256, 1024) * KiB }
const filled = (part: string) => (length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length)
const encoded = (encoding: 'base64' | 'hex') => (length: number) =>
  Buffer.from(filled('this is a text ')(length)).toString(encoding).slice(0, length)

/** Texts that make a reading wait, begin again or decide late. */
const worst: Readonly<Record<string, (length: number) => string>> = {
  prose: filled('The quick brown fox jumps over the lazy dog. '),
  markdown: filled('Some **bold** text, `code` and <b>tags</b> of it\n'),
  'percent-encoded characters': filled('%2525'),
  'references without an end': filled('&amp;'),
  backslashes: filled('\\'),
  base64: encoded('base64'),
  hexadecimal: encoded('hex'),
  'encoded lines': filled(`${encoded('base64')(76)}\n`),
  'one word': filled('a'),
  'white space': filled(' '),
  'invisible characters': filled('\u200b'),
  'a word of look-alikes': filled('\u0430'),
  'beginnings of tags': filled('<b '),
  'beginnings of comments': filled('<!--'),
  'spelled characters': filled('a-'),
  'beginnings of spelled characters': filled('a b c d 1+2 '),
  digits: filled('4'),
  'beginnings of keys': filled('-----BEGIN PRIVATE KEY-----'),
}

const guard = compileGuard([
  {
    namespace: 'a',
    name: 'p',
    rules: [
      { name: 'pii', action: 'mask', pii: {} },
      { name: 'keys', action: 'mask', secrets: {} },
      {
        name: 'words',
        action: 'mask',
        words: { phrases: ['project apollo', 'snowdrop', '\u963f\u6ce2\u7f57'] },
      },
    ],
  },
])

const whole = (text: string, { texts }: ContentGuard = guard): Promise<unknown> => texts('request', [text])
const inParts = async (text: string): Promise<void> => {
  const stream = guard.stream()
  for (let at = 0; at < text.length; at += 4 * KiB) stream.push(text.slice(at, at + 4 * KiB))
  stream.end()
}

/** CPU time of this thread in milliseconds: the best of up to 10 rounds, until it is not above `most`. */
async function costOf(work: (text: string) => Promise<unknown>, text: string, most: number): Promise<number> {
  let ms = Infinity
  for (let round = 0; round < 10 && ms > most; round++) {
    const before = process.threadCpuUsage()
    await work(text)
    const { user, system } = process.threadCpuUsage(before)
    ms = Math.min(ms, (user + system) / 1_000)
  }
  return ms
}

const ways = [
  { how: 'as a whole', work: whole, size: sizes.whole },
  { how: 'in parts', work: inParts, size: sizes.parts },
]

for (const { how, work, size } of ways)
  test(
    `R2-N6: the cost of a text grows with its size, whatever it is written in (${how})`,
    { timeout: 480_000 },
    async () => {
      for (const [what, make] of Object.entries(worst)) {
        const small = await costOf(work, make(size / 8), 400)
        // Below 20 ms compilation and garbage collection dominate. A quadratic cost would be a factor of 64.
        const most = 16 * Math.max(small, 20)
        const large = await costOf(work, make(size), most)
        assert.ok(large <= most, `${what}: ${small} ms, 8 times the size ${large} ms`)
      }
    },
  )

const tail = '-'.repeat(60)
/** Ends of a text that wait for more in several ways. */
const waiting: readonly string[] = [
  `.a${tail}`,
  'a-',
  `a${' -'.repeat(30)}`,
  '<b x ',
  '" + ',
  '%25',
  '&amp;',
  '[ at',
  '\\',
  '\u001b[1;',
]

test(
  'R2-N6: a stream of single characters costs about the same whatever it waits for',
  { timeout: 480_000 },
  async () => {
    const one = async (text: string): Promise<void> => {
      const stream = guard.stream()
      for (let at = 0; at < text.length; at++) stream.push(text.charAt(at))
      stream.end()
    }
    const plain = await costOf(one, filled('The quick brown fox. ')(16 * KiB), 0)
    for (const part of waiting) {
      // Ten times: an end with several ways to read it, each tried, costs a thousand times as much.
      const most = 10 * Math.max(plain, 20)
      const ms = await costOf(one, filled(part)(16 * KiB), most)
      assert.ok(ms <= most, `${JSON.stringify(part)}: ${ms} ms, plain text ${plain} ms`)
    }
  },
)
