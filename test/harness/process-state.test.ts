import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { needs } from './find-server.ts'
import { execute, startPostgres } from './postgres.ts'
import { childrenOf, threadStates } from './process-state.ts'
import { startProcess, untilReady } from './server-process.ts'
import { tempFolder } from './temp-folder.ts'

const busyThreads = `
  const { Worker } = require('node:worker_threads')
  let online = 0
  for (let n = 0; n < 4; n++) new Worker('for (;;);', { eval: true }).on('online', () => ++online === 4 && console.log('busy'))
`

const onLinux = { skip: process.platform === 'linux' ? false : 'threads are read from /proc' }

test('freeze returns when no thread of the process runs', onLinux, async (t) => {
  const folder = tempFolder('freeze')
  const server = startProcess({
    program: process.execPath,
    args: ['-e', busyThreads],
    log: join(folder.path, 'busy.log'),
  })
  t.after(async () => {
    await server.end('SIGKILL')
    folder.remove()
  })
  await untilReady(server, () => Promise.resolve(server.output() === 'busy'))
  for (let round = 0; round < 50; round++) {
    server.freeze()
    assert.match(statesOf(server.pid), /^T+$/)
    server.thaw()
  }
})

test('a paused PostgreSQL has no backend that runs', { skip: onLinux.skip || needs('initdb').skip }, async (t) => {
  const server = await startPostgres(t)
  const busy = execute(server.url, 'SELECT count(*) FROM generate_series(1, 1000000000)')
  busy.catch(() => undefined)
  server.pause()
  const tree = [server.pid, ...childrenOf(server.pid)]
  // A stopped postmaster does not wait for a backend that exited.
  assert.match(tree.map(statesOf).join(''), /^[TZ]{5,}$/)
  server.resume()
  await server.kill9()
  // Otherwise its shared memory is in use, and the next server refuses to start.
  assert.match(tree.map(statesOf).join(''), /^Z*$/)
  await assert.rejects(busy)
})

function statesOf(pid: number): string {
  return threadStates(pid).join('')
}
