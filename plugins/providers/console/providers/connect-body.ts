import type { ConnectProviderBody } from '#schemas/api/providers.ts'

/** Types of providers. */
export type ProviderType = ConnectProviderBody['type']

/** What was typed of a provider. The key is not among it: it has no place but its field. */
export interface ConnectFields {
  readonly namespace: string
  readonly name: string
  readonly type: ProviderType
  readonly baseUrl: string
  readonly organization: string
  readonly apiVersion: string
}

/** The address of a type without one of its own, as the gateway has it. */
export const defaultAddresses: Readonly<Record<ProviderType, string | undefined>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  mock: undefined,
}

/** The body of the request: empty fields are left out, and those that the type does not have. Pure. */
export function toConnectBody(fields: ConnectFields, apiKey: string): ConnectProviderBody {
  const { namespace, name, type } = fields
  const baseUrl = withoutSlashes(fields.baseUrl.trim())
  const organization = fields.organization.trim()
  const apiVersion = fields.apiVersion.trim()
  return {
    namespace: namespace.trim(),
    name: name.trim(),
    type,
    ...(baseUrl === '' || type === 'mock' ? {} : { baseUrl }),
    ...(organization === '' || type !== 'openai' ? {} : { organization }),
    ...(apiVersion === '' || type !== 'openai' ? {} : { azure: { apiVersion } }),
    ...(apiKey === '' || type === 'mock' ? {} : { apiKey }),
  }
}

// A pattern would try each slash of a long address.
function withoutSlashes(address: string): string {
  let end = address.length
  while (address.endsWith('/', end)) end -= 1
  return address.slice(0, end)
}

/** What is wrong with a key before it is sent. Pure. */
export function faultOfKey(key: string, { type, baseUrl }: Pick<ConnectFields, 'type' | 'baseUrl'>) {
  if (key === '') return type === 'mock' || baseUrl.trim() !== '' ? undefined : 'required'
  return /^[\x21-\x7e]+$/.test(key) ? undefined : 'wrong'
}
