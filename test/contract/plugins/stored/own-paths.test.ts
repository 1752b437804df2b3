import assert from 'node:assert/strict'
import test from 'node:test'
import { Type } from 'typebox'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { defineStored } from '#core/http/store/declared/stored-resource.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { storeCrud } from '#core/plugin/store-crud.ts'
import { problemOf, serveBuiltIn } from '../serve-plugin.ts'

const board = Type.String({ pattern: '^[a-z]+-[0-9]$', description: 'Board, below which remarks are.' })
const text = Type.String({ minLength: 1, maxLength: 100, description: 'Text.' })

const remarksResource = defineStored({
  plugin: 'remarks',
  kind: 'Remark',
  plural: 'remarks',
  description: 'A remark on a board.',
  fields: Type.Object({ board, text }),
  sample: { board: 'a-1', text: 'Good.' },
})

const path = '/boards/:board/remarks'

// The board of the path decides the namespace of the review, as a run does for its shares.
function whereOf({ params }: { readonly params: Readonly<Record<string, string>> }): { readonly namespace: DnsLabel } {
  const [namespace = '', number] = (params['board'] ?? '').split('-')
  if (number === '9') throw new Fail('not_found', 'There is no such board.')
  return { namespace: parseLabel(':board', namespace) }
}

const remarks = definePlugin({
  contract: 1,
  name: 'remarks',
  summary: 'Remarks on boards.',
  settings: Type.Object({}, { additionalProperties: false }),
  stored: [
    storeCrud(remarksResource, {
      operations: {
        list: {
          path,
          id: 'listBoardRemarks',
          review: async (call) => call.caller.review('list', 'remarks', whereOf(call)),
        },
        create: { path, review: async (call) => call.caller.review('create', 'remarks', whereOf(call)) },
        delete: true,
      },
    }),
  ],
  create: () => ({}),
})

for (const { name: adapter, skip, open } of pluginAdapters) {
  test(`${adapter}: operations of a stored resource have their own paths and reviews`, { skip }, async (t) => {
    const { ask } = await serveBuiltIn(t, open, { plugin: remarks, path: '/api' })
    const add = (on: string, body: object, who?: string) => ask('POST', `/boards/${on}/remarks`, { body, who })
    const names = async (on: string, query = '') => {
      const answer = await ask('GET', `/boards/${on}/remarks${query}`)
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.json<{ items: { name: string }[]; nextCursor: string | null }>()
    }
    for (const name of ['one', 'two', 'three']) {
      const made = await add('a-1', { name, text: 'Good.' })
      assert.equal(made.statusCode, 201, made.body)
      const { namespace, board: on } = made.json<{ namespace: string; board: string }>()
      assert.deepEqual([namespace, on], ['a', 'a-1'])
    }
    await add('a-2', { name: 'other', text: 'Good.' })
    const whole = await names('a-1')
    assert.deepEqual(
      whole.items.map(({ name }) => name),
      ['three', 'two', 'one'],
    )
    const first = await names('a-1', '?limit=2')
    const rest = await names('a-1', `?limit=2&cursor=${first.nextCursor}`)
    assert.deepEqual(
      rest.items.map(({ name }) => name),
      ['one'],
    )
    const foreign = await ask('GET', `/boards/a-2/remarks?limit=2&cursor=${first.nextCursor}`)
    assert.equal(problemOf(foreign).code, 'invalid_cursor')

    // The path decides board and namespace, and the review is that of its namespace.
    for (const more of [{ board: 'a-2' }, { namespace: 'b' }])
      assert.equal((await add('a-1', { name: 'more', text: 'Good.', ...more })).statusCode, 400, JSON.stringify(more))
    assert.equal((await add('a-1', { name: 'more', text: 'Good.' }, 'ben')).statusCode, 403)
    assert.equal((await ask('GET', '/boards/a-1/remarks', { who: 'ben' })).statusCode, 403)
    assert.equal((await ask('GET', '/boards/a-1/remarks', { who: '' })).statusCode, 401)
    assert.equal((await add('a-9', { name: 'more', text: 'Good.' })).statusCode, 404)
    for (const odd of ['a', 'a-10', '%00', 'a%2F..%2Fb-1'])
      assert.equal((await ask('GET', `/boards/${odd}/remarks`)).statusCode, 400, odd)

    // What is left out is no route, and the others keep their usual path.
    assert.equal((await ask('GET', '/remarks')).statusCode, 404)
    for (const method of ['GET', 'PUT'] as const)
      assert.equal((await ask(method, '/remarks/a/one')).statusCode, 405, method)
    assert.equal((await ask('DELETE', '/remarks/a/one')).statusCode, 204)
    assert.equal((await names('a-1')).items.length, 2)
  })
}
