import type { FastifyRequest } from 'fastify'
import type { Access, Caller } from '#core/cluster/caller.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { Authz, NamespaceFrom } from './endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { attributed } from './audit/record-outcome.ts'
import { stateOf } from './endpoint/request-context.ts'
import type { HttpServices } from './endpoint/server-context.ts'

type ReviewAuthz = Extract<Authz, { kind: 'review' }>

/** Review of an endpoint, or undefined if it has another check. */
export function reviewOf(authz: Authz): ReviewAuthz | undefined {
  return authz.kind === 'review' ? authz : undefined
}

/** Whether the review needs the body, which is then validated first. */
export function reviewsBody(authz: Authz): boolean {
  return authz.kind === 'review' && authz.namespace.in === 'body'
}

/** Parses the namespace and name to review, since the cluster does not (M4). An invalid one is a 400 before any upstream call. */
export function reviewTarget(authz: ReviewAuthz, request: FastifyRequest): { namespace: DnsLabel | ''; name?: string } {
  const from = authz.namespace
  if (from.in === 'cluster') return { namespace: '' }
  const namespace = readNamespace(from, request)
  const name = authz.name === undefined ? undefined : fieldOf(request, from.in, authz.name)
  if (name === undefined || name === '') return { namespace }
  return { namespace, name: parseName(pointerOf(from.in, authz.name ?? ''), name) }
}

/** Reviews access as the caller and keeps the proof for the handler. A denial is the cluster's 403. */
export async function review(authz: ReviewAuthz, services: HttpServices, request: FastifyRequest): Promise<Access> {
  const target = reviewTarget(authz, request)
  const caller = await callerOf(services, request)
  const access = await caller.review(authz.verb, authz.resource, target)
  stateOf(request).access = access
  return access
}

/** Resolves the caller of a request, once. Throws if the cluster rejects the bearer. */
export async function callerOf(services: HttpServices, request: FastifyRequest): Promise<Caller> {
  const state = stateOf(request)
  if (state.bearer === undefined) throw new Fail('unauthenticated')
  state.caller ??= attributed(services, request, await services.cluster.as(state.bearer))
  return state.caller
}

function readNamespace(from: Exclude<NamespaceFrom, { in: 'cluster' }>, request: FastifyRequest): DnsLabel | '' {
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
