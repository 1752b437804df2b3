import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/data-folder/personas.ts'
import { startPlatform } from '#test/flows/platform.ts'
import { fill, tenants } from './world.ts'
import type { World } from './world.ts'

interface Operation {
  readonly 'x-mesh-authz': string
  readonly parameters?: readonly { readonly name?: string }[]
}

const document = JSON.parse(readFileSync(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8')) as {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
}

// Routes for every caller, and of the caller's own rows, have no namespaces to choose from.
// A read of two runs by their ids is no list.
const isRead = ({ 'x-mesh-authz': authz }: Operation): boolean => !/^(bearer|owner|public|token|row: get)/.test(authz)

/** Lists and sums: reads without an object in the path. */
const lists = Object.entries(document.paths).flatMap(([path, { get }]) =>
  get !== undefined && !path.includes('{') && isRead(get) ? [{ path, operation: get }] : [],
)

test('R2-M13: every list and sum takes scope=permitted', () => {
  assert.ok(lists.length > 20, `${lists.length} lists`)
  const without = lists.filter(({ operation: { parameters = [] } }) => !parameters.some(({ name }) => name === 'scope'))
  assert.deepEqual(
    without.map(({ path }) => path),
    [],
  )
})

// What a response shows, as a set that can be compared with the union of other responses.
interface Shown {
  readonly items?: readonly object[]
  readonly nodes?: readonly object[]
  readonly total?: { readonly calls: number; readonly inputTokens: number }
  readonly scope?: string
}

// An object by its uid: the order of its fields differs between a list of one namespace and of several.
const nameOf = (one: object): string =>
  'metadata' in one ? String((one.metadata as { uid?: string }).uid) : JSON.stringify(one)
const setOf = (shown: readonly Shown[]): readonly string[] =>
  shown.flatMap(({ items = [], nodes = [] }) => [...items, ...nodes].map(nameOf)).toSorted()
const callsOf = (shown: readonly Shown[]): readonly number[] =>
  (['calls', 'inputTokens'] as const).map((name) => shown.reduce((sum, { total }) => sum + (total?.[name] ?? 0), 0))

// Of each the rows have a namespace, and sums are of rows with one.
const compared = [
  '/api/tools',
  '/api/catalog',
  '/api/topology',
  '/api/cost',
  '/api/cost/breakdown?groupBy=namespace',
  '/api/cost/chargeback',
  '/api/runs',
  '/api/conversations',
  '/api/agents',
]

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`

test('R2-M13: scope=permitted shows what the namespaces show one by one, and nothing of others', async (t) => {
  const world = await fill(await startPlatform(t, 'embedded'))
  await t.test('reads are the union of the namespaces', () => compareUnions(world))
  await t.test('the audit log is refused without a namespace, and else is one list by time', () => compareAudit(world))
  await t.test('events are those of permitted namespaces', () => compareEvents(world))
  await t.test('references come from every permitted namespace', () => compareUsedBy(world))
})

async function ask({ platform: { send, tokens } }: World, persona: Persona, path: string) {
  const response = await send({ path, bearer: tokens[persona] })
  return { status: response.status, text: response.text, body: response.json<Shown>() }
}

// Sums are written after the runs; a read in between would differ from the next.
async function untilCounted(world: World): Promise<void> {
  const end = performance.now() + 30_000
  for (;;) {
    const calls = callsOf([(await ask(world, 'admin', '/api/cost')).body])[0] ?? 0
    const { nodes = [] } = (await ask(world, 'admin', '/api/topology')).body
    const counted = nodes.filter((one) => (one as CountedNode).metrics?.cost24h?.amount !== undefined)
    if (calls >= tenants.length && counted.length >= tenants.length) return
    assert.ok(performance.now() < end, 'the runs of the world are not counted')
    await pause(100)
  }
}

interface CountedNode {
  readonly metrics?: { readonly runs1h: number; readonly cost24h: { readonly amount: string } | null }
}

async function compareUnions(world: World): Promise<void> {
  await untilCounted(world)
  for (const persona of ['viewer', 'developer', 'other-tenant', 'operator'] as const)
    for (const path of compared) {
      const all = await ask(world, persona, withQuery(path, 'scope=permitted'))
      assert.equal(all.status, 200, `${persona} ${path}: ${all.text}`)
      assert.equal(all.body.scope, 'permitted', path)
      const each = await Promise.all(
        ['default', ...tenants].map((namespace) => ask(world, persona, withQuery(path, `namespace=${namespace}`))),
      )
      const shown = each.filter(({ status }) => status === 200).map(({ body }) => body)
      // Several namespaces may refer to one object, which is a node of each graph.
      assert.deepEqual(setOf([all.body]), [...new Set(setOf(shown))], `${persona} ${path}`)
      assert.deepEqual(callsOf([all.body]), callsOf(shown), `${persona} ${path}`)
      const hidden = persona === 'other-tenant' ? 'demo' : persona === 'operator' ? 'nowhere' : 'other'
      assert.ok(!all.text.includes(`"${hidden}"`), `${persona} ${path} shows ${hidden}`)
    }
  const named = await ask(world, 'other-tenant', '/api/runs?scope=permitted&namespace=demo')
  assert.equal(named.status, 403, 'a namespace that is named is reviewed, whatever the scope')
}

async function compareAudit(world: World): Promise<void> {
  for (const persona of ['viewer', 'developer'] as const) {
    const denied = await ask(world, persona, '/api/audit?scope=permitted')
    assert.equal(denied.status, 403, denied.text)
    assert.deepEqual(denied.body, { ...(await ask(world, persona, '/api/audit')).body, ...changing(denied.body) })
  }
  const { status, body } = await ask(world, 'other-tenant', '/api/audit?scope=permitted&limit=200')
  assert.equal(status, 200)
  const spaces = new Set(body.items?.map((item) => (item as { namespace: string }).namespace))
  assert.deepEqual([...spaces], ['other'])
  const operator = await ask(world, 'operator', '/api/audit?scope=permitted&limit=200')
  assert.ok(
    operator.body.items?.some((item) => (item as { namespace: string }).namespace === ''),
    'who may read the cluster also reads rows without a namespace',
  )
}

// Fields of a refusal that differ by request: its ids, and the remedy that a caller with a scope needs no more.
function changing(body: Shown): object {
  const { traceId, instance, detail, cluster } = body as Record<string, unknown>
  return { traceId, instance, detail, cluster }
}

async function compareEvents(world: World): Promise<void> {
  const { url, tokens } = world.platform
  const open = (persona: Persona, signal: AbortSignal) =>
    fetch(`${url}/api/events?scope=permitted&after=start`, {
      headers: { authorization: `Bearer ${tokens[persona]}` },
      signal,
    })
  const end = new AbortController()
  assert.equal((await open('viewer', end.signal)).status, 403, 'who may watch no namespace is refused')
  const stream = await open('other-tenant', end.signal)
  assert.equal(stream.status, 200)
  const subjects: string[] = []
  let text = ''
  for await (const chunk of stream.body ?? []) {
    text += new TextDecoder().decode(chunk as Uint8Array)
    const found = [...text.matchAll(/^data: (\{.*\})$/gm)]
    subjects.splice(
      0,
      subjects.length,
      ...found.map(([, data = '']) => (JSON.parse(data) as { subject: string }).subject),
    )
    if (subjects.length >= 5) break
  }
  end.abort()
  assert.deepEqual([...new Set(subjects.map((subject) => subject.split('/')[0]))], ['other'])
}

async function compareUsedBy(world: World): Promise<void> {
  const path = '/api/usedby?kind=ModelRoute&namespace=demo&name=mock&scope=permitted'
  const { status, body, text } = await ask(world, 'developer', path)
  assert.equal(status, 200, text)
  assert.equal(body.scope, 'permitted')
  assert.ok(
    body.items?.some((item) => (item as { name: string }).name === 'matrix'),
    text,
  )
  const other = await ask(world, 'other-tenant', path)
  assert.deepEqual([other.status, other.body.items], [200, []])
}
