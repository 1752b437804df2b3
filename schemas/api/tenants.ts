import { Type } from 'typebox'
import type { Static } from 'typebox'
import { listOf, pageQuery, scope, time, timeOrNull } from './common.ts'

const counted = (what: string) =>
  Type.Object({
    used: Type.Union([Type.Integer(), Type.Null()], { description: `${what}; null for a tenant without a quota.` }),
    limit: Type.Union([Type.Integer(), Type.Null()], { description: 'null: not limited.' }),
  })

const spend = Type.Object({
  currency: Type.String({ description: 'ISO 4217 code.' }),
  window: Type.Enum(['hour', 'day', 'week', 'month', 'total']),
  spent: Type.String({ description: 'Charged in the window, as decimal text.' }),
  held: Type.String({ description: 'Reserved for calls in progress, as decimal text.' }),
  limit: Type.String({ description: 'Limit of the window, as decimal text.' }),
  remaining: Type.String({ description: 'What is left for new calls, as decimal text.' }),
  windowStart: timeOrNull,
  resetsAt: timeOrNull,
})

/** Live usage of a tenant: answer of `GET /api/tenants/{name}/usage`. */
export const TenantUsage = Type.Object(
  {
    name: Type.String(),
    at: time,
    spend: Type.Union([spend, Type.Null()], { description: 'null without a limit on money.' }),
    rpm: counted('Model calls of the last minute'),
    inflight: counted('Model calls in progress'),
  },
  { title: 'TenantUsage' },
)

/** See {@link TenantUsage}. */
export type TenantUsage = Static<typeof TenantUsage>

/** Query of `GET /api/tenants/usage`. */
export const TenantUsageListQuery = Type.Object(
  { scope: Type.Optional(scope), ...pageQuery },
  { additionalProperties: false },
)

/** Answer of `GET /api/tenants/usage`. */
export const TenantUsageList = listOf(TenantUsage)
