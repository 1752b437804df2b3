import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { EmbeddingsUnavailable } from '#core/retrieval/embeddings-error.ts'
import { embeddingOf } from '#core/retrieval/testing/embedding-server.ts'
import { knowledgePruner } from '../store/prune-knowledge.ts'
import { makePdf } from '../testing/make-pdf.ts'
import { identityOf, openKnowledge, textOf, until } from '../testing/knowledge-rig.ts'

async function upstream(t: TestContext, answer: (url: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => answer(request.url ?? '', response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const model = { route: 'ns-a/embed', space: 'ns-a/embed@one' }

for (const { name, skip, open } of pluginAdapters) {
  test(
    `knowledge on ${name}: uploads are ingested, found with their citation, replaced by their id and deleted with their base`,
    { skip },
    async (t) => {
      const rig = await openKnowledge(t, open)
      await rig.configure('kb')
      rig.work()
      const pdf = makePdf(['Nothing of interest.', 'Refunds take thirty days.'], 'Policy')
      const [first, second] = await rig.submit('kb', [
        textOf('guide', 'Cats sleep a lot.\n\nDogs bark.', { title: 'Guide', attributes: { team: 'pets' } }),
        { documentId: 'policy', title: null, from: { content: pdf, contentType: 'application/pdf' } },
      ])
      await until(async () => (await rig.baseOf('kb'))?.documents === 2)
      assert.deepEqual(await rig.ingestOf(first?.id ?? ''), { state: 'succeeded', error: null, bytes: 0 })
      const { items, mode, note } = await rig.search('kb', 'How long does a refund take?')
      assert.deepEqual([mode, note], ['full-text', 'no_embedding_model'])
      assert.deepEqual(
        items.map(({ document, text, metadata }) => [document, text, metadata.page, metadata.title]),
        [['policy', 'Refunds take thirty days.', 2, 'Policy']],
      )
      const [cat] = (await rig.search('kb', 'cat')).items
      assert.deepEqual(cat?.metadata, {
        knowledgeBase: 'name-kb',
        title: 'Guide',
        contentType: 'text/plain',
        start: 0,
        end: 29,
        attributes: { team: 'pets' },
      })
      await rig.submit('kb', [textOf('guide', 'Birds sing.')])
      await until(async () => (await rig.search('kb', 'birds')).items.length === 1)
      assert.deepEqual((await rig.search('kb', 'cats')).items, [])
      assert.deepEqual([(await rig.baseOf('kb'))?.documents, second?.document], [2, 'policy'])
      await rig.store.transact((tx) =>
        knowledgePruner.prune(tx, { kind: 'KnowledgeBase', uid: 'kb', namespace: 'default' }, 100),
      )
      const { rows } = await sql<{
        left: string
      }>`select (select count(*) from knowledge_chunks) + (select count(*) from knowledge_ingests)
      + (select count(*) from knowledge_bases) as left`.execute(rig.database.root)
      assert.equal(Number(rows[0]?.left), 0)
    },
  )

  test(
    `knowledge on ${name}: chunks get vectors, and new ones when the model or the layout changes`,
    { skip },
    async (t) => {
      const rig = await openKnowledge(t, open)
      if (!(await rig.services.hasVectors())) return t.skip('this database has no pgvector')
      await rig.configure('kb', model)
      rig.work()
      const done = async (): Promise<boolean> => {
        const base = await rig.baseOf('kb')
        return base !== undefined && base.chunks > 0 && base.embedded === base.chunks
      }
      await rig.submit('kb', [
        textOf('a', `The dog is an animal. ${'filler '.repeat(60)}`),
        textOf('b', 'The invoice has a price.'),
      ])
      await until(async () => (await rig.baseOf('kb'))?.documents === 2 && (await done()))
      const { items, mode } = await rig.search('kb', 'my cat')
      assert.deepEqual([mode, items[0]?.document], ['hybrid', 'a'])
      const chunks = (await rig.baseOf('kb'))?.chunks
      let calls = 0
      rig.embeddings.embed = async ({ texts }) => {
        calls += texts.length
        return { vectors: texts.map((text) => [...embeddingOf(text), 1]), dimensions: 5 }
      }
      await rig.configure('kb', { generation: 2, route: model.route, space: 'ns-a/embed@two' })
      await until(done)
      assert.equal(calls, chunks)
      await rig.configure('kb', {
        generation: 3,
        chunkSize: 400,
        chunkOverlap: 0,
        route: model.route,
        space: 'ns-a/embed@two',
      })
      await until(async () => ((await rig.baseOf('kb'))?.chunks ?? 9) < (chunks ?? 0) && (await done()))
      assert.equal((await rig.search('kb', 'my cat')).items[0]?.document, 'a')
    },
  )

  test(
    `knowledge on ${name}: without embeddings documents are found by words, the problem is recorded, and vectors follow`,
    { skip },
    async (t) => {
      const rig = await openKnowledge(t, open)
      const { embed } = rig.embeddings
      rig.embeddings.embed = async () => {
        throw new EmbeddingsUnavailable('budget_exceeded')
      }
      await rig.configure('kb', model)
      rig.work()
      await rig.submit('kb', [textOf('a', 'The dog barks.')])
      await until(async () => (await rig.baseOf('kb'))?.problem === 'budget_exceeded')
      assert.deepEqual([...rig.payers], ['namespace/ns-a/ns-uid-a'], 'the namespace pays for its documents')
      const { items, mode, note } = await rig.search('kb', 'dog')
      assert.equal(items[0]?.document, 'a')
      assert.equal(mode, 'full-text')
      assert.match(note ?? '', /^(?:embeddings_budget_exceeded|no_vector_extension)$/)
      rig.embeddings.embed = embed
      // The problem ends after the vectors are stored.
      await until(async () => {
        const base = await rig.baseOf('kb')
        return base?.embedded === 1 && base.problem === null
      })
    },
  )

  test(
    `F4 on ${name}: limits of documents, chunks and waiting bytes are refused by their code, and nothing is half-written`,
    { skip },
    async (t) => {
      const rig = await openKnowledge(t, open, { chunksPerNamespace: 30, waitingBytesPerNamespace: 1_000 })
      await rig.configure('kb', { mostDocuments: 2, mostChunks: 10 })
      await rig.configure('kb2')
      await rig.submit('kb', [textOf('first', 'x'.repeat(900))])
      await assert.rejects(rig.submit('kb2', [textOf('second', 'y'.repeat(200))]), { code: 'ingest_queue_full' })
      await rig.submit('other', [textOf('mine', 'z'.repeat(900))], 'b')
      const stop = rig.work()
      await until(async () => (await rig.baseOf('kb'))?.documents === 1)
      const words = (count: number): string => 'word '.repeat(count)
      const outcome = async (uid: string, id: string, text: string): Promise<string | null | undefined> => {
        const [queued] = await rig.submit(uid, [
          { ...textOf(id, text), from: { content: Buffer.from(text), contentType: 'text/plain' } },
        ])
        const read = () => rig.ingestOf(queued?.id ?? '')
        await until(async () => ['succeeded', 'failed'].includes((await read())?.state ?? ''))
        return (await read())?.error
      }
      assert.equal(await outcome('kb', 'b', 'Small.'), null)
      assert.equal(await outcome('kb', 'c', 'Small.'), 'limit_of_base')
      assert.equal(await outcome('kb', 'b', words(600)), 'limit_of_base')
      assert.equal((await rig.search('kb', 'small')).items[0]?.document, 'b')
      for (const id of ['d', 'e', 'f']) await outcome('kb2', id, words(300))
      assert.equal(await outcome('kb2', 'g', words(600)), 'limit_of_namespace')
      await stop()
    },
  )

  test(
    `M-2 on ${name}: addresses are fetched by guarded calls; what is no document fails by its code, without its content`,
    { skip },
    async (t) => {
      const rig = await openKnowledge(t, open, { maxDocumentBytes: 10_000, fetchTimeout: 20 })
      await rig.configure('kb')
      rig.work()
      const url = await upstream(t, (path, response) => {
        if (path === '/page')
          return void response.setHeader('content-type', 'text/html').end('<title>Page</title><p>Ships sail.</p>')
        if (path === '/moved') return void response.writeHead(302, { location: '/page' }).end()
        if (path === '/inside') return void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
        if (path === '/large') return void response.end('x'.repeat(20_000))
        if (path === '/zip') return void response.setHeader('content-type', 'application/zip').end('PK')
        response.writeHead(404).end('secret')
      })
      const submitUrl = async (id: string, target: string): Promise<string | null | undefined> => {
        const [queued] = await rig.submit('kb', [{ documentId: id, title: null, from: { url: target } }])
        const read = () => rig.ingestOf(queued?.id ?? '')
        await until(async () => ['succeeded', 'failed'].includes((await read())?.state ?? ''))
        return (await read())?.error
      }
      assert.equal(await submitUrl('page', `${url}/page`), null)
      assert.equal(await submitUrl('moved', `${url}/moved`), null)
      assert.deepEqual(
        (await rig.search('kb', 'ship')).items.map(({ metadata }) => metadata.title),
        ['Page', 'Page'],
      )
      assert.equal(await submitUrl('inside', `${url}/inside`), 'fetch_refused')
      assert.equal(await submitUrl('private', 'http://10.1.2.3/'), 'fetch_refused')
      assert.equal(await submitUrl('large', `${url}/large`), 'too_large')
      assert.equal(await submitUrl('zip', `${url}/zip`), 'unsupported_type')
      assert.equal(await submitUrl('none', `${url}/none`), 'fetch_failed')
      assert.equal((await rig.search('kb', 'secret')).items.length, 0)
    },
  )

  test(`F4 on ${name}: a tenant with many documents does not delay another's`, { skip }, async (t) => {
    const rig = await openKnowledge(t, open)
    await rig.configure('busy')
    await rig.configure('calm', {}, 'b')
    await rig.submit(
      'busy',
      Array.from({ length: 40 }, (_, n) => textOf(`d${n}`, `Text ${n}.`)),
    )
    await rig.submit('calm', [textOf('only', 'One text.')], 'b')
    rig.work()
    await until(async () => (await rig.baseOf('calm'))?.documents === 1)
    assert.ok(((await rig.baseOf('busy'))?.documents ?? 40) < 20)
  })

  test(
    `knowledge on ${name}: of two ingests of one document the later submission stays, in whatever order they end`,
    { skip },
    async (t) => {
      const rig = await openKnowledge(t, open)
      await rig.configure('kb')
      const [old] = await rig.submit('kb', [textOf('a', 'The old text.')])
      await rig.submit('kb', [textOf('a', 'The new text.')])
      await sql`update tasks set due_at = due_at + interval '1 second' where payload like ${`%${old?.id}%`}`.execute(
        rig.database.root,
      )
      rig.work()
      await until(async () => (await rig.ingestOf(old?.id ?? ''))?.state === 'superseded')
      assert.deepEqual(
        (await rig.search('kb', 'text')).items.map(({ text }) => text),
        ['The new text.'],
      )
    },
  )
}

test('knowledge: a base that was deleted before its ingest leaves nothing, and one unknown to the manager waits', async (t) => {
  const [adapter] = pluginAdapters
  assert.ok(adapter)
  const rig = await openKnowledge(t, adapter.open)
  const [queued] = await rig.submit('kb', [textOf('a', 'Text.')])
  rig.work()
  await until(async () => (await rig.ingestOf(queued?.id ?? ''))?.state === 'running')
  assert.equal((await rig.baseOf('kb'))?.documents, 0)
  await rig.configure('kb')
  await until(async () => (await rig.baseOf('kb'))?.documents === 1)
  const [gone] = await rig.submit('gone', [textOf('a', 'Text.')])
  await rig.store.transact((tx) =>
    knowledgePruner.prune(tx, { kind: 'KnowledgeBase', uid: identityOf('gone').uid, namespace: 'default' }, 10),
  )
  assert.equal(await rig.ingestOf(gone?.id ?? ''), undefined)
})
