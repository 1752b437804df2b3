import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { asObject } from '#core/json/is-object.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { isLabel, isName } from '#core/kube/names.ts'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import type { Trace } from '#core/telemetry/traceparent.ts'
import { CONVERSATION_ID_DETAIL, isConversationId } from '#schemas/conversation-id.ts'
import type { StateRunRequest } from '#schemas/launcher.ts'
import type { ChildRuns } from './child-runs.ts'

const singleHeader = (request: FastifyRequest, name: string): string => {
  const value = request.headers[name]
  if (typeof value !== 'string') throw new Fail('unauthenticated')
  return value
}

/** Routes of the state role: public keys of the install, child runs started in a pod, and repeated reviews of a subject's right. */
export function runsStateRoutes(delegations: ChildRuns, state: StateContext): FastifyPluginAsync {
  const pod = async (request: FastifyRequest) => {
    const bearer = singleHeader(request, 'authorization').replace(/^bearer +/i, '')
    const user = await state.authenticate(bearer, 'state')
    if (!user) throw new Fail('unauthenticated')
    return user
  }
  return async (scope) => {
    // Public keys only. Launchers need them to authenticate workers.
    scope.get('/jwks', { config: { public: true } }, async () => delegations.keys())
    scope.post('/runs', { config: { authz: { kind: 'bearer' } } }, async (request, reply) => {
      const run = await delegations.create(await pod(request), readDelegation(request.body), callerTraceOf(request))
      return reply.code(201).send(run)
    })
    scope.get<{ Params: { id: string }; Querystring: { wait?: string } }>(
      '/runs/:id',
      { config: { authz: { kind: 'bearer' } } },
      async (request) => {
        const query = new URL(request.raw.url ?? '', 'http://state').searchParams
        const waitMs = Math.min(Math.max(Number(query.get('wait') ?? 0), 0), 30) * 1000
        return delegations.read(await pod(request), request.params.id, Number.isFinite(waitMs) ? waitMs : 0)
      },
    )
    scope.post<{ Params: { id: string } }>(
      '/runs/:id/cancel',
      { config: { authz: { kind: 'bearer' } } },
      async (request, reply) => {
        await delegations.cancel(await pod(request), request.params.id)
        return reply.code(202).send({})
      },
    )
    // The worker has no cluster identity. It authenticates with its attempt token for this run.
    scope.post<{ Params: { id: string } }>('/runs/:id/recheck', { config: { public: true } }, async (request) => {
      const grant = await delegations.recheck(request.params.id, singleHeader(request, 'x-mesh-run-attempt'))
      return { allowed: grant !== undefined, ...(grant === undefined ? {} : { grant }) }
    })
  }
}

function readDelegation(body: unknown): StateRunRequest {
  const given = asObject(body)
  const { parentRunId, conversationId, mode, maxDepth } = given
  const { namespace, name } = asObject(given['agent'])
  if (typeof namespace !== 'string' || !isLabel(namespace)) throw refuse('/agent/namespace', 'must be a namespace name')
  if (typeof name !== 'string' || !isName(name)) throw refuse('/agent/name', 'must be an object name')
  if (mode !== 'spawn' && mode !== 'handoff') throw refuse('/mode', 'must be spawn or handoff')
  if (typeof maxDepth !== 'number' || !Number.isSafeInteger(maxDepth))
    throw refuse('/maxDepth', 'must be a whole number')
  if (conversationId !== undefined && !isConversationId(conversationId))
    throw refuse('/conversationId', CONVERSATION_ID_DETAIL)
  return {
    agent: { namespace, name },
    input: given['input'],
    mode,
    maxDepth,
    ...(typeof parentRunId === 'string' ? { parentRunId } : {}),
    ...(conversationId === undefined ? {} : { conversationId }),
  }
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}

function callerTraceOf(request: FastifyRequest): Trace | undefined {
  const value = request.headers['traceparent']
  return parseTraceparent(typeof value === 'string' ? value : undefined)
}
