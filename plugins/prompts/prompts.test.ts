import assert from 'node:assert/strict'
import test from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { problemOf } from '#test/contract/plugins/serve-plugin.ts'
import { servePrompts } from './testing/serve-prompts.ts'
import type { ShownPrompt } from './testing/serve-prompts.ts'

const document = (text: string, kind = 'PromptVersion') =>
  `apiVersion: mesh.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: greet, namespace: a}\nspec:\n  text: ${text}\n`

for (const { name: adapter, skip, open } of pluginAdapters) {
  test(
    `${adapter}: a version is made from fields, JSON or YAML, and equal content is nothing new`,
    { skip },
    async (t) => {
      const { post, yaml, ask, read, put } = await servePrompts(t, open)
      const first = await post({ text: 'Hi {{name}}.', commitMessage: 'first' })
      assert.equal(first.statusCode, 201, first.body)
      assert.equal(first.headers['location'], '/api/promptversions/a/greet?version=1')
      const { type, contentHash, parent } = first.json<ShownPrompt>()
      assert.deepEqual([type, contentHash.length, parent], ['text', 71, null])
      const again = await post({ text: 'Hi {{name}}.', commitMessage: 'another reason' })
      assert.deepEqual([again.statusCode, again.json<ShownPrompt>().version], [200, 1])
      const body = { kind: 'PromptVersion', metadata: { name: 'greet', namespace: 'a' }, spec: { text: 'Hello.' } }
      const second = await ask('POST', '', { body })
      assert.deepEqual([second.statusCode, second.json<ShownPrompt>().parent], [201, 1])
      assert.equal((await yaml(document('Hello.'))).statusCode, 200, 'the same document in YAML')
      const third = await yaml(document('Good day.'))
      assert.deepEqual([third.statusCode, third.json<ShownPrompt>().version], [201, 3])
      const chat = await put({ messages: [{ role: 'system', content: 'Hi.' }], config: { temperature: 0 } })
      assert.deepEqual([chat.statusCode, chat.json<ShownPrompt>().type, (await read()).version], [200, 'chat', 4])
      assert.equal((await put({ text: 'x' }, { 'if-match': '"1"' })).statusCode, 412)
      assert.equal((await ask('PUT', '/a/unknown', { body: { text: 'x' } })).statusCode, 404)
      const dry = await ask('POST', '?dryRun=All', { body: { namespace: 'a', name: 'other', text: 'x' } })
      assert.deepEqual([dry.statusCode, (await ask('GET', '/a/other')).statusCode], [201, 404])
    },
  )

  test(`${adapter}: concurrent creations of one prompt all become versions`, { skip }, async (t) => {
    const { post, read } = await servePrompts(t, open)
    const made = await Promise.all(Array.from({ length: 8 }, (_, n) => post({ text: `Hi ${n}.` })))
    assert.deepEqual(new Set(made.map(({ statusCode }) => statusCode)), new Set([201]))
    assert.equal((await read('?label=latest')).version, 8)
  })

  test(`${adapter}: only labels moves labels; a protected one needs promote`, { skip }, async (t) => {
    const { post, put, read, ask, denied } = await servePrompts(t, open, {
      settings: 'prompts: {protectedLabels: [live]}',
    })
    for (const text of ['one', 'two', 'three']) await post({ text })
    const made = await put({ text: 'four', labels: ['staging'] })
    assert.deepEqual(made.json<ShownPrompt>().labels, { staging: 4 })
    assert.deepEqual((await put({ labels: { production: 1, staging: 3 } })).json<ShownPrompt>().labels, {
      production: 1,
      staging: 3,
    })
    assert.deepEqual([(await read()).text, (await read('?label=latest')).text], ['one', 'four'])
    assert.deepEqual((await put({ labels: ['a', 'b'], version: 2 })).json<ShownPrompt>().labels['b'], 2)
    assert.equal((await put({ labels: { staging: null } })).json<ShownPrompt>().labels['staging'], undefined)
    denied.add('ann promote')
    assert.equal((await put({ labels: { production: 2 } })).statusCode, 200, 'another label is protected here')
    for (const body of [{ labels: { live: 1 } }, { labels: ['live'] }, { text: 'five', labels: ['live'] }]) {
      const refused = await put(body)
      assert.equal(refused.statusCode, 403, refused.body)
    }
    assert.equal((await post({ text: 'five', labels: ['live'] })).statusCode, 403)
    assert.equal((await read('?label=latest')).version, 4, 'nothing is half-written')
    const moves = await ask('GET', '/a/greet/history')
    assert.equal(moves.json<{ items: unknown[] }>().items.length, 7)
    for (const [body, status] of [
      [{ labels: { latest: 1 } }, 400],
      [{ labels: ['latest'] }, 400],
      [{ labels: { production: 9 } }, 404],
      [{ labels: { production: 0 } }, 400],
      [{ labels: { __proto__: null } }, 400],
      [{ labels: {} }, 400],
      [{}, 400],
      [{ labels: { x: 1 }, version: 2 }, 400],
    ] as const)
      assert.equal((await put(body)).statusCode, status, JSON.stringify(body))
    for (const missing of [
      await put({ labels: { production: 9 } }),
      await ask('PUT', '/a/greet/labels/production', { body: { version: 9 } }),
    ])
      assert.deepEqual([problemOf(missing).code, problemOf(missing).detail], ['not_found', 'greet has no version 9.'])
  })

  test(`${adapter}: the diff is shaped as that of agents`, { skip }, async (t) => {
    const { post, put, ask } = await servePrompts(t, open)
    await post({ text: 'one', tags: ['a'] })
    await put({ text: 'two', labels: ['production'] })
    await put({ text: 'three' })
    const diff = async (query: string) => ask('GET', `/a/greet/diff?${query}`)
    assert.deepEqual((await diff('from=1&to=production')).json(), {
      from: '1',
      to: 'production',
      patch: [
        { op: 'remove', path: '/tags' },
        { op: 'replace', path: '/text', value: 'two' },
      ],
      sections: [
        { path: '/tags', from: ['a'] },
        { path: '/text', from: 'one', to: 'two' },
      ],
    })
    assert.equal((await diff('from=1')).json<{ to: string }>().to, 'latest')
    for (const query of ['from=9', 'from=unknown', 'from=constructor', 'from=9999999999', 'from=0', 'from=-1'])
      assert.equal((await diff(query)).statusCode, 404, query)
    for (const query of ['', 'to=1', 'from=', 'from=1&from=2', `from=${'x'.repeat(64)}`])
      assert.equal((await diff(query)).statusCode, 400, query)
  })

  test(`${adapter}: what is in use is not deleted, and its users are named`, { skip }, async (t) => {
    const agents = [
      { name: 'follower', prompt: { name: 'greet' } },
      { name: 'pinned', prompt: { name: 'greet', version: 2 } },
      { name: 'other', prompt: { name: 'other' } },
    ]
    const { post, put, ask, store } = await servePrompts(t, open, { agents })
    for (const text of ['one', 'two', 'three', 'four']) await post({ text })
    await put({ labels: { production: 1 } })
    const remove = (query = '') => ask('DELETE', `/a/greet${query}`)
    const refused = await remove()
    assert.deepEqual([refused.statusCode, problemOf(refused).code], [409, 'prompt_in_use'])
    assert.match(refused.body, /follower, pinned/)
    assert.doesNotMatch(refused.body, /other/)
    assert.match((await remove('?version=1')).body, /follower/)
    assert.match((await remove('?version=2')).body, /pinned/)
    assert.match((await remove('?version=4')).body, /label latest/)
    assert.equal((await remove('?version=3')).statusCode, 204)
    assert.equal((await ask('GET', '/a/greet?version=3')).statusCode, 404)
    assert.equal(problemOf(await remove('?version=3')).detail, 'greet has no version 3.')
    assert.equal((await post({ text: 'five' })).json<ShownPrompt>().version, 5, 'a number is used once')
    agents.length = 0
    assert.match((await remove('?version=1')).body, /label production/)
    assert.equal((await remove()).statusCode, 204)
    assert.equal((await remove()).statusCode, 404)
    const facts = (await store.readStream('prompts/promptversions/uid-a/greet')).map(({ type }) => type.split('.')[3])
    assert.deepEqual(facts.slice(-3), ['revision-deleted', 'prompt-version-updated', 'prompt-version-deleted'])
  })
}
