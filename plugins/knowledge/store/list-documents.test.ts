import assert from 'node:assert/strict'
import test from 'node:test'
import { adapters } from '#core/database/testing/databases.ts'
import { openKnowledge, textOf, until } from '../testing/knowledge-rig.ts'
import { listDocuments } from './list-documents.ts'

test('documents are listed by id in pages, those of one base only, without their texts', async (t) => {
  const [pglite] = adapters
  const rig = await openKnowledge(t, pglite.open)
  const ids = ['a', 'a/b', 'A', 'z.md', '0']
  await rig.configure('kb')
  await rig.configure('other')
  await rig.submit('kb', [
    ...ids.map((id) => textOf(id, `secret of ${id}`)),
    textOf('described', 'text', { title: 'Title', attributes: { team: 'pets' } }),
  ])
  await rig.submit('other', [textOf('theirs', 'text')])
  rig.work()
  await until(async () => (await rig.baseOf('kb'))?.documents === 6 && (await rig.baseOf('other'))?.documents === 1)
  const seen: string[] = []
  for (let after = ''; ;) {
    const page = await listDocuments(rig.db, 'kb', { limit: 2, after })
    assert.ok(page.length <= 2)
    assert.doesNotMatch(JSON.stringify(page), /secret/)
    seen.push(...page.map(({ id }) => id))
    const last = page.at(-1)
    if (last === undefined) break
    after = last.id
  }
  assert.deepEqual(seen.toSorted(), [...ids, 'described'].toSorted())
  assert.equal(new Set(seen).size, seen.length)
  const [described] = (await listDocuments(rig.db, 'kb', { limit: 50, after: '' })).filter(
    ({ title }) => title === 'Title',
  )
  assert.ok(described !== undefined)
  const { createdAt, updatedAt, ...rest } = described
  assert.deepEqual(rest, {
    id: 'described',
    title: 'Title',
    contentType: 'text/plain',
    url: null,
    attributes: { team: 'pets' },
    chunks: 1,
  })
  assert.ok(Date.parse(createdAt) <= Date.parse(updatedAt))
  assert.deepEqual(await listDocuments(rig.db, 'none', { limit: 50, after: '' }), [])
})
