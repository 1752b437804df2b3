import { definePlugin } from '#core/plugin/plugin.ts'
import { errorFormat } from '#core/http/problem/error-format.ts'
import { contribute, withCheck } from '#core/jobs/extension-point.ts'
import { connectPart } from './connect/endpoints.ts'
import { providerErrors } from './contract/errors.ts'
import { modelCallMetered, modelCallRefused } from './contract/events.ts'
import { checkFilters } from './filters/session/filter-order.ts'
import { createErrorFormat } from './gateway/request/error-format.ts'
import { gatewayRoutes } from './gateway-routes.ts'
import { createServices } from './services/create-services.ts'
import { providerKinds, providersAccess } from './kinds.ts'
import { agentRuns, callPayment, callPricing, modelAdapter, modelFilter } from './contract/points.ts'
import { ModelProvider } from '#schemas/crds/model-provider.ts'
import { ModelRoute } from '#schemas/crds/model-route.ts'
import { providerReconciler, routeReconciler } from './reconcilers.ts'
import { createFindGone } from './reports/gone-gateways.ts'
import { reportReconciler } from './reports/report-reconciler.ts'
import { providersSettings } from './contract/settings.ts'
import { healthConsumers } from './consumers.ts'

/** Models behind one OpenAI-compatible gateway: routes, providers, keys, metering. */
export const providers = definePlugin({
  contract: 1,
  name: 'providers',
  summary: 'Model providers and routes, and the gateway that calls them.',
  settings: providersSettings,
  settingsFrom: [{ from: 'bff.providerConnect.enabled', to: 'connect.enabled' }],
  migrations: new URL('./migrations/', import.meta.url),
  events: [modelCallMetered, modelCallRefused],
  kinds: providerKinds,
  access: providersAccess,
  errors: providerErrors,
  points: [modelAdapter, agentRuns, callPayment, callPricing, withCheck(modelFilter, checkFilters)],
  enforces: [{ kind: 'AgentDeployment', field: 'model' }],
  create: createServices,
  contributions: ({ adapters, settings }) => [
    ...adapters.map((adapter) => contribute(modelAdapter, adapter)),
    contribute(errorFormat, createErrorFormat(settings)),
  ],
  gatewayStores: [ModelRoute, ModelProvider],
  gatewayRoutes,
  routes: (services) => [connectPart(services)],
  consumers: () => healthConsumers(),
  reconcilers: ({ core }, { cluster }) => {
    const types = () => core.extensions(modelAdapter).map(({ type }) => type)
    const { outbound, now, urls, store } = core
    return [
      providerReconciler({ cluster, outbound, types, now }),
      routeReconciler({ cluster, now, gatewayUrl: () => urls.gateway }),
      ...(store === undefined ? [] : [reportReconciler({ cluster, findGone: createFindGone(store) })]),
    ]
  },
  close: async ({ client, metering, reports }) => {
    reports.close()
    await client.close()
    await metering.close()
  },
  console: [
    { id: 'providers', title: 'Providers', section: 'Connect', path: '/providers', capability: 'providers.connect' },
    { id: 'modelroutes', title: 'Model routes', section: 'Connect', path: '/modelroutes', capability: 'providers' },
  ],
})
