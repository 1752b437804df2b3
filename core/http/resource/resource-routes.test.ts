import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import test from 'node:test'
import type { FastifyInstance } from 'fastify'
import { setImmediate } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import { createCallers } from '#core/cluster/callers.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import type { KubeObject, Resource } from '#core/kube/client.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { AgentTemplate } from '#schemas/crds/agent-template.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { cutList, joinList } from '../reply/raw-list.ts'
import { resourceRoutes } from './resource-routes.ts'
import { toResource } from './resource-schemas.ts'
import { buildServer } from '../testing/build-server.ts'

const real = needs('etcd', 'kube-apiserver', 'kubectl')
const rbac = 'rbac.authorization.k8s.io'
const templates = toResource(AgentTemplate)
const core = (plural: string, kind: string, namespaced: boolean, group = ''): Resource => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
})

async function setUp(t: TestContext) {
  const kube = await sharedKube(t)
  const crds = new URL('../../../deploy/crds', import.meta.url).pathname
  const config = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const applied = await kubectl(config, ['apply', '--server-side', '--force-conflicts', '-k', crds])
  assert.equal(applied.code, 0, applied.stderr)
  const waited = await kubectl(config, [
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    'crd/agenttemplates.mesh.dev',
  ])
  assert.equal(waited.code, 0, waited.stderr)
  const pool = createPool(kube.url, { ca: kube.ca })
  t.after(() => pool.close())
  const admin = createKubeClient({ server: kube.url, pool, bearer: kube.tokens['admin'] ?? '' })
  const prefix = `rr-${process.pid}-${Date.now().toString(36)}`
  const spaces = ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`)
  for (const name of spaces)
    await admin.create(core('namespaces', 'Namespace', false), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    })
  // The developer has all permissions in a and c, and none in b.
  for (const namespace of [spaces[0] ?? '', spaces[2] ?? '']) {
    const metadata = { name: 'developer', namespace }
    const rules = [
      { apiGroups: ['mesh.dev'], resources: ['agenttemplates'], verbs: ['get', 'list', 'create', 'update', 'delete'] },
    ]
    await admin.create(core('roles', 'Role', true, rbac), { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules })
    await admin.create(core('rolebindings', 'RoleBinding', true, rbac), {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'developer' },
      subjects: [{ kind: 'User', name: 'developer', apiGroup: rbac }],
    })
  }
  const server = await buildServer(
    t,
    [
      {
        endpoints: resourceRoutes(AgentTemplate, {
          path: '/templates',
          verbs: ['list', 'create', 'get', 'update', 'delete'],
        }),
      },
      {
        name: 'catalog',
        endpoints: resourceRoutes(AgentTemplate, {
          path: '/catalog',
          verbs: ['create', 'get', 'update', 'delete'],
          itemIn: 'query',
          reserved: ['spec-schema'],
        }),
      },
    ],
    {
      cluster: createCallers({ server: kube.url, pool }),
      directory: directoryOf(spaces),
    },
  )
  const ask = async (line: string, body?: object, more: { as?: string; headers?: object } = {}) => {
    const [method = '', url = ''] = line.split(' ')
    const answer = await server.app.inject({
      method: method as 'GET',
      url: `/api${url}`,
      headers: {
        authorization: `Bearer ${kube.tokens[more.as ?? 'developer'] ?? ''}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      json: () =>
        answer.json<
          Record<string, unknown> & {
            items: KubeObject[]
            nextCursor: string | null
            code: string
            metadata: KubeObject['metadata']
          }
        >(),
    }
  }
  const [a = '', b = '', c = ''] = spaces
  return { kube, admin, ask, a, b, c, app: server.app }
}

// `node:http` sends a path unchanged; fetch and inject would resolve the dots.
async function deleteRaw(app: FastifyInstance, path: string, token: string): Promise<number | undefined> {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'DELETE',
    path,
    headers: { authorization: `Bearer ${token}` },
  })
  const answered = once(sent, 'response')
  sent.end()
  const [answer] = (await answered) as [IncomingMessage]
  answer.resume()
  return answer.statusCode
}

