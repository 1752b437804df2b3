import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { amount, conditions, currency, DNS_LABEL_PATTERN, observedGeneration, spendWindow } from '../kinds/parts.ts'

const namespaces = (description: string) =>
  Type.Array(Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN }), {
    maxItems: 1024,
    description,
    'x-kubernetes-list-type': 'set',
  })

const quota = Type.Object(
  {
    spend: Type.Optional(
      Type.Object(
        {
          amount: amount('Amount as a decimal string, such as "100.00".'),
          currency: Type.Optional(currency),
          window: Type.Optional(spendWindow),
        },
        { additionalProperties: false, description: 'Money that all agents of the tenant may spend together.' },
      ),
    ),
    requestsPerMinute: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Model calls per minute of all agents together.',
      }),
    ),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Concurrent model calls of all agents together.' }),
    ),
  },
  { additionalProperties: false, description: 'Limits of the tenant; an absent one is not limited.' },
)

const spec = Type.Object(
  {
    displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Display name.' })),
    namespaces: Type.Optional(namespaces('Namespaces of the tenant.')),
    namespaceSelector: Type.Optional(
      Type.Object(
        {
          matchLabels: Type.Record(Type.String(), Type.String({ maxLength: 63 }), {
            minProperties: 1,
            description: 'Labels that a namespace must carry.',
          }),
        },
        { additionalProperties: false, description: 'Namespaces of the tenant by their labels.' },
      ),
    ),
    quota: Type.Optional(quota),
  },
  {
    additionalProperties: false,
    description: 'A group of namespaces with common quotas.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.namespaces) || has(self.namespaceSelector)',
        message: 'namespaces or namespaceSelector is required',
      },
    ],
  },
)

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    namespaces: Type.Optional(namespaces('Namespaces that belong to the tenant now.')),
    conditions: Type.Optional(conditions),
  },
  { description: 'Observed state of the tenant.' },
)

/** A group of namespaces with common quotas. */
export const Tenant = defineKind({
  kind: 'Tenant',
  plural: 'tenants',
  singular: 'tenant',
  shortNames: [],
  scope: 'Cluster',
  description: 'A group of namespaces with common quotas.',
  spec,
  status,
  audited: ['quota.spend.amount', 'quota.spend.currency', 'quota.requestsPerMinute', 'quota.concurrency'],
  printerColumns: [
    { name: 'Spend', type: 'string', jsonPath: '.spec.quota.spend.amount' },
    { name: 'Window', type: 'string', jsonPath: '.spec.quota.spend.window' },
    { name: 'RPM', type: 'integer', jsonPath: '.spec.quota.requestsPerMinute' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link Tenant}. */
export type TenantSpec = Static<typeof spec>

/** A tenant in its wire format. */
export type TenantObject = ObjectOf<typeof Tenant>
