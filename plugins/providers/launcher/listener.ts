import type { Call } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import { attribute } from '#launcher/contract/runs/attribution.ts'
import { defineListener } from '#launcher/contract/listener.ts'
import { inSpan } from '#launcher/contract/in-span.ts'
import { callApis } from './call-api.ts'
import { callHandler } from './call-handler.ts'
import { relayModels } from './relay-models.ts'
import { modelProxyPort } from './port.ts'

/** Model calls of agents with a process, within their budget. The built-in loop makes the same calls without the port. */
export const modelProxyListener = defineListener({
  port: modelProxyPort,
  wanted: ({ modelProxy }) => modelProxy,
  start(pod) {
    const { modelCalls, settings } = pod
    if (modelCalls === undefined) throw new Error('the service of model calls is missing')
    let draining = false
    const serve = callHandler({ ...pod, modelCalls }, (runId) => {
      // Runs in progress end within the grace period, with their calls.
      if (draining && runId === undefined) throw new Refusal('draining')
    })
    const relay = relayModels(settings, pod.dispatcher)
    const models = ({ request, response }: Pick<Call, 'request' | 'response'>, path: string) => {
      const { parent } = attribute(request, pod.registry)
      return inSpan(pod.tracer.start('models', parent), () => relay(response, path))
    }
    return {
      listeners: [
        modelProxyPort.serve({
          chat: serve(callApis.chat),
          embeddings: serve(callApis.embeddings),
          messages: serve(callApis.messages),
          countTokens: serve(callApis.countTokens),
          responses: serve(callApis.responses),
          models: (call) => models(call, '/v1/models'),
          model: (call) => models(call, `/v1/models/${call.params.name}`),
          modelOf: (call) => models(call, `/v1/models/${call.params.namespace}/${call.params.name}`),
        }),
      ],
      drain: () => {
        draining = true
      },
    }
  },
})
