import type { Static } from 'typebox'
import type { ApiInput } from '#cli/contract/command.ts'
import type { ResourceTable } from '#cli/contract/resource-table.ts'
import type { Provider, ProviderModel } from '#schemas/api/providers.ts'
import { knownProviders } from '../contract/format/known-providers.ts'
import type { KnownProvider } from '../contract/format/known-providers.ts'

/** How providers are printed. */
export const providerTable: ResourceTable<Provider> = {
  name: ({ namespace, name }) => `provider/${namespace}/${name}`,
  columns: {
    NAMESPACE: ({ namespace }) => namespace,
    NAME: ({ name }) => name,
    TYPE: ({ type }) => type,
    READY: ({ ready, reason }) => (ready === false ? reason : ready),
    HEALTH: ({ health }) => health.state,
    KEY: ({ keyVersion, hasKey }) => keyVersion ?? (hasKey ? 'yes' : undefined),
    ROUTES: ({ routes }) => routes?.length,
    AGE: ({ createdAt }) => new Date(createdAt),
  },
  wide: {
    URL: ({ baseUrl }) => baseUrl,
    ROTATED: ({ rotatedAt }) => rotatedAt && new Date(rotatedAt),
    LATENCY: ({ health: { p50Ms } }) => (p50Ms === null ? undefined : `${p50Ms}ms`),
    ERROR: ({ health }) => health.lastErrorClass,
  },
}

/** Lists providers. */
export async function listProviders({
  api,
  scope,
  values,
  printer,
}: ApiInput<{ readonly limit: number }>): Promise<number> {
  await printer.list(providerTable, await api.list<Provider>(['providers'], scope, values.limit))
  return 0
}

type ListedModel = Static<typeof ProviderModel>

const modelTable: ResourceTable<ListedModel> = {
  name: ({ id }) => `model/${id}`,
  columns: {
    ID: ({ id }) => id,
    OWNER: ({ ownedBy }) => ownedBy,
    CONTEXT: ({ contextWindow }) => contextWindow,
    CREATED: ({ created }) => created && new Date(created),
  },
}

interface ModelValues {
  readonly name: string
  readonly refresh: boolean
}

/** Lists the models of a provider. */
export async function printModels({ api, namespace, values, printer }: ApiInput<ModelValues>): Promise<number> {
  const query = { namespace, ...(values.refresh ? { refresh: true } : {}) }
  const { items } = await api.get<{ readonly items: readonly ListedModel[] }>(
    ['providers', values.name, 'models'],
    query,
  )
  await printer.list(modelTable, { items, nextCursor: null })
  return 0
}

const knownTable: ResourceTable<KnownProvider> = {
  name: ({ id }) => `known-provider/${id}`,
  columns: {
    ID: ({ id }) => id,
    TITLE: ({ title }) => title,
    TYPE: ({ type }) => type,
    KEY: ({ needsKey }) => needsKey,
    URL: ({ baseUrl }) => baseUrl,
  },
}

/** Lists well-known providers. */
export async function listKnown({ printer, err }: Pick<ApiInput, 'printer' | 'err'>): Promise<number> {
  await printer.list<KnownProvider>(knownTable, { items: knownProviders.items, nextCursor: null })
  err(`as of ${knownProviders.asOf}\n`)
  return 0
}
