import { asObject } from '#core/json/is-object.ts'
import { toRequestFields } from '#schemas/model-params.ts'
import type { AnswerSink, Operation } from '../adapter.ts'
import type { ProvidersServices } from '../services.ts'
import { modelAdapter } from '../points.ts'
import { createClientAnswer } from './client-answer.ts'
import { fromConnection, misconfigured, nameOf } from './failure.ts'
import type { NamedProvider } from './failure.ts'
import { forward } from './forward.ts'
import type { GatewayCall } from './gateway-call.ts'
import { wantsUsage } from './model-request.ts'
import type { Body } from './model-request.ts'
import { GatewayError, toOpenAiError } from './openai-error.ts'
import type { UsableRoute } from './route-of.ts'
import { loadTarget, targetsOf } from './targets.ts'
import type { LoadedTarget, Target } from './targets.ts'
import { meterAndHide, meterTail, meterWhole } from './usage.ts'
import type { UsageMeter } from './usage.ts'

/** A request and its route. */
export interface ModelCall {
  readonly operation: Operation
  readonly route: UsableRoute
  readonly body: Body
}

/** Calls the route's providers and streams the response to the client. Throws before the first byte only. */
export async function callModel(services: ProvidersServices, call: GatewayCall, model: ModelCall): Promise<void> {
  const targets = targetsOf(model.route)
  let metered: { meter: UsageMeter; streamed: boolean } | undefined
  const answer = createClientAnswer({
    ...call,
    meterOf: (streamed) => (!streamed ? meterWhole() : wantsUsage(model.body) ? meterTail() : meterAndHide()),
    onMeter: (meter, streamed) => (metered = { meter, streamed }),
  })
  let answered = targets[0]
  let status = 200
  try {
    const attempts = targets.map((target) => ({
      provider: target,
      send: (sink: AnswerSink) => {
        // The last provider that was called, on success and on failure.
        call.response.setHeader('x-mesh-provider', `${target.namespace}/${target.name}`)
        return attempt(services, call, { model, target, sink })
      },
    }))
    const onFailure = (provider: NamedProvider, failure: GatewayError): void =>
      services.metering.failed({ route: model.route, provider, failure, traceparent: call.traceparent })
    answered = targets[await forward(attempts, { client: answer, signal: call.signal, onFailure })]
    answer.end()
  } catch (error) {
    status = call.signal.aborted ? 499 : toOpenAiError(error).status
    if (!answer.committed()) throw error
    answer.breakOff(error)
  } finally {
    if (answered !== undefined)
      // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
      void services.metering.answered({
        actor: { name: call.principal.username, kind: call.principal.kind === 'person' ? 'user' : 'system' },
        traceparent: call.traceparent,
        data: {
          ...toReferences(call, model, answered),
          ...(metered?.meter ?? meterWhole()).counted(),
          streamed: metered?.streamed ?? false,
          status,
          durationMs: Math.round(performance.now() - call.startedAt),
          firstByteMs: answer.firstByteMs() ?? Math.round(performance.now() - call.startedAt),
        },
      })
  }
}

function toReferences(call: GatewayCall, { operation, route }: ModelCall, target: Target) {
  return {
    operation,
    route: { namespace: route.namespace, name: route.name, uid: route.uid },
    provider: `${target.namespace}/${target.name}`,
    model: target.model,
    agentUid: call.agentUid ?? null,
    runId: call.runId ?? null,
  }
}

async function attempt(
  services: ProvidersServices,
  call: GatewayCall,
  { model, target, sink }: { model: ModelCall; target: Target; sink: AnswerSink },
): Promise<void> {
  const loaded = await loadTarget(call.gateway, model.route, target, services.settings.firstByteTimeout * 1000)
  const adapter = services.core.extensions(modelAdapter).find(({ type }) => type === loaded.spec.type)
  if (adapter === undefined)
    throw misconfigured(
      'no_adapter',
      `${nameOf(target)}: this install has no adapter for the type ${loaded.spec.type}.`,
    )
  const request = {
    operation: model.operation,
    provider: loaded.spec,
    body: toProviderBody(model, loaded),
    key: loaded.key,
    firstByteMs: loaded.firstByteMs,
    traceparent: call.traceparent,
    signal: call.signal,
  }
  // Adds the host, which is known here. A disconnected client and our own errors are rethrown unchanged.
  await adapter.send(request, sink).catch((error: unknown) => {
    throw call.signal.aborted || error instanceof GatewayError
      ? error
      : fromConnection({ ...target, host: loaded.host }, error)
  })
}

// The route's parameters are defaults; the request overrides them. Usage is always requested, since metering needs it.
function toProviderBody({ operation, route, body }: ModelCall, target: LoadedTarget): Body {
  if (operation === 'embeddings') return { ...body, model: target.model }
  const asked =
    body.stream === true ? { stream_options: { ...asObject(body.stream_options), include_usage: true } } : {}
  return { ...toRequestFields(route.spec.params ?? {}), ...body, model: target.model, ...asked }
}
