import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { ADMIN, OTHER, startTestServer } from './test-server.ts'
import type { TestServer } from './test-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GADGETS = '/apis/acme.example/v1/namespaces/default/gadgets'
const NO_FIELDS = { type: 'object', properties: {} }

interface Given {
  readonly plural?: string
  readonly group?: string
  readonly names?: object
  readonly versions?: readonly object[]
}

/** A definition of gadgets with a schema for `spec`. */
function gadgets(
  spec: object = NO_FIELDS,
  { plural = 'gadgets', group = 'acme.example', names, versions }: Given = {},
): object {
  const own = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind: 'Gadget', ...names }, versions: versions ?? [own] },
  }
}

const gadget = (name: string, spec: unknown = {}): object => ({
  apiVersion: 'acme.example/v1',
  kind: 'Gadget',
  metadata: { name },
  spec,
})

async function create(server: TestServer, path: string, body: object, code = 201): Promise<string> {
  const answer = await server.call('POST', path, body)
  const text = JSON.stringify(answer.body)
  assert.equal(answer.code, code, text.slice(0, 500))
  return text
}

async function read(server: TestServer, path: string): Promise<string> {
  const { code, body } = await server.call('GET', path)
  return `${code} ${JSON.stringify(body)}`
}

async function until(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await check()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.fail('the state was not reached')
}

test('a kind is served, discovered and described as soon as its definition is created, also after a restart', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'apiserver-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const first = await startTestServer(t, { dataDir })
  const size = {
    type: 'object',
    properties: { size: { type: 'integer', description: 'How large it is.', default: 3 } },
  }
  await create(first, DEFINITIONS, gadgets(size))
  await create(first, GADGETS, gadget('a', { other: 1 }))
  assert.match(await read(first, '/apis/acme.example/v1'), /"kind":"Gadget"/)
  assert.match(await read(first, '/openapi/v3/apis/acme.example/v1'), /How large it is/)
  assert.match(await read(first, '/openapi/v3'), /apis\/acme.example\/v1\?hash=/)
  await first.close()
  const second = await startTestServer(t, { dataDir })
  assert.match(await read(second, `${GADGETS}/a`), /^200 .*"spec":\{"size":3\}/)
  assert.match(await read(second, `${DEFINITIONS}/gadgets.acme.example`), /"InitialNamesAccepted"/)
  // The definitions of the start are kept as well.
  assert.match(await read(second, `${DEFINITIONS}/widgets.mesh.dev`), /^200/)
})

test('a changed definition applies to the next request and ends the watches of its kinds', async (t) => {
  const server = await startTestServer(t)
  await create(server, DEFINITIONS, gadgets({ type: 'object', properties: { size: { type: 'integer', maximum: 5 } } }))
  const watch = await fetch(`${server.url}${GADGETS}?watch=true`, { headers: { authorization: `Bearer ${ADMIN}` } })
  await create(server, GADGETS, gadget('a', { size: 9 }), 422)
  const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/maximum'
  const patch = [{ op: 'replace', path, value: 10 }]
  const type = 'application/json-patch+json'
  assert.equal((await server.call('PATCH', `${DEFINITIONS}/gadgets.acme.example`, patch, { type })).code, 200)
  await create(server, GADGETS, gadget('a', { size: 9 }))
  assert.equal(await watch.text(), '')
})

test('a deleted definition takes its objects with it and waits for their finalizers', async (t) => {
  const server = await startTestServer(t)
  const one = `${DEFINITIONS}/gadgets.acme.example`
  await create(server, DEFINITIONS, gadgets())
  // More than are deleted at once.
  await Promise.all(Array.from({ length: 210 }, (_, i) => create(server, GADGETS, gadget(`g${i}`))))
  const held = { ...gadget('held'), metadata: { name: 'held', finalizers: ['acme.example/hold'] } }
  await create(server, GADGETS, held)
  assert.equal((await server.call('DELETE', one)).code, 200)
  await create(server, GADGETS, gadget('late'), 403)
  await until(async () => (await read(server, one)).includes('InstanceDeletionInProgress'))
  assert.match(await read(server, GADGETS), /"items":\[\{[^[]*"name":"held"/)
  const type = 'application/merge-patch+json'
  await server.call('PATCH', `${GADGETS}/held`, { metadata: { finalizers: null } }, { type })
  await until(async () => (await read(server, one)).startsWith('404'))
  assert.equal((await fetch(server.url + GADGETS, { headers: { authorization: `Bearer ${ADMIN}` } })).status, 404)
  assert.doesNotMatch(await read(server, '/apis'), /acme.example/)
})

test('a definition with the name of a built-in kind is not accepted, and its deletion deletes nothing', async (t) => {
  const server = await startTestServer(t)
  const group = 'rbac.authorization.k8s.io'
  const given = gadgets(NO_FIELDS, {
    plural: 'clusterroles',
    group,
    names: { kind: 'ClusterRole', singular: 'clusterrole' },
  })
  const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' }
  await create(server, DEFINITIONS, { ...given, metadata: { name: `clusterroles.${group}`, annotations } })
  const before = await read(server, `/apis/${group}/v1/clusterroles`)
  assert.match(await read(server, `${DEFINITIONS}/clusterroles.${group}`), /"NamesAccepted","status":"False"/)
  assert.equal((await server.call('DELETE', `${DEFINITIONS}/clusterroles.${group}`)).code, 200)
  await until(async () => (await read(server, `${DEFINITIONS}/clusterroles.${group}`)).startsWith('404'))
  const items = (text: string) => text.slice(text.indexOf('"items"'))
  assert.equal(items(await read(server, `/apis/${group}/v1/clusterroles`)), items(before))
})

test('callers without rights can neither read nor change definitions, nor objects of a new kind', async (t) => {
  const server = await startTestServer(t)
  await create(server, DEFINITIONS, gadgets())
  const asOther = { token: OTHER }
  assert.equal((await server.call('POST', DEFINITIONS, gadgets(NO_FIELDS, { plural: 'others' }), asOther)).code, 403)
  assert.equal((await server.call('GET', DEFINITIONS, undefined, asOther)).code, 403)
  assert.equal((await server.call('DELETE', `${DEFINITIONS}/gadgets.acme.example`, undefined, asOther)).code, 403)
  assert.equal((await server.call('POST', GADGETS, gadget('a'), asOther)).code, 403)
  assert.equal((await server.call('POST', DEFINITIONS, gadgets(), { token: 'nobody' })).code, 401)
})
