import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Fail } from '#core/http/errors.ts'
import { openPglite } from './pglite-folder.ts'
import { toStoreFailure } from './store-failure.ts'

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
