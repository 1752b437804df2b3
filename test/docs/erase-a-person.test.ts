import assert from 'node:assert/strict'
import test from 'node:test'
import { needs } from '#test/harness/find-server.ts'
import { sharedEmbedded } from '../flows/platform/shared-platform.ts'
import { createPageShell } from './page-shell.ts'

interface ErasurePage {
  readonly scope?: string
  readonly items: readonly Shown[]
  readonly nextCursor: string | null
}

interface Shown {
  readonly id: string
  readonly state: string
  readonly subject: string | null
  readonly namespace: string | null
  readonly erased: readonly { readonly of: string; readonly count: number }[]
}

interface Problem {
  readonly code: string
  readonly errors?: readonly { readonly pointer: string }[]
}

test(
  'R2-UX-4, ADR 0272: the commands of docs/how-to/erase-a-person.md erase a person in a namespace',
  needs('kubectl'),
  async (t) => {
    const platform = await sharedEmbedded()
    const shell = createPageShell(t, 'erase-a-person.md', platform)
    const [, made = ''] = await shell.section('Prepare')
    assert.match(made, /"state":"succeeded"/)
    const [, runId = ''] = /"runId":"([0-9a-f-]{36})"/.exec(made) ?? []
    const [before = ''] = await shell.section('Find the name')
    assert.match(before, /"subject":"admin"/)
    await shell.section('Erase')
    const [waited = '', audit = ''] = await shell.section('Wait for the end')
    const [line = '', ...rest] = waited.split('\n')
    const erasure = JSON.parse(line) as Shown
    assert.deepEqual([erasure.subject, erasure.namespace], [null, 'team-erase'])
    assert.equal(erasure.erased.find(({ of }) => of === 'runs')?.count, 1)
    assert.deepEqual((JSON.parse(rest.join('')) as { items: unknown[] }).items, [])

    const send = (method: string, path: string, body?: unknown, who: 'admin' | 'viewer' | 'developer' = 'admin') =>
      platform.send({ method, path, bearer: platform.tokens[who], ...(body === undefined ? {} : { body }) })
    assert.equal((await send('GET', `/api/runs/${runId}`)).status, 404)

    await t.test('A8: two audit rows, of the request with the name and of the end with numbers', async () => {
      type Row = { readonly action: string; readonly actor: string; readonly detail: Readonly<Record<string, unknown>> }
      let rows = (JSON.parse(audit) as { items: readonly Row[] }).items
      for (const end = performance.now() + 60_000; rows.length < 2 && performance.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        rows = (await send('GET', '/api/audit?kind=Erasure&namespace=team-erase')).json<{ items: readonly Row[] }>()
          .items
      }
      assert.deepEqual(rows.map(({ action, detail }) => [action, detail['subject'] ?? null]).toSorted(), [
        ['create', 'admin'],
        ['erase', null],
      ])
      assert.doesNotMatch(JSON.stringify(rows), /Tom/)
    })

    await t.test('a name without data is erased as well, once while it is under way', async () => {
      const body = { subject: 'no-data@this.example' }
      const first = await send('POST', '/api/erasures', body)
      assert.equal(first.status, 202, first.text)
      const { id } = first.json<Shown>()
      const listed = await send('GET', '/api/erasures?limit=200')
      assert.ok(listed.json<{ items: readonly Shown[] }>().items.some((one) => one.id === id))
      const permitted = (await send('GET', '/api/erasures?scope=permitted')).json<ErasurePage>()
      assert.deepEqual([permitted.scope, permitted.items.map((one) => one.id)], ['permitted', [erasure.id]])
      const page = (await send('GET', '/api/erasures?limit=1')).json<ErasurePage>()
      assert.deepEqual([page.items.length, typeof page.nextCursor], [1, 'string'])
      const ofNamespace = await send('GET', '/api/erasures?namespace=team-erase')
      assert.deepEqual(
        ofNamespace.json<{ items: readonly Shown[] }>().items.map((one) => one.id),
        [erasure.id],
      )
    })

    await t.test('hostile bodies are a 400 that names the field', async () => {
      const pointerOf = async (body: unknown) => {
        const answer = await send('POST', '/api/erasures', body)
        return [answer.status, answer.json<Problem>().errors?.[0]?.pointer]
      }
      for (const subject of ['', 'a\u0000b', 'a\ud800', 'x'.repeat(1_000_000), 7, null, ['admin']])
        assert.deepEqual(await pointerOf({ subject }), [400, '/subject'], JSON.stringify(subject).slice(0, 40))
      for (const namespace of ['UPPER', '../x', 'a'.repeat(64)])
        assert.deepEqual(await pointerOf({ subject: 'ada', namespace }), [400, '/namespace'], namespace)
      assert.deepEqual((await pointerOf({}))[0], 400)
      assert.deepEqual((await pointerOf({ subject: 'ada', all: true }))[0], 400)
      assert.equal((await send('POST', '/api/erasures', { subject: 'ada', namespace: 'no-such' })).status, 404)
      for (const id of ['x', '%00', '%ED%A0%80', '..%2f', '0190a5c2-7d1e-7c3a-9b2f-1a2b3c4d5e6f'])
        assert.ok([400, 404].includes((await send('GET', `/api/erasures/${id}`)).status), id)
    })

    await t.test('others than operators may neither erase nor see erasures', async () => {
      for (const who of ['viewer', 'developer'] as const) {
        for (const body of [{ subject: 'admin' }, { subject: 'admin', namespace: 'demo' }])
          assert.equal((await send('POST', '/api/erasures', body, who)).status, 403, who)
        for (const query of ['', '?namespace=demo'])
          assert.equal((await send('GET', `/api/erasures${query}`, undefined, who)).status, 403, who)
        assert.equal((await send('GET', `/api/erasures/${erasure.id}`, undefined, who)).status, 404, who)
      }
      const anonymous = await platform.send({ method: 'POST', path: '/api/erasures', body: { subject: 'admin' } })
      assert.equal(anonymous.status, 401)
    })
  },
)
