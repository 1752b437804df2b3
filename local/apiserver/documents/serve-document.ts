import { unknownResource } from '../json/api-error.ts'
import { send } from '../verbs/exchange.ts'
import type { Exchange } from '../verbs/exchange.ts'
import type { Kinds } from '../kinds/kind-table.ts'
import type { Store } from '../storage/store.ts'
import { discovery } from './discovery.ts'
import { SWAGGER } from './openapi.ts'
import type { OpenApi } from './openapi.ts'
import { VERSION } from './version.ts'

/** The sources of the documents. */
export interface DocumentSources {
  readonly store: Pick<Store, 'writable'>
  readonly kinds: Kinds
  readonly openApi: OpenApi
  /** Host and port, as discovery reports them. */
  readonly address: () => string
}

const HEALTH = new Set(['/livez', '/readyz', '/healthz'])

function serveText({ response }: Exchange, code: number, text: string): void {
  response.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
  response.end(text)
}

/** The 404 of an unknown path. */
export const pathNotFound = (exchange: Exchange): void => serveText(exchange, 404, '404 page not found\n')

/** Serves non-resource paths: health, version, discovery, OpenAPI. */
export async function serveDocument(sources: DocumentSources, exchange: Exchange): Promise<void> {
  const { info, accept } = exchange
  const path = info.path.length > 1 ? info.path.replace(/(?<!\/)\/+$/, '') : info.path
  if (HEALTH.has(path)) return serveHealth(sources, exchange)
  if (path === '/version') return send(exchange, 200, VERSION)
  if (path === '/')
    return send(exchange, 200, {
      paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'],
    })
  if (path === '/openapi/v2') return sendBytes(exchange, SWAGGER)
  const openApi = path.startsWith('/openapi/v3') ? sources.openApi.find(path) : undefined
  if (openApi !== undefined) return send(exchange, 200, openApi)
  const wantsAggregated = accept.as === 'APIGroupDiscoveryList' && accept.version === 'v2'
  const found = discovery(sources.kinds, path, wantsAggregated, sources.address())
  if (!found && path.startsWith('/api/')) throw unknownResource()
  if (!found) return pathNotFound(exchange)
  if (wantsAggregated && (path === '/api' || path === '/apis')) {
    exchange.response.setHeader('X-Accepted-As', 'apidiscovery.k8s.io/v2')
    return sendBytes(exchange, { type: AGGREGATED_TYPE, body: Buffer.from(JSON.stringify(found)) })
  }
  return send(exchange, 200, found)
}

// Clients recognise the aggregated form by the content type.
const AGGREGATED_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

function sendBytes({ response }: Exchange, { type, body }: { type: string; body: Buffer }): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length, Vary: 'Accept' })
  response.end(body)
}

async function serveHealth(sources: DocumentSources, exchange: Exchange): Promise<void> {
  const storage = await sources.store.writable()
  const lines = [
    '[+]ping ok',
    `[${storage ? '+' : '-'}]storage ${storage ? 'ok' : 'failed: the journal cannot be written'}`,
  ]
  const name = exchange.info.path.replaceAll('/', '')
  const verbose = exchange.query.has('verbose') || !storage
  serveText(
    exchange,
    storage ? 200 : 500,
    verbose ? `${lines.join('\n')}\n${name} check ${storage ? 'passed' : 'failed'}\n` : 'ok',
  )
}