// The names of the manager's directory; each is reviewed as the caller.
function directoryOf(names: readonly string[]): Directory {
  const labels = names.map((name) => parseLabel('name', name))
  const namesAfter: Directory['namesAfter'] = async (after, limit) =>
    labels.filter((name) => name > after).slice(0, limit)
  return {
    namesAfter,
    // oxlint-disable-next-line max-params -- the shape is the contract's (directory.ts)
    permitted: async (caller, verb, resource, after, page) => {
      for (const namespace of await namesAfter(after, 100)) {
        const access = await caller.may(verb, resource, { namespace })
        if (access !== undefined && (await page(access)) === 'full') return { lastName: namespace }
      }
      return { lastName: undefined }
    },
  }
}

const template = (namespace: string, name: string, more: object = {}) => ({
  metadata: { namespace, name, ...more },
  spec: { title: name, template: { spec: {} } },
})

test('a kind: the namespace of an object in the query, default if absent, and reserved names', real, async (t) => {
  const { ask, a, b } = await setUp(t)
  const created = await ask('POST /catalog', template(a, 'one'))
  assert.deepEqual([created.status, created.headers.location], [201, `/api/catalog/one?namespace=${a}`], created.text)
  assert.equal((await ask(`GET ${String(created.headers.location).slice(4)}`)).json().metadata.namespace, a)
  const replaced = await ask(`PUT /catalog/one?namespace=${a}`, template(a, 'one'))
  assert.equal(replaced.status, 200, replaced.text)
  const elsewhere = await ask(`PUT /catalog/one?namespace=${a}`, template(b, 'one'))
  assert.deepEqual([elsewhere.status, elsewhere.json().code], [400, 'invalid_body'])
  for (const query of ['', '?namespace=']) {
    const missing = await ask(`GET /catalog/one${query}`)
    assert.equal(missing.status, 403, 'the developer may not read `default`')
    assert.match(missing.text, /in the namespace \\"default\\"/)
  }
  for (const namespace of ['..', 'A', `${a}%2F..`, '%00', 'a'.repeat(64)])
    assert.equal((await ask(`GET /catalog/one?namespace=${namespace}`)).status, 400, namespace)
  assert.equal((await ask(`GET /catalog/one?namespace=${a}&namespace=${b}`)).status, 400)
  const refused = await ask('POST /catalog', template(a, 'spec-schema'))
  assert.deepEqual([refused.status, refused.json().code], [400, 'invalid_name'])
  assert.equal((await ask(`DELETE /catalog/one?namespace=${b}`)).status, 403)
  assert.equal((await ask(`DELETE /catalog/one?namespace=${a}`)).status, 204)
})

