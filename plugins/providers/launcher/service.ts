import { defineService } from '#launcher/contract/service.ts'
import { createModelCalls } from './model-calls.ts'

/** Model calls of the agent through the gateway, for port 2996 and the built-in loop. */
export const providersService = defineService({
  modelCalls: ({ settings, dispatcher, log }, { payment, filter }) =>
    createModelCalls({
      gatewayUrl: settings.gatewayUrl ?? '',
      gatewayTokenFile: settings.gatewayTokenFile,
      namespace: settings.agent.namespace,
      dispatcher,
      timeouts: settings.gatewayTimeouts,
      payment,
      filter,
      log,
    }),
})
