import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { describeApi, describeCatalog } from '#core/host/role/describe-api.ts'
import { plugins } from '#plugins/index.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly object[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: object }>> }
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>
}

interface Document {
  readonly servers: readonly object[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const document = (await describeApi(plugins, '1.2.3')) as Document
const catalog = await describeCatalog(plugins, '1.2.3')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, operation })),
)
const operationOf = (route: string): Operation => {
  const found = operations.find((one) => one.route === route)
  assert.ok(found, route)
  return found.operation
}

test('UXH9: no schema of the OpenAPI document is an object without fields', () => {
  const bare: string[] = []
  const walk = (node: unknown, where: string): void => {
    if (typeof node !== 'object' || node === null) return
    if ('type' in node && node.type === 'object' && !('properties' in node) && !('additionalProperties' in node))
      bare.push(where)
    // Examples are values.
    for (const [key, value] of Object.entries(node)) if (!/^examples?$/.test(key)) walk(value, `${where}/${key}`)
  }
  walk(document.components.schemas, '')
  walk(document.paths, '')
  assert.deepEqual(bare, [])
})

test('UXH9: config, spec, metadata and conditions refer to named schemas', () => {
  const { schemas } = document.components
  const config = { $ref: '#/components/schemas/AgentConfig' }
  assert.partialDeepStrictEqual(schemas['AgentConfigInput'], { properties: { config } })
  assert.partialDeepStrictEqual(schemas['AgentDeploymentInput'], {
    properties: {
      metadata: { $ref: '#/components/schemas/ObjectMetaInput' },
      spec: { $ref: '#/components/schemas/AgentDeploymentSpec' },
    },
  })
  assert.partialDeepStrictEqual(schemas['AgentDeploymentStatus'], {
    properties: { conditions: { items: { $ref: '#/components/schemas/Condition' } } },
  })
})

test('UXH9: streams have their media type, their event and their headers', () => {
  const runEvents = operationOf('get /api/runs/{id}/events')
  const lastId = { $ref: '#/components/parameters/Last-Event-ID' }
  const stream = (name: string) => ({ 'text/event-stream': { schema: { $ref: `#/components/schemas/${name}` } } })
  assert.partialDeepStrictEqual(runEvents.responses['200']?.content, stream('RunEvent'))
  assert.deepEqual(runEvents.responses['204'], { description: 'Done; no body.' })
  assert.ok(runEvents.parameters.some((one) => JSON.stringify(one) === JSON.stringify(lastId)))
  assert.partialDeepStrictEqual(operationOf('get /api/events').responses['200']?.content, stream('CloudEvent'))
  const invoke = operationOf('post /api/invoke').responses['200']?.content ?? {}
  assert.deepEqual(Object.keys(invoke), ['application/json', 'text/event-stream'])
  const logs = operationOf('get /api/agents/{ns}/{name}/logs').responses['200']?.content ?? {}
  assert.deepEqual(Object.keys(logs), ['text/plain'])
})

test('UXH9: a guarded write names If-Match, 412 and the ETag of its answer', () => {
  const replace = operationOf('put /api/agents/{ns}/{name}')
  assert.ok(JSON.stringify(replace.parameters).includes('#/components/parameters/If-Match'))
  assert.deepEqual(replace.responses['412'], { $ref: '#/components/responses/PreconditionFailed' })
  assert.deepEqual(replace.responses['200']?.headers, { ETag: { $ref: '#/components/headers/ETag' } })
})

test('UXL14: each operation has an id of its own, each schema one name, each body an example, each tag a description', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(
    catalog.filter(({ endpoint }) => endpoint.id === undefined),
    [],
  )
  assert.ok(ids.includes('listAgents') && ids.includes('createAgent') && ids.includes('getRun'))
  assert.deepEqual(
    Object.keys(document.components.schemas).filter((name) => /\d$/.test(name)),
    [],
  )
  const bare = operations.filter(
    ({ operation: { requestBody } }) => requestBody && !requestBody.content['application/json']?.examples,
  )
  assert.deepEqual(
    bare.map(({ route }) => route),
    [],
  )
  assert.ok(document.tags.every(({ description }) => !description.startsWith('Routes of')))
  assert.equal(document.servers.length, 1)
})

test('UXL13: the article of a summary fits its kind', () => {
  const summaries = JSON.stringify(operations)
  assert.equal(/"summary":"\w+ a [AEIOU]/.exec(summaries), null)
})

test('UXL11, UXL15: the documents of events cut no schema, and name both servers and the HTTP feed', async () => {
  const read = (name: string): Promise<string> =>
    readFile(new URL(`../docs/reference/${name}`, import.meta.url), 'utf8')
  assert.doesNotMatch(await read('events.md'), /\.\.\./)
  const { servers, channels } = JSON.parse(await read('asyncapi.json')) as {
    servers: Readonly<Record<string, { protocol: string }>>
    channels: Readonly<Record<string, { address: string; servers: readonly object[]; messages: object }>>
  }
  assert.deepEqual([servers['nats']?.protocol, servers['http']?.protocol], ['nats', 'http'])
  assert.partialDeepStrictEqual(channels['feed'], { address: '/api/events', servers: [{ $ref: '#/servers/http' }] })
  const seen = Object.keys(channels['feed']?.messages ?? {})
  assert.ok(seen.includes('dev.mesh.runs.created.v1') && seen.every((type) => type in channels))
})
