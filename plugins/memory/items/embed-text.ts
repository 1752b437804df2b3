import { createTtlCache } from '#core/async/ttl-cache.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { EmbeddingsUnavailable } from '#core/retrieval/embeddings-error.ts'
import { spaceOf } from '#core/retrieval/embeddings.ts'
import type { RoleEmbeddings } from '#core/retrieval/embeddings.ts'
import type { QueryVector } from '#core/retrieval/hybrid-search.ts'
import type { Payer } from '#core/retrieval/payer.ts'
import { findNamedObject } from '#core/kube/find-named-object.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import type { ModelRouteObject } from '#schemas/crds/model-route.ts'
import { mayRefer, splitReference } from '#schemas/kinds/references.ts'
import { modelOfRoute } from '#schemas/crds/route-targets.ts'

/** An agent whose text is embedded, and which pays for it. */
export interface EmbeddingAgent {
  readonly payer: Payer
  /** The route in the agent's spec. */
  readonly route: string | undefined
  readonly runId: string | undefined
}

/** A text with its vector; without a vector it can only be found by full text. */
export interface EmbeddedText {
  readonly vector?: QueryVector | undefined
  /** Why there is no vector although the spec has a route. */
  readonly note?: string
}

/** Embeds a text with the route of an agent's spec. */
export type EmbedText = (agent: EmbeddingAgent, text: string) => Promise<EmbeddedText>

/** Dependencies of the embedder. */
export interface EmbedOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly embeddings: RoleEmbeddings
  /** Whether the database can compare vectors. */
  readonly isSupported: () => Promise<boolean>
  /** Called for a text without a vector although the agent's spec has a route. */
  readonly onMissing: (reason: string) => void
}

const ROUTE_TTL_MS = 5_000
// The agent waits for the embedding; without a vector, the item can be found by full text.
const TIMEOUT_MS = 5_000

/** Creates the embedder. */
export function createEmbedText({ cluster, embeddings, isSupported, onMissing }: EmbedOptions): EmbedText {
  const routes = createTtlCache<ModelRouteObject | undefined>(ROUTE_TTL_MS)
  return async ({ payer, route, runId }, text) => {
    const own = payer.namespace
    if (route === undefined) return {}
    if (!(await isSupported())) return { note: 'no_vector_extension' }
    const ref = splitReference(own, route)
    const full = `${ref.namespace}/${ref.name}`
    const found = await routes(full, () => findNamedObject<ModelRouteObject>(cluster, ModelRoute, ref))
    // The role may use every route, so the agent's right to the route is checked here.
    if (found === undefined || !mayRefer(own, ref.namespace, found.spec.allowedNamespaces)) {
      onMissing('unknown_route')
      return { note: 'embeddings_unknown_route' }
    }
    // Vectors of several models cannot be compared.
    const model = modelOfRoute(found.spec)
    if (model === undefined) {
      onMissing('several_models')
      return { note: 'embeddings_several_models' }
    }
    try {
      const { vectors } = await embeddings
        .paidBy(payer, runId)
        .embed({ route: full, texts: [text], timeoutMs: TIMEOUT_MS })
      const [values] = vectors
      return values === undefined ? {} : { vector: { space: spaceOf(full, model), values } }
    } catch (error) {
      if (!(error instanceof EmbeddingsUnavailable)) throw error
      onMissing(error.reason)
      return { note: `embeddings_${error.reason}` }
    }
  }
}
