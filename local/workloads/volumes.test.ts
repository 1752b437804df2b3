import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { OutsideVolume, writeVolumeFile } from './volumes.ts'

test('SEC11: a key that is not a file name is not written', (t) => {
  const folder = tempFolder('volumes')
  t.after(folder.remove)
  const volume = join(folder.path, 'volume')
  mkdirSync(volume)
  writeVolumeFile(volume, 'key.pem', 'a')
  writeVolumeFile(volume, 'key.pem', 'b')
  writeVolumeFile(volume, '..data', 'c')
  assert.equal(readFileSync(join(volume, 'key.pem'), 'utf8'), 'b')
  assert.equal(statSync(join(volume, 'key.pem')).mode & 0o777, 0o600)
  for (const key of ['../x', '..', '.', '', '/tmp/mesh-volume', 'a/b', 'a/../b', '../volume/x', 'x/'])
    assert.throws(() => writeVolumeFile(volume, key, 'x'), OutsideVolume, key)
  assert.deepEqual(readdirSync(volume).toSorted(), ['..data', 'key.pem'])
  assert.deepEqual(readdirSync(folder.path), ['volume'])
})

test('SEC11: a symbolic link in the folder, or instead of it, is not followed', (t) => {
  const folder = tempFolder('volumes')
  t.after(folder.remove)
  const [volume, elsewhere, linked] = ['volume', 'elsewhere', 'linked'].map((name) => join(folder.path, name))
  assert.ok(volume !== undefined && elsewhere !== undefined && linked !== undefined)
  for (const path of [volume, elsewhere]) mkdirSync(path)
  writeFileSync(join(elsewhere, 'token'), 'kept')
  symlinkSync(join(elsewhere, 'token'), join(volume, 'token.new'))
  symlinkSync(join(elsewhere, 'token'), join(volume, 'token'))
  writeVolumeFile(volume, 'token', 'new')
  assert.equal(readFileSync(join(volume, 'token'), 'utf8'), 'new')
  symlinkSync(elsewhere, linked)
  assert.throws(() => writeVolumeFile(linked, 'token', 'new'), OutsideVolume)
  assert.equal(readFileSync(join(elsewhere, 'token'), 'utf8'), 'kept')
})
