import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { objectKey, objectPrefix } from './object-key.ts'
import type { ObjectStore } from './object-store.ts'

/** One adapter under test; `skip` says why it cannot run here. Each `open` returns an empty store. */
export interface ObjectStoreAdapter {
  readonly name: string
  readonly skip: string | false
  open(t: TestContext): Promise<ObjectStore>
}

/** Declares the tests that every adapter passes. */
export function objectStoreContract({ name, skip, open }: ObjectStoreAdapter): void {
  const check = (what: string, fn: (store: ObjectStore) => Promise<void>): void => {
    test(`${name}: ${what}`, { skip }, async (t) => fn(await open(t)))
  }
  const key = objectKey('runs', 'a', 'model', '0001.json')

  check('an object is read as it was stored, and replaced as a whole', async (store) => {
    const bytes = Buffer.from([0, 255, 10, 13, 0xed, 0xa0, 0x80])
    assert.equal(await store.get(key, 100), undefined)
    await store.put(key, bytes)
    assert.deepEqual(await store.get(key, 100), bytes)
    await store.put(key, Buffer.alloc(0))
    assert.deepEqual(await store.get(key, 0), Buffer.alloc(0))
  })

  check('F6: an object above the limit of its reader is refused', async (store) => {
    await store.put(key, Buffer.alloc(2_000_000, 'x'))
    await assert.rejects(store.get(key, 1_999_999), { name: 'ObjectStoreError', problem: 'too_large' })
    assert.equal((await store.get(key, 2_000_000))?.length, 2_000_000)
  })

  check('keys are listed in order, in pages, and only those below the prefix', async (store) => {
    const names = ['a/2', 'a/10', 'a/b/1', 'a-b/1', 'ab/1', 'b/1']
    for (const one of names) await store.put(objectKey('runs', ...one.split('/')), Buffer.from(one))
    const own = await store.list(objectPrefix('runs', 'a'), { limit: 10 })
    assert.deepEqual(own, ['runs/a/10', 'runs/a/2', 'runs/a/b/1'])
    const all = await store.list(objectPrefix('runs'), { limit: 10 })
    assert.deepEqual(all, ['runs/a-b/1', 'runs/a/10', 'runs/a/2', 'runs/a/b/1', 'runs/ab/1', 'runs/b/1'])
    const paged: string[] = []
    for (let after = all[0]; after !== undefined;) {
      paged.push(after)
      const page = await store.list(objectPrefix('runs'), { limit: 1, after })
      assert.ok(page.length <= 1)
      after = page[0]
    }
    assert.deepEqual(paged, all)
    assert.deepEqual(await store.list(objectPrefix('none'), { limit: 10 }), [])
  })

  check('objects are removed, and keys without an object are ignored', async (store) => {
    const kept = objectKey('runs', 'b', '1')
    for (const one of [key, kept]) await store.put(one, Buffer.from('x'))
    await store.remove([key, objectKey('runs', 'none')])
    assert.equal(await store.get(key, 10), undefined)
    assert.deepEqual(await store.list(objectPrefix('runs'), { limit: 10 }), [kept])
    await store.remove([])
  })

  check('readers see whole objects while one is replaced', async (store) => {
    const versions = ['a', 'b'].map((letter) => Buffer.alloc(300_000, letter))
    await store.put(key, versions[0] as Buffer)
    const writes = (async () => {
      for (let round = 0; round < 10; round++) await store.put(key, versions[round % 2] as Buffer)
    })()
    for (let round = 0; round < 10; round++) {
      const read = await store.get(key, 300_000)
      assert.ok(versions.some((version) => read?.equals(version)))
    }
    await writes
  })
}
