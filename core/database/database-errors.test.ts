import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { Fail } from '#core/errors/domain-error.ts'
import { openPglite } from './pglite-data-dir.ts'
import { openDatabase } from './database.ts'
import { toConnectFailure, toStartFailure, toStoreFailure } from './session/database-errors.ts'
import type { StoreAddress } from './session/database-errors.ts'

test('UXM4: a full disk is an unavailable store, not an internal error, and room is enough to recover', async (t) => {
  const folder = smallDisk(t)
  if (folder === undefined) return t.skip('NOT RUN: a small file system can only be mounted by root on Linux')
  const { pglite, close } = await openPglite(join(folder, 'database'))
  await pglite.exec('create table filled (text text)')
  assert.throws(() => writeFileSync(join(folder, 'filler'), Buffer.alloc(256 << 20)), /ENOSPC/)
  const fill = () =>
    pglite.query('insert into filled select repeat(md5(random()::text), 2000) from generate_series(1, 50)')
  const failed = toStoreFailure(await fill().catch((error: unknown) => error))
  assert.ok(failed instanceof Fail)
  assert.equal(failed.code, 'store_unavailable')
  assert.equal((await pglite.query('select 1')).rows.length, 1)
  rmSync(join(folder, 'filler'))
  await fill()
  await close()
})

test('PODA24: the reason a server cannot be reached is reported with setting and address, never with the password', async (t) => {
  const url = 'postgres://u:pa55word@db.example:5433/mesh'
  const from = (error: Error, address: StoreAddress = { url, setting: 'mesh.yaml:2:1: databaseUrl' }) => {
    const failure = toConnectFailure(address, error)
    return failure instanceof Error ? `${failure.name}: ${failure.message}` : ''
  }
  const coded = (code: string, message = 'quotes pa55word') => Object.assign(new Error(message), { code })
  const at = 'mesh.yaml:2:1: databaseUrl: db.example:5433'
  const cases: readonly (readonly [Error, string])[] = [
    [coded('ECONNREFUSED'), `StoreUnreachable: ${at} refused the connection`],
    [new AggregateError([coded('ECONNREFUSED')]), `StoreUnreachable: ${at} refused the connection`],
    [coded('ENOTFOUND'), `StoreUnreachable: ${at} was not found (no such host)`],
    [
      new Error('Connection terminated due to connection timeout'),
      `StoreUnreachable: ${at} does not respond (timeout)`,
    ],
    [new Error('Connection terminated unexpectedly'), `StoreUnreachable: ${at} closed the connection`],
    [coded('SELF_SIGNED_CERT_IN_CHAIN'), `StoreRefused: ${at}: TLS failed (SELF_SIGNED_CERT_IN_CHAIN)`],
    [new Error('The server does not support SSL connections'), `StoreRefused: ${at}: does not offer TLS`],
    [coded('28P01', 'password authentication failed'), `StoreRefused: ${at}: password authentication failed (28P01)`],
    [Object.assign(coded('ENOENT'), { path: '/ca.pem' }), `StoreRefused: ${at}: /ca.pem: there is no such file`],
  ]
  for (const [error, message] of cases) assert.equal(from(error), message)
  const refused = coded('ECONNREFUSED')
  assert.match(from(refused, { url: 'postgres:///mesh' }), /: DATABASE_URL: localhost:5432 refused/)
  assert.match(from(refused, { url: 'postgres:///mesh?host=/run/pg' }), /: DATABASE_URL: \/run\/pg:5432 refused/)

  const database = await openDatabase({ url: 'postgres://u:pa55word@127.0.0.1:1/mesh' })
  t.after(() => database.close())
  const failure = toStartFailure(await sql`select 1`.execute(database.root).catch((error: unknown) => error))
  assert.ok(failure instanceof Fail && failure.code === 'store_unavailable')
  assert.equal(failure.message, 'DATABASE_URL: 127.0.0.1:1 refused the connection')
  for (const wrong of [
    '',
    'pa55word',
    'postgres://u:pa55word#@h/d',
    'postgres://u:pa55word%@h/d',
    'mysql://u:pa55word@h',
    '\0',
  ])
    await assert.rejects(openDatabase({ url: wrong, setting: 'mesh.yaml:2:1: databaseUrl' }), (error: Error) => {
      assert.match(error.message, /^mesh.yaml:2:1: databaseUrl: (?:must be postgres:|user and password must be)/)
      return error.name === 'SettingsError' && !error.message.includes('pa55word')
    })
})

function smallDisk(t: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'full-store-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true })
    return undefined
  }
  t.after(() => {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}
