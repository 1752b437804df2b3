import { Type } from 'typebox'
import type { Static } from 'typebox'
import { durationBounds } from '../values/duration.ts'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { ModelParams } from '../kinds/model-params.ts'
import { allowedNamespaces, conditionsStatus, duration, objectRef } from '../kinds/parts.ts'
import { priceFields } from '../kinds/prices.ts'

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

const spec = Type.Object(
  {
    providerRef: objectRef('ModelProvider', 'Provider that serves the route.'),
    model: upstreamModel,
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
  { additionalProperties: false, description: 'A name under which agents call a model.' },
)

/** A name under which agents call a model. */
export const ModelRoute = defineKind({
  kind: 'ModelRoute',
  plural: 'modelroutes',
  singular: 'modelroute',
  shortNames: ['mr'],
  scope: 'Namespaced',
  description: 'A name under which agents call a model, with its provider, parameters, fallbacks and prices.',
  spec,
  status: conditionsStatus,
  audited: ['providerRef.namespace', 'providerRef.name', 'model', 'timeout', 'retries', 'allowedParams'],
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
