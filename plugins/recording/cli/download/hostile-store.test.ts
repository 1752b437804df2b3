import assert from 'node:assert/strict'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { keyOfPart, sequenceOf } from '#plugins/recording/contract/format/part-key.ts'
import { endPart, modelPart, runId, toolPart } from '#plugins/recording/contract/format/testing/parts.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

// What a terminal would act on.
const escape = '\u001b]0;canary\u0007\u001b[31m\u202e'
const FORMER = 'the former download'
const parts = [modelPart(1, 'a'), toolPart(1, { q: 1 }), endPart(1, 1)]
const keys = parts.map((part) => keyOfPart({ runId, channel: part.channel, sequence: sequenceOf(part) }))
const bodies = parts.map((part) => JSON.stringify(part))

function listing(response: ServerResponse): void {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>9</Size></Contents>`).join('')
  const head = '<?xml version="1.0"?><ListBucketResult><Name>mesh-fixtures</Name><IsTruncated>false</IsTruncated>'
  response.writeHead(200, { 'content-type': 'application/xml' })
  response.end(`${head}<KeyCount>${keys.length}</KeyCount>${contents}</ListBucketResult>`)
}

interface Hostile {
  /** Default: lists the parts. */
  readonly list?: (response: ServerResponse) => void
  /** Of the last call of the recording; the parts before it are sent whole. */
  readonly last?: (response: ServerResponse, body: string) => void
}

/** Downloads from a store that fails in a way, into a folder that has a former download. */
async function downloadFrom(t: TestContext, { list = listing, last }: Hostile) {
  const url = await listen(
    t,
    createServer(({ url: path = '' }, response) => {
      if (path.includes('list-type')) return list(response)
      const at = keys.findIndex((key) => path.includes(key))
      if (at === 1 && last !== undefined) return last(response, bodies[at] ?? '')
      response.writeHead(200, { 'content-type': 'application/json' }).end(bodies[at])
    }),
  )
  const folder = tempFolder('hostile-store')
  t.after(folder.remove)
  const output = join(folder.path, 'run.json')
  writeFileSync(output, FORMER)
  const env = {
    OBJECT_STORE_ADDR: new URL(url).host,
    OBJECT_STORE_ACCESS_KEY: 'access-canary',
    OBJECT_STORE_SECRET_KEY: 'secret-canary',
  }
  const { code, out, err } = await runCli(['download-fixture', runId, '-o', output], { env })
  return { code, out, err, files: readdirSync(folder.path), text: readFileSync(output, 'utf8') }
}

const denied = (response: ServerResponse): void => {
  const xml = `<Error><Code>AccessDenied${escape}</Code><Message>${escape}</Message></Error>`
  response.writeHead(403, { 'content-type': 'application/xml', 'x-canary': 'canary' }).end(xml)
}
const brokenOff = (response: ServerResponse, body = '<ListBucketResult>'): void => {
  response.writeHead(200, { 'content-length': '4096' })
  response.write(`${escape}${body}`.slice(0, 20), () => response.destroy())
}
const other = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{"Contents":[]}')
const silent = (): void => undefined
const stopping = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-length': '4096' }).write(escape)
}

const page =
  (status: number, type?: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(`<html>${escape}</html>`)

const elsewhere = (what: string) =>
  new RegExp(
    `^meshctl: OBJECT_STORE_ADDR did not respond with a recording: a response ${what} is not that of an object store\nCheck OBJECT_STORE_ADDR: [^\n]+\n$`,
  )
const refused = /^meshctl: the object store refused the request: 403[A-Za-z ]*\nCheck the keys, [^\n]+\n$/
const lost = /^meshctl: the object store does not respond\nCheck OBJECT_STORE_ADDR [^\n]+\n$/

// Those that hang take as long as the deadline of a call, so they run at once.
test('download-fixture of a store that denies, hangs or breaks off: exit code 2, what is wrong, what to do, and no file', async (t) => {
  const cases: readonly (readonly [title: string, store: Hostile, message: RegExp])[] = [
    ['denies the list', { list: denied }, refused],
    ['denies a part', { last: denied }, refused],
    ['hangs at the list', { list: silent }, lost],
    ['hangs at a part', { last: silent }, lost],
    ['hangs in the middle of the list', { list: stopping }, lost],
    ['hangs in the middle of a part', { last: stopping }, lost],
    ['breaks off in the list', { list: brokenOff }, lost],
    ['breaks off in a part', { last: brokenOff }, lost],
    ['fails', { list: (response) => void response.writeHead(503).end(escape) }, lost],
    ['leads elsewhere', { last: (response) => void response.writeHead(302, { location: '/canary' }).end() }, lost],
    ['is a page', { list: page(200, 'text/html; charset=utf-8') }, elsewhere('of type text/html')],
    ['is a page without a type', { list: page(200) }, elsewhere('without a content type')],
    ['is a page of an odd type', { list: page(200, 'canary\\x') }, elsewhere('without a content type')],
    ['is another API', { list: other }, elsewhere('of type application/json')],
    ['has a page in place of a part', { last: page(200, 'text/html') }, elsewhere('of type text/html')],
    [
      'never ends',
      { last: (response) => void response.writeHead(200).end(Buffer.alloc(80 * 1024 * 1024, '\u001b')) },
      /^meshctl: the object is above \d+ bytes\nCheck that OBJECT_STORE_BUCKET [^\n]+\n$/,
    ],
  ]
  const results = await Promise.all(
    cases.map(async ([title, store, message]) => ({ title, message, ...(await downloadFrom(t, store)) })),
  )
  for (const { title, message, code, out, err, files, text } of results) {
    assert.deepEqual([code, out, files, text], [2, '', ['run.json'], FORMER], `${title}: ${err}`)
    assert.match(err, message, title)
    assert.doesNotMatch(err, /canary/, title)
    // oxlint-disable-next-line no-control-regex -- none may be printed
    assert.doesNotMatch(err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/, title)
  }
})

test('a part that is no JSON is a problem of the recording, which names it and quotes nothing', async (t) => {
  const { code, err, files } = await downloadFrom(t, { last: (response) => void response.end(`{${escape}`) })
  assert.deepEqual([code, err, files], [0, 'the recording is not complete: see "problems" in the file\n', ['run.json']])
})
