import type { ApiInput } from '#cli/contract/command.ts'
import { BadArguments } from '#core/command-line/option.ts'
import type { ConnectProviderBody, Provider } from '#schemas/api/providers.ts'
import { findKnownProvider } from '../contract/format/known-providers.ts'
import type { KnownProvider } from '../contract/format/known-providers.ts'
import { readKey } from './read-key.ts'
import type { KeyValues } from './read-key.ts'
import { providerTable } from './show-providers.ts'

interface ConnectValues extends KeyValues {
  readonly name: string
  readonly known: string | undefined
  readonly type: 'openai' | 'anthropic' | 'mock' | undefined
  readonly url: string | undefined
  readonly 'without-key': boolean
  readonly unchecked: boolean
}

/** Connects a provider. */
export async function connect(input: ApiInput<ConnectValues>): Promise<number> {
  const { api, namespace, values, printer } = input
  const address = addressOf(values)
  const { name, unchecked } = values
  const hasKey = !values['without-key'] && address.type !== 'mock'
  const apiKey = hasKey ? { apiKey: await readKey(input, values) } : {}
  const body: ConnectProviderBody = {
    namespace,
    name,
    ...address,
    ...apiKey,
    ...(unchecked ? { validate: false } : {}),
  }
  await printer.one(providerTable, await api.post<Provider>(['providers'], body))
  return 0
}

/** Replaces the key of a provider. */
export async function rotate(
  input: ApiInput<KeyValues & { readonly name: string; readonly unchecked: boolean }>,
): Promise<number> {
  const { api, namespace, values, printer } = input
  const { name, unchecked } = values
  const body = { apiKey: await readKey(input, values), ...(unchecked ? { validate: false } : {}) }
  await printer.one(providerTable, await api.post<Provider>(['providers', name, 'rotate'], body, { namespace }))
  return 0
}

/** Deletes a provider and its key. */
export async function disconnect({
  api,
  namespace,
  values: { name },
  err,
}: ApiInput<{ readonly name: string }>): Promise<number> {
  await api.delete(['providers', name], { namespace })
  err(`provider/${namespace}/${name} disconnected\n`)
  return 0
}

function addressOf({ name, known, type, url }: ConnectValues): Pick<ConnectProviderBody, 'type' | 'baseUrl'> {
  if (known !== undefined && (type !== undefined || url !== undefined))
    throw new BadArguments('--known stands in place of --type and --url')
  const found = knownOf(known, type === undefined && url === undefined ? name : undefined)
  if (found !== undefined) return { type: found.type, baseUrl: found.baseUrl }
  return { type: type ?? 'openai', ...(url === undefined ? {} : { baseUrl: url }) }
}

function knownOf(known: string | undefined, name: string | undefined): KnownProvider | undefined {
  if (known === undefined) return name === undefined ? undefined : findKnownProvider(name)
  const found = findKnownProvider(known)
  if (found === undefined) throw new BadArguments('--known: no well-known provider; meshctl providers known lists them')
  return found
}
