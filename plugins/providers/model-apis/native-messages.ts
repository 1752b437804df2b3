import { isObject } from '../../../core/json/is-object.ts'
import { InvalidRequest } from '../../../core/model-apis/invalid-request.ts'

type Json = Readonly<Record<string, unknown>>

/** Tools that the caller runs, by the prefix of their type; all others run at the provider. */
const clientTools = /^(?:custom|(?:bash|text_editor|computer|memory)_\d{8})$/

/**
 * Refuses fields that an unchanged request of the Messages API must not have. These refer to resources of the provider's key, which tenants share, or
 * cost more than tokens. The provider validates everything else. Throws `InvalidRequest`.
 */
export function checkNativeMessages(body: Json): void {
  if (typeof body.max_tokens !== 'number') throw new InvalidRequest('max_tokens', 'must be a number')
  checkNativeInput(body)
}

/** As `checkNativeMessages`, for a request that counts the tokens of its input and generates nothing. */
export function checkNativeInput(body: Json): void {
  for (const field of ['container', 'mcp_servers'] as const)
    if (body[field] !== undefined && body[field] !== null) throw new InvalidRequest(field, 'is not supported')
  if (Array.isArray(body.tools))
    for (const [index, tool] of body.tools.entries()) {
      const type: unknown = isObject(tool) ? (tool.type ?? 'custom') : undefined
      if (typeof type !== 'string' || !clientTools.test(type))
        throw new InvalidRequest(
          `tools[${index}]`,
          'must be a tool that the caller runs: tools that the provider runs are not supported',
        )
    }
  if (Array.isArray(body.messages))
    for (const [index, message] of body.messages.entries()) refuseFiles(message, `messages[${index}]`)
  refuseFiles(body.system, 'system')
}

// Recursive: the depth of a body is limited when it is parsed.
function refuseFiles(value: unknown, at: string): void {
  if (typeof value !== 'object' || value === null) return
  const { source, type } = value as Json
  if (isObject(source) && source.type === 'file')
    throw new InvalidRequest(at, 'a source of type file is not supported: tenants share the files of a key')
  if (type === 'container_upload') throw new InvalidRequest(at, 'a container_upload is not supported')
  for (const one of Object.values(value)) refuseFiles(one, at)
}

/** Prefixes of betas that change only the form of requests and responses: neither prices, nor the data that the provider stores or accesses. */
const allowedBetas = [
  'interleaved-thinking-',
  'fine-grained-tool-streaming-',
  'token-efficient-tools-',
  'output-128k-',
  'prompt-caching-',
  'extended-cache-ttl-',
  'context-management-',
  'structured-outputs-',
  'computer-use-',
  'effort-',
  'pdfs-',
] as const

/** Reads `anthropic-beta`; undefined without it. Throws `InvalidRequest` for a beta that is not passed on. */
export function readBetas(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const betas = header.split(',').map((beta) => beta.trim())
  for (const beta of betas)
    if (!/^[a-z0-9-]{1,64}$/.test(beta) || !allowedBetas.some((begin) => beta.startsWith(begin)))
      throw new InvalidRequest(
        'anthropic-beta',
        `the beta ${JSON.stringify(beta.slice(0, 64).toWellFormed())} is not supported`,
      )
  return betas.join(',')
}
