import { Type } from 'typebox'
import type { Static } from 'typebox'
import { durationBounds } from '../values/duration.ts'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { ModelParams } from '../kinds/model-params.ts'
import { allowedNamespaces, conditionsStatus, duration, objectRef } from '../kinds/parts.ts'
import { priceFields } from '../kinds/prices.ts'
import { passedHeaders } from './request-headers.ts'

const upstreamModel = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[^\\s]+$',
  description: 'Model id at the provider.',
})

const prices = Type.Object(priceFields, {
  additionalProperties: false,
  description:
    'Prices for callers in other namespaces. For callers in the same namespace or tenant, they can only raise a price that is set elsewhere.',
})

/** Name of a field of a request. */
export const REQUEST_FIELD = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/

const targets = Type.Array(
  Type.Object(
    {
      providerRef: objectRef('ModelProvider', 'Provider of this target.'),
      model: upstreamModel,
      weight: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          default: 1,
          description: 'Share of the runs that this target serves, relative to the sum of all weights.',
        }),
      ),
      prices: Type.Optional(prices),
    },
    { additionalProperties: false, description: 'A provider and its model.' },
  ),
  {
    minItems: 1,
    maxItems: 16,
    description:
      'Providers between which the route divides its calls by weight, in place of providerRef and model. The calls of a run stay at one target while it works; the others follow when it fails.',
    'x-kubernetes-list-type': 'atomic',
  },
)

const retryOn = Type.Array(
  Type.Unsafe<number | string>({
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    minimum: 400,
    maximum: 599,
    maxLength: 7,
    pattern: '^(5xx|timeout)$',
    description: 'A status from 400 to 599, 5xx for each of them, or timeout.',
  }),
  {
    maxItems: 32,
    description:
      'Failures after which the next attempt is made, before the first byte of a response only. Default: 408, 409, 429, 5xx and timeout. 5xx includes lost connections and unreadable responses. A target that cannot be used at all, such as one that refuses its key, is always passed over.',
    'x-kubernetes-list-type': 'atomic',
  },
)

const circuitBreaker = Type.Object(
  {
    failures: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        default: 5,
        description: 'Number of consecutive failures after which a target is not called.',
      }),
    ),
    openFor: Type.Optional(
      Type.String({
        ...duration(durationBounds.openCircuit, 'Time until one call tries the target again.'),
        default: '30s',
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      'When a target is not called for a while. Each gateway process counts by itself. It applies by default to routes with targets or fallbacks.',
  },
)

const spec = Type.Object(
  {
    providerRef: Type.Optional(objectRef('ModelProvider', 'Provider that serves the route.')),
    model: Type.Optional(upstreamModel),
    targets: Type.Optional(targets),
    params: Type.Optional(ModelParams),
    fallbacks: Type.Optional(
      Type.Array(
        Type.Object(
          {
            providerRef: objectRef('ModelProvider', 'Provider of this fallback.'),
            model: upstreamModel,
            prices: Type.Optional(prices),
          },
          { additionalProperties: false, description: 'A provider and its model.' },
        ),
        {
          maxItems: 8,
          description: 'Tried in this order when the call fails or the provider is overloaded.',
          'x-kubernetes-list-type': 'atomic',
        },
      ),
    ),
    timeout: Type.Optional(
      duration(durationBounds.firstByte, 'Maximum time to wait for the first byte of a response.'),
    ),
    retries: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 5, description: 'Number of retries at the same provider.' }),
    ),
    retryOn: Type.Optional(retryOn),
    circuitBreaker: Type.Optional(circuitBreaker),
    maxOutputTokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        description:
          'Most output tokens of a call. A request that asks for more, or for no limit, is sent with this one; reservations of money use it.',
      }),
    ),
    passHeaders: Type.Optional(passedHeaders),
    prices: Type.Optional(prices),
    allowedParams: Type.Optional(
      Type.Array(Type.String({ maxLength: 64, pattern: REQUEST_FIELD.source }), {
        maxItems: 64,
        description:
          'Undocumented request fields that are sent even where money is counted. Fields that have their own price or bypass the route are still refused.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    allowedNamespaces: Type.Optional(allowedNamespaces),
  },
  {
    additionalProperties: false,
    description: 'A name under which agents call a model.',
    'x-kubernetes-validations': [
      {
        rule: 'has(self.providerRef) || has(self.targets)',
        message: 'providerRef or targets is required',
        fieldPath: '.providerRef',
        reason: 'FieldValueRequired',
      },
      {
        rule: '!(has(self.providerRef) && has(self.targets))',
        message: 'targets stand in place of providerRef and model',
        fieldPath: '.targets',
      },
      {
        rule: 'has(self.targets) ? !has(self.model) : has(self.model)',
        message: 'model belongs to providerRef; each of the targets has its own',
        fieldPath: '.model',
      },
      {
        rule: '!(has(self.targets) && has(self.prices))',
        message: 'each of the targets has its own prices',
        fieldPath: '.prices',
      },
    ],
  },
)

const status = Type.Object(
  {
    ...conditionsStatus.properties,
    targets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            gateway: Type.String({ maxLength: 128, description: 'Gateway process that reports.' }),
            provider: Type.String({ maxLength: 317, description: 'namespace/name of the ModelProvider.' }),
            model: Type.String({ maxLength: 256, description: 'Model id at the provider.' }),
            circuit: Type.Enum(['closed', 'open', 'half-open'], {
              description:
                'closed: the target is called; open: it is not called for a while; half-open: one call tries it.',
            }),
            lastErrorClass: Type.Optional(
              Type.String({ maxLength: 64, description: 'Class of its last failure, such as timeout.' }),
            ),
          },
          { description: 'A target as one gateway process sees it.' },
        ),
        {
          description:
            'Targets of the route by what gateways have seen of them. Entries of a gateway that has ended are removed within two minutes.',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['gateway', 'provider', 'model'],
        },
      ),
    ),
  },
  { description: 'Observed state.' },
)

/** A name under which agents call a model. */
export const ModelRoute = defineKind({
  kind: 'ModelRoute',
  plural: 'modelroutes',
  singular: 'modelroute',
  shortNames: ['mr'],
  scope: 'Namespaced',
  description: 'A name under which agents call a model, with its providers, parameters, fallbacks and prices.',
  spec,
  status,
  audited: [
    'providerRef.namespace',
    'providerRef.name',
    'model',
    'timeout',
    'retries',
    'maxOutputTokens',
    'passHeaders',
    'allowedParams',
  ],
  printerColumns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.providerRef.name' },
    { name: 'Model', type: 'string', jsonPath: '.spec.model' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link ModelRoute}. */
export type ModelRouteSpec = Static<typeof spec>

/** A model route in its wire format. */
export type ModelRouteObject = ObjectOf<typeof ModelRoute>
