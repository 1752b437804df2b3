import type { FastifyRequest } from 'fastify'
import { Fail } from '#core/errors/domain-error.ts'

/** The media type of agent files (RFC 9512). */
export const YAML_TYPE = 'application/yaml'

/** Creates a 415 that names the media types of its endpoint, in `Accept-Post` (W3C LDP) or `Accept` (RFC 9110). */
export function unsupportedMediaType({ routeOptions, method }: FastifyRequest): Fail {
  const { endpoint } = routeOptions.config
  const yaml = endpoint?.handleYaml === undefined ? [] : [YAML_TYPE]
  const types = ['application/json', ...yaml, ...(endpoint?.fileTypes ?? [])]
  return new Fail('unsupported_media_type', `Send ${types.join(' or ')}, and name it in Content-Type.`, {
    headers: { [method === 'POST' ? 'accept-post' : 'accept']: types.join(', ') },
  })
}

/** Creates a 413 that names the limit. */
export function bodyTooLarge(limit: number): Fail {
  return new Fail('payload_too_large', `The body is above ${toBytes(limit)}.`)
}

function toBytes(count: number): string {
  const units = ['bytes', 'KiB', 'MiB']
  let [amount, unit] = [count, 0]
  for (; amount % 1024 === 0 && amount > 0 && unit < units.length - 1; unit++) amount /= 1024
  return `${amount} ${units[unit]}`
}
