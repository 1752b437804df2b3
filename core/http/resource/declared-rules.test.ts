import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { startApiServer } from '@mesh.dev/embedded-apiserver'
import { Type } from 'typebox'
import { createCallers } from '#core/cluster/callers.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import type { KubePool } from '#core/kube/connection-pool.ts'
import { toCrd } from '#schemas/kinds/crd.ts'
import { defineKind } from '#schemas/kinds/kind.ts'
import { needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { buildServer } from '../testing/build-server.ts'
import { resourceRoutes } from './resource-routes.ts'
import type { ResourceRoutes } from './resource-routes.ts'

const SECRET = 'sk-canary-1234567890'
const text = (rules: readonly object[]) =>
  Type.String({ description: 'A text.', 'x-kubernetes-validations': rules, maxLength: 100 })
const refused = "self == 'good'"

const kindOf = (plural: string, more: Readonly<Record<string, ReturnType<typeof text>>> = {}) =>
  defineKind({
    group: 'rules.example',
    kind: plural.replace('r', 'R'),
    plural,
    description: 'A kind with rules.',
    rules: [{ rule: "self.metadata.name != 'taken'", message: 'metadata.name must not be taken' }],
    spec: Type.Object(
      {
        whole: Type.Optional(
          Type.Object(
            { low: Type.Integer({ description: 'Low.' }), high: Type.Integer({ description: 'High.' }) },
            {
              description: 'Two numbers.',
              'x-kubernetes-validations': [{ rule: 'self.low < self.high', message: 'low must be below high' }],
            },
          ),
        ),
        list: Type.Optional(
          Type.Array(Type.String({ maxLength: 100 }), {
            description: 'A list.',
            maxItems: 5,
            'x-kubernetes-validations': [{ rule: 'size(self) < 2', message: 'list must have one item: "a" or b' }],
          }),
        ),
        on: Type.Optional(
          Type.Boolean({
            description: 'A switch.',
            'x-kubernetes-validations': [{ rule: 'self', message: 'on must be true' }],
          }),
        ),
        said: Type.Optional(text([{ rule: refused, message: 'said must be good' }])),
        unsaid: Type.Optional(text([{ rule: refused }])),
        forbidden: Type.Optional(text([{ rule: refused, message: 'must be good', reason: 'FieldValueForbidden' }])),
        ...Object.fromEntries(Object.entries(more).map(([name, schema]) => [name, Type.Optional(schema)])),
      },
      { description: 'Values.' },
    ),
  })
const Ruled = kindOf('ruleds')
const Computing = kindOf('rulers', {
  computed: text([{ rule: refused, messageExpression: "'it is ' + self", message: 'must be good' }]),
  computedForbidden: text([
    { rule: refused, messageExpression: "'it is ' + self", message: 'must be good', reason: 'FieldValueForbidden' },
  ]),
})

// Without the category of the platform: other tests list it on the shared server.
const crds = [Ruled, Computing].map(toCrd).map((crd) => ({
  ...crd,
  spec: { ...crd.spec, names: { ...crd.spec.names, categories: [] } },
}))

interface Server {
  readonly url: string
  readonly pool: KubePool
  readonly token: string
}

const servers: Readonly<Record<string, (t: TestContext) => Promise<Server>>> = {
  embedded: async (t) => {
    const { path, remove } = tempFolder('rules')
    const token = 'admin-token'
    const tokens = [{ token, username: 'admin', groups: ['system:masters'] }]
    const { url, close } = await startApiServer({ dataDir: path, crds, tokens })
    const pool = createPool(url)
    t.after(async () => {
      await pool.close()
      await close()
      remove()
    })
    return { url, pool, token }
  },
  real: async (t) => {
    const { url, ca, tokens, kubeconfig } = await sharedKube(t)
    const token = tokens['admin'] ?? ''
    const config = kubeconfig(token)
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: crds })
    const applied = await kubectl(config, ['apply', '--server-side', '--force-conflicts', '-f', '-'], body)
    assert.equal(applied.code, 0, applied.stderr)
    const names = crds.map(({ metadata }) => `crd/${metadata.name}`)
    assert.equal((await kubectl(config, ['wait', '--for=condition=Established', '--timeout=30s', ...names])).code, 0)
    const pool = createPool(url, { ca })
    t.after(() => pool.close())
    return { url, pool, token }
  },
}

