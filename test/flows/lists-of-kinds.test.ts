import assert from 'node:assert/strict'
import test from 'node:test'
import { plugins } from '#plugins/index.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

const namespace = 'lists-of-kinds'
const names = ['lists-one', 'lists-two']

// What the samples of their kinds leave out: fields, and items of their lists.
const more: Readonly<Record<string, Readonly<Record<string, readonly object[]>>>> = {
  GuardrailPolicy: { rules: [{ name: 'private', action: 'block', secrets: { kinds: ['private_key'] } }] },
  KnowledgeBase: { sources: [{ name: 'faq', title: 'Questions', url: 'https://docs.example/faq.md' }] },
}

function specOf(kind: string, sample: unknown): Readonly<Record<string, unknown>> {
  const { spec } = sample as { readonly spec: Readonly<Record<string, readonly object[] | undefined>> }
  const added = Object.entries(more[kind] ?? {}).map(([name, items]) => [name, [...(spec[name] ?? []), ...items]])
  return { ...spec, ...Object.fromEntries(added) }
}

interface Page {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly generateName?: string }
    readonly spec: object
  }[]
  readonly nextCursor: string | null
  readonly scope?: string
}

// Agents would start, and have pages of their own.
const kinds = plugins
  .flatMap((plugin) => plugin.kinds ?? [])
  .flatMap(({ kind, endpoints, sample }) => {
    const list = endpoints.find(({ method, url }) => method === 'GET' && !url.includes(':'))
    return list === undefined || kind.kind === 'AgentDeployment' ? [] : [{ kind, path: list.url, sample }]
  })

test('R2-M4: the list of every kind is cut into pages, and shows what an object has', async (t) => {
  const platform = await sharedEmbedded()
  const bearer = platform.tokens.admin
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  const made = await platform.kube({ method: 'POST', path: '/api/v1/namespaces', bearer, body })
  assert.equal(made.status, 201, made.text)
  assert.ok(kinds.length >= 8)
  for (const { kind, path, sample } of kinds)
    await t.test(kind.kind, async (one) => {
      const spec = specOf(kind.kind, sample)
      for (const name of names) {
        const metadata = { name, ...(kind.namespaced ? { namespace } : {}) }
        const ref = {
          name: parseName('name', name),
          ...(kind.namespaced ? { namespace: parseLabel('n', namespace) } : {}),
        }
        await platform.admin.create(kind, { apiVersion: kind.apiVersion, kind: kind.kind, metadata, spec })
        one.after(() => platform.admin.delete(kind, ref))
      }
      const within = kind.namespaced ? `namespace=${namespace}&` : ''
      const found: string[] = []
      for (let cursor: string | null = '', pages = 0; cursor !== null; pages++) {
        assert.ok(pages < 20, 'the pages end')
        const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const response = await platform.send({ path: `/api${path}?${within}limit=1&scope=permitted${at}`, bearer })
        assert.equal(response.status, 200, response.text)
        const page = response.json<Page>()
        assert.deepEqual([page.items.length, page.scope], [1, 'permitted'])
        found.push(...page.items.map(({ metadata }) => metadata.name))
        cursor = page.nextCursor
      }
      assert.deepEqual(
        found.filter((name) => names.includes(name)),
        names,
      )
      const newest = await platform.send({ path: `/api${path}?${within}q=LISTS-&order=newest&limit=200`, bearer })
      assert.equal(newest.status, 200, newest.text)
      const matching = newest.json<Page>().items.map(({ metadata }) => metadata.name)
      assert.deepEqual(matching.toSorted(), names, 'q is a prefix of the name, in any case')
    })
})

test('an object that the API server named shows the beginning that it was given', async () => {
  const platform = await sharedEmbedded()
  const bearer = platform.tokens.admin
  const made = await platform.kube({
    method: 'POST',
    path: '/apis/mesh.dev/v1alpha1/namespaces/default/knowledgebases',
    bearer,
    body: { apiVersion: 'mesh.dev/v1alpha1', kind: 'KnowledgeBase', metadata: { generateName: 'named-' }, spec: {} },
  })
  const { name } = made.json<Page['items'][number]>().metadata
  assert.match(name, /^named-[a-z0-9]{5,}$/, made.text)
  const { items } = (await platform.send({ path: '/api/knowledgebases?namespace=default', bearer })).json<Page>()
  assert.equal(items.find(({ metadata }) => metadata.name === name)?.metadata.generateName, 'named-')
})
