import type { ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { collect } from '#core/http-client/request.ts'
import { openAiErrors } from '#core/model-apis/error-forms.ts'
import { streamed } from '#launcher/contract/http/port.ts'
import { Refusal } from '#launcher/contract/http/refusal.ts'
import type { Settings } from '#launcher/contract/settings/settings.ts'
import { isTimeout } from '#launcher/contract/calls/gateway-timeouts.ts'
import { toGatewayRefusal } from '#launcher/contract/calls/gateway-refusal.ts'
import { createTokenReader } from '#launcher/contract/state/state-client.ts'
import { toCallError } from './call-error.ts'
import { writeError } from './response-sink.ts'

const timeoutMs = 30_000

/** Creates the relay of requests for the model list, which are free. `path` is a path of the gateway. */
export function relayModels(
  { gatewayUrl = '', gatewayTokenFile, agent }: Settings,
  dispatcher: () => Promise<Dispatcher>,
): (response: ServerResponse, path: string) => Promise<typeof streamed> {
  const { origin, pathname } = new URL(gatewayUrl)
  const token = createTokenReader(gatewayTokenFile)
  return async (response, path) => {
    // Only a model name: any other path would be another route of the gateway.
    if (!/^\/v1\/models(?:\/[a-z0-9][a-z0-9.-]{0,252}){0,2}$/.test(path)) throw new Refusal('not_found')
    const bearer = await token()
    const answer = await collect(await dispatcher(), {
      origin,
      path: (pathname === '/' ? '' : pathname) + path,
      method: 'GET',
      headers: {
        accept: 'application/json',
        'x-mesh-namespace': agent.namespace,
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    }).catch((error: unknown) => {
      throw isTimeout(error)
        ? new Refusal('gateway_timeout')
        : new Refusal('gateway_unavailable', undefined, { 'retry-after': '1' })
    })
    if (answer.status === 200)
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': answer.body.length })
        .end(answer.body)
    else writeError(response, toCallError(toGatewayRefusal(answer.status, {}, answer.body)), openAiErrors)
    return streamed
  }
}