async function start(t: TestContext, make: keyof typeof servers, more: Pick<ResourceRoutes, 'check'> = {}) {
  const { url, pool, token } = (await servers[make]?.(t)) ?? assert.fail()
  const endpoints = [Ruled, Computing].flatMap((kind) =>
    resourceRoutes(kind, { verbs: ['create', 'update', 'delete'], ...more }),
  )
  const { app } = await buildServer(t, [{ endpoints }], { cluster: createCallers({ server: url, pool }) })
  return async (method: 'POST' | 'PUT' | 'DELETE', path: string, body: object = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const { statusCode, body: said } = await app.inject({
      method,
      url: `/api${path}`,
      headers,
      payload: JSON.stringify(body),
    })
    return { status: statusCode, text: said }
  }
}

interface Refusal {
  readonly detail: string
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[]
}

for (const make of ['embedded', 'real'] as const)
  test(
    `R2-C5: the message of a rule reaches the caller, and no submitted value does: ${make}`,
    make === 'real' ? needs('etcd', 'kube-apiserver', 'kubectl') : {},
    async (t) => {
      const ask = await start(t, make)
      const refusedWith = async (plural: string, spec: object, name = 'x'): Promise<Refusal> => {
        const { status, text: said } = await ask('POST', `/${plural}?dryRun=All`, { metadata: { name }, spec })
        assert.equal(status, 422, said)
        assert.doesNotMatch(said, /canary/)
        return JSON.parse(said) as Refusal
      }
      const shown: readonly (readonly [object, string, string])[] = [
        [{ whole: { low: 2, high: 1 } }, '/spec/whole', 'low must be below high'],
        [{ list: [SECRET, 'b'] }, '/spec/list', 'list must have one item: "a" or b'],
        [{ on: false }, '/spec/on', 'on must be true'],
        [{ said: SECRET }, '/spec/said', 'said must be good'],
        [{ said: `": said must be good: ${SECRET}` }, '/spec/said', 'said must be good'],
        [{ unsaid: SECRET }, '/spec/unsaid', `failed rule: ${refused}`],
        [{ forbidden: SECRET }, '/spec/forbidden', 'must be good'],
      ]
      for (const plural of ['ruleds', 'rulers'])
        for (const [spec, pointer, message] of shown) {
          const { detail, errors } = await refusedWith(plural, spec)
          assert.deepEqual(errors.length, 1, detail)
          assert.equal(errors[0]?.pointer, pointer)
          assert.match(errors[0]?.detail ?? '', /^(Invalid value|Forbidden): /)
          assert.equal(errors[0]?.detail.replace(/^[A-Z][a-z ]+: /, ''), message)
          assert.ok(detail.includes(message), detail)
        }
      assert.match((await refusedWith('ruleds', {}, 'taken')).detail, /metadata\.name must not be taken/)
      for (const field of ['computed', 'computedForbidden'])
        assert.match(
          (await refusedWith('rulers', { [field]: SECRET })).detail,
          /^spec\.computed\w*: (Invalid value|Forbidden)$/,
        )
    },
  )

test('R2-C10: the check of a kind runs before a create and an update, with the namespace of the object', async (t) => {
  const seen: unknown[] = []
  const ask = await start(t, 'embedded', {
    check: async (caller, { namespace, spec }) => {
      seen.push([caller.username, namespace])
      if (JSON.stringify(spec).includes('bad')) throw new Fail('unprocessable', 'spec.said must not be bad')
    },
  })
  const object = (said: string, namespace?: string) => ({
    metadata: { name: 'x', ...(namespace === undefined ? {} : { namespace }) },
    spec: { said },
  })
  assert.equal((await ask('POST', '/ruleds', object('bad'))).status, 422)
  assert.equal((await ask('PUT', '/ruleds/default/x', object('good'))).status, 404, 'nothing was created')
  assert.equal((await ask('POST', '/ruleds', object('good', 'default'))).status, 201)
  assert.equal((await ask('PUT', '/ruleds/default/x', object('bad'))).status, 422)
  assert.equal((await ask('POST', '/ruleds', object('bad', 'UPPER'))).status, 400, 'names are checked before')
  assert.deepEqual(
    seen,
    Array.from({ length: 4 }, () => ['admin', 'default']),
  )
})
