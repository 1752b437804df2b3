import assert from 'node:assert/strict'
import test from 'node:test'
import { sql } from 'kysely'
import { uuidV7 } from '#core/async/uuid-v7.ts'
import { createMemoryStateStore } from '#core/state-store/memory-store.ts'
import { startEmbeddingServer } from '#core/retrieval/testing/embedding-server.ts'
import { apply } from '#plugins/providers/testing/manager.ts'
import { toRow } from '#plugins/runs/testing/run-row.ts'
import { needs } from '#test/harness/find-server.ts'
import { eraseConversations } from './store/erasures.ts'
import { itemPruner, removeExpired } from './store/remove-items.ts'
import { addRememberingAgent, createPodClient, startMemoryRole } from './testing/memory-role.ts'

const namespace = `memory-${process.pid}`
const small = {
  conversationBytes: 64 * 1024,
  agentSessionBytes: 100_000,
  agentConversations: 20,
  namespaceSessionBytes: 300_000,
  namespaceConversations: 60,
  agentItems: 5,
  agentItemBytes: 100_000,
  namespaceItems: 40,
}

test('memory of agents by their launchers', needs('kube-apiserver', 'etcd', 'postgres', 'initdb'), async (t) => {
  const gateway = await startEmbeddingServer(t)
  let clock = 0
  const stateStore = createMemoryStateStore({ now: () => clock })
  const role = await startMemoryRole(t, { stateStore, gatewayUrl: gateway.url, settings: small })
  const { admin, url, database, store } = role
  let created = 0
  const pod = async (bound: object | undefined, at = namespace) => {
    const name = `agent-${++created}`
    const agent = await addRememberingAgent(admin, { namespace: at, name, ...(bound && { memory: bound }) })
    return { ...createPodClient(url, agent.token), ...agent, name }
  }
  const usageOf = async (owner: string) => {
    const { rows } = await sql<{ items: number; bytes: bigint }>`
      select items, bytes from memory_usage where owner = ${owner}`.execute(database.root)
    return rows[0] && { items: rows[0].items, bytes: Number(rows[0].bytes) }
  }
  const both = { session: {}, longTerm: {} }
  const runOf = async ({ uid }: { readonly uid: string }, subject: string, conversation = 'c') => {
    const row = toRow({ id: uuidV7(), agent_uid: uid, namespace, subject, conversation_id: conversation })
    await store.transact(async (tx) => {
      await tx.tables<{ runs_runs: typeof row }>().insertInto('runs_runs').values(row).execute()
    })
    return { 'x-mesh-run-id': row.id }
  }

  await t.test('H5: entries are canonical JSON, read as one array, and found by their text', async () => {
    const agent = await pod(both)
    assert.deepEqual((await agent.read('c1')).body, [])
    const values = [{ b: 1, a: [1e21, 'é'] }, 'text', null, 0, [], { '10': 1, '9': 2 }]
    for (const [index, value] of values.entries()) {
      const { status, body } = await agent.append('c1', value)
      assert.deepEqual([status, body], [201, { length: index + 1 }])
    }
    assert.equal((await agent.read('c1')).text, '[{"a":[1e+21,"é"],"b":1},"text",null,0,[],{"10":1,"9":2}]')
    assert.deepEqual((await agent.find('c1', '"b":1')).body, [values[0]])
    assert.deepEqual((await agent.find('c1', 'TEXT')).body, [])
    assert.deepEqual((await agent.read('c2')).body, [])
  })

  await t.test('H5: two agents with a conversation of one name have nothing in common', async () => {
    const [one, two] = [await pod(both), await pod(both)]
    await one.append('same', 'of one')
    assert.deepEqual((await two.read('same')).body, [])
    await one.remember({ text: 'a secret of one' })
    assert.deepEqual((await two.recall({ query: 'secret' })).body, { items: [] })
  })

  await t.test('what the spec does not bind is 404 not_bound; unknown callers are refused', async () => {
    const [session, longTerm, none] = [await pod({ session: {} }), await pod({ longTerm: {} }), await pod(undefined)]
    for (const answer of [
      await session.remember({ text: 'a' }),
      await session.recall({ query: 'a' }),
      await longTerm.append('c1', 1),
      await longTerm.read('c1'),
      await longTerm.find('c1', 'a'),
      await none.append('c1', 1),
      await none.remember({ text: 'a' }),
    ])
      assert.deepEqual([answer.status, answer.body['code']], [404, 'not_bound'])
    assert.equal((await createPodClient(url, 'wrong').read('c1')).status, 401)
    const stranger = createPodClient(url, role.kube.tokens['admin'] ?? '')
    assert.equal((await stranger.read('c1')).status, 401, 'a token for another audience')
  })

  await t.test('H5, F5: bad input is refused with its field', async () => {
    const agent = await pod(both)
    const refused = async (answer: ReturnType<typeof agent.send>, status: number, pattern: RegExp) => {
      const { status: given, text } = await answer
      assert.equal(given, status, text)
      assert.match(text, pattern)
    }
    const huge = `{"entry":{"a":[1e999]}}`
    await refused(agent.send('POST', '/memory/conversations/c/entries', huge), 400, /\/entry\/a\/0/)
    await refused(agent.send('POST', '/memory/conversations/c/entries', '{"entry":"\\u0000"}'), 400, /U\+0000/)
    await refused(agent.send('POST', '/memory/conversations/c/entries', '{"entry":"\\ud800"}'), 400, /surrogate/)
    await refused(agent.send('POST', '/memory/conversations/c/entries', '{}'), 400, /entry/)
    for (const id of ['%2e%2e', 'a/b', 'a%00', '-a', 'x'.repeat(129)])
      await refused(agent.send('GET', `/memory/conversations/${encodeURIComponent(id)}`), 400, /conversation|malformed/)
    await refused(agent.find('c', ''), 400, /q/)
    await refused(agent.remember({ text: '' }), 400, /text/)
    await refused(agent.remember({ text: 'x'.repeat(32_769) }), 400, /text/)
    await refused(agent.remember({ text: 'a', metadata: { deep: {} } }), 400, /metadata/)
    await refused(agent.remember({ text: 'a', ttl: '60' }), 400, /ttl/)
    await refused(agent.remember({ text: 'a', ttl: '99999d' }), 400, /ttl/)
    await refused(agent.send('POST', '/memory/items', '{"text":"a","metadata":{"n":1e999}}'), 400, /metadata/)
    await refused(agent.recall({ query: 'a', limit: 2 ** 31 }), 400, /limit/)
    await refused(agent.remember({ text: 'a' }, { 'x-mesh-run-id': 'x' }), 400, /X-Mesh-Run-Id/)
    await refused(agent.remember({ text: 'a' }, { 'x-mesh-run-id': uuidV7() }), 404, /unknown_run/)
    assert.deepEqual((await agent.read('c')).body, [])
  })

  await t.test('F7: turns belong to agent, user and conversation of the run, whatever a pod names', async () => {
    const [agent, other] = [await pod(both), await pod(both)]
    const [alice, bob] = [await runOf(agent, 'alice', 'c1'), await runOf(agent, 'bob', 'c1')]
    const turn = (content: string) => ({ messages: [{ role: 'user', content }] })
    const turns = async (headers: object, of = agent) => of.send('GET', '/memory/turns', undefined, { ...headers })
    assert.deepEqual((await agent.send('POST', '/memory/turns', turn('of alice'), alice)).body, { length: 1 })
    const again = await runOf(agent, 'alice', 'c1')
    assert.deepEqual((await turns(again)).body, [{ runId: alice['x-mesh-run-id'], ...turn('of alice') }])
    assert.deepEqual((await turns(bob)).body, [], 'another user, the same conversation')
    assert.deepEqual((await turns(await runOf(agent, 'alice', 'c2'))).body, [], 'another conversation')
    assert.deepEqual((await agent.read('c1')).body, [], 'an id that the agent chose')
    for (const [of, headers, status, code] of [
      [other, alice, 404, 'unknown_run'],
      [agent, { 'x-mesh-run-id': uuidV7() }, 404, 'unknown_run'],
      [agent, { 'x-mesh-run-id': '../c1' }, 400, 'malformed_request'],
      [agent, {}, 400, 'malformed_request'],
    ] as const) {
      const refused = [await turns(headers, of), await of.send('POST', '/memory/turns', turn('x'), headers)]
      for (const answer of refused) assert.deepEqual([answer.status, answer.body['code']], [status, code])
    }
    const unbound = await pod({ longTerm: {} })
    assert.equal((await turns(await runOf(unbound, 'alice'), unbound)).body['code'], 'not_bound')
  })

  await t.test(
    'F5: malformed turns are refused; a conversation of its maximum size drops its oldest turns',
    async () => {
      const agent = await pod({ session: {} })
      const run = await runOf(agent, 'alice')
      const add = (body: unknown) => agent.send('POST', '/memory/turns', body, run)
      for (const wrong of [
        {},
        { messages: [] },
        { messages: ['a'] },
        { messages: [{}] },
        { messages: [{ role: 1 }] },
        '{',
      ])
        assert.equal((await add(wrong)).status, 400)
      assert.equal((await add(`{"messages":[{"role":"user","content":"\\u0000"}]}`)).status, 400)
      assert.equal((await add({ messages: [{ role: 'user', content: 'x'.repeat(256 * 1024) }] })).status, 413)
      const large = (n: number) => ({ messages: [{ role: 'user', content: `${n}`.repeat(30_000) }] })
      for (const n of [1, 2, 3]) assert.equal((await add(large(n))).status, 201)
      const kept = (await agent.send('GET', '/memory/turns', undefined, run)).body as unknown as {
        messages: unknown[]
      }[]
      assert.deepEqual(
        kept.map(({ messages }) => messages),
        [large(2).messages, large(3).messages],
      )
    },
  )

  await t.test('F4: the session memory of a namespace is bounded, and another namespace is not affected', async () => {
    const [own, far] = [`${namespace}-full`, `${namespace}-free`]
    const free = await pod(both, far)
    const agents = await Promise.all(Array.from({ length: 5 }, () => pod(both, own)))
    const large = 'x'.repeat(60_000)
    const answers = []
    for (const agent of agents) answers.push(await agent.append('c', large))
    const refused = answers.at(-1)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201, 429],
    )
    assert.equal(refused?.body['code'], 'memory_quota_exceeded')
    assert.match(String(refused?.body['detail']), /namespace would exceed its limit of 300000 bytes of session memory/)
    assert.equal((await free.append('c', large)).status, 201)
    for (const [index, more] of [19, 19, 18].entries())
      for (let n = 0; n < more; n++) assert.equal((await agents[index]?.append(`d${n}`, n))?.status, 201)
    const lists = await agents.at(-1)?.append('one-more', 1)
    assert.match(String(lists?.body['detail']), /namespace would exceed its limit of 60 conversations/)
    assert.equal((await free.append('d', 1)).status, 201)
  })

  await t.test('H5: limits of a conversation and of an agent; other agents are not affected', async () => {
    const [agent, other] = [await pod({ session: { maxEntries: 3 } }), await pod(both)]
    for (let n = 1; n <= 5; n++) await agent.append('c1', n)
    assert.deepEqual((await agent.read('c1')).body, [3, 4, 5], 'the oldest entries are dropped')
    const large = 'x'.repeat(60_000)
    assert.equal((await agent.append('c2', large)).status, 201)
    const full = await agent.append('c2', large)
    assert.deepEqual([full.status, full.body['code']], [413, 'conversation_full'])
    const above = await agent.append('c3', large)
    assert.deepEqual([above.status, above.body['code']], [429, 'memory_quota_exceeded'])
    for (let n = 0; n < 18; n++) await agent.append(`d${n}`, n)
    const lists = await agent.append('one-more', 1)
    assert.deepEqual([lists.status, lists.body['code']], [429, 'memory_quota_exceeded'])
    assert.match(String(lists.body['detail']), /20 conversations/)
    const counted = await role.metrics()
    for (const code of ['conversation_full', 'memory_quota_exceeded'])
      assert.match(counted, new RegExp(`mesh_memory_refusals_total\\{code="${code}"\\} [1-9]`), 'F10')
    assert.equal((await other.append('c', large)).status, 201)
  })

  await t.test('session memory expires 24 hours after its last write, or by the ttl of the spec', async () => {
    const [agent, brief] = [await pod({ session: {} }), await pod({ session: { ttl: '10m' } })]
    await agent.append('c', 1)
    await brief.append('c', 1)
    clock += 23 * 3_600_000
    await agent.append('c', 2)
    assert.deepEqual((await brief.read('c')).body, [])
    clock += 23 * 3_600_000
    assert.deepEqual((await agent.read('c')).body, [1, 2], 'refreshed by the write')
    clock += 3_600_001
    assert.deepEqual((await agent.read('c')).body, [])
  })

  await t.test('long-term memory is found by any word and by metadata, with an event without text', async () => {
    const agent = await pod(both)
    const stored = await agent.remember({ text: 'Invoices are due in 30 days', metadata: { topic: 'billing', n: 1 } })
    assert.equal(stored.status, 201, stored.text)
    await agent.remember({ text: 'Ships sail in the morning', metadata: { topic: 'sea' } })
    const items = async (query: object) =>
      (await agent.recall(query)).body['items'] as { id: string; score: number; text: string }[]
    const found = await items({ query: 'when are invoices to be paid?' })
    assert.deepEqual(
      found.map(({ id, text }) => [id, text]),
      [[stored.body['id'], 'Invoices are due in 30 days']],
    )
    assert.ok((found[0]?.score ?? 0) > 0)
    assert.deepEqual(
      await items({ query: 'invoices ships', filter: { topic: 'sea' }, limit: 5 }).then((all) => all.length),
      1,
    )
    assert.deepEqual(await items({ query: 'invoices', filter: { topic: 'sea' } }), [])
    assert.deepEqual(await items({ query: `'); drop table memory_items; -- & | ! :*` }), [])
    const events = await store.readStream(`memory/${agent.uid}`)
    assert.equal(events.length, 2)
    assert.doesNotMatch(JSON.stringify(events[0]?.data), /Invoices|billing/)
  })

  await t.test('with scope user an item is seen by runs of its user only', async () => {
    const agent = await pod({ longTerm: { scope: 'user' } })
    const [alice, bob] = [await runOf(agent, 'alice'), await runOf(agent, 'bob')]
    assert.equal((await agent.remember({ text: 'likes tea' }, alice)).status, 201)
    const items = async (headers: object) => (await agent.recall({ query: 'tea' }, headers)).body['items']
    assert.equal(((await items(alice)) as unknown[]).length, 1)
    assert.deepEqual(await items(bob), [])
    const without = await agent.recall({ query: 'tea' })
    assert.deepEqual([without.status, without.body['code']], [400, 'malformed_request'])
    const foreign = await (await pod({ longTerm: { scope: 'user' } })).recall({ query: 'tea' }, alice)
    assert.deepEqual([foreign.status, foreign.body['code']], [404, 'unknown_run'])
  })

  await t.test('F10: quotas hold under concurrent writes, and are freed by expiry and by pruning', async () => {
    const agent = await pod(both)
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => agent.remember({ text: `fact ${n + 10}` })))
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [...Array.from({ length: 5 }, () => 201), ...Array.from({ length: 7 }, () => 429)])
    assert.ok(answers.every(({ status, body }) => status === 201 || body['code'] === 'memory_quota_exceeded'))
    assert.deepEqual(await usageOf(`agent/${agent.uid}`), { items: 5, bytes: 5 * ('fact 10'.length + 2) })
    await sql`update memory_items set expires_at = clock_timestamp() where agent_uid = ${agent.uid} and text like 'fact%'
      and id in (select id from memory_items where agent_uid = ${agent.uid} limit 2)`.execute(database.root)
    assert.equal(
      ((await agent.recall({ query: 'fact' })).body['items'] as unknown[]).length,
      3,
      'expired items are not shown',
    )
    assert.equal(await store.transact((tx) => removeExpired(tx, 100)), 2)
    assert.equal((await usageOf(`agent/${agent.uid}`))?.items, 3)
    const pruned = { kind: 'AgentDeployment', uid: agent.uid, namespace }
    assert.equal(await store.transact((tx) => itemPruner.prune(tx, pruned, 2)), 2)
    assert.equal(await store.transact((tx) => itemPruner.prune(tx, pruned, 2)), 1)
    assert.equal(await usageOf(`agent/${agent.uid}`), undefined)
  })

  await t.test(
    'F10: the state role erases conversations of a deleted agent, also what its pod writes afterwards',
    async () => {
      const [gone, kept] = [await pod(both), await pod(both)]
      for (const agent of [gone, kept]) await agent.append('c', 'text')
      await gone.send(
        'POST',
        '/memory/turns',
        { messages: [{ role: 'user', content: 'x' }] },
        await runOf(gone, 'alice'),
      )
      const usage = async ({ uid }: { readonly uid: string }) =>
        (await stateStore.lists.usage({ space: `memory/${namespace}`, group: uid })).lists
      assert.deepEqual([await usage(gone), await usage(kept)], [2, 1])
      const { signal } = new AbortController()
      const [job] = role.stateJobs
      assert.ok(job !== undefined && job.leaderOnly)
      const erase = () => job.run({ epoch: 0n, signal })
      await erase()
      assert.equal(await usage(gone), 2, 'not before the deletion')
      const deleted = { kind: 'AgentDeployment', uid: gone.uid, namespace }
      await store.transact((tx) => itemPruner.prune(tx, deleted, 10))
      await erase()
      assert.deepEqual([await usage(gone), await usage(kept)], [0, 1])
      // The state role remembers the agent for some seconds.
      await gone.append('c', 'late')
      await erase()
      assert.equal(await usage(gone), 1, 'once until writes have ended')
      await sql`update memory_erasures set requested_at = requested_at - interval '2 minutes'`.execute(database.root)
      await erase()
      assert.deepEqual([await usage(gone), await usage(kept)], [0, 1])
      assert.deepEqual((await sql`select 1 from memory_erasures`.execute(database.root)).rows, [])
    },
  )

  await t.test('an outage of the store loses no erasure', async () => {
    const agent = await pod(both)
    await store.transact((tx) => itemPruner.prune(tx, { kind: 'AgentDeployment', uid: agent.uid, namespace }, 10))
    const { signal } = new AbortController()
    const away = { erase: async () => Promise.reject(new Error('away')) }
    await assert.rejects(eraseConversations(store, away, signal), /away/)
    const erased: string[] = []
    const back = { erase: async ({ uid }: { readonly uid: string }) => void erased.push(uid) }
    await eraseConversations(store, back, signal)
    assert.deepEqual(erased, [agent.uid])
  })

  await t.test('a repeated remember stores one item, also at once, and never that of another user', async () => {
    const agent = await pod(both)
    const item = { text: 'The invoice is due', metadata: { a: 1, b: 'x' } }
    const answers = await Promise.all(Array.from({ length: 6 }, () => agent.remember(item)))
    const ids = new Set(answers.map(({ status, body }) => `${status} ${String(body['id'])}`))
    assert.equal(ids.size, 1, 'every answer names the stored item')
    const again = await agent.remember({ metadata: { b: 'x', a: 1 }, text: item.text })
    assert.equal(again.body['id'], answers[0]?.body['id'])
    assert.equal((await usageOf(`agent/${agent.uid}`))?.items, 1)
    assert.equal((await store.readStream(`memory/${agent.uid}`)).length, 1, 'one event')
    const other = await agent.remember({ ...item, metadata: { a: 1, b: 'y' } })
    assert.notEqual(other.body['id'], again.body['id'])
    const perUser = await pod({ longTerm: { scope: 'user' } })
    const [alice, bob] = [await runOf(perUser, 'alice'), await runOf(perUser, 'bob')]
    const [first, second] = [await perUser.remember(item, alice), await perUser.remember(item, bob)]
    assert.notEqual(first.body['id'], second.body['id'])
    assert.equal((await perUser.remember(item, alice)).body['id'], first.body['id'])
  })

  await t.test('a repeat prolongs an item, and revives one that has expired', async () => {
    const agent = await pod(both)
    const lifeOf = async () => {
      const { rows } = await sql<{ seconds: number; live: boolean }>`
        select round(extract(epoch from expires_at - created_at))::integer as seconds,
          expires_at > clock_timestamp() as live from memory_items where agent_uid = ${agent.uid}`.execute(
        database.root,
      )
      return rows
    }
    await agent.remember({ text: 'a', ttl: '1h' })
    await agent.remember({ text: 'a', ttl: '2h' })
    assert.ok((await lifeOf()).every(({ seconds }) => seconds >= 7_200 && seconds < 9_000))
    await agent.remember({ text: 'a', ttl: '1h' })
    assert.ok(
      (await lifeOf()).every(({ seconds }) => seconds >= 7_200),
      'never shortened by a retry',
    )
    await sql`update memory_items set expires_at = clock_timestamp() where agent_uid = ${agent.uid}`.execute(
      database.root,
    )
    assert.equal((await agent.remember({ text: 'a', ttl: '1h' })).status, 201)
    assert.deepEqual(await lifeOf(), [{ seconds: 3_600, live: true }])
  })

  await t.test('an item lives as long as the shortest of its ttl, that of the spec and the retention', async () => {
    const agent = await pod({ longTerm: { ttl: '2h' } })
    await agent.remember({ text: 'own', ttl: '1h' })
    await agent.remember({ text: 'spec', ttl: '3h' })
    await agent.remember({ text: 'none' })
    const { rows } = await sql<{ text: string; seconds: number }>`
      select text, round(extract(epoch from expires_at - created_at))::integer as seconds from memory_items
      where agent_uid = ${agent.uid} order by id`.execute(database.root)
    assert.deepEqual(
      rows.map(({ text, seconds }) => [text, seconds]),
      [
        ['own', 3600],
        ['spec', 7200],
        ['none', 7200],
      ],
    )
  })

  await t.test('with an embedding route items are embedded; without the gateway they are found by words', async () => {
    const { rows } = await sql<{ has: boolean }>`select to_regtype('vector') is not null as has`.execute(database.root)
    const route = (name: string, at: string, spec: object = {}) =>
      apply(admin, {
        apiVersion: 'mesh.dev/v1alpha1',
        kind: 'ModelRoute',
        metadata: { name, namespace: at },
        spec: { providerRef: { name: 'mock' }, model: 'embed-1', ...spec },
      })
    await route('embed', namespace)
    const agent = await pod({ longTerm: { embeddingRoute: 'embed' } })
    await agent.remember({ text: 'the price of a ticket' })
    const vectors = await sql<{ space: string | null }>`
      select embedding_space as space from memory_items where agent_uid = ${agent.uid}`.execute(database.root)
    if (rows[0]?.has === true) {
      assert.deepEqual(vectors.rows, [{ space: `${namespace}/embed@embed-1` }])
      assert.match(String(gateway.received[0]?.payer), new RegExp(`^agent/${namespace}/[^/]+/${agent.uid}$`))
      assert.equal(((await agent.recall({ query: 'cost' })).body['items'] as unknown[]).length, 1, 'by meaning')
    } else assert.deepEqual([vectors.rows, gateway.received], [[{ space: null }], []])
    gateway.answer = (_request, response) => void response.writeHead(503).end('{}')
    assert.equal((await agent.remember({ text: 'a second ticket' })).status, 201)
    const { items, note } = (await agent.recall({ query: 'second' })).body
    assert.equal((items as unknown[]).length > 0, true)
    assert.equal(note, rows[0]?.has === true ? 'embeddings_failed' : 'no_vector_extension')
    gateway.answer = undefined
    const other = `${namespace}-other`
    const foreign = await pod({ longTerm: { embeddingRoute: `${namespace}/embed` } }, other)
    const before = gateway.received.length
    assert.equal((await foreign.remember({ text: 'a route of another namespace' })).status, 201)
    assert.equal(gateway.received.length, before, 'a route that its namespace may not use is not called')
  })
})

test(
  'a state role without a state store answers 501 for session memory',
  needs('kube-apiserver', 'etcd', 'postgres', 'initdb'),
  async (t) => {
    const { admin, url } = await startMemoryRole(t)
    const agent = await addRememberingAgent(admin, { namespace, name: 'no-store', memory: { session: {} } })
    const answer = await createPodClient(url, agent.token).append('c', 1)
    assert.deepEqual([answer.status, answer.body['code']], [501, 'not_wired'])
  },
)
