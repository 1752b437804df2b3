import { Type } from 'typebox'
import type { Static } from 'typebox'
import { addressFields } from '../crds/model-provider.ts'
import { described } from '../values/described.ts'
import { dryRun, limit, cursor, listOf, namespaceQuery, scope, time, timeOrNull } from './common.ts'

const { type, baseUrl, organization, headers, azure } = addressFields

/**
 * A provider's key. Visible ASCII, as in a header (RFC 9110, section 5.5): a key with a space or a line break was copied with something else, and
 * one with a line break could add a header.
 */
const apiKey = Type.String({
  minLength: 1,
  maxLength: 4096,
  pattern: '^[\\x21-\\x7e]+$',
  writeOnly: true,
  description: 'The key. It is stored in a Secret and returned by no operation.',
  examples: ['sk-example-3f9a'],
})

const validate = Type.Boolean({
  default: true,
  description: 'Reads the list of models with the key before anything is stored.',
})

const namespace = Type.String({
  maxLength: 63,
  default: 'default',
  description: 'Namespace of the provider.',
  examples: ['demo'],
})

/** Body of `POST /api/providers`. */
export const ConnectProviderBody = Type.Object(
  {
    namespace: Type.Optional(namespace),
    name: Type.String({ maxLength: 63, description: 'Name of the provider (RFC 1123 label).', examples: ['openai'] }),
    type: described(type, 'API of the provider. A mock has no key.', 'openai'),
    baseUrl,
    organization,
    headers,
    azure,
    apiKey: Type.Optional(apiKey),
    validate: Type.Optional(validate),
  },
  { additionalProperties: false, title: 'ConnectProvider' },
)

/** See {@link ConnectProviderBody}. */
export type ConnectProviderBody = Static<typeof ConnectProviderBody>

/** Body of `POST /api/providers/{name}/rotate`. */
export const RotateKeyBody = Type.Object(
  { apiKey, validate: Type.Optional(validate) },
  { additionalProperties: false, title: 'RotateKey' },
)

/** Query of `GET /api/providers`. */
export const ProviderListQuery = Type.Object(
  {
    namespace: Type.Optional(namespaceQuery),
    scope: Type.Optional(scope),
    limit: Type.Optional(limit),
    cursor: Type.Optional(cursor),
  },
  { additionalProperties: false },
)

/** Query of operations that store something. */
export const ConnectQuery = Type.Object({ dryRun: Type.Optional(dryRun) }, { additionalProperties: false })

/** Query of an operation on one provider. */
export const ProviderQuery = Type.Object(
  {
    namespace: Type.Optional(Type.String({ maxLength: 63, description: 'Namespace; default `default`.' })),
    dryRun: Type.Optional(dryRun),
  },
  { additionalProperties: false },
)

/** Query of `GET /api/providers/{name}/models`. */
export const ProviderModelsQuery = Type.Object(
  {
    namespace: Type.Optional(Type.String({ maxLength: 63, description: 'Namespace; default `default`.' })),
    refresh: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Reads the list again although it was read within the last minute.',
      }),
    ),
  },
  { additionalProperties: false },
)

const numberOrNull = Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** Health of a provider, from the calls of the gateway. */
export const ProviderHealth = Type.Object(
  {
    state: described(
      Type.Enum(['healthy', 'degraded', 'failing', 'unknown']),
      'From the last 50 attempts of the last 15 minutes: failing if at least half of them failed, degraded from one in twenty, unknown without any.',
      'healthy',
    ),
    lastSuccessAt: described(timeOrNull, 'Time of the last response; null if there was none.'),
    lastErrorAt: described(timeOrNull, 'Time of the last failure; null if there was none.'),
    lastErrorClass: described(textOrNull, 'Class of the last failure, such as `key_refused` or `timeout`.', null),
    p50Ms: described(numberOrNull, 'Median time to the first byte in milliseconds, of the same responses.', 420),
  },
  { title: 'ProviderHealth', description: 'Health of a provider, from the calls of the gateway.' },
)

/** See {@link ProviderHealth}. */
export type ProviderHealth = Static<typeof ProviderHealth>

/** A connected provider. */
export const Provider = Type.Object(
  {
    namespace: described(Type.String(), 'Namespace of the provider.', 'demo'),
    name: described(Type.String(), 'Name of the provider.', 'openai'),
    type: described(type, 'API of the provider.', 'openai'),
    baseUrl: described(
      Type.String(),
      'Address up to and including the version; empty for a mock.',
      'https://api.openai.com/v1',
    ),
    hasKey: described(Type.Boolean(), 'Whether calls are sent with a key.', true),
    keyVersion: described(
      numberOrNull,
      'Number of the key, from 1; null without a key, or if it was not pasted over the API.',
      1,
    ),
    rotatedAt: described(timeOrNull, 'Time at which the key was pasted.'),
    ready: described(
      Type.Union([Type.Boolean(), Type.Null()]),
      'Condition Ready of the object; null until it was judged.',
      true,
    ),
    reason: described(textOrNull, 'Reason of the condition.', 'Ready'),
    health: ProviderHealth,
    routes: described(
      Type.Union([Type.Array(Type.String()), Type.Null()]),
      'Routes that call it, as `namespace/name`, of those that the caller may list; null if none may be listed.',
      ['demo/default'],
    ),
    createdAt: described(time, 'Time of creation.'),
  },
  { title: 'Provider' },
)

/** See {@link Provider}. */
export type Provider = Static<typeof Provider>

/** Response of `GET /api/providers`. */
export const ProviderList = listOf(Provider)

/** A model that a provider lists. */
export const ProviderModel = Type.Object(
  {
    id: described(Type.String(), 'Id of the model at the provider.', 'gpt-5-mini'),
    ownedBy: Type.Optional(described(Type.String(), 'Owner, as the provider names it.', 'openai')),
    contextWindow: Type.Optional(
      described(Type.Integer({ minimum: 1 }), 'Tokens of a request and its response.', 128000),
    ),
    created: Type.Optional(described(time, 'Time of creation, as the provider reports it.')),
  },
  { title: 'ProviderModel' },
)

/** Response of `GET /api/providers/{name}/models`. */
export const ProviderModelList = Type.Object(
  {
    items: Type.Array(ProviderModel, { description: 'Models by id, 5,000 at most.' }),
    fetchedAt: described(time, 'Time at which the provider was asked.'),
    cached: described(Type.Boolean(), 'Whether the list was read for an earlier request.', false),
  },
  { title: 'ProviderModelList' },
)