test(
  'a kind: create, read, replace, delete as the caller; dry run, ETag, If-Match, stale versions',
  real,
  async (t) => {
    const { ask, a, b, admin } = await setUp(t)
    const dry = await ask('POST /templates?dryRun=All', template(a, 'one'))
    assert.equal(dry.status, 201, dry.text)
    assert.equal((await ask(`GET /templates/${a}/one`)).status, 404)
    const created = await ask('POST /templates', template(a, 'one'))
    assert.deepEqual([created.status, created.headers.location], [201, `/api/templates/${a}/one`])
    assert.equal((await ask('POST /templates', template(a, 'one'))).json().code, 'already_exists')
    const denied = await ask('POST /templates', template(b, 'one'))
    assert.deepEqual([denied.status, denied.json().code], [403, 'forbidden'])
    assert.match(
      JSON.stringify(denied.json()['cluster']),
      /User \\"developer\\" cannot create resource \\"agenttemplates\\"/,
    )
    const read = await ask(`GET /templates/${a}/one`)
    const etag = String(read.headers.etag)
    assert.equal(etag, `"${read.json().metadata.resourceVersion}"`)
    assert.equal((await ask(`GET /templates/${a}/one`, undefined, { headers: { 'if-none-match': etag } })).status, 304)
    // with neither version nor If-Match: read and replaced, and fields set by controllers are kept
    const ref = { namespace: parseLabel('ns', a), name: parseName('name', 'one') }
    await admin.patch(templates, ref, { type: 'merge', body: { metadata: { finalizers: ['mesh.dev/kept'] } } })
    const changed = await ask(`PUT /templates/${a}/one`, {
      spec: { title: 'two', template: { spec: {} } },
      metadata: {},
    })
    assert.deepEqual([changed.status, changed.json().metadata.finalizers], [200, ['mesh.dev/kept']], changed.text)
    // with a precondition
    const stale = await ask(`PUT /templates/${a}/one`, template(a, 'one'), { headers: { 'if-match': etag } })
    assert.deepEqual([stale.status, stale.json().code], [412, 'precondition_failed'])
    const behind = await ask(`PUT /templates/${a}/one`, template(a, 'one', { resourceVersion: etag.slice(1, -1) }))
    assert.deepEqual([behind.status, behind.json().code], [409, 'conflict'])
    const now = String(changed.headers.etag)
    assert.equal(
      (await ask(`PUT /templates/${a}/one`, template(a, 'one', { finalizers: [] }), { headers: { 'if-match': now } }))
        .status,
      200,
    )
    assert.equal((await ask(`DELETE /templates/${a}/one`, undefined, { headers: { 'if-match': etag } })).status, 412)
    assert.equal(
      (await ask(`PUT /templates/${a}/one`, template(a, 'one'), { headers: { 'if-match': 'W/"1"' } })).status,
      400,
    )
    // the path takes precedence
    assert.match(
      (await ask(`PUT /templates/${a}/one`, template(a, 'two'))).text,
      /"\/metadata\/name","detail":"differs from the path"/,
    )
    assert.match((await ask(`PUT /templates/${a}/one`, template(b, 'one'))).text, /"\/metadata\/namespace"/)
    // bodies: refused by the kind's schema, naming the field
    assert.match(
      (await ask('POST /templates', { ...template(a, 'x'), extra: 1 })).text,
      /"\/extra","detail":"is not a known field"/,
    )
    assert.match((await ask('POST /templates', { ...template(a, 'x'), kind: 'Pod' })).text, /"pointer":"\/kind"/)
    assert.match((await ask('POST /templates', template('..', 'x'))).text, /"invalid_name".*"\/metadata\/namespace"/)
    assert.equal((await ask(`DELETE /templates/${a}/one?dryRun=All`)).status, 204)
    assert.equal((await ask(`DELETE /templates/${a}/one`)).status, 204)
    assert.equal((await ask(`DELETE /templates/${a}/one`)).status, 404)
  },
)

