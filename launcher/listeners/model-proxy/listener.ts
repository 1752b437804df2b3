import { Refusal } from '../../http/refusal.ts'
import { defineListener } from '../define-listener.ts'
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
    return {
      listeners: [
        modelProxyPort.serve({
          chat: serve(callApis.chat),
          embeddings: serve(callApis.embeddings),
          messages: serve(callApis.messages),
          responses: serve(callApis.responses),
          models: ({ response }) => relay(response, '/v1/models'),
          model: ({ response, params }) => relay(response, `/v1/models/${params.name}`),
          modelOf: ({ response, params }) => relay(response, `/v1/models/${params.namespace}/${params.name}`),
        }),
      ],
      drain: () => {
        draining = true
      },
    }
  },
})
