import { Type } from 'typebox'
import { asObject } from '#core/json/is-object.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { Intake } from './intake.ts'
import { isSameToken } from './webhook-token.ts'

/** Limits of a request. */
export interface WebhookBounds {
  readonly webhookMaxEvents: number
  readonly webhookMegabytes: number
}

/**
 * `POST /audit-events`: an `audit.k8s.io/v1` EventList of the API server's webhook backend, with its own token, which is not an account of the
 * cluster. 200 means stored; the API server retries on any response other than 2xx and 4xx.
 */
export function webhookEndpoint(intake: Intake, token: string, bounds: WebhookBounds): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/audit-events',
    summary: 'Store audit events of the API server.',
    authz: { kind: 'token', of: 'the audit webhook', verify: (given) => isSameToken(given, token) },
    // The API server appends the parameters of its kubeconfig's URL.
    query: Type.Object({}, { additionalProperties: true }),
    body: Type.Unknown(),
    bodyLimit: bounds.webhookMegabytes * 1_048_576,
    response: { 200: Type.Object({}) },
    handle: async ({ body }) => {
      await intake.take(readItems(body, bounds.webhookMaxEvents))
      return {}
    },
  })
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
