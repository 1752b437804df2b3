import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { Persona } from '#local/data-folder/personas.ts'
import { makePdf } from '#plugins/knowledge/testing/make-pdf.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'
import type { KnowledgeBaseObject } from '#schemas/crds/knowledge-base.ts'
import { needs } from '#test/harness/find-server.ts'
import { listen } from '#test/harness/listen.ts'
import { agentCommand } from './platform/agent-command.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'
import { createPageShell } from '../docs/page-shell.ts'

interface Found {
  readonly items: readonly {
    readonly document: string
    readonly text: string
    readonly metadata: Readonly<Record<string, unknown>>
  }[]
  readonly mode: string
  readonly note?: string
}

const command = agentCommand(async ({ input }) => {
  const answered = await fetch(`http://127.0.0.1:${process.env['MEMORY_PORT']}/knowledge/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return { status: answered.status, body: await answered.json() }
})

interface Queued {
  readonly id: string
  readonly document: string
}

interface Ingested {
  readonly state: string
  readonly error: string | null
  readonly url: string | null
}

test('a knowledge base from kubectl to an agent: upload, ingest, search by API, search over port 2998', async (t) => {
  const platform = await sharedEmbedded()
  const base = '/api/knowledgebases/flow-handbook'
  const send = (
    method: string,
    path: string,
    body?: unknown,
    more: { persona?: Persona; contentType?: string } = {},
  ) => {
    const { persona = 'developer', contentType } = more
    return platform.send({
      method,
      path,
      bearer: platform.tokens[persona],
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    })
  }
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    const end = performance.now() + 90_000
    while (!(await holds())) {
      assert.ok(performance.now() < end, 'not within 90 s')
      await pause(50)
    }
  }
  const ingested = async (id: string): Promise<void> => {
    let state = ''
    await until(async () => {
      const answer = await send('GET', `${base}/ingests/${id}`)
      ;({ state } = answer.json<{ state: string }>())
      return state !== 'queued' && state !== 'running'
    })
    assert.equal(state, 'succeeded')
  }
  const object = {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'KnowledgeBase',
    metadata: { name: 'flow-handbook', namespace: 'default' },
    spec: { embedding: { route: 'mock' } },
  }
  const applied = await platform.kube({
    method: 'POST',
    path: '/apis/mesh.dev/v1alpha1/namespaces/default/knowledgebases',
    bearer: platform.tokens.developer,
    body: object,
  })
  assert.equal(applied.status, 201, applied.text)
  assert.equal((await send('POST', '/api/knowledgebases', object)).status, 405)

  const markdown = '# Refunds\n\nA refund is paid within thirty days.\n\n# Delivery\n\nParcels are sent by ship.'
  const uploaded = await send('POST', `${base}/documents?id=refunds.md&title=Refunds`, Buffer.from(markdown), {
    contentType: 'text/markdown',
  })
  assert.equal(uploaded.status, 202, uploaded.text)
  const pdf = await send(
    'POST',
    `${base}/documents?id=policy.pdf`,
    makePdf(['First page.', 'Visitors wear a badge.']),
    {
      contentType: 'application/pdf',
    },
  )
  assert.equal(pdf.status, 202, pdf.text)
  for (const answer of [uploaded, pdf])
    for (const { id } of answer.json<{ items: readonly { id: string }[] }>().items) await ingested(id)

  const ref = { namespace: parseLabel('namespace', 'default'), name: parseName('name', 'flow-handbook') }
  await until(async () => {
    const { status } = await platform.admin.get<KnowledgeBaseObject>(KnowledgeBase, ref)
    const embedded = status?.conditions?.find(({ type }) => type === 'Embedded')
    return (
      status?.documents === 2 &&
      embedded?.status === 'True' &&
      status.embeddingModel?.startsWith('default/mock@') === true
    )
  })
  const search = async (query: string, persona: Persona = 'developer') =>
    send('POST', `${base}/search`, { query }, { persona })
  const found = (await search('When is a refund paid?')).json<Found>()
  assert.deepEqual(
    [found.mode, found.items[0]?.document, found.items[0]?.metadata['title']],
    ['hybrid', 'refunds.md', 'Refunds'],
  )
  const badge = (await search('badge of visitors')).json<Found>()
  assert.deepEqual([badge.items[0]?.document, badge.items[0]?.metadata['page']], ['policy.pdf', 2])
  const first = (await send('GET', `${base}/documents?limit=1`)).json<{ items: { id: string }[]; nextCursor: string }>()
  const rest = await send('GET', `${base}/documents?limit=1&cursor=${encodeURIComponent(first.nextCursor)}`)
  const listed = [...first.items, ...rest.json<typeof first>().items].map(({ id }) => id)
  assert.deepEqual([listed, rest.json<typeof first>().nextCursor], [['policy.pdf', 'refunds.md'], null])
  assert.doesNotMatch(rest.text, /thirty days/, 'a list has no texts')
  for (const query of ['limit=0', 'limit=2147483648', 'cursor=x', 'cursor=%00', 'more=1'])
    assert.equal((await send('GET', `${base}/documents?${query}`)).status, 400, query)
  assert.equal((await send('GET', `${base}/documents`, undefined, { persona: 'other-tenant' })).status, 403)
  // A viewer may not use the route of the model.
  const viewed = (await search('refund', 'viewer')).json<Found>()
  assert.deepEqual(
    [viewed.mode, viewed.note, viewed.items[0]?.document],
    ['full-text', 'embeddings_refused', 'refunds.md'],
  )
  assert.equal((await search('refund', 'other-tenant')).status, 403)
  assert.equal(
    (await send('POST', `${base}/documents`, { documents: [{ text: 'x' }] }, { persona: 'viewer' })).status,
    403,
  )

  for (const [name, more] of [
    ['flow-reader', { knowledge: ['flow-handbook'] }],
    ['flow-stranger', { memory: { session: {} } }],
  ] as const) {
    const made = await send('POST', '/api/agents', {
      namespace: 'default',
      config: { name, runtime: { command }, ...more },
    })
    assert.equal(made.status, 201, made.text)
  }
  const ask = async (name: string, input: object) => {
    const answer = await send('POST', '/api/invoke', { agent: { namespace: 'default', name }, input, timeout: '60s' })
    const { output } = answer.json<{ output: { status: number; body: Found & { error?: string } } }>()
    return output
  }
  const asked = await ask('flow-reader', { query: 'When is a refund paid?', limit: 1 })
  assert.deepEqual(
    [asked.status, asked.body.mode, asked.body.items[0]?.document, asked.body.items.length],
    [200, 'hybrid', 'refunds.md', 1],
  )
  const payers = async () => {
    const path = '/api/cost/breakdown?namespace=default&groupBy=agent&limit=200'
    const { items } = (await send('GET', path)).json<{ items: { agent: { name: string } | null }[] }>()
    return items.map(({ agent }) => agent?.name ?? null)
  }
  await until(async () => (await payers()).includes('flow-reader'))
  const unknown = await ask('flow-reader', { query: 'x', knowledgeBase: 'other' })
  assert.deepEqual([unknown.status, unknown.body.error], [404, 'unknown_knowledge_base'])
  const stranger = await ask('flow-stranger', { query: 'refund' })
  assert.deepEqual([stranger.status, stranger.body.error], [404, 'not_bound'])

  const pages = createServer(({ url }, response) => {
    if (url !== '/hours.md') return response.writeHead(404).end()
    return response.writeHead(200, { 'content-type': 'text/markdown' }).end('# Hours\n\nThe desk opens at nine.')
  })
  const origin = await listen(t, pages)
  const ingest = async (path: string) => {
    const queued = await send('POST', `${base}/ingest`, { url: `${origin}${path}`, id: path.slice(1) })
    assert.equal(queued.status, 202, queued.text)
    const [{ id, document } = { id: '', document: '' }] = queued.json<{ items: readonly Queued[] }>().items
    assert.equal(document, path.slice(1))
    return id
  }
  await ingested(await ingest('/hours.md'))
  const desk = (await search('When does the desk open?')).json<Found>()
  assert.deepEqual([desk.items[0]?.document, desk.items[0]?.metadata['url']], ['hours.md', `${origin}/hours.md`])
  const known = (await send('GET', `${base}/documents`)).json<{
    items: readonly { id: string; url: string | null }[]
  }>()
  assert.equal(known.items.find(({ id }) => id === 'hours.md')?.url, `${origin}/hours.md`)
  const lost = await ingest('/gone.md')
  let failed: Ingested = { state: '', error: null, url: null }
  await until(async () => {
    failed = (await send('GET', `${base}/ingests/${lost}`)).json<Ingested>()
    return failed.state === 'failed'
  })
  assert.equal(failed.url, `${origin}/gone.md`)
  assert.equal(failed.error, 'fetch_failed')
  const shown = await send('GET', base)
  const { status } = shown.json<{ status: { embeddingModel: string } }>()
  assert.match(status.embeddingModel, /^default\/mock@/)

  const removed = await send('DELETE', `${base}/documents/policy.pdf`)
  assert.equal(removed.status, 204, removed.text)
  assert.equal(
    (await search('badge')).json<Found>().items.some(({ document }) => document === 'policy.pdf'),
    false,
  )
})

test('R2-UX-4: the commands of docs/how-to/use-knowledge.md', needs('kubectl'), async (t) => {
  const platform = await sharedEmbedded()
  const { section } = createPageShell(t, 'use-knowledge.md', platform)
  const run = async (heading: string): Promise<string> => (await section(heading)).join('\n')
  assert.match(await run('Create a knowledge base'), /handbook created/)
  const added = await run('Add documents')
  const ids = [...added.matchAll(/"id":"([0-9a-f-]{36})"/g)].map(([, id]) => id ?? '')
  assert.equal(ids.length, 2, added)
  const bearer = platform.tokens.developer
  for (const id of ids) {
    const state = async () =>
      (await platform.send({ path: `/api/knowledgebases/handbook/ingests/${id}`, bearer })).json<{ state: string }>()
        .state
    const end = performance.now() + 90_000
    while (['queued', 'running'].includes(await state())) {
      assert.ok(performance.now() < end, 'not within 90 s')
      await pause(50)
    }
    assert.equal(await state(), 'succeeded')
  }
  const found = JSON.parse(await run('Search')) as Found
  assert.equal(found.items[0]?.document, 'refunds.md')
  assert.match(await run('Let an agent search'), /"name":"librarian"/)
  assert.match(await run('List and delete'), /"id":"refunds\.md"[^]*"handbook" deleted/)
})