test('R2-UX-20: objects and lists come without managedFields unless these are asked for', real, async (t) => {
  const { ask, a, b, admin } = await setUp(t)
  const managersOf = (object: KubeObject | undefined) => object?.metadata.managedFields?.map(({ manager }) => manager)
  const spec = { title: 'one', template: { spec: {} }, description: '"managedFields":[{"is":"text"}]' }
  const created = await ask('POST /templates', { ...template(a, 'one'), spec })
  assert.deepEqual([created.status, managersOf(created.json() as never)], [201, undefined], created.text)
  assert.equal((await ask('POST /templates', template(a, 'two'))).status, 201)
  const stored = await admin.get(templates, { namespace: parseLabel('ns', a), name: parseName('name', 'one') })
  const managers = managersOf(stored)
  assert.ok((managers?.length ?? 0) > 0)
  for (const url of [`/templates/${a}/one`, `/catalog/one?namespace=${a}`]) {
    const more = url.includes('?') ? '&' : '?'
    const read = await ask(`GET ${url}`)
    const { managedFields: _, ...metadata } = stored.metadata
    const { resourceVersion, generation } = read.json().metadata
    assert.deepEqual(read.json(), {
      ...stored,
      metadata: { ...metadata, resourceVersion, generation },
    })
    assert.deepEqual(managersOf((await ask(`GET ${url}${more}managedFields=true`)).json() as never), managers)
    assert.equal((await ask(`GET ${url}${more}managedFields=false`)).text, read.text)
    const replaced = await ask(`PUT ${url}${more}managedFields=true`, template(a, 'one'))
    assert.ok(managersOf(replaced.json() as never), replaced.text)
    assert.equal(managersOf((await ask(`PUT ${url}`, { ...template(a, 'one'), spec })).json() as never), undefined)
  }
  // Spliced as bytes, and walked.
  for (const query of [`namespace=${a}`, 'scope=permitted']) {
    const bare = (await ask(`GET /templates?${query}`)).json().items
    const whole = (await ask(`GET /templates?${query}&managedFields=true`)).json().items
    assert.deepEqual([bare.length, whole.length], [2, 2])
    assert.ok(whole.every((one) => managersOf(one)))
    const cut = whole.map(({ metadata, ...one }) => {
      const { managedFields: _, ...rest } = metadata
      return { ...one, metadata: rest }
    })
    assert.deepEqual(bare, cut, query)
  }
  assert.equal((await ask(`GET /templates?namespace=${b}&managedFields=true`)).status, 403)
  for (const value of [
    '',
    'yes',
    '1',
    'TRUE',
    'true%00',
    '%00',
    '%ED%A0%80',
    'true&managedFields=true',
    '9'.repeat(400),
  ])
    for (const url of [`GET /templates?namespace=${a}`, `GET /templates/${a}/one?`, `PUT /templates/${a}/one?`]) {
      const refused = await ask(`${url}&managedFields=${value}`, url.startsWith('PUT') ? template(a, 'one') : undefined)
      assert.deepEqual([refused.status, refused.json().code], [400, 'invalid_query'], `${url} ${value}`)
    }
  const removed = await ask(`DELETE /templates/${a}/one?managedFields=true`)
  assert.equal(removed.status, 400, 'a response without an object has no such parameter')
})

test('M1: names that a URL would rewrite are 400 and nothing reaches the API server', real, async (t) => {
  const { ask, a, kube, app } = await setUp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  await ask('POST /templates', template(a, 'kept'))
  for (const bad of ['%2e', '%2e%2e', '.', '..', 'a%2f..', '%00'])
    assert.equal(await deleteRaw(app, `/api/templates/${a}/${bad}`, kube.tokens['developer'] ?? ''), 400, bad)
  assert.equal((await ask(`GET /templates/${a}/kept`)).status, 200)
  // Other tests use this API server as the same user; the namespace is this test's own. The last request is logged after all earlier ones.
  const reached = () =>
    kube
      .auditLog()
      .filter(({ user, requestURI }) => user.username === 'developer' && requestURI.includes(a))
      .map(({ verb }) => verb)
  while (!reached().includes('get')) await setImmediate()
  assert.deepEqual(reached(), ['create', 'get'])
})

