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

/** An agent whose text is embedded, and which pays for it. */
export interface EmbeddingAgent {
  readonly payer: Payer
  /** As its spec names it. */
  readonly route: string | undefined
  readonly runId: string | undefined
}

/** A text with its vector, or without one: it is found by its words then. */
export interface EmbeddedText {
  readonly vector?: QueryVector | undefined
  /** Why there is no vector although the spec names a route. */
  readonly note?: string
}

/** Embeds a text with the route of an agent's spec. */
export type EmbedText = (agent: EmbeddingAgent, text: string) => Promise<EmbeddedText>

/** What texts are embedded with. */
export interface EmbedOptions {
  readonly cluster: Pick<KubeClient, 'get'>
  readonly embeddings: RoleEmbeddings
  /** Whether the database can compare vectors. */
  readonly isSupported: () => Promise<boolean>
  /** Called for a text without a vector although the spec of the agent names a route. */
  readonly onMissing: (reason: string) => void
}

const ROUTE_TTL_MS = 5_000
// An agent waits for it; full text finds the item without a vector.
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
    // The role may use every route, so what the agent may refer to is decided here.
    if (found === undefined || !mayRefer(own, ref.namespace, found.spec.allowedNamespaces)) {
      onMissing('unknown_route')
      return { note: 'embeddings_unknown_route' }
    }
    try {
      const { vectors } = await embeddings
        .paidBy(payer, runId)
        .embed({ route: full, texts: [text], timeoutMs: TIMEOUT_MS })
      const [values] = vectors
      return values === undefined ? {} : { vector: { space: spaceOf(full, found.spec.model), values } }
    } catch (error) {
      if (!(error instanceof EmbeddingsUnavailable)) throw error
      onMissing(error.reason)
      return { note: `embeddings_${error.reason}` }
    }
  }
}
