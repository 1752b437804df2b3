import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { Agent, fetch } from 'undici'
import { createDatabase } from './database.ts'
import { needs } from './find-server.ts'
import { reservePort } from './free-port.ts'
import { sharedKube, startKube } from './kube.ts'
import { kubectl } from './kubectl.ts'
import { startNats } from './nats.ts'
import { execute, startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { startS3 } from './s3.ts'
import { acceptsTcp } from './server-process.ts'

test('PostgreSQL keeps what was committed through kill -9 and answers after a pause', needs('initdb'), async (t) => {
  const server = await startPostgres(t)
  await execute(server.url, 'CREATE TABLE kept (id int)')
  await server.kill9()
  await assert.rejects(execute(server.url, 'SELECT 1'))
  await server.restart()
  await execute(server.url, 'SELECT id FROM kept')
  server.pause()
  const asked = execute(server.url, 'SELECT 1')
  server.resume()
  await asked
})

test('a database is cloned from a template that is prepared once', needs('initdb'), async (t) => {
  let prepared = 0
  const key = `harness_${process.pid}`
  const prepare = (url: string): Promise<void> => {
    prepared++
    return execute(url, 'CREATE TABLE of_template (id int)')
  }
  const [one, two] = await Promise.all([
    createDatabase(t, { template: { key, prepare } }),
    createDatabase(t, { template: { key, prepare } }),
  ])
  await execute(one, 'INSERT INTO of_template VALUES (1)')
  await execute(two, 'INSERT INTO of_template VALUES (1)')
  assert.notEqual(one, two)
  assert.equal(prepared, 1)
})

test('nats-server restarts on its port', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  await server.kill9()
  assert.equal(await acceptsTcp(Number(new URL(server.url).port)), false)
  await server.restart()
  assert.equal(await acceptsTcp(Number(new URL(server.url).port)), true)
})

test('the S3 server refuses a request without keys', needs('versitygw'), async (t) => {
  const server = await startS3(t)
  assert.equal((await fetch(`${server.url}/mesh-fixtures`)).status, 403)
})

test('redis-server accepts connections', needs('redis-server'), async (t) => {
  const server = await startRedis(t)
  assert.equal(await acceptsTcp(Number(new URL(server.url).port)), true)
})

test(
  'the API server knows its personas and logs who asked what',
  needs('etcd', 'kube-apiserver', 'kubectl'),
  async (t) => {
    const server = await sharedKube(t)
    const dispatcher = new Agent({ connect: { ca: server.ca } })
    t.after(() => dispatcher.close())
    const path = `/api/v1/namespaces/${crypto.randomUUID()}`
    const headers = { authorization: `Bearer ${server.tokens['unbound']}` }
    assert.equal((await fetch(server.url + path, { dispatcher, headers })).status, 403)
    const logged = server.auditLog().find((entry) => entry.requestURI === path)
    assert.equal(logged?.user.username, 'unbound')
    const listed = await kubectl(server.kubeconfig(server.tokens['admin'] ?? ''), ['get', 'namespaces', '-o', 'name'])
    assert.match(listed.stdout, /^namespace\/default$/m)
  },
)

test('M9: an API server can be frozen and thawed', needs('etcd', 'kube-apiserver'), async (t) => {
  const server = await startKube(t)
  const dispatcher = new Agent({ connect: { ca: server.ca } })
  t.after(() => dispatcher.close())
  const ask = (ms: number) => fetch(`${server.url}/livez`, { dispatcher, signal: AbortSignal.timeout(ms) })
  server.freeze('apiserver')
  await assert.rejects(ask(100), { name: 'TimeoutError' })
  server.thaw()
  await ask(10_000)
  await server.stop()
  await assert.rejects(ask(10_000))
})

test(
  'a port belongs to the process that chose it until that ends',
  { skip: process.platform !== 'linux' },
  async () => {
    const module = JSON.stringify(import.meta.resolve('./free-port.ts'))
    const program = `import { freePort } from ${module}; console.log(await freePort()); process.stdin.resume()`
    const other = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const port = Number(String(await once(other.stdout, 'data')))
    assert.equal(await reservePort(port), false)
    other.kill('SIGKILL')
    await once(other, 'exit')
    assert.equal(await reservePort(port), true)
    assert.equal(await reservePort(port), false)
  },
)
