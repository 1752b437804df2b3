import assert from 'node:assert/strict'
import test from 'node:test'
import { plugins } from '#plugins/index.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

const namespace = 'lists-of-kinds'
const names = ['lists-one', 'lists-two']

// Fields that the samples of their kinds leave out.
const more: Readonly<Record<string, object>> = {
  GuardrailPolicy: { rules: [{ name: 'keys', action: 'block', secrets: { kinds: ['private_key'] } }] },
  KnowledgeBase: { sources: [{ name: 'faq', title: 'Questions', url: 'https://docs.example/faq.md' }] },
}

interface Page {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly spec: object }[]
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
      const spec = { ...(sample as { spec: object }).spec, ...more[kind.kind] }
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
    })
})
