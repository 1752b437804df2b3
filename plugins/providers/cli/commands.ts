import { defineApiCommand } from '#cli/contract/command.ts'
import { listOptions } from '#cli/contract/list-options.ts'

const name = { value: 'NAME', positional: true, required: true, help: 'name of the provider' } as const

// Never an argument: the list of processes and the history of a shell show those.
const keyOptions = {
  'key-env': { value: 'VARIABLE', help: 'environment variable with the key' },
  'key-file': { value: 'FILE', help: 'file with the key; - or nothing is standard input' },
} as const

const unchecked = { help: 'do not ask the provider for its models first' } as const

/** `meshctl providers list`. */
export const providersList = defineApiCommand({
  words: 'providers list',
  summary: 'list model providers with their health and routes',
  options: { ...listOptions },
  load: async () => (await import('./show-providers.ts')).listProviders,
})

/** `meshctl providers connect`. */
export const providersConnect = defineApiCommand({
  words: 'providers connect',
  summary: 'connect a model provider: its key is tried and stored',
  examples: [
    ['providers connect openai --key-env OPENAI_API_KEY', 'a well-known provider'],
    ['providers connect fast --known groq --key-file groq.key', 'under another name'],
    ['providers connect local --url http://127.0.0.1:8080/v1 --without-key', 'a server of your own'],
  ],
  options: {
    name,
    known: { value: 'ID', help: 'well-known provider, such as groq; by default the one with the name' },
    type: { oneOf: ['openai', 'anthropic', 'mock'], help: 'API that it speaks; openai by default' },
    url: { value: 'URL', help: 'address up to and including the version' },
    ...keyOptions,
    'without-key': { help: 'the provider needs no key' },
    unchecked,
  },
  load: async () => (await import('./connect-provider.ts')).connect,
})

/** `meshctl providers models`. */
export const providersModels = defineApiCommand({
  words: 'providers models',
  summary: 'list the models that a provider serves',
  options: { name, refresh: { help: 'ask the provider although it was asked within the last minute' } },
  load: async () => (await import('./show-providers.ts')).printModels,
})

/** `meshctl providers rotate`. */
export const providersRotate = defineApiCommand({
  words: 'providers rotate',
  summary: 'replace the key of a provider',
  examples: [['providers rotate openai --key-file new.key', 'calls under way keep the old key']],
  options: { name, ...keyOptions, unchecked },
  load: async () => (await import('./connect-provider.ts')).rotate,
})

/** `meshctl providers disconnect`. */
export const providersDisconnect = defineApiCommand({
  words: 'providers disconnect',
  summary: 'delete a provider and its key',
  options: { name },
  load: async () => (await import('./connect-provider.ts')).disconnect,
})

/** `meshctl providers known`. */
export const providersKnown = defineApiCommand({
  words: 'providers known',
  summary: 'list well-known providers with their addresses',
  load: async () => (await import('./show-providers.ts')).listKnown,
})

const route = { value: 'NAME', positional: true, required: true, help: 'name of the route' } as const

/** `meshctl routes list`. */
export const routesList = defineApiCommand({
  words: 'routes list',
  summary: 'list model routes with their targets',
  options: { ...listOptions },
  load: async () => (await import('./show-routes.ts')).printRoutes,
})

/** `meshctl routes get`. */
export const routesGet = defineApiCommand({
  words: 'routes get',
  summary: 'show a model route',
  examples: [['routes get main -o yaml', 'with its spec and status']],
  options: { name: route },
  load: async () => (await import('./show-routes.ts')).getRoute,
})

/** `meshctl routes targets`. */
export const routesTargets = defineApiCommand({
  words: 'routes targets',
  summary: 'list the targets of a route as the gateways see them',
  options: { name: route },
  load: async () => (await import('./show-routes.ts')).listTargets,
})

/** `meshctl routes delete`. */
export const routesDelete = defineApiCommand({
  words: 'routes delete',
  summary: 'delete a model route',
  options: { name: route },
  load: async () => (await import('./show-routes.ts')).deleteRoute,
})
