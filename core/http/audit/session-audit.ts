import type { FastifyRequest } from 'fastify'
import { formatTraceparent } from '#core/telemetry/traceparent.ts'
import type { Outcome } from '../endpoint/extension-points.ts'
import { stateOf } from '../endpoint/request-context.ts'
import type { HttpServices } from '../endpoint/server-context.ts'
import { toProblemResponse } from '../problem/problem.ts'
import { reportOutcome } from './record-outcome.ts'
import { createRefusalCounts } from './refused-sign-ins.ts'
import type { RefusedSignIns, SignInWay } from './refused-sign-ins.ts'

/** An act on a session that happened. The id of a session opens nothing; its cookies do. */
export interface SessionAct {
  readonly action: 'sign-in' | 'sign-out' | 'sign-out-everywhere' | 'switch-persona'
  readonly session: { readonly id: string; readonly user: string }
  readonly way?: SignInWay
  readonly persona?: string
}

/** Reports sign-ins and ends of sessions to the receivers of outcomes. Bearers, codes and cookies are never part of a report. */
export interface SessionAudit {
  done(request: FastifyRequest, act: SessionAct): void
  /** A sign-in that was refused. It has no actor: who sent it is not known. */
  refused(request: FastifyRequest, refusal: Pick<RefusedSignIns, 'way' | 'outcome' | 'code'>): void
  /** A sign-in that ended with an error: refused, unless the error is of the server. */
  failed(request: FastifyRequest, way: SignInWay, error: unknown): void
  /** Reports what is still counted. */
  close(): void
}

/** Creates the reports of sessions. */
export function createSessionAudit(services: Pick<HttpServices, 'outcomes' | 'log'>): SessionAudit {
  const refusals = createRefusalCounts((refused) =>
    reportOutcome(services, { ...ofSessions, ...refused, actor: undefined, action: 'sign-in', name: undefined }),
  )
  const refused: SessionAudit['refused'] = (request, refusal) =>
    refusals.add({ ...refusal, traceparent: traceOf(request) })
  return {
    done: (request, { session, ...act }) =>
      reportOutcome(services, {
        ...ofSessions,
        ...act,
        actor: session.user,
        name: session.id,
        outcome: 'success',
        traceparent: traceOf(request),
      }),
    refused,
    failed: (request, way, error) => {
      const { status, problem } = toProblemResponse(error)
      // A request that is not valid is no attempt.
      if (status !== 400) refused(request, { way, code: problem.code, outcome: status < 500 ? 'denied' : 'error' })
    },
    close: () => refusals.close(),
  }
}

const ofSessions = { resourceKind: 'Session', namespace: undefined } satisfies Partial<Outcome>

function traceOf(request: FastifyRequest): string {
  return formatTraceparent(stateOf(request).trace)
}
