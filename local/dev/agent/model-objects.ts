import type { KubeObject } from '#core/kube/client.ts'
import { API_VERSION } from '#schemas/names/group.ts'
import { ORIGIN_ANNOTATION, PROVIDER_KEY_LABEL } from '#schemas/names/labels.ts'
import type { ExpandedDocument } from '#schemas/agent-file/to-documents.ts'

/** Where model calls go. */
export type ModelBackend =
  | { readonly type: 'mock' }
  /** A served recording; `model` is the one that its calls named. */
  | { readonly type: 'replay'; readonly baseUrl: string; readonly model: string | undefined }
  | {
      readonly type: 'openai' | 'anthropic'
      readonly model: string
      readonly baseUrl: string | undefined
      readonly key: string | undefined
    }

/** Routes of the mock of every namespace, which an agent may name as on the embedded default. */
const shippedRoutes = ['mock', 'mock-scripted']
const NAME = 'dev'
const usualAddresses = { openai: 'https://api.openai.com/v1', anthropic: 'https://api.anthropic.com/v1' } as const

/** The namespace of the agent, and a provider and a route for each model that it names. Pure. */
export function modelObjects(agent: ExpandedDocument, backend: ModelBackend): readonly KubeObject[] {
  const namespace = agent.metadata.namespace ?? 'default'
  const routes = routesOf(agent, namespace).filter(
    ({ name }) => backend.type !== 'mock' || !shippedRoutes.includes(name),
  )
  const namespaces = new Set([namespace, ...routes.map((route) => route.namespace)])
  const shared = { allowedNamespaces: [namespace] }
  return [...namespaces].flatMap((of) => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: of } },
    ...providerObjects(of, backend),
    ...routes
      .filter((route) => route.namespace === of)
      .map(({ name }) =>
        object(
          'ModelRoute',
          { namespace: of, name },
          { providerRef: { name: NAME }, model: modelOf(backend, name), ...shared },
        ),
      ),
  ])
}

/** Names of the routes of an agent. */
export function routesOf({ spec }: ExpandedDocument, home: string): readonly { namespace: string; name: string }[] {
  const { route, fallbackRoutes = [] } = (spec['model'] ?? {}) as { route?: string; fallbackRoutes?: readonly string[] }
  const texts = [...(route === undefined ? [] : [route]), ...fallbackRoutes]
  return texts.map((text) => {
    const [name = '', namespace = home] = text.split('/').toReversed()
    return { namespace, name }
  })
}

function modelOf(backend: ModelBackend, route: string): string {
  if (backend.type === 'mock') return 'mock'
  return backend.model ?? route
}

function providerObjects(namespace: string, backend: ModelBackend): readonly KubeObject[] {
  const at = { namespace, name: NAME }
  if (backend.type === 'mock') return [object('ModelProvider', at, { type: 'mock' })]
  if (backend.type === 'replay') return [object('ModelProvider', at, { type: 'openai', baseUrl: backend.baseUrl })]
  const { type, key } = backend
  const baseUrl = backend.baseUrl ?? usualAddresses[type]
  if (key === undefined) return [object('ModelProvider', at, { type, baseUrl })]
  const secretRef = { name: `${NAME}-key`, key: 'key' }
  return [keySecret(namespace, key, baseUrl), object('ModelProvider', at, { type, baseUrl, secretRef })]
}

// The gateway accepts a key only with this label, and for this origin (B7).
function keySecret(namespace: string, key: string, baseUrl: string): KubeObject {
  const labels = { [PROVIDER_KEY_LABEL]: 'true' }
  const annotations = { [ORIGIN_ANNOTATION]: new URL(baseUrl).origin }
  const metadata = { namespace, name: `${NAME}-key`, labels, annotations }
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: { key: Buffer.from(key).toString('base64') } }
}

function object(kind: string, metadata: { namespace: string; name: string }, spec: object): KubeObject {
  return { apiVersion: API_VERSION, kind, metadata, spec }
}
