import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { PackedFile } from '#core/http/console/console-files.ts'
import type { Scope } from '#test/harness/scope.ts'
import { answering } from './canned-answer.ts'
import type { CannedAnswer, CannedRequest } from './canned-answer.ts'
import { cannedShell, serveConsole } from './fake-console.ts'
import type { CannedResponses } from './fake-console.ts'

interface StoredObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly spec?: unknown
}

/** A write that the console sent. */
interface SentWrite {
  readonly method: string
  readonly path: string
  readonly version: string | undefined
}

const hostile = '<img src=x onerror=alert(1)> \u202e שירות'
const created = '2026-11-24T08:00:00Z'

const mayGetSecrets = { verbs: ['get'], groups: [''], resources: ['secrets'] }

function binding(name: string, description: string): StoredObject {
  return {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'SecretBinding',
    metadata: { name, namespace: 'demo', resourceVersion: '1', creationTimestamp: created, labels: { team: hostile } },
    spec: { secretRef: { name: 'crm' }, description, env: [{ name: 'CRM_TOKEN', key: 'token' }] },
  }
}

/** Serves the console before an API that keeps secret bindings with their versions, and a plugin of a third party. */
export async function serveKinds(t: Scope, files: readonly PackedFile[], document: object) {
  const store = new Map([
    ['demo/crm', binding('crm', 'Access to the CRM.')],
    ['demo/hostile', binding('hostile', hostile)],
  ])
  const sent: SentWrite[] = []
  const url = await serveConsole(t, files, {
    ...shell(),
    '/openapi.json': withRotas(document),
    '/api/secretbindings': answering((request) => listed(store, request)),
    '/api/secretbindings/demo/crm': answering((request) => keep(store, sent, request)),
    '/api/secretbindings/demo/missing': answering(() => missing),
    '/api/whoami': { username: 'ada', permissions: { namespace: 'demo', complete: true, rules: [mayGetSecrets] } },
    '/api/agentregistries': answering(() => ({ status: 403, body: denied })),
    '/api/usedby': { items: [{ kind: 'AgentDeployment', namespace: 'demo', name: 'triage', field: 'x', found: true }] },
    '/api/x/oncall/rotas': { items: [], nextCursor: null },
    '/api/x/oncall/pages/demo': { items: [{ rota: 'support', run: 'run-1', person: 'ada' }] },
    '/api/x/oncall/pages/demo/run-1/acknowledge': answering(({ method, path }) => {
      sent.push({ method, path, version: undefined })
      return { status: 200, body: { items: [] } }
    }),
    '/api/x/oncall/console/oncall': JSON.parse(declaration) as object,
  })
  return { url, store, sent }
}

const missing: CannedAnswer = {
  status: 404,
  body: { title: 'Not found', detail: 'The object does not exist.' },
}

const denied = {
  title: 'Forbidden',
  detail: 'No.',
  cluster: { message: 'cannot list resource "agentregistries" in API group "mesh.dev"' },
}

// As the test's server writes it: the hash is that of these bytes.
const declaration = JSON.stringify(
  JSON.parse(readFileSync(new URL('../../examples/plugins/oncall/console/pages.json', import.meta.url), 'utf8')),
)

function shell(): CannedResponses {
  const integrity = `sha256-${createHash('sha256').update(declaration).digest('base64')}`
  const own = (id: string, path: string, entry?: object) => ({
    id,
    title: id,
    section: 'Connect',
    path,
    capability: id,
    ...(entry === undefined ? {} : { entry }),
  })
  const pages = [
    own('secretbindings', '/secretbindings'),
    own('agentregistries', '/agentregistries'),
    own('oncall', '/x/oncall', { path: '/api/x/oncall/console/oncall', integrity }),
  ]
  const capabilities = pages.map(({ id }) => ({ id, enabled: true }))
  return { ...cannedShell, '/api/capabilities': { profile: 'open', pages, capabilities } }
}

// The kind of the example, as its routes are in the document of an installation that has it.
function withRotas(document: object): object {
  const { paths, components } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly components: { readonly schemas: object }
  }
  const text = JSON.stringify([paths['/api/secretbindings'], paths['/api/secretbindings/{ns}/{name}']])
  const [list, item] = JSON.parse(text.replaceAll('SecretBinding', 'Rota')) as readonly unknown[]
  const line = { type: 'string', minLength: 1 }
  const spec = {
    type: 'object',
    required: ['webhook'],
    properties: { webhook: line, people: { type: 'array', items: line } },
  }
  const rota = {
    type: 'object',
    properties: {
      apiVersion: { const: 'oncall.example/v1alpha1' },
      kind: { const: 'Rota' },
      metadata: { $ref: '#/components/schemas/ObjectMetaInput' },
      spec,
    },
  }
  const schemas = {
    ...components.schemas,
    Rota: rota,
    RotaInput: rota,
    RotaList: {
      type: 'object',
      properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Rota' } } },
    },
  }
  const added = { '/api/x/oncall/rotas': list, '/api/x/oncall/rotas/{ns}/{name}': item }
  return { ...document, paths: { ...paths, ...added }, components: { ...components, schemas } }
}

function listed(store: ReadonlyMap<string, StoredObject>, { query }: CannedRequest): CannedAnswer {
  const wanted = query.get('q') ?? ''
  const items = [...store.values()].filter(({ metadata }) => String(metadata['name']).startsWith(wanted))
  return { status: 200, body: { items, nextCursor: null } }
}

function keep(store: Map<string, StoredObject>, sent: SentWrite[], request: CannedRequest): CannedAnswer {
  const { method, path, query, headers, body } = request
  const stored = store.get('demo/crm')
  if (stored === undefined) return missing
  if (method === 'GET') return { status: 200, body: stored }
  sent.push({ method, path, version: String(headers['if-match']) })
  if (method === 'DELETE') {
    store.delete('demo/crm')
    return { status: 204, body: undefined }
  }
  const given = body as StoredObject
  const { description } = given.spec as { readonly description?: string }
  const errors = [{ pointer: '/spec/description', detail: 'is not allowed here' }]
  if (description === 'refuse me')
    return { status: 422, body: { title: 'Invalid', detail: 'A field is refused.', errors } }
  const version = String(stored.metadata['resourceVersion'])
  if (headers['if-match'] !== `"${version}"`)
    return { status: 412, body: { title: 'Changed meanwhile', detail: 'The version differs.' } }
  const metadata = { ...given.metadata, resourceVersion: String(Number(version) + 1), creationTimestamp: created }
  if (query.get('dryRun') !== 'All') store.set('demo/crm', { ...given, metadata })
  return { status: 200, body: { ...given, metadata } }
}