test(
  'C1, CON8: lists are paged with bound cursors, and scope=permitted shows what the caller may list and no more',
  real,
  async (t) => {
    const { ask, a, b, c } = await setUp(t)
    for (const name of ['1', '2', '3']) await ask('POST /templates', template(a, `t${name}`), { as: 'admin' })
    await ask('POST /templates', template(b, 'secret'), { as: 'admin' })
    // Namespaces without objects follow.
    assert.equal((await ask('GET /templates?scope=permitted&limit=3')).json().nextCursor, null)
    for (const name of ['4', '5']) await ask('POST /templates', template(c, `t${name}`), { as: 'admin' })
    const walk = async (query: string) => {
      const pages: string[][] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await ask(`GET /templates?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
        assert.equal(page.status, 200, page.text)
        pages.push(page.json().items.map(({ metadata }) => metadata.name))
        cursor = page.json().nextCursor
      }
      return pages
    }
    assert.deepEqual(await walk(`namespace=${a}&limit=2`), [['t1', 't2'], ['t3']])
    assert.equal((await ask('GET /templates')).status, 403)
    assert.equal((await ask(`GET /templates?namespace=${b}`)).status, 403)
    assert.deepEqual((await walk('scope=permitted&limit=2')).flat(), ['t1', 't2', 't3', 't4', 't5'])
    assert.deepEqual((await walk('scope=permitted')).flat(), ['t1', 't2', 't3', 't4', 't5'])
    // The last page is exactly full, within a namespace and at its end.
    assert.equal((await walk('scope=permitted&limit=5')).length, 1)
    assert.deepEqual(await walk('scope=permitted&limit=3'), [
      ['t1', 't2', 't3'],
      ['t4', 't5'],
    ])
    assert.doesNotMatch((await ask('GET /templates?scope=permitted')).text, /secret/)
    const { nextCursor } = (await ask(`GET /templates?namespace=${a}&limit=2`)).json()
    const tampered = String(nextCursor).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    for (const query of [
      `namespace=${a}&cursor=${tampered.slice(0, -4)}AAAA`,
      `namespace=${c}&cursor=${nextCursor}`,
      `namespace=${a}&labelSelector=x&cursor=${nextCursor}`,
      `namespace=${a}&cursor=x`,
      `scope=permitted&cursor=${nextCursor}`,
    ]) {
      const refused = await ask(`GET /templates?${query}`)
      assert.deepEqual([refused.status, refused.json().code], [400, 'invalid_cursor'], query)
    }
    for (const bad of ['limit=0', 'limit=201', 'limit=-1', 'scope=all'])
      assert.equal((await ask(`GET /templates?${bad}`)).status, 400, bad)
  },
)

test('M7: a refusal of the cluster is reported by field, never with the submitted value', real, async (t) => {
  const { ask, a } = await setUp(t)
  const refused = await ask('POST /templates', template(a, 'x', { labels: { good: 'sk-secret canary!' } }))
  assert.deepEqual([refused.status, refused.json().code], [422, 'unprocessable'], refused.text)
  assert.match(refused.text, /metadata\/labels/)
  assert.doesNotMatch(refused.text, /canary/)
})

test('lists are split without parsing their items, wherever metadata is', () => {
  const items = '{"a":"\\"items\\":[ ]"},{"kind":"x","metadata":{"continue":"no"},"list":[[1],"]"]}'
  const after = `{"apiVersion":"v1","items":[${items}],"kind":"XList","metadata":{"continue":"abc","resourceVersion":"1"}}\n`
  const before = `{"kind":"XList","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":"abc"},"items":[${items}]}`
  const spaced = `{"kind": "XList", "metadata": {"continue": "abc"}, "items": [${items}]}`
  for (const text of [after, before])
    assert.deepEqual(cutList([Buffer.from(text)]), { items: [Buffer.from(items)], continue: 'abc' })
  // For every split of the socket, in two or three chunks.
  for (const text of [after, before, spaced])
    for (let at = 0; at <= text.length; at++)
      for (const to of [at, Math.min(at + 7, text.length)]) {
        const list = cutList([text.slice(0, at), text.slice(at, to), text.slice(to)].map((piece) => Buffer.from(piece)))
        const page = { items: JSON.parse(`[${items}]`), nextCursor: list.continue }
        assert.deepEqual(JSON.parse(joinList(list.items, 'abc').toString()), page, `${at}, ${to}: ${text}`)
      }
  assert.deepEqual(cutList([Buffer.from('{"kind":"XList","metadata":{},"items":null}')]), {
    items: [Buffer.alloc(0)],
    continue: undefined,
  })
  assert.throws(() => cutList([Buffer.from('{"kind":"Status","items":[]}')]), /did not respond with a list/)
})
