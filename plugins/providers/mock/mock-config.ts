import { isObject } from '#core/json/is-object.ts'
import { CONFIG_SCHEMA, nameFrom, readConfigMessage } from '#schemas/agent-file/config-request.ts'
import type { ConfigRequest } from '#schemas/agent-file/config-request.ts'

// The longest system prompt of an agent.
const MAX_PROMPT = 131_072

/** The config that the mock returns for a generate or refine request; undefined for any other response schema or message. */
export function mockConfig(format: Readonly<Record<string, unknown>>, message: string): object | undefined {
  if (format['name'] !== CONFIG_SCHEMA) return undefined
  const asked = readConfigMessage(message)
  if (asked === undefined) return undefined
  const { base } = asked
  const explanation = `The mock provider ${base === undefined ? 'made' : 'changed'} the config from the words of the request.`
  return { config: base === undefined ? newConfig(asked, format['schema']) : change(asked, base), explanation }
}

function newConfig({ request }: ConfigRequest, schema: unknown) {
  return { name: nameFrom(request), model: { route: firstRoute(schema) }, systemPrompt: request.slice(0, MAX_PROMPT) }
}

// Only the changes: the platform keeps the rest.
function change({ request }: ConfigRequest, { systemPrompt, prompt }: Readonly<Record<string, unknown>>) {
  const added = (text: string): string => (text === '' ? request : `${text}\n\n${request}`).slice(0, MAX_PROMPT)
  if (isObject(prompt)) return typeof prompt['text'] === 'string' ? { prompt: { text: added(prompt['text']) } } : {}
  return { systemPrompt: added(typeof systemPrompt === 'string' ? systemPrompt : '') }
}

function firstRoute(schema: unknown): unknown {
  const routes = ['properties', 'config', 'properties', 'model', 'properties', 'route', 'enum'].reduce<unknown>(
    (value, key) => (isObject(value) ? value[key] : undefined),
    schema,
  )
  return Array.isArray(routes) ? routes[0] : undefined
}
