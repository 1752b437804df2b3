import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:http2'
import type { IncomingHttpHeaders } from 'node:http2'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { corpusOf } from './corpus.ts'
import type { HostileRequest } from './corpus.ts'
import { listeningPorts } from './listening.ts'
import { startLauncherSubject, startPlatformSubject } from './list.ts'
import type { Listener, Subject } from './list.ts'
import { sendLargeBody } from '#test/harness/large-body.ts'
import { exchangeRaw, statusOf } from './raw-exchange.ts'

// Limit for a response on a machine that runs many tests at once.
const boundMs = 30_000
// A client with an unfinished request disconnects after this time.
const leaveMs = 20
// Hostile requests between two ordinary ones, which are as expensive.
const betweenOrdinary = 8
const options = { timeout: 900_000, skip: process.platform === 'linux' ? (false as const) : 'reads /proc' }

for (const [name, start] of [
  ['mesh all', startPlatformSubject],
  ['launcher', startLauncherSubject],
] as const)
  test(`F1, SEC1: no request to a listener of ${name} ends its process or stays unanswered`, options, async (t) => {
    const subject = await start(t)
    const listeners = placed(subject)
    const admin = listeners.find((one) => one.name === 'admin')
    if (admin !== undefined)
      await t.test('CON2, UXH1: `mesh all`, which `npm start` runs, is ready with every check', async () => {
        for (const path of ['/readyz', '/readyz?verbose']) {
          const answer = await fetch(`http://127.0.0.1:${admin.port}${path}`)
          const text = await answer.text()
          assert.equal(answer.status, 200, text)
          assert.equal(path === '/readyz' || text.includes('[+]cluster ok'), true, text)
        }
      })
    await t.test(`R2-M14: a client of ${name} that writes 16 MiB before it reads gets its response`, async () => {
      for (const listener of listeners) await refuseLargeBodies(listener)
    })
    // Sequential per listener, so that a failure names its request.
    await Promise.all(listeners.map((listener) => t.test(listener.name, (sub) => attack(sub, subject, listener))))
    assert.equal(subject.running(), true)
    assert.deepEqual(
      readFileSync(subject.logFile, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"level":"fatal"') || line.includes('failed unexpectedly')),
      [],
    )
  })

/** Returns the declared listeners. Fails if the process listens on an undeclared port; declare it in `list.ts`. */
function placed({ pid, name, listeners, onAnyPort }: Subject): readonly Listener[] {
  const declared = new Set(listeners.map(({ port }) => port))
  const found = listeningPorts(pid)
  const more = found.filter((port) => !declared.has(port))
  const [port] = more
  const last = onAnyPort === undefined || port === undefined ? [] : [{ ...onAnyPort, port }]
  assert.equal(more.length, last.length, `${name} listens on ${more.join(', ')}, which test/listeners/list.ts lacks`)
  assert.deepEqual(
    found,
    [...new Set([...declared, ...more])].toSorted((a, b) => a - b),
    `${name}: declared, but closed`,
  )
  return [...listeners, ...last]
}

async function refuseLargeBodies({ name, port, tls = false, http2, doors }: Listener): Promise<void> {
  const [door] = doors
  if (door === undefined || http2 === true) return
  const fields = [`Host: 127.0.0.1:${port}`, 'Connection: close', ...door.headers]
  const head = [`${door.method} ${door.path} HTTP/1.1`, ...fields]
  for (const framing of ['length', 'chunked'] as const) {
    const request = {
      port,
      tls,
      head: [...head, 'Content-Type: application/json'],
      framing,
      mebibytes: name === 'budget' ? 64 : 16,
    }
    const { text, error } = await sendLargeBody(request)
    assert.equal(error, undefined, `${name} ${door.path} ${framing}: ${text.slice(0, 200)}`)
    assert.match(text, /^HTTP\/1\.1 4\d\d /, `${name} ${door.path} ${framing}`)
    if (isAsked(name)) assert.match(text, /^HTTP\/1\.1 413 /, `${name} ${door.path} ${framing}`)
  }
}

// Other listeners refuse the credential of this client first, or the gateway the bytes of its bodies.
function isAsked(name: string): boolean {
  return ['bff', 'memory', 'discovery', 'feedback', 'budget', 'delegate'].includes(name)
}

async function attack(t: TestContext, subject: Subject, listener: Listener): Promise<void> {
  const corpus = corpusOf(`127.0.0.1:${listener.port}`, listener.doors)
  const wrong: string[] = []
  for (let from = 0; from < corpus.length; from += betweenOrdinary) {
    const requests = corpus.slice(from, from + betweenOrdinary)
    for (const request of requests) {
      const complaint = await complaintOf(listener, request)
      if (complaint !== undefined) wrong.push(`${request.name}: ${complaint}`)
      assert.ok(subject.running(), `${request.name} ended the process of ${listener.name}`)
    }
    const status = await ordinaryStatus(listener)
    const names = requests.map(({ name }) => name).join(', ')
    if (status !== listener.ordinary.status) wrong.push(`an ordinary request got ${status} after one of: ${names}`)
  }
  t.diagnostic(`${corpus.length} requests`)
  assert.deepEqual(wrong, [])
}

async function complaintOf(listener: Listener, { bytes, ...request }: HostileRequest): Promise<string | undefined> {
  // A server of HTTP/2 waits for the first frame.
  const unfinished = request.unfinished === true || (listener.http2 === true && bytes.startsWith('PRI * HTTP/2.0'))
  const answer = await exchangeRaw(listener, bytes, unfinished ? leaveMs : boundMs)
  if (answer.end === 'silent' && !unfinished) return 'neither an answer nor a closed connection'
  return statusOf(answer) === 500 ? answer.text.slice(-300) : undefined
}

async function ordinaryStatus(listener: Listener): Promise<number | undefined> {
  const { port, ordinary, http2 } = listener
  if (http2 === true) return http2Status(`http://127.0.0.1:${port}`, ordinary.path)
  const head = `GET ${ordinary.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`
  return statusOf(await exchangeRaw(listener, head, boundMs))
}

async function http2Status(url: string, path: string): Promise<number | undefined> {
  const session = connect(url)
  try {
    const [headers] = (await once(session.request({ ':path': path }).resume(), 'response')) as [IncomingHttpHeaders]
    return headers[':status'] as number | undefined
  } finally {
    session.destroy()
  }
}
