import { Fail } from '#core/errors/domain-error.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'
import { GatewayError } from '../errors/gateway-error.ts'

/** A parsed `model`: a route, or an agent (`agent/<namespace>/<name>`). */
export type ModelName =
  | { readonly kind: 'route'; readonly namespace: DnsLabel; readonly name: DnsName }
  | { readonly kind: 'agent'; readonly namespace: DnsLabel; readonly name: DnsName }

/** Parses `model` (K5); a bare name belongs to `namespace`: X-Mesh-Namespace, else the pod's own, else `default`. */
export function parseModel(model: string, namespace: string): ModelName {
  const parts = model.split('/')
  const kind = parts[0] === 'agent' && parts.length > 1 ? 'agent' : 'route'
  const [first = '', second, ...rest] = kind === 'agent' ? parts.slice(1) : parts
  if (rest.length > 0)
    throw new Fail('invalid_body', undefined, {
      errors: [{ pointer: '/model', detail: 'must be a route (name or namespace/name) or agent/namespace/name' }],
    })
  return {
    kind,
    namespace: parseLabel('/model', second === undefined ? namespace : first),
    name: parseName('/model', second ?? first),
  }
}

/** The error for a model that does not exist, or that the principal may not use. */
export function unknownModel({ kind, namespace, name }: ModelName): GatewayError {
  const id = `${kind === 'agent' ? 'agent/' : ''}${namespace}/${name}`
  const message = `The model ${id} does not exist. GET /v1/models lists the models that you may use.`
  return new GatewayError(404, 'model_not_found', message, { param: 'model' })
}
