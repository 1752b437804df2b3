import assert from 'node:assert/strict'
import test from 'node:test'
import { makePdf, makePdfBomb } from '../testing/make-pdf.ts'
import { charsetOf, fetchedType, formatOf } from './formats.ts'
import { parseDocument } from './parse-document.ts'
import { parseInThread } from './parse-in-thread.ts'
import { IngestFailure } from './parsed-document.ts'
import type { DocumentFormat } from './parsed-document.ts'
import { threadMs } from '#test/harness/thread-time.ts'

const maxCharacters = 1_000_000

const parse = (format: DocumentFormat, content: string | Buffer, contentType = 'text/plain') =>
  parseDocument({ format, contentType, bytes: new Uint8Array(Buffer.from(content)), maxCharacters })

async function problemOf(parsed: Promise<unknown>): Promise<string> {
  try {
    await parsed
    return 'none'
  } catch (error) {
    if (error instanceof IngestFailure) return error.problem
    throw error
  }
}

test('knowledge: HTML gives its visible text with marked headings; scripts, styles and comments are left out', async () => {
  const page = `<!doctype html><html><head><title> The &amp; title </title><style>p{color:red}</style></head>
    <body><h1>First</h1><p>One &lt;two&gt;<br>three&nbsp;four <b>bold</b>.</p><script>alert("x")</script><!-- hidden -->
    <table><tr><td>a</td><td>b</td></tr></table><ul><li>item</ul></body></html>`
  const { text, title, pages } = await parse('html', page)
  assert.equal(title, 'The & title')
  assert.deepEqual(
    text
      .split(/\n+/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    ['# First', 'One <two>', 'three four bold.', 'a | b', 'item'],
  )
  assert.deepEqual(pages, [])
})

test('knowledge: CSV gives a paragraph per record with the names of its columns', async () => {
  const { text } = await parse('csv', '\uFEFFname;price\r\n"Big; cat";10\r\n\r\ndog;"say ""hi"""\r\nshort\r\n')
  assert.equal(text, 'name: Big; cat; price: 10\n\nname: dog; price: say "hi"\n\nname: short')
})

test('knowledge: Markdown is kept as it is, with its first heading as title', async () => {
  const { text, title } = await parse('markdown', 'intro\r\n# The guide\r\ntext')
  assert.deepEqual([text, title], ['intro\n# The guide\ntext', 'The guide'])
})

test('knowledge: PDF gives the text of each page with the offsets of the pages', async () => {
  const { text, title, pages } = await parse('pdf', makePdf(['The (first) page', 'And the second'], 'A report'))
  assert.equal(title, 'A report')
  assert.deepEqual(
    [text.slice(0, pages[0]).trim(), text.slice(pages[0]).trim()],
    ['The (first) page', 'And the second'],
  )
})

test('F5: U+0000 and lone surrogates of a document are replaced; character sets are decoded; an unknown one is unreadable', async () => {
  assert.equal((await parse('text', 'a\0b')).text, 'a\uFFFDb')
  assert.equal((await parse('html', '<p>a&#0;b&#xD800;c</p>')).text.isWellFormed(), true)
  assert.equal((await parse('text', Buffer.from([0x66, 0xfc, 0x72]), 'text/plain; charset="ISO-8859-1"')).text, 'für')
  assert.equal(await problemOf(parse('text', 'a', 'text/plain; charset=klingon')), 'unreadable')
  assert.equal(charsetOf('text/plain; x=1;Charset=UTF-16'), 'utf-16')
  assert.equal(charsetOf('text/plain'), undefined)
})

test('knowledge: what has no text, is no PDF or is too long is refused by its code', async () => {
  assert.equal(await problemOf(parse('text', ' \n ')), 'no_text')
  assert.equal(await problemOf(parse('html', '<script>x</script>')), 'no_text')
  assert.equal(await problemOf(parse('csv', 'a,b\n')), 'no_text')
  for (const garbage of [
    '',
    '%PDF-1.4',
    'x'.repeat(10_000),
    '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer<</Root 1 0 R>>',
  ])
    assert.match(await problemOf(parse('pdf', garbage)), /^(?:unreadable|no_text)$/, garbage.slice(0, 20))
  assert.equal(await problemOf(parse('text', 'x'.repeat(maxCharacters + 1))), 'too_large')
  assert.equal(await problemOf(parse('html', `<p>${'x'.repeat(maxCharacters + 1)}</p>`)), 'too_large')
  assert.equal(await problemOf(parse('csv', `a\n${'x\n'.repeat(500_000)}`)), 'too_large')
  assert.equal(await problemOf(parse('csv', `a\n"${'x'.repeat(1_100_000)}`)), 'unreadable')
  assert.equal(await problemOf(parse('csv', `a\n${','.repeat(2_000)}`)), 'too_large')
})

test('F2: deep and malformed HTML costs linear time', async () => {
  const worst: readonly ((size: number) => string)[] = [
    (size) => '<div>'.repeat(size),
    (size) => '</p>'.repeat(size),
    (size) => '<'.repeat(size),
    (size) => '&'.repeat(size * 4),
    (size) => `<a ${'x="'.repeat(size)}`,
    (size) => '<!--'.repeat(size),
    (size) => ' \u00a0'.repeat(size),
    (size) => '<table><tr><td>'.repeat(size),
  ]
  for (const [index, make] of worst.entries()) {
    const cost = async (size: number): Promise<number> => {
      const before = process.cpuUsage()
      await problemOf(parse('html', `${make(size)}text`))
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    await cost(1_000)
    const [small, large] = [await cost(8_000), await cost(64_000)]
    assert.ok(large < 40 * Math.max(small, 20_000), `${index}: ${small} and ${large} us`)
  }
})

const limits = { timeoutMs: 60_000, memoryMb: 512 }
const threadRequest = (bytes: Buffer, format: DocumentFormat = 'pdf') => ({
  format,
  contentType: 'application/pdf',
  bytes: new Uint8Array(bytes),
  maxCharacters,
})

test('knowledge: a document is read in a thread, whose result and problem return', async () => {
  const { text } = await parseInThread(threadRequest(makePdf(['In a thread'])), limits)
  assert.equal(text.trim(), 'In a thread')
  assert.equal(await problemOf(parseInThread(threadRequest(Buffer.from('x')), limits)), 'unreadable')
})

test('F4, F6: a PDF that unfolds to gigabytes ends by its memory or time, and the event loop is not blocked', async () => {
  const bomb = makePdfBomb(400 * 1024 * 1024)
  assert.ok(bomb.length < 2 * 1024 * 1024)
  let longest = 0
  let last = threadMs()
  const ticks = setInterval(() => {
    longest = Math.max(longest, threadMs() - last)
    last = threadMs()
  }, 10)
  const problem = await problemOf(parseInThread(threadRequest(bomb), { timeoutMs: 60_000, memoryMb: 160 }))
  clearInterval(ticks)
  assert.match(problem, /^(?:too_large|parse_timeout)$/)
  assert.ok(longest < 2_000, `${longest} ms of this thread between two ticks`)
})

test('knowledge: a thread above its time is stopped, and an abort of the task is its own reason', async () => {
  const endless = Buffer.from(`a\n${'x,'.repeat(400)}\n`.repeat(20_000))
  assert.equal(
    await problemOf(parseInThread(threadRequest(endless, 'csv'), { ...limits, timeoutMs: 1 })),
    'parse_timeout',
  )
  const stop = new AbortController()
  const reading = parseInThread(threadRequest(endless, 'csv'), { ...limits, signal: stop.signal })
  stop.abort(new Error('stopped'))
  await assert.rejects(reading, { message: 'stopped' })
})

test('knowledge: the format follows the media type, of fetched files also the ending', () => {
  assert.equal(formatOf('Text/HTML; charset=utf-8'), 'html')
  assert.equal(formatOf('application/zip'), undefined)
  assert.equal(formatOf('constructor'), undefined)
  assert.equal(fetchedType('text/plain; charset=utf-8', 'https://x.example/README.md'), 'text/markdown')
  assert.equal(fetchedType('application/octet-stream', 'https://x.example/a.PDF?x=1'), 'application/pdf')
  assert.equal(fetchedType('text/html', 'https://x.example/a.pdf'), 'text/html')
  assert.equal(fetchedType(undefined, 'https://x.example/'), '')
})
