import { inSpan } from '#core/telemetry/trace-context.ts'
import type { CallRequest, Connection } from './request.ts'
import { noteRequest } from '#core/async/request-count.ts'
import { KubeError } from './status.ts'
import type { MissingRight } from './status.ts'

/**
 * Measures a call and records it as a span, by verb and resource: no object name, no query. Only the Audit-ID of the trace is sent: the
 * headers of a call are built from an allowlist (K2).
 */
export function observed<Answer>(
  { pool }: Connection,
  request: CallRequest,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const { verb, resource } = nameOfCall(request)
  noteRequest()
  return inSpan({ name: `${verb} ${resource}`, kind: 'client' }, async (note) => {
    const started = performance.now()
    let outcome = 'ok'
    try {
      return await send()
    } catch (error) {
      outcome = outcomeOf(error)
      if (error instanceof KubeError) {
        note({ 'http.response.status_code': error.status })
        if (error.status === 403) error.missing = missingRight(request, error.message)
      }
      throw error
    } finally {
      pool.seconds?.observe((performance.now() - started) / 1000, { verb, resource, outcome })
    }
  })
}

// The role is that of the account in the API server's message. For another caller, the rule contains verbs without a role.
function missingRight(request: CallRequest, message: string): MissingRight {
  const { verb, resource } = nameOfCall(request)
  const [, prefix, group = ''] = request.path.split('/')
  const of = prefix === 'apis' ? group : ''
  const role = / User "system:serviceaccount:[a-z0-9.-]+:mesh-(manager|gateway|state|worker)"/.exec(message)?.[1]
  return {
    right: `${verb} ${resource}${of === '' ? '' : `.${of}`}`,
    rule: `{ group: '${of}', resource: '${resource}', ${role ?? 'verbs'}: ['${verb}'] }`,
  }
}

const verbs = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const

/** Verb and resource of a call in RBAC terms (`create`, `pods/log`); `other` for a path without a resource. */
export function nameOfCall({ method, path }: Pick<CallRequest, 'method' | 'path'>): { verb: string; resource: string } {
  const [route = '', query = ''] = path.split('?', 2)
  const parts = route.split('/').slice(1)
  const from = parts[0] === 'api' ? 2 : parts[0] === 'apis' ? 3 : parts.length
  const rest = parts.slice(from)
  const [plural = 'other', name, subresource] = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`
  if (method !== 'GET') return { verb: verbs[method], resource }
  if (name !== undefined) return { verb: 'get', resource }
  return { verb: /(?:^|&)watch=true(?:&|$)/.test(query) ? 'watch' : 'list', resource }
}

const outcomes: Readonly<Record<number, string>> = {
  401: 'denied',
  403: 'denied',
  404: 'missing',
  409: 'conflict',
  429: 'throttled',
  504: 'timeout',
}

function outcomeOf(error: unknown): string {
  if (!(error instanceof KubeError)) return 'aborted'
  const { status } = error
  return outcomes[status] ?? (status >= 500 ? 'unavailable' : 'invalid')
}
