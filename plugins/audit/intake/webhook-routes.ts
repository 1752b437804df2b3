import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { asObject } from '#core/json/is-object.ts'
import { readBearer } from '#core/http/input/bearer-token.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Intake } from './intake.ts'
import { isSameToken } from './webhook-token.ts'

/** Bounds of a request. */
export interface WebhookBounds {
  readonly webhookMaxEvents: number
  readonly webhookMegabytes: number
}

/**
 * `POST /audit-events`: an `audit.k8s.io/v1` EventList of the API server's webhook backend. The token is compared before the body is
 * read. 200 means stored; the API server retries on any response other than 2xx and 4xx.
 */
export function webhookRoutes(intake: Intake, token: string, bounds: WebhookBounds): FastifyPluginAsync {
  return async (scope) => {
    scope.post(
      '/audit-events',
      {
        bodyLimit: bounds.webhookMegabytes * 1_048_576,
        // No account of the cluster: the route compares its own token.
        config: { public: true },
        onRequest: async (request) => authenticate(request, token),
      },
      async (request, reply) => {
        await intake.take(readItems(request.body, bounds.webhookMaxEvents))
        return reply.code(200).send({})
      },
    )
  }
}

function authenticate(request: FastifyRequest, token: string): void {
  const bearer = readBearer(request.raw.rawHeaders, request.raw.url ?? '')
  if (!isSameToken(bearer, token)) throw new Fail('unauthenticated')
}

function readItems(body: unknown, most: number): readonly unknown[] {
  const { apiVersion, kind, items } = asObject(body)
  if (kind !== 'EventList') throw refuse('/kind', 'must be EventList')
  if (apiVersion !== 'audit.k8s.io/v1') throw refuse('/apiVersion', 'must be audit.k8s.io/v1')
  if (!Array.isArray(items)) throw refuse('/items', 'must be an array')
  if (items.length > most)
    throw new Fail('payload_too_large', `The list has more than ${most} events (audit.webhookMaxEvents).`)
  return items
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_body', undefined, { errors: [{ pointer, detail }] })
}
