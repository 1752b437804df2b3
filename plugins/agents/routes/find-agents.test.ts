import assert from 'node:assert/strict'
import test from 'node:test'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { AgentDeployment } from '#schemas/crds/agent-deployment.ts'
import { needs } from '#test/harness/find-server.ts'
import { readEndpoints } from './read.ts'
import { servePlugin } from '../testing/serve.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')

interface Page {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace: string } }[]
  readonly nextCursor: string | null
  readonly scope?: string
}

test('a list of a kind finds names by their prefix, and orders them', real, async (t) => {
  const { ask, admin, namespace, other } = await servePlugin(t, 'find', () => readEndpoints(undefined))
  const spec = { model: { route: 'mock' } }
  const create = (name: string, place: string) =>
    admin.create(AgentDeployment, {
      apiVersion: AgentDeployment.apiVersion,
      kind: AgentDeployment.kind,
      metadata: { name, namespace: place },
      spec,
    })
  for (const name of ['billing', 'bill-3', 'bill-1', 'bill-2', 'writer']) await create(name, namespace)
  await create('bill-0', other)
  const pages = async (who: string, query: string): Promise<readonly string[][]> => {
    const found: string[][] = []
    for (let cursor: string | null = ''; cursor !== null && found.length < 20;) {
      const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const response = await ask(who, 'GET', `/agents?${query}${at}`)
      assert.equal(response.status, 200, response.text)
      const page = response.json<Page>()
      found.push(page.items.map(({ metadata }) => metadata.name))
      cursor = page.nextCursor
    }
    return found
  }
  const here = `namespace=${namespace}`

  await t.test('by prefix, in any case, on pages that end exactly', async () => {
    assert.deepEqual(await pages('viewer', `${here}&q=BILL-&limit=2`), [['bill-1', 'bill-2'], ['bill-3']])
    assert.deepEqual(await pages('viewer', `${here}&q=bill-&limit=3`), [['bill-1', 'bill-2', 'bill-3']])
    assert.deepEqual(await pages('viewer', `${here}&q=nothing`), [[]])
    assert.deepEqual(await pages('viewer', `${here}&q=%2e%2a`), [[]], 'q is not a pattern')
  })

  await t.test('by name and by time of creation, newest or oldest first', async () => {
    const all = ['bill-1', 'bill-2', 'bill-3', 'billing', 'writer']
    assert.deepEqual((await pages('viewer', `${here}&order=name&limit=2`)).flat(), all)
    assert.deepEqual((await pages('viewer', `${here}&order=name&q=bill-&limit=1`)).flat(), [
      'bill-1',
      'bill-2',
      'bill-3',
    ])
    const oldest = (await pages('viewer', `${here}&order=oldest&limit=2`)).flat()
    assert.deepEqual(oldest.toSorted(), all)
    assert.deepEqual((await pages('viewer', `${here}&order=newest&limit=2`)).flat(), oldest.toReversed())
  })

  await t.test('with scope=permitted only in namespaces that the caller may list', async () => {
    const permitted = 'scope=permitted&q=bill-&limit=2'
    assert.deepEqual(await pages('viewer', permitted), [['bill-1', 'bill-2'], ['bill-3']])
    assert.deepEqual(await pages('other-tenant', `${permitted}&order=name`), [['bill-0']])
    const both = (await pages('operator', `${permitted}&order=name`)).flat()
    assert.deepEqual(both, ['bill-0', 'bill-1', 'bill-2', 'bill-3'])
    const scoped = (await ask('viewer', 'GET', `/agents?${permitted}`)).json<Page>()
    assert.equal(scoped.scope, 'permitted')
    assert.equal((await ask('viewer', 'GET', '/agents?q=bill')).status, 403, 'the cluster decides on the whole cluster')
    assert.equal((await ask('viewer', 'GET', `/agents?namespace=${other}&order=name`)).status, 403)
  })

  await t.test('by a condition that is True, or is not', async () => {
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'Serving',
      message: '',
      lastTransitionTime: '2026-11-30T00:00:00Z',
    }
    for (const [name, status] of [
      ['bill-1', 'True'],
      ['bill-2', 'False'],
      ['writer', 'True'],
    ] as const) {
      const ref = { namespace: parseLabel('namespace', namespace), name: parseName('name', name) }
      const body = { status: { conditions: [{ ...condition, status }] } }
      await admin.patch(AgentDeployment, ref, { type: 'merge', body }, { subresource: 'status' })
    }
    assert.deepEqual((await pages('viewer', `${here}&condition=Ready&order=name&limit=1`)).flat(), ['bill-1', 'writer'])
    const others = (await pages('viewer', `${here}&condition=!Ready&limit=2`)).flat()
    assert.deepEqual(others, ['bill-2', 'bill-3', 'billing'], 'one without a status is not ready')
    assert.deepEqual(await pages('viewer', `${here}&condition=Ready&q=bill`), [['bill-1']])
    assert.deepEqual(await pages('viewer', `${here}&condition=constructor`), [[]])
    assert.deepEqual(await pages('viewer', `${here}&condition=acme.example/Ready`), [[]])
    assert.equal((await pages('viewer', `${here}&condition=`)).flat().length, 5)
  })

  await t.test('hostile values are refused with the name of the parameter', async () => {
    for (const [query, pointer] of [
      [`q=${'a'.repeat(254)}`, '?q'],
      ['q=a%00b', '?q'],
      ...[
        'a'.repeat(318),
        '__proto__',
        '!',
        '!!Ready',
        'Ready!',
        'Re ady',
        'Ready%0a',
        '%00',
        'Ready,Degraded',
        'ACME/Ready',
        'a/b/Ready',
        '/Ready',
        'Ready/',
        'Ready-',
        '%D0%82eady',
        "Ready'--",
      ].map((type) => [`condition=${type}`, '?condition']),
      ['order=age', '?order'],
      ['order=', '?order'],
    ]) {
      const response = await ask('viewer', 'GET', `/agents?${here}&${query}`)
      assert.equal(response.status, 400, `${query}: ${response.text}`)
      assert.ok(response.text.includes(pointer ?? ''), response.text)
    }
    const cursor = (await ask('viewer', 'GET', `/agents?${here}&q=bill&limit=1`)).json<Page>().nextCursor ?? ''
    const moved = await ask('viewer', 'GET', `/agents?${here}&q=writer&limit=1&cursor=${encodeURIComponent(cursor)}`)
    assert.equal(moved.status, 400, 'a cursor belongs to its query')
  })
})
