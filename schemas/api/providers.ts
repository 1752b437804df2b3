import { Type } from 'typebox'
import { ModelProvider } from '../crds/model-provider.ts'
import { ModelRoute } from '../crds/model-route.ts'
import { DNS_LABEL_PATTERN, DNS_NAME_PATTERN } from '../parts.ts'
import { clusterObject, listOf, namespaceQuery, pageQuery, scope } from './common.ts'

const strict = { additionalProperties: false }

/** A ModelProvider in an answer; the key is in a Secret and never answered. */
export const Provider = clusterObject(ModelProvider)

/** A page of providers. */
export const ProviderList = listOf(Provider)

/** A ModelRoute in an answer. */
export const Route = clusterObject(ModelRoute)

/** A page of model routes. */
export const RouteList = listOf(Route)

/** Query of `GET /api/providers` and `GET /api/modelroutes`. */
export const ProviderListQuery = Type.Object(
  { namespace: Type.Optional(namespaceQuery), scope: Type.Optional(scope), ...pageQuery },
  strict,
)

/** Query of routes that name one provider: an absent namespace is `default`. */
export const ProviderQuery = Type.Object({ namespace: Type.Optional(namespaceQuery) }, strict)

const apiKey = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'Stored in a Secret; never answered or logged.',
})

/** Body of `POST /api/providers`. */
export const ConnectProviderBody = Type.Object(
  {
    name: Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN }),
    namespace: Type.Optional(Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN })),
    type: Type.Enum(['openai', 'mock']),
    baseUrl: Type.Optional(Type.String({ maxLength: 2048 })),
    organization: Type.Optional(Type.String({ maxLength: 128 })),
    apiKey: Type.Optional(apiKey),
  },
  strict,
)

/** Body of `POST /api/providers/{name}/rotate`. */
export const RotateBody = Type.Object({ apiKey }, strict)

/** Answer of `GET /api/providers/{name}/models`. */
export const ProviderModels = listOf(
  Type.Object({ id: Type.String(), ownedBy: Type.Optional(Type.String()), createdAt: Type.Optional(Type.String()) }),
)
