import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { pluginAdapters } from '#core/database/testing/databases.ts'
import { DENIED } from '#core/http/testing/build-server.ts'
import { canonicalJson } from '#core/json/canonical-json.ts'
import { createDatasetsSystem } from './datasets-system.ts'
import { serveDatasets } from './testing/dataset-rig.ts'

interface Pin {
  readonly version: number
  readonly digest: string
  readonly cases: number
}
interface Case {
  readonly id: string
  readonly digest: string
  readonly input: unknown
  readonly archived: boolean
  readonly labels: readonly { readonly id: string; readonly value: unknown; readonly annotator: string }[]
}
interface Page<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

const sha = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

for (const { name, skip, open } of pluginAdapters) {
  test(`${name}: a dataset is created, changed and deleted`, { skip }, async (t) => {
    const { send } = await serveDatasets(t, open)
    const made = await send('PUT', '/greetings', { description: 'Hellos.', inputSchema: { type: 'string' } })
    assert.deepEqual([made.status, made.headers['etag']], [201, '"1"'], made.body)
    const again = await send('PUT', '/greetings', { description: 'Hellos.', inputSchema: { type: 'string' } })
    assert.deepEqual([again.status, again.headers['etag']], [200, '"1"'], 'nothing changed')
    assert.equal((await send('PUT', '/greetings', {}, { 'if-match': '"7"' })).status, 412)
    assert.equal((await send('PUT', '/absent', {}, { 'if-match': '"7"' })).status, 412)
    const changed = await send('PUT', '/greetings', { allowedNamespaces: ['staging'] }, { 'if-match': '"1"' })
    assert.deepEqual([changed.status, changed.headers['etag']], [200, '"2"'], changed.body)
    const { items } = (await send('GET', '?namespace=default')).json<
      Page<{ name: string; latestPin: unknown; cases: number }>
    >()
    assert.deepEqual(
      items.map((one) => [one.name, one.latestPin, one.cases]),
      [['greetings', null, 0]],
      'a refused creation left nothing',
    )
    assert.equal((await send('DELETE', '/greetings')).status, 204)
    assert.equal((await send('GET', '/greetings')).status, 404)
  })

  test(`${name}: pins keep the cases of their moment, and equal cases have one pin`, { skip }, async (t) => {
    const { send, services } = await serveDatasets(t, open)
    await send('PUT', '/d', { allowedNamespaces: ['staging'] })
    assert.equal((await send('PUT', '/d/cases/a', { input: 1, tags: ['x'] })).status, 201)
    assert.equal((await send('PUT', '/d/cases/b', { input: { q: '2' }, expected: null })).status, 201)
    const inputs = async (query: string) =>
      (await send('GET', `/d/cases?${query}`)).json<Page<Case>>().items.map(({ input }) => input)
    const [first, second] = await Promise.all([send('POST', '/d/pin', { note: 'one' }), send('POST', '/d/pin', {})])
    assert.deepEqual([first.status, second.status].toSorted(), [200, 201], 'two pins at once are one')
    const pin = first.json<Pin>()
    assert.deepEqual([pin.version, pin.cases, second.json<Pin>().version], [1, 2, 1])
    const { items } = (await send('GET', '/d/cases')).json<Page<Case>>()
    assert.equal(pin.digest, sha(canonicalJson(items.map(({ digest }) => digest).toSorted())))
    assert.equal(items[0]?.digest, sha(canonicalJson({ id: 'a', input: 1, metadata: {}, tags: ['x'] })))
    assert.equal((await send('PUT', '/d/cases/a', { input: 'changed' })).status, 200)
    assert.equal((await send('DELETE', '/d/cases/b')).status, 204)
    assert.deepEqual(await inputs(''), ['changed'])
    assert.deepEqual(await inputs('archived=true'), [{ q: '2' }])
    assert.deepEqual(await inputs('version=1'), [1, { q: '2' }])
    const later = (await send('POST', '/d/pin', {})).json<Pin>()
    assert.deepEqual([later.version, later.cases], [2, 1])
    await send('PUT', '/d/cases/a', { input: 1, tags: ['x'] })
    await send('PUT', '/d/cases/b', { input: { q: '2' }, expected: null })
    const back = await send('POST', '/d/pin', {})
    assert.deepEqual([back.status, back.json<Pin>()], [200, pin], 'the former cases are the former pin')
    assert.deepEqual((await send('GET', '/d')).json<{ latestPin: Pin; cases: number }>().latestPin, pin)
    assert.deepEqual(
      (await send('GET', '/d/pins')).json<Page<Pin>>().items.map(({ version }) => version),
      [2, 1],
    )
    assert.deepEqual((await send('GET', '/d/pins/2')).json<Pin>(), later)
    for (const version of ['3', '0', 'x', '99999999999'])
      assert.equal((await send('GET', `/d/pins/${version}`)).status, 404)
    const system = createDatasetsSystem(services)
    const latest = await system.takeSnapshot({ namespace: 'default', name: 'd' }, 'staging')
    assert.ok(latest.found && latest.version === 1 && latest.digest === pin.digest)
    const page = await system.readCases(latest, { limit: 1 })
    assert.deepEqual([page.cases.map(({ id }) => id), page.next], [['a'], 'a'])
    assert.deepEqual(
      (await system.readCases(latest, { limit: 1, after: 'a' })).cases.map(({ input }) => input),
      [{ q: '2' }],
    )
    const other = await system.find({ namespace: 'default', name: 'd' }, 'production')
    assert.equal(other.found ? '' : other.reason, 'DatasetNotAllowed')
  })

  test(`${name}: a snapshot of live cases stays, and becomes the pin of equal cases`, { skip }, async (t) => {
    const { send, services } = await serveDatasets(t, open)
    const system = createDatasetsSystem(services)
    const reference = { namespace: 'default', name: 'd' }
    const none = await system.find(reference, 'default')
    assert.equal(none.found ? '' : none.reason, 'DatasetNotFound')
    await send('PUT', '/d', {})
    await send('PUT', '/d/cases/a', { input: 'before' })
    const snapshot = await system.takeSnapshot(reference, 'default')
    assert.ok(snapshot.found && snapshot.version === null)
    assert.deepEqual((await send('GET', '/d/pins')).json<Page<Pin>>().items, [], 'it is no pin')
    const found = await system.find(reference, 'default')
    assert.deepEqual([found.found && found.version, found.found && found.cases], [null, 1])
    await send('PUT', '/d/cases/a', { input: 'after' })
    assert.deepEqual(
      (await system.readCases(snapshot)).cases.map(({ input }) => input),
      ['before'],
    )
    await send('PUT', '/d/cases/a', { input: 'before' })
    const pin = await send('POST', '/d/pin', {})
    assert.deepEqual([pin.status, pin.json<Pin>().version, pin.json<Pin>().digest], [201, 1, snapshot.digest])
    await send('DELETE', '/d')
    await assert.rejects(system.readCases(snapshot), /was deleted/)
  })

  test(`${name}: the newest label of a case, name and annotator counts`, { skip }, async (t) => {
    const { send } = await serveDatasets(t, open, { labelsPerCase: 4 })
    await send('PUT', '/d', { expectedSchema: { type: 'string' } })
    await send('PUT', '/d/cases/a', { input: 1 })
    const label = (body: object, headers = {}) =>
      send('POST', '/d/cases/a/labels', { name: 'ok', dataType: 'boolean', ...body }, headers)
    const first = await label({ value: true }, { 'idempotency-key': 'key-1' })
    assert.equal(first.status, 201, first.body)
    const repeated = await label({ value: true }, { 'idempotency-key': 'key-1' })
    assert.equal(repeated.json<{ id: string }>().id, first.json<{ id: string }>().id)
    const second = await label({ value: false, comment: 'No.' })
    assert.equal(second.json<{ supersedes: string }>().supersedes, first.json<{ id: string }>().id)
    const stale = await label({ value: true, supersedes: first.json<{ id: string }>().id })
    assert.deepEqual([stale.status, stale.json<{ code: string }>().code], [409, 'label_superseded'])
    const { labels } = (await send('GET', '/d/cases/a')).json<Case>()
    assert.deepEqual(
      labels.map(({ value }) => value),
      [false],
    )
    const all = (await send('GET', '/d/cases/a/labels')).json<Page<{ value: unknown; current: boolean }>>()
    assert.deepEqual(
      all.items.map(({ value, current }) => [value, current]),
      [
        [false, true],
        [true, false],
      ],
    )
    assert.equal((await send('GET', '/d')).json<{ labels: number }>().labels, 1)
    assert.equal((await send('GET', '/d/cases?unlabelled=ok')).json<Page<Case>>().items.length, 0)
    assert.equal((await send('GET', '/d/cases?unlabelled=tone')).json<Page<Case>>().items.length, 1)
    for (const [dataType, value] of [
      ['boolean', 'yes'],
      ['numeric', '1'],
      ['categorical', ''],
      ['categorical', 'x'.repeat(129)],
      ['text', 7],
      ['correction', 7],
    ]) {
      const refused = await label({ dataType, value })
      assert.equal(refused.status, 400, `${String(dataType)} ${refused.body}`)
      assert.match(refused.body, /\/value/)
    }
    assert.equal((await label({ value: true })).status, 201)
    assert.equal((await label({ value: true })).status, 201)
    assert.equal((await label({ value: true })).status, 429, 'a case has at most labelsPerCase labels')
    await send('DELETE', '/d/cases/a')
    const archived = await label({ value: true })
    assert.deepEqual([archived.status, archived.json<{ code: string }>().code], [409, 'case_archived'])
    assert.equal(
      (await send('POST', '/d/cases/none/labels', { name: 'ok', dataType: 'boolean', value: true })).status,
      404,
    )
  })

  test(`${name}: a run becomes a case without secrets; the dataset is made`, { skip }, async (t) => {
    const { send, run, upstream } = await serveDatasets(t, open)
    const { id } = await run({
      input: { text: 'Write to ada@example.com with Bearer sk-live-abcdefghijklmnopqrstuvwxyz0123456789' },
    })
    const body = { runId: id, redaction: { redact: ['email'] } }
    const made = await send('POST', '/fresh/cases/from-run', body)
    assert.equal(made.status, 201, made.body)
    assert.ok(!made.body.includes('ada@example.com') && !made.body.includes('sk-live'), made.body)
    assert.deepEqual(made.json<{ id: string; source: { runId: string } }>().source.runId, id)
    assert.ok(upstream.includes('review get runs in default'), upstream.join('\n'))
    assert.equal((await send('POST', '/fresh/cases/from-run', body)).status, 200)
    assert.equal((await send('POST', '/fresh/cases/from-run', { runId: id })).status, 409, 'other content')
    const unknown = { runId: '019a0000-0000-7000-8000-000000000000' }
    assert.equal((await send('POST', '/none/cases/from-run', unknown)).status, 404)
    assert.equal((await send('GET', '/none')).status, 404, 'a refusal makes no dataset')
    const bad = await send('POST', '/fresh/cases/from-run', { runId: id, redaction: { redact: ['(['] } })
    assert.deepEqual([bad.status, /redaction\/redact\/0/.test(bad.body)], [400, true])
  })

  test(`${name}: SEC: hostile requests are refused and leave nothing`, { skip }, async (t) => {
    const { send, upstream } = await serveDatasets(t, open, {
      caseBytes: 1000,
      casesPerDataset: 3,
      bytesPerNamespace: 2500,
    })
    await send('PUT', '/d', { inputSchema: { type: ['string', 'number', 'array'] } })
    assert.equal((await send('PUT', '/pins', {})).status, 400, 'a reserved name')
    assert.equal((await send('POST', '/pins/cases/from-run', { runId: 'x' })).status, 400)
    assert.equal((await send('PUT', '/a.b', {})).status, 400)
    const put = (id: string, body: string) => send('PUT', `/d/cases/${id}`, body, { type: 'application/json' })
    for (const [id, body, status] of [
      ['a', '{"input":"\\u0000"}', 400],
      ['a', '{"input":"\\ud800"}', 400],
      ['a', '{"input":1e999}', 422],
      ['a', '{"input":{"__proto__":1}}', 400],
      ['a', `{"input":${'['.repeat(100)}${']'.repeat(100)}}`, 400],
      ['a', `{"input":"${'x'.repeat(1200)}"}`, 422],
      ['a', `{"input":"${'x'.repeat(5 * 1024 * 1024)}"}`, 413],
      ['a', '{"input":true}', 422],
      ['a', '{}', 400],
      ['a', '{"input":1,"id":"b"}', 400],
      ['import', '{"input":1}', 405],
      ['%00', '{"input":1}', 400],
      ['..', '{"input":1}', 404],
      ['a%2fb', '{"input":1}', 400],
    ] as const)
      assert.equal((await put(id, body)).status, status, `${id} ${body.slice(0, 40)}`)
    assert.equal((await send('GET', '/d')).json<{ cases: number }>().cases, 0)
    for (const id of ['a', 'b']) assert.equal((await put(id, `{"input":"${'x'.repeat(900)}"}`)).status, 201)
    assert.equal((await put('c', `{"input":"${'x'.repeat(900)}"}`)).status, 429, 'bytes of the namespace')
    assert.equal((await put('c', '{"input":1}')).status, 201)
    assert.equal((await put('e', '{"input":1}')).status, 429, 'cases of the dataset')
    assert.equal((await send('GET', '/d', undefined, { token: '' })).status, 401)
    const before = upstream.length
    assert.equal((await send('GET', '/d', undefined, { token: DENIED })).status, 403)
    assert.deepEqual(upstream.slice(before), ['as', 'review get datasets in default d'])
    assert.equal(
      (await send('POST', '/d/cases/c/labels', { name: 'n', dataType: 'boolean', value: true }, { token: DENIED }))
        .status,
      403,
    )
    assert.equal((await send('GET', '/d/cases?cursor=forged')).status, 400)
  })
}
