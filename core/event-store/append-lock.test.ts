import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import test from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import type { Scope } from '#test/harness/scope.ts'
import { createStore } from './create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { readAfter } from './read-events.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from './store-migrations.ts'
import { createNotes, note, sums } from './testing/notes.ts'

test('O2: a process that loses the connection after its append blocks no other', needs('initdb'), async (t) => {
  const url = await createDatabase(t)
  const direct = await openDatabase({ url })
  t.after(() => direct.close())
  await migrate(direct, [storeMigrations])
  await createNotes(direct)
  const line = await openLine(t, Number(new URL(url).port))
  const deaf = await openDatabase({ url: Object.assign(new URL(url), { port: String(line.port) }).href })
  const unanswered = assert.rejects(
    createStore(deaf, { projections: [sums] }).transact(async (tx) => {
      await tx.append('notes/a', 0, [note(1)])
      line.mute()
    }),
  )
  await line.muted
  await createStore(direct, { projections: [sums] }).transact(async (tx) => {
    await sql`set local lock_timeout = '2s'`.execute(tx.tables())
    await tx.append('notes/b', 0, [note(2)])
  })
  const events = await readAfter(direct.db, 0n, 10)
  assert.deepEqual(
    events.map(({ stream }) => stream),
    ['notes/a', 'notes/b'],
  )
  line.cut()
  await unanswered
  await deaf.close()
})

/** A TCP proxy to a local port. Once muted, it drops everything that the server sends. */
async function openLine(scope: Scope, target: number) {
  const sockets: Socket[] = []
  const { promise: muted, resolve: dropped } = Promise.withResolvers<void>()
  let isMute = false
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    sockets.push(near, far)
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.on('data', (bytes) => far.write(bytes)).on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    far.on('data', (bytes) => (isMute ? dropped() : near.write(bytes)))
  })
  const cut = (): void => sockets.forEach((socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(() => {
    cut()
    server.close()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { port: address.port, muted, mute: () => void (isMute = true), cut }
}
