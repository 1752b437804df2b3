import { toConditions } from '#core/controllers/conditions.ts'
import { createReferenceIndex } from '#core/controllers/reference-index.ts'
import type { Reconciler, ReconcileResult } from '#core/controllers/watch/declarations.ts'
import { writeStatus } from '#core/controllers/write-status.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { KnowledgeBase } from '#schemas/crds/knowledge-base.ts'
import type { KnowledgeBaseObject, KnowledgeBaseStatus } from '#schemas/crds/knowledge-base.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { collectReferences } from '#schemas/kinds/references.ts'
import { syncSources } from './ingest/sync-sources.ts'
import { refreshTask } from './ingest/tasks.ts'
import { baseConditions } from './reconcile/base-conditions.ts'
import type { BaseFindings } from './reconcile/base-conditions.ts'
import { resolveRoute } from './reconcile/resolve-route.ts'
import type { ResolvedRoute } from './reconcile/resolve-route.ts'
import type { KnowledgeServices } from './services/create-services.ts'
import { countIngests, ensureBase, findBases, lockBase, writeSettings } from './store/bases.ts'
import type { Base, BaseIdentity, BaseSettings } from './store/bases.ts'
import type { KnowledgeTables } from './contract/tables.ts'

/** Services and the manager's client. */
export type ReconcileServices = KnowledgeServices & { readonly cluster: KubeClient }

type FoundRoutes = ReconcileServices & {
  /** Resolves a route; cached until any route changes. */
  readonly findRoute: (namespace: string, reference: string) => Promise<ResolvedRoute>
}

// The watch delivers the newer object within this time.
const WHILE_STALE_MS = 200
const WHILE_UNKNOWN_MS = 1_000
const WHILE_WORKING_MS = 2_000
const OTHERWISE_MS = 15_000
// Retry interval of an unavailable model, after the attempts of a task.
const RETRY_MS = 600_000

/** Stores the settings of knowledge bases, queues the resulting tasks, and writes their status. */
export function knowledgeReconciler(services: ReconcileServices): Reconciler {
  const { cluster } = services
  const index = createReferenceIndex()
  let routes = new Map<string, ResolvedRoute>()
  const findRoute = async (namespace: string, reference: string): Promise<ResolvedRoute> => {
    // The result of a call that began before a change goes to the old map, which is discarded.
    const current = routes
    const key = `${namespace} ${reference}`
    const known = current.get(key) ?? (await resolveRoute(cluster, namespace, reference))
    current.set(key, known)
    return known
  }
  return {
    name: 'knowledgebases',
    resource: KnowledgeBase,
    concern: ({ metadata: { uid, generation, deletionTimestamp } }) => [uid, generation, deletionTimestamp],
    watches: [
      {
        resource: ModelRoute,
        toRefs: async (route) => {
          routes = new Map()
          return index.referrersOf(route)
        },
      },
    ],
    // Read from the watch: counts are compared every few seconds, and unchanged counts cause no request to the API server.
    reconcile: async (ref, cached) => {
      const object = cached as KnowledgeBaseObject | undefined
      index.set(ref, object === undefined ? [] : collectReferences(KnowledgeBase.spec, object))
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {}
      return reconcileBase({ ...services, findRoute }, object)
    },
  }
}

async function reconcileBase(services: FoundRoutes, object: KnowledgeBaseObject): Promise<ReconcileResult> {
  const { core, cluster } = services
  const { name, namespace = '', uid = '' } = object.metadata
  const namespaceUid = await core.observed.namespaceUid(namespace)
  if (namespaceUid === undefined) return { requeueAfterMs: WHILE_UNKNOWN_MS }
  const reference = object.spec.embedding?.route
  const route = reference === undefined ? undefined : await services.findRoute(namespace, reference)
  await storeSpec(services, { identity: { uid, namespace, namespaceUid, name }, object, route })
  const found = await findingsOf(services, uid, route)
  if (found === undefined) return { requeueAfterMs: WHILE_UNKNOWN_MS }
  const status = toStatus(object, found, { route, now: core.now() })
  if (!(await writeStatus(cluster, KnowledgeBase, object, status))) return { requeueAfterMs: WHILE_STALE_MS }
  const working =
    found.pending > 0 || (found.hasRoute && found.routeProblem === undefined && found.embedded < found.chunks)
  return { requeueAfterMs: working ? WHILE_WORKING_MS : OTHERWISE_MS }
}

interface StoredSpec {
  readonly identity: BaseIdentity
  readonly object: KnowledgeBaseObject
  readonly route: ResolvedRoute | undefined
}

async function storeSpec(services: ReconcileServices, { identity, object, route }: StoredSpec): Promise<void> {
  const { core, settings } = services
  const wanted = settingsOf(object, route)
  await core.store.transact(async (tx) => {
    await ensureBase(tx, identity)
    const base = await lockBase(tx, identity.uid)
    if (base === undefined) return
    const refresh = (key?: string) =>
      core.tasks.enqueue(tx, refreshTask, {
        namespace: identity.namespace,
        namespaceUid: identity.namespaceUid,
        payload: { base: identity.uid },
        ...(key === undefined ? {} : { key }),
      })
    if (isStored(base, wanted)) {
      const bare = base.space !== null && base.embedded < base.chunks
      if (bare) await refresh(`${base.uid}/${Math.floor(core.now().getTime() / RETRY_MS)}`)
      return
    }
    await writeSettings(tx, identity.uid, wanted)
    await syncSources(tx, { ...settings, tasks: core.tasks }, { base, identity, spec: object.spec })
    await refresh()
  })
}

function settingsOf({ metadata, spec }: KnowledgeBaseObject, route: ResolvedRoute | undefined): BaseSettings {
  const usable = route !== undefined && 'route' in route ? route : undefined
  return {
    generation: metadata.generation ?? 0,
    chunkSize: spec.chunking?.size ?? 1_200,
    chunkOverlap: spec.chunking?.overlap ?? 200,
    language: spec.language ?? 'english',
    route: usable?.route ?? null,
    space: usable?.space ?? null,
    mostDocuments: spec.limits?.documents ?? null,
    mostChunks: spec.limits?.chunks ?? null,
  }
}

// All other settings depend on the generation only.
function isStored(base: Base, { generation, route, space }: BaseSettings): boolean {
  return (
    base.generation !== null && Number(base.generation) === generation && base.route === route && base.space === space
  )
}

async function findingsOf(
  { core, hasVectors }: ReconcileServices,
  uid: string,
  route: ResolvedRoute | undefined,
): Promise<BaseFindings | undefined> {
  const db = core.store.reader<KnowledgeTables>()
  const [base] = await findBases(db, [uid])
  if (base === undefined) return undefined
  const { documents, chunks, embedded, problem } = base
  return {
    documents,
    chunks,
    embedded,
    ...(await countIngests(db, uid)),
    routeProblem: route !== undefined && 'problem' in route ? route.problem : undefined,
    hasRoute: route !== undefined,
    embeddingProblem: problem,
    hasVectors: await hasVectors(),
  }
}

function toStatus(
  object: KnowledgeBaseObject,
  found: BaseFindings,
  { route, now }: { readonly route: ResolvedRoute | undefined; readonly now: Date },
): KnowledgeBaseStatus {
  return {
    observedGeneration: object.metadata.generation ?? 0,
    documents: found.documents,
    chunks: found.chunks,
    embeddedChunks: found.embedded,
    pendingIngests: found.pending,
    failedIngests: found.failed,
    ...(route !== undefined && 'space' in route ? { embeddingModel: route.space } : {}),
    conditions: toConditions(object, baseConditions(found), now),
  }
}
