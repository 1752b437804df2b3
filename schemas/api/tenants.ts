import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described, exemplified } from '../values/described.ts'
import { listOf, pageQuery, scope, time, timeOrNull } from './common.ts'

const counted = (what: string) =>
  Type.Object({
    used: exemplified(
      Type.Union([Type.Integer(), Type.Null()], { description: `${what}; null for a tenant without a quota.` }),
      3,
    ),
    limit: exemplified(Type.Union([Type.Integer(), Type.Null()], { description: 'null: not limited.' }), 60),
  })

/** Money of the current window of a limit. */
export const spending = Type.Object({
  currency: Type.String({ description: 'ISO 4217 code.', examples: ['EUR'] }),
  window: described(
    Type.Enum(['hour', 'day', 'week', 'month', 'total']),
    'Window over which money is counted.',
    'month',
  ),
  spent: Type.String({ description: 'Charged in the window, as a decimal string.', examples: ['12.500000'] }),
  held: Type.String({ description: 'Reserved for calls in progress, as a decimal string.', examples: ['0.000000'] }),
  limit: Type.String({ description: 'Limit of the window, as a decimal string.', examples: ['100.00'] }),
  remaining: Type.String({ description: 'What is left for new calls, as a decimal string.', examples: ['87.500000'] }),
  windowStart: described(timeOrNull, 'Start of the window in UTC; null for `total`.'),
  resetsAt: described(timeOrNull, 'End of the window in UTC; null for `total`.'),
})

/** See {@link spending}. */
export type Spending = Static<typeof spending>

/** Live usage of a tenant: response of `GET /api/tenants/{name}/usage`. */
export const TenantUsage = Type.Object(
  {
    name: Type.String({ description: 'Name of the tenant.', examples: ['acme'] }),
    at: described(time, 'Time at which the usage was read.'),
    spend: Type.Union([spending, Type.Null()], { description: 'null without a limit on money.' }),
    rpm: described(counted('Model calls of the last minute'), 'Model calls of the last minute.'),
    inflight: described(counted('Model calls in progress'), 'Model calls in progress.'),
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

/** Response of `GET /api/tenants/usage`. */
export const TenantUsageList = listOf(TenantUsage)
