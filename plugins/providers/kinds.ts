import { accessVerbs, readVerbs, statusVerbs } from '#core/cluster/roles/access-rule.ts'
import type { AccessRule } from '#core/cluster/roles/access-rule.ts'
import { crud } from '#core/plugin/crud.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'

/** Routes have CRUD; a provider is connected with its key, or written with kubectl. */
export const providerKinds = [
  crud(ModelProvider, {
    verbs: [],
    sample: {
      type: 'openai',
      baseUrl: 'https://api.openai.com/v1',
      secretRef: { name: 'openai', key: 'apiKey' },
    },
  }),
  crud(ModelRoute, {
    verbs: ['list', 'create', 'get', 'update', 'delete'],
    sample: {
      providerRef: { name: 'openai', namespace: 'shared' },
      model: 'gpt-5-mini',
      params: { maxTokens: 100 },
      fallbacks: [{ providerRef: { name: 'mock' }, model: 'mock' }],
      timeout: '30s',
      retries: 2,
      retryOn: [429, '5xx', 'timeout'],
      circuitBreaker: { failures: 3, openFor: '1m' },
      maxOutputTokens: 4096,
      passHeaders: ['x-request-tag'],
      prices: { inputPerMillion: '0.25', outputPerMillion: '2' },
      allowedParams: ['keep_alive'],
      allowedNamespaces: ['*'],
    },
  }),
]

/** Rights of users on keys and routes, of the gateway (to call providers), and of the manager (to write conditions). */
export const providersAccess: readonly AccessRule[] = [
  { resource: 'modelroutes/invoke', developer: ['create'] },
  {
    resource: 'modelroutes/charge',
    reason: 'Names the agent or namespace that pays for a model call (ADR 0100). For roles of the platform only.',
    worker: ['create'],
    state: ['create'],
  },
  {
    group: '',
    resource: 'secrets',
    reason: 'Provider keys: the platform stores a pasted key as the caller.',
    developer: accessVerbs,
  },
  { resource: 'modelroutes', gateway: readVerbs },
  { resource: 'modelproviders', gateway: readVerbs },
  { resource: 'agentdeployments', gateway: ['get'] },
  {
    group: '',
    resource: 'secrets',
    reason:
      'By name only: a provider says which Secret and key. The gateway itself refuses Secrets without the label ' +
      'mesh.dev/provider-key=true; RBAC cannot restrict get by label. deploy/components/namespaced and ' +
      'namespaced-writes bind it per namespace instead.',
    gateway: ['get'],
  },
  {
    resource: 'modelroutes/status',
    reason: 'The manager writes conditions, and each gateway what it has seen of the targets (ADR 0283).',
    gateway: ['patch'],
    manager: statusVerbs,
  },
  { resource: 'modelproviders/status', manager: statusVerbs },
]
