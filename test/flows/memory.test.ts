import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/data-folder/personas.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'
import { createPageShell } from '../docs/page-shell.ts'

interface Memory {
  readonly session: { readonly conversations: { readonly id: string }[]; readonly entries?: unknown[] } | null
  readonly items: {
    readonly id: string
    readonly text: string
    readonly runId: string
    readonly subject: string | null
  }[]
  readonly usage: { readonly items: number }
  readonly nextCursor: string | null
}

test('memory: the commands of use-memory.md, and what readers of the namespace see', async (t) => {
  const platform = await sharedEmbedded()
  const { tokens, send } = platform
  const ask = (method: string, path: string, more: { body?: unknown; as?: Persona; headers?: object } = {}) =>
    send({
      method,
      path: `/api/agents/default/notes${path}`,
      bearer: tokens[more.as ?? 'developer'],
      ...(more.body === undefined ? {} : { body: more.body }),
      ...(more.headers === undefined ? {} : { headers: more.headers as Record<string, string> }),
    })

  await t.test('R2-UX-4, H5: the page runs: an agent without an SDK appends, reads, remembers and finds', async () => {
    const shell = createPageShell(t, 'use-memory.md', platform)
    const [, create = '', invoke = '', look = '', configure = ''] = shell.blocks('Try it')
    const sh = shell.run
    await sh(create)
    const answers = (await sh(invoke)).replaceAll('}{', '}\n{').trim().split('\n')
    const outputs = answers.map((text) => (JSON.parse(text) as { output: unknown }).output)
    assert.deepEqual(outputs, [
      { conversation: [{ note: 'The invoice is due on Friday' }], remembered: [] },
      { conversation: [{ note: 'Ada prefers tea' }], remembered: [] },
      { conversation: [{ note: 'Ada prefers tea' }], remembered: ['The invoice is due on Friday'] },
    ])
    const seen = (await sh(look))
      .replaceAll('}{', '}\n{')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Memory)
    const [all, tuesday] = seen
    assert.deepEqual(
      all?.session?.conversations.map(({ id }) => id),
      ['tuesday', 'monday'],
    )
    assert.deepEqual(
      all?.items.map(({ text }) => text),
      ['Ada prefers tea', 'The invoice is due on Friday'],
    )
    assert.match(all?.items[0]?.runId ?? '', /^[0-9a-f-]{36}$/)
    assert.deepEqual(tuesday?.session?.entries, [{ note: 'Ada prefers tea' }])
    assert.match(
      await sh(configure),
      /\{"session":\{"maxEntries":500,"ttl":"7d"\}\}|\{"session":\{"ttl":"7d","maxEntries":500\}\}/,
    )
  })

  await t.test('A9: memory is read by those who may list it, page by page, with bound cursors', async () => {
    const first = (await ask('GET', '/memory?limit=1')).json<Memory>()
    assert.equal(first.items.length, 1)
    const next = await ask('GET', `/memory?limit=1&cursor=${encodeURIComponent(first.nextCursor ?? '')}`)
    const second = next.json<Memory>()
    assert.deepEqual([second.session, second.items.length, second.nextCursor], [null, 1, null], next.text)
    assert.notEqual(second.items[0]?.id, first.items[0]?.id)
    const changed = `${first.nextCursor?.slice(0, -2)}xx`
    assert.equal((await ask('GET', `/memory?limit=1&cursor=${encodeURIComponent(changed)}`)).status, 400)
    assert.equal((await ask('GET', '/memory', { as: 'viewer' })).status, 200)
    assert.equal((await ask('GET', '/memory', { as: 'other-tenant' })).status, 403)
    for (const query of ['conversationId=a%2Fb', 'conversationId=', 'limit=0', 'limit=201', 'more=1', 'cursor=x'])
      assert.equal((await ask('GET', `/memory?${query}`)).status, 400, query)
    const missing = { method: 'GET', path: '/api/agents/default/no-such-agent/memory', bearer: tokens.developer }
    assert.equal((await send(missing)).status, 404)
  })

  await t.test('the parts of memory are set as the caller, guarded by If-Match', async () => {
    const read = await ask('GET', '/longtermmemory')
    assert.deepEqual(read.json(), { longTerm: { ttl: '90d', scope: 'agent' } })
    const body = { longTerm: { scope: 'user' } }
    // A reconciler that writes the status between the two requests makes another version.
    const setAsRead = async (): Promise<typeof read> => {
      const etag = String((await ask('GET', '/longtermmemory')).headers['etag'])
      const set = await ask('PUT', '/longtermmemory', { body, headers: { 'if-match': etag } })
      return set.status === 412 ? setAsRead() : set
    }
    assert.equal((await ask('PUT', '/longtermmemory', { body, headers: { 'if-match': '"1"' } })).status, 412)
    const set = await setAsRead()
    assert.deepEqual([set.status, set.json()], [200, { longTerm: { scope: 'user' } }], 'a PUT replaces the part')
    assert.equal((await ask('GET', '/sessionmemory')).json<{ session: { ttl: string } }>().session.ttl, '7d')
    const noted = async (note: string) => {
      const asked = { agent: { namespace: 'default', name: 'notes' }, input: { note } }
      const invoked = await send({ method: 'POST', path: '/api/invoke', bearer: tokens.developer, body: asked })
      assert.equal(invoked.status, 200, invoked.text)
      const [newest] = (await ask('GET', '/memory')).json<Memory>().items
      assert.equal(newest?.text, note)
      return newest.subject
    }
    // The state role may know the former spec for some seconds.
    for (let tries = 0; (await noted(`Ada likes rain ${tries}`)) !== 'developer'; tries++) {
      assert.ok(tries < 100, 'an item of an agent of scope user has its user')
      await pause(100)
    }
    for (const wrong of [
      {},
      { longTerm: { ttl: '0' } },
      { longTerm: { scope: 'all' } },
      { longTerm: 1 },
      { session: {} },
    ])
      assert.ok(
        [400, 422].includes((await ask('PUT', '/longtermmemory', { body: wrong })).status),
        JSON.stringify(wrong),
      )
    assert.equal((await ask('PUT', '/longtermmemory', { body, as: 'viewer' })).status, 403)
    const removed = await ask('PUT', '/longtermmemory', { body: { longTerm: null } })
    assert.deepEqual(removed.json(), { longTerm: null })
    const kept = await ask('PUT', '/sessionmemory?dryRun=All', { body: { session: null } })
    assert.deepEqual(kept.json(), { session: null })
    assert.notDeepEqual((await ask('GET', '/sessionmemory')).json(), { session: null })
  })

  await t.test('K1: the state role shows conversations to those who may list them, and to no one else', async () => {
    const { stateUrl } = await sharedEmbedded()
    const statusOf = async (bearer: string, namespace = 'default'): Promise<number> => {
      const headers = { authorization: `Bearer ${bearer}` }
      return (await fetch(`${stateUrl}/memory/agents/${namespace}/notes/conversations`, { headers })).status
    }
    assert.deepEqual(
      [await statusOf(tokens.viewer), await statusOf(tokens['other-tenant']), await statusOf('wrong')],
      [200, 403, 401],
    )
    assert.equal(await statusOf(tokens.viewer, 'A_b'), 400)
  })

  await t.test('an agent that is created again under the same name starts without memory', async () => {
    assert.equal((await ask('DELETE', '')).status, 204)
    const config = { name: 'notes', runtime: { command: ['sleep', '600'] }, memory: { session: {}, longTerm: {} } }
    const make = () =>
      send({ method: 'POST', path: '/api/agents', bearer: tokens.developer, body: { namespace: 'default', config } })
    while ((await make()).status !== 201) await pause(100)
    for (;;) {
      const { status, text, json } = await ask('GET', '/memory')
      // The index of objects follows the cluster some moments later.
      if (status === 404) {
        await pause(50)
        continue
      }
      assert.equal(status, 200, text)
      const { session, items, usage } = json<Memory>()
      assert.deepEqual([session?.conversations, items, usage.items], [[], [], 0])
      break
    }
    await ask('DELETE', '')
  })
})
