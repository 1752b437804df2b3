import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { serveEndpoints } from './endpoint-server.ts'
import { createContainerLog } from './log-file.ts'
import type { LogQuery } from './log-file.ts'

const query = (more: Partial<LogQuery> = {}): LogQuery => ({
  follow: false,
  timestamps: false,
  signal: new AbortController().signal,
  ...more,
})

async function all(lines: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const line of lines) text += line
  return text
}

/** A log whose clock advances by one second per line. */
function open(t: { after(clean: () => void): void }) {
  const folder = tempFolder('log')
  let seconds = 0
  const path = join(folder.path, 'agent.log')
  const log = createContainerLog(path, () => new Date(Date.UTC(2026, 0, 1, 0, 0, (seconds += 1))))
  t.after(() => {
    log.end()
    folder.remove()
  })
  return { log, path }
}

test('lines are complete for every split of their bytes, and the file is private', async (t) => {
  const { log, path } = open(t)
  log.write(Buffer.from('one\ntw'))
  log.write(Buffer.from('o\nthr'))
  for (const byte of Buffer.from('ü')) log.write(Buffer.from([byte]))
  assert.equal(await all(log.read(query())), 'one\ntwo\n', 'a line that is not ended waits')
  log.end()
  assert.equal(await all(log.read(query())), 'one\ntwo\nthrü\n')
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('tail, since and timestamps select and format lines', async (t) => {
  const { log } = open(t)
  log.write(Buffer.from('1\n2\n3\n4\n'))
  assert.equal(await all(log.read(query({ tailLines: 2 }))), '3\n4\n')
  assert.equal(await all(log.read(query({ tailLines: 0 }))), '')
  assert.equal(await all(log.read(query({ since: new Date('2026-01-01T00:00:03Z') }))), '3\n4\n')
  assert.equal(await all(log.read(query({ tailLines: 1, timestamps: true }))), '2026-01-01T00:00:04.000Z 4\n')
})

test('following returns each line once, also those written while the file is read, and ends with the process or the reader', async (t) => {
  const { log } = open(t)
  log.write(Buffer.from('before\n'))
  const following = all(log.read(query({ follow: true })))
  for (let i = 0; i < 50; i += 1) {
    log.write(Buffer.from(`${i}\n`))
    if (i % 10 === 0) await new Promise(setImmediate)
  }
  log.end()
  assert.equal(await following, `before\n${Array.from({ length: 50 }, (_, i) => `${i}\n`).join('')}`)
  const other = open(t)
  const leaving = new AbortController()
  const left = all(other.log.read(query({ follow: true, signal: leaving.signal })))
  await new Promise(setImmediate)
  leaving.abort()
  assert.equal(await left, '')
})

test('a long log is rotated: one older file is kept and still read', async (t) => {
  const { log, path } = open(t)
  const line = `${'x'.repeat(1023)}\n`
  for (let i = 0; i < 11_000; i += 1) log.write(Buffer.from(line))
  assert.ok(existsSync(`${path}.old`))
  assert.equal((await all(log.read(query({ tailLines: 2 })))).length, 2 * 1024)
})

test('the look-up serves loopback host names only', async (t) => {
  const server = await serveEndpoints(() => [])
  t.after(() => server.close())
  const ask = async (path: string, host?: string): Promise<number | undefined> => {
    const asked = request(`${server.url}${path}`, host === undefined ? {} : { headers: { host } }).end()
    const [response] = await once(asked, 'response')
    response.resume()
    return response.statusCode
  }
  assert.equal(await ask('/endpoints/demo/bot'), 200)
  assert.equal(await ask('/endpoints/demo/bot', 'evil.example'), 421)
  for (const path of ['/', '/endpoints/demo', '/endpoints/demo/..%2f', '/endpoints/demo/a/b'])
    assert.equal(await ask(path), 404)
})

test('R2-UX-12: the last line is what the agent said, and that of its launcher only without it', (t) => {
  const { log } = open(t)
  log.write(Buffer.from('mesh launcher: program x not found\n'))
  assert.equal(log.lastLine(), 'mesh launcher: program x not found')
  log.write(Buffer.from('KeyError: 4711\nmesh launcher: the agent ended with exit code 1\n'))
  assert.equal(log.lastLine(), 'KeyError: 4711')
})
