import { Type } from 'typebox'
import type { Static } from 'typebox'
import { described } from '#schemas/values/described.ts'
import { defineEvent } from '#core/event-store/event.ts'
import type { EventType } from '#core/event-store/event.ts'

const quota = Type.Object(
  {
    spend: Type.Optional(
      described(
        Type.Object({
          amount: Type.String({ description: 'Decimal text.' }),
          currency: Type.String({ description: 'ISO 4217 code.' }),
          window: described(
            Type.Enum(['hour', 'day', 'week', 'month', 'total']),
            'Window over which money is counted.',
          ),
        }),
        'Limit on money.',
      ),
    ),
    requestsPerMinute: Type.Optional(Type.Integer({ description: 'Model calls per minute.' })),
    concurrency: Type.Optional(Type.Integer({ description: 'Model calls in progress at once.' })),
  },
  { description: 'Limits of the tenant; an absent one is not limited.' },
)

const changed = Type.Object({
  quota,
  namespaces: Type.Array(Type.String(), { description: 'Namespaces that the quota applies to.' }),
})

/** See {@link tenantQuotaChanged}. */
export type TenantQuotaChanged = Static<typeof changed>

/** Limits of a tenant, with their defaults. */
export type TenantQuota = TenantQuotaChanged['quota']

/** The quota of a tenant, or the namespaces to which it applies, changed. The subject is the tenant. */
export const tenantQuotaChanged: EventType<TenantQuotaChanged> = defineEvent({
  plugin: 'tenants',
  fact: 'quota-changed',
  summary: 'The quota of a tenant, or the namespaces that it applies to, have changed.',
  data: changed,
})
