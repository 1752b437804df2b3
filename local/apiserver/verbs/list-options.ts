import { badRequest, expired, failure, invalid } from '../json/api-error.ts'
import { forbiddenField } from '../json/status.ts'
import type { Kind } from '../kinds/kind.ts'
import { matchFields, parseLabelSelector, splitFieldSelector } from '../kinds/selectors.ts'
import type { Match } from '../kinds/selectors.ts'
import { isTrue } from '../rbac/request-info.ts'

/** Query parameters of list and watch, parsed and checked as in kube-apiserver. */
export interface ListOptions {
  matches: Match | undefined
  limit: number
  /** The field selector names one object. */
  named: boolean
  from: { rv: number; start: string } | undefined
  resourceVersion: string
  match: '' | 'Exact' | 'NotOlderThan'
  bookmarks: boolean
  initialEvents: boolean | undefined
  timeoutSeconds: number | undefined
}

const OPTIONS = { group: 'meta.k8s.io', resource: 'listoptions', kind: 'ListOptions' }

function refuse(field: string, why: string, reason = 'FieldValueForbidden'): Error {
  const message = reason === 'FieldValueForbidden' ? `Forbidden: ${why}` : why
  return invalid(OPTIONS, '', [{ reason, message, field }])
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (!/^[-+]?\d+$/.test(text)) throw badRequest(`${name}: ${JSON.stringify(text)} is not a number`)
  return Number(text)
}

function matchMode(query: URLSearchParams, watch: boolean): ListOptions['match'] {
  const match = query.get('resourceVersionMatch') ?? ''
  const version = query.get('resourceVersion') ?? ''
  const initial = query.has('sendInitialEvents')
  const field = 'resourceVersionMatch'
  if (watch) {
    if (initial && match !== 'NotOlderThan')
      throw refuse(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
    if (!initial && match)
      throw refuse(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
    return match === 'NotOlderThan' ? match : ''
  }
  if (initial) throw refuse('sendInitialEvents', 'sendInitialEvents is forbidden for list')
  if (match === '') return ''
  const known = match === 'Exact' || match === 'NotOlderThan'
  const forbidden = [
    ...(version === '' ? ['resourceVersionMatch is forbidden unless resourceVersion is provided'] : []),
    ...(query.get('continue') ? ['resourceVersionMatch is forbidden when continue is provided'] : []),
    ...(match === 'Exact' && version === '0'
      ? ['resourceVersionMatch "exact" is forbidden for resourceVersion "0"']
      : []),
  ].map((why) => forbiddenField(field, why))
  const unsupported = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`
  const causes = [...forbidden, ...(known ? [] : [{ reason: 'FieldValueNotSupported', message: unsupported, field }])]
  if (causes.length > 0 || !known) throw invalid(OPTIONS, '', causes)
  return match
}

/** Reads the options of a list or watch over one kind. */
export function listOptions(query: URLSearchParams, kind: Kind, watch: boolean): ListOptions {
  const limit = integer(query, 'limit') ?? 0
  const timeoutSeconds = integer(query, 'timeoutSeconds')
  const labels = parseLabelSelector(query.get('labelSelector'))
  // The order is kube-apiserver's: selectors are parsed first, then options are checked, then the fields of the selector.
  const terms = splitFieldSelector(query.get('fieldSelector'))
  const match = matchMode(query, watch)
  const fields = matchFields(terms, kind)
  const token = watch ? '' : (query.get('continue') ?? '')
  const resourceVersion = query.get('resourceVersion') ?? ''
  if (token && resourceVersion && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue')
  }
  return {
    matches: labels && fields ? (object) => labels(object) && fields(object) : (labels ?? fields),
    named: terms.some(({ label, operator }) => label === 'metadata.name' && operator !== '!='),
    // Version 0 returns the full list: kube-apiserver's cache does not page.
    limit: resourceVersion === '0' && !token ? 0 : Math.max(0, limit),
    from: token ? parseContinue(token) : undefined,
    resourceVersion,
    match,
    bookmarks: isTrue(query.get('allowWatchBookmarks')),
    initialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
    timeoutSeconds,
  }
}

/** A resourceVersion of the query as a number. */
export function parseVersion(text: string, code = 400): number {
  if (/^\d+$/.test(text)) return Number(text)
  const message = `resourceVersion: ${JSON.stringify(text)} is not a number`
  throw code === 400 ? badRequest(message) : failure({ code, message })
}

function parseContinue(token: string): { rv: number; start: string } {
  const { v, rv, start } = decodeContinue(token)
  if (v === 'meta.k8s.io/v1' && typeof rv === 'number' && rv !== 0 && typeof start === 'string' && start !== '')
    return { rv, start }
  throw badRequest('the continue token is not valid')
}

function decodeContinue(token: string): { v?: unknown; rv?: unknown; start?: unknown } {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) ?? {}
  } catch {
    return {}
  }
}

/** Token of the next page: objects after `start` at version `rv`; -1 is the latest version. */
export function continueToken(rv: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url')
}

/** 410 of a page whose snapshot has expired, with a token for an inconsistent continuation. */
export function continueExpired(start: string): Error {
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continue: continueToken(-1, start) },
  )
}
