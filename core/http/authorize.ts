import type { FastifyRequest } from 'fastify'
import type { Access, AccessScope, Caller, ReviewTarget } from '#core/cluster/caller.ts'
import { parseRunHeader } from '#core/cluster/calling-agent.ts'
import type { LauncherCall } from '#core/cluster/calling-agent.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { reviewsOf } from './endpoint/authz.ts'
import type { Authz, ReviewAuthz, TokenAuthz } from './endpoint/authz.ts'
import { headerValues, readBearer } from './input/bearer-token.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { reviewScope } from './review-scope.ts'
import { attributed } from './audit/record-outcome.ts'
import { stateOf } from './endpoint/request-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'

/** Parses the namespace and name to review, since the cluster does not (M4). An invalid one is a 400 before any upstream call. */
function reviewTarget(authz: ReviewAuthz, request: FastifyRequest): ReviewTarget {
  const from = authz.namespace.in === 'scope' ? namespaceOfScope : authz.namespace
  const group = authz.group === undefined ? {} : { group: authz.group }
  const namespace = from.in === 'cluster' ? '' : readNamespace(from, request)
  const part = partOfName(authz, request)
  const name = authz.name === undefined ? undefined : fieldOf(request, part, authz.name)
  if (name === undefined || name === '') return { namespace, ...group }
  return { namespace, ...group, name: parseName(pointerOf(part, authz.name ?? ''), name) }
}

const namespaceOfScope = { in: 'query', field: 'namespace', absent: 'cluster' } as const

// If the namespace is in the query, the path still contains the name.
function partOfName({ namespace: from, name = '' }: ReviewAuthz, request: FastifyRequest): 'path' | 'query' | 'body' {
  if (from.in === 'cluster' || from.in === 'scope') return 'path'
  return from.in === 'query' && fieldOf(request, 'query', name) === undefined ? 'path' : from.in
}

/** Reviews of one route, made before its handler. */
export interface RouteReviews {
  /** Reviews whose namespace is in the path or the query, made before the body is read. */
  early(request: FastifyRequest): Promise<void>
  /** Reviews whose namespace is in the body. Afterwards the request has every proof. */
  late(request: FastifyRequest): Promise<void>
}

/** Creates the reviews of a route. A denial is the cluster's 403. */
export function createReviews(authz: Authz, services: HttpServices): RouteReviews {
  const reviews = reviewsOf(authz)
  const isLate = ({ namespace }: ReviewAuthz): boolean => namespace.in === 'body'
  const [early, late] = [reviews.filter((one) => !isLate(one)), reviews.filter(isLate)]
  const proofs = new WeakMap<FastifyRequest, Map<Authz, Access | AccessScope>>()
  const make = async (chosen: readonly ReviewAuthz[], request: FastifyRequest): Promise<void> => {
    // Every name is parsed before the first review.
    const targets = chosen.map((one) => [one, reviewTarget(one, request)] as const)
    const own = proofs.get(request) ?? new Map<Authz, Access | AccessScope>()
    proofs.set(request, own)
    for (const [one, target] of targets) own.set(one, await reviewOne(services, request, { one, target }))
    if (own.size < reviews.length) return
    stateOf(request).access = authz.kind === 'all' ? authz.of.map((one) => own.get(one)) : own.get(authz)
  }
  return {
    early: async (request) => (early.length > 0 ? make(early, request) : undefined),
    late: async (request) => (late.length > 0 ? make(late, request) : undefined),
  }
}

async function reviewOne(
  services: HttpServices,
  request: FastifyRequest,
  { one, target }: { readonly one: ReviewAuthz; readonly target: ReviewTarget },
): Promise<Access | AccessScope> {
  const caller = await callerOf(services, request)
  const { verb, resource, namespace } = one
  if (namespace.in !== 'scope') return caller.review(verb, resource, target)
  const { scope } = stateOf(request).query
  return reviewScope(services.directory, caller, { verb, resource, none: namespace.none, target, scope })
}

/** Verifies the token of a `token` route and keeps the result for the handler. Throws `unauthenticated`. */
export async function verifyToken(authz: TokenAuthz, request: FastifyRequest): Promise<void> {
  const { rawHeaders, url = '' } = request.raw
  const token = authz.header === undefined ? readBearer(rawHeaders, url) : singleHeader(rawHeaders, authz.header)
  const verified: unknown = await authz.verify(token)
  if (verified === undefined || verified === false) throw new Fail('unauthenticated')
  stateOf(request).access = verified
}

/** Finds the calling agent of a route for agents, before its body is read. */
export async function findAgentCall({ findAgent }: HttpServices, request: FastifyRequest): Promise<void> {
  const { bearer } = stateOf(request)
  if (bearer === undefined || findAgent === undefined) throw new Fail('unauthenticated')
  const given = request.headers['x-mesh-run-id']
  const call: LauncherCall = {
    agent: await findAgent(bearer),
    run: parseRunHeader(typeof given === 'string' ? given : undefined),
  }
  stateOf(request).access = call
}

function singleHeader(rawHeaders: readonly string[], name: string): string {
  const [value, ...more] = headerValues(rawHeaders, name)
  if (value === undefined || more.length > 0) throw new Fail('unauthenticated')
  return value
}

/** Resolves the caller of a request, once. Throws if the cluster rejects the bearer. */
export async function callerOf(services: HttpServices, request: FastifyRequest): Promise<Caller> {
  const state = stateOf(request)
  if (state.bearer === undefined) throw new Fail('unauthenticated')
  state.caller ??= attributed(services, request, await services.cluster.as(state.bearer))
  return state.caller
}

interface NamespaceInField {
  readonly in: 'path' | 'query' | 'body'
  readonly field: string
  readonly absent?: 'default' | 'cluster'
}

function readNamespace(from: NamespaceInField, request: FastifyRequest): DnsLabel | '' {
  const pointer = pointerOf(from.in, from.field)
  const given = fieldOf(request, from.in, from.field)
  if (given !== undefined && given !== '') return parseLabel(pointer, given)
  if (from.absent === 'cluster') return ''
  if (from.absent === 'default') return parseLabel(pointer, 'default')
  throw new Fail('invalid_name', undefined, { errors: [{ pointer, detail: 'is required' }] })
}

function fieldOf(request: FastifyRequest, part: 'path' | 'query' | 'body', field: string): string | undefined {
  const state = stateOf(request)
  let value: unknown = part === 'path' ? state.params : part === 'query' ? state.query : request.body
  for (const key of field.split('.')) {
    value = typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(key) : undefined
  }
  return typeof value === 'string' ? value : undefined
}

function pointerOf(part: 'path' | 'query' | 'body', field: string): string {
  if (part === 'path') return `:${field}`
  return part === 'query' ? `?${field}` : `/${field.replaceAll('.', '/')}`
}
