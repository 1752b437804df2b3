import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { parseLabel } from '#core/kube/names.ts'
import { OutboundError } from '#core/http-client/outbound-error.ts'
import { parseOutboundUrl } from '#core/http-client/outbound-request.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'
import type { KnowledgeBaseObject } from '#schemas/crds/knowledge-base.ts'
import { queueIngests } from '../ingest/queue-ingests.ts'
import type { Submission } from '../ingest/queue-ingests.ts'
import { sourcesOf } from '../ingest/sources.ts'
import { BaseName, IngestResponse, IngestRequest, NamespaceQuery, QueuedIngests } from '../contract/schemas.ts'
import type { KnowledgeServices } from '../services/create-services.ts'
import { findIngest } from '../store/ingests.ts'
import type { KnowledgeTables } from '../contract/tables.ts'
import { findBase } from './find-base.ts'

const examples = {
  address: { summary: 'One document', value: { url: 'https://example.com/handbook.pdf', id: 'handbook' } },
  sources: { summary: 'Every source of the spec', value: {} },
}

const resource = 'knowledgebases/documents'
const namespace = { in: 'query', field: 'namespace', absent: 'default' } as const

/** Routes of ingests. */
export function ingestEndpoints(services: KnowledgeServices): readonly AnyEndpoint[] {
  return [startIngest(services), readIngest(services)]
}

function startIngest(services: KnowledgeServices): AnyEndpoint {
  const { core, settings } = services
  return endpoint({
    method: 'POST',
    url: '/knowledgebases/:name/ingest',
    id: 'ingestKnowledgeBase',
    docs: { examples },
    summary: 'Ingest a document from its URL, or all sources of the spec again.',
    authz: { kind: 'review', verb: 'create', resource, namespace, name: 'name' },
    audit: { action: 'ingest', resourceKind: 'KnowledgeBase' },
    query: NamespaceQuery,
    body: IngestRequest,
    response: { 202: QueuedIngests },
    handle: async (call) => {
      const { access, params, body, caller, signal } = call
      const base = await findBase(services, call)
      const { url, id, title } = body
      if (url === undefined && (id !== undefined || title !== undefined)) throw urlRequired()
      const ref = { namespace: parseLabel('namespace', access.namespace), name: params.name }
      const submissions =
        url === undefined
          ? sourcesOf((await caller.cluster.get<KnowledgeBaseObject>(KnowledgeBase, ref, { signal })).spec)
          : [toSubmission(url, id, title)]
      const actor = caller.username
      return core.store.transact(async (tx) => ({
        items: await queueIngests(tx, { ...settings, tasks: core.tasks }, { ...base, actor }, submissions),
      }))
    },
  })
}

function readIngest(services: KnowledgeServices): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/knowledgebases/:name/ingests/:id',
    id: 'getKnowledgeBaseIngest',
    summary: 'Get the state of an ingest.',
    authz: { kind: 'review', verb: 'get', resource, namespace, name: 'name' },
    params: Type.Object({ name: BaseName, id: Type.String({ maxLength: 64, description: 'Id of the ingest.' }) }),
    query: NamespaceQuery,
    response: { 200: IngestResponse },
    handle: async (call) => {
      const { params } = call
      const { uid } = await findBase(services, call)
      const db = services.core.store.reader<KnowledgeTables>()
      const found = UUID.test(params.id) ? await findIngest(db, uid, params.id) : undefined
      if (found === undefined) throw new Fail('not_found', 'The knowledge base has no ingest with that id.')
      const { id, document_id: document, state, error, url, created_at: createdAt, finished_at: finishedAt } = found
      return {
        id,
        document,
        state,
        error,
        url,
        createdAt: createdAt.toISOString(),
        finishedAt: finishedAt?.toISOString() ?? null,
      }
    },
  })
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function urlRequired(): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer: '/url', detail: 'is required with id or title' }] })
}

// Only the format of the URL is checked: each fetch checks the resolved address, and a refusal here would reveal the network.
function toSubmission(url: string, id: string | undefined, title: string | undefined): Submission {
  try {
    const parsed = parseOutboundUrl(url)
    return { documentId: id ?? idOfUrl(parsed), title: title ?? null, from: { url: parsed.href } }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new Fail('invalid_body', undefined, { errors: [{ pointer: '/url', detail: error.message }] })
  }
}

// A query may contain a secret, and ids are in events, so the id includes the query's hash only.
function idOfUrl({ host, pathname, search, href }: URL): string {
  const readable = `${host}${pathname}`.replaceAll(/[^A-Za-z0-9._:/@+-]/g, '-').replace(/^[^A-Za-z0-9]+/, '')
  if (search === '' && readable.length <= 256) return readable
  const hash = createHash('sha256').update(href).digest('hex').slice(0, 16)
  return `${readable.slice(0, 230)}@${hash}`
}
