import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { readObjects } from '#core/http/resource/resource-list.ts'
import { parseLabel } from '#core/kube/names.ts'
import type { ObjectRef } from '#core/kube/client.ts'
import {
  ConnectProviderBody,
  ConnectQuery,
  Provider,
  ProviderList,
  ProviderListQuery,
  ProviderModelList,
  ProviderModelsQuery,
  ProviderQuery,
  RotateKeyBody,
} from '#schemas/api/providers.ts'
import { nothing } from '#schemas/api/common.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import type { ModelProviderObject } from '#schemas/crds/model-provider.ts'
import { modelAdapter } from '../contract/points.ts'
import type { ProvidersTables } from '../contract/tables.ts'
import { unseen } from '../health/attempts.ts'
import { readSeen } from '../store/health-rows.ts'
import { toHealth } from '../health/to-health.ts'
import type { ProvidersServices } from '../services/create-services.ts'
import { connectProvider } from './connect-provider.ts'
import type { ConnectOptions } from './connect-provider.ts'
import { disconnectProvider } from './disconnect-provider.ts'
import { createReadCatalog } from './model-lists.ts'
import { rotateKey } from './rotate-key.ts'
import { readRoutesByProvider } from './routes-of-providers.ts'
import type { RoutesByProvider } from './routes-of-providers.ts'
import { toShownProvider } from './to-provider.ts'

// No intent: each act changes the object, which the informer records, and denials are counted by minute.
const kind = { resourceKind: ModelProvider.kind } as const

const examples = {
  connect: {
    openai: {
      summary: 'A provider and its key',
      value: { namespace: 'demo', name: 'openai', type: 'openai', apiKey: 'sk-example-3f9a' },
    },
    own: {
      summary: 'A server of your own, without a key',
      value: {
        namespace: 'demo',
        name: 'local',
        type: 'openai',
        baseUrl: 'http://127.0.0.1:11434/v1',
        validate: false,
      },
    },
  },
  rotate: { key: { summary: 'A new key', value: { apiKey: 'sk-example-7c1b' } } },
}

/** The routes of connected providers; 404 where the setting `bff.providerConnect.enabled` is false. */
export function connectPart(services: ProvidersServices): Part {
  const { core, settings } = services
  const options: ConnectOptions = {
    outbound: core.outbound,
    adapters: () => core.extensions(modelAdapter),
    now: core.now,
  }
  return {
    capability: 'providers.connect',
    wiring: settings.connect.enabled ? 'ready' : 'hidden',
    endpoints: [connect(services, options), list(services), models(options), rotate(services, options), disconnect()],
  }
}

function connect(services: ProvidersServices, options: ConnectOptions) {
  return endpoint({
    method: 'POST',
    url: '/providers',
    id: 'createProvider',
    summary: 'Create a model provider: its key is tried, and stored in a Secret.',
    docs: { examples: examples.connect },
    authz: { kind: 'kube', verb: 'create', resource: 'modelproviders' },
    audit: { action: 'connect', ...kind },
    query: ConnectQuery,
    body: ConnectProviderBody,
    response: { 201: Provider },
    handle: async ({ caller, body, query, signal, reply }) => {
      const made = await connectProvider(options, caller, body, { dryRun: query.dryRun === 'All', signal })
      reply.code(201)
      return showOne(services, made)
    },
  })
}

function list(services: ProvidersServices) {
  return endpoint({
    method: 'GET',
    url: '/providers',
    id: 'listProviders',
    summary: 'List model providers with their health and the routes that call them.',
    authz: { kind: 'kube', verb: 'list', resource: 'modelproviders' },
    query: ProviderListQuery,
    response: { 200: ProviderList },
    handle: async (call) => {
      const { items, ...page } = await readObjects<ModelProviderObject>(ModelProvider, call)
      const { caller, cursors, directory, signal } = call
      const { cursor: _, ...query } = call.query
      const routes = await readRoutesByProvider({ caller, cursors, directory, signal, query })
      return { items: await show(services, items, routes), ...page }
    },
  })
}

function models(options: ConnectOptions) {
  const readCatalog = createReadCatalog(options)
  return endpoint({
    method: 'GET',
    url: '/providers/:name/models',
    id: 'listProviderModels',
    summary: 'List the models that a provider serves, read from the provider.',
    authz: { kind: 'kube', verb: 'get', resource: 'modelproviders' },
    query: ProviderModelsQuery,
    response: { 200: ProviderModelList },
    handle: async (call) => {
      const { query, caller, signal } = call
      const request = { ref: refOf(call), isRefresh: query.refresh === true, signal }
      const { models: found, fetchedAt, isCached } = await readCatalog(caller, request)
      const items = found.map(({ created, ...model }) => ({
        ...model,
        ...(created === undefined ? {} : { created: created.toISOString() }),
      }))
      return { items, fetchedAt: fetchedAt.toISOString(), cached: isCached }
    },
  })
}

function rotate(services: ProvidersServices, options: ConnectOptions) {
  return endpoint({
    method: 'POST',
    url: '/providers/:name/rotate',
    id: 'rotateProviderKey',
    summary: 'Rotate the key of a provider.',
    docs: { examples: examples.rotate },
    authz: { kind: 'kube', verb: 'patch', resource: 'modelproviders' },
    audit: { action: 'rotate', ...kind },
    query: ProviderQuery,
    body: RotateKeyBody,
    response: { 200: Provider },
    handle: async (call) => {
      const { caller, body, query, signal } = call
      const given = { ref: refOf(call), apiKey: body.apiKey, validate: body.validate !== false }
      return showOne(services, await rotateKey(options, caller, given, { dryRun: query.dryRun === 'All', signal }))
    },
  })
}

function disconnect() {
  return endpoint({
    method: 'DELETE',
    url: '/providers/:name',
    id: 'deleteProvider',
    summary: 'Delete a provider and its key.',
    authz: { kind: 'kube', verb: 'delete', resource: 'modelproviders' },
    audit: { action: 'disconnect', ...kind },
    query: ProviderQuery,
    response: { 204: nothing },
    handle: async (call) => {
      const { caller, cursors, directory, signal, query } = call
      await disconnectProvider({ caller, cursors, directory, signal, query: {} }, refOf(call), query.dryRun === 'All')
    },
  })
}

function refOf({
  params,
  query,
}: {
  readonly params: { readonly name: string }
  readonly query: { readonly namespace?: string }
}): ObjectRef {
  const { namespace = '' } = query
  return {
    namespace: parseLabel('?namespace', namespace === '' ? 'default' : namespace),
    name: parseLabel('/name', params.name),
  }
}

async function showOne(services: ProvidersServices, object: ModelProviderObject): Promise<Provider> {
  const [shown] = await show(services, [object], new Map())
  return shown as Provider
}

async function show(
  { core }: ProvidersServices,
  objects: readonly ModelProviderObject[],
  routes: RoutesByProvider | undefined,
): Promise<readonly Provider[]> {
  const nameOf = ({ metadata }: ModelProviderObject): string => `${metadata.namespace ?? ''}/${metadata.name}`
  const seen = core.store && (await readSeen(core.store.reader<ProvidersTables>(), objects.map(nameOf)))
  const now = core.now()
  return objects.map((object) => {
    const since = new Date(object.metadata.creationTimestamp ?? 0)
    const health = toHealth(seen?.get(nameOf(object)) ?? unseen, { now, since })
    return toShownProvider(object, { health, routes: routes === undefined ? null : (routes.get(nameOf(object)) ?? []) })
  })
}
