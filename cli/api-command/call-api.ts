import { BadArguments } from '#core/command-line/option.ts'
import type { ApiClient, ApiPath, ApiQuery } from '#cli/contract/api-client.ts'
import { CliProblem } from '#cli/contract/cli-problem.ts'
import type { ApiInput } from '#cli/contract/command.ts'
import { readText } from '#cli/contract/read-text.ts'
import { toSafeJson } from '#cli/contract/safe-text.ts'

interface ApiValues {
  readonly path: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly body: string | undefined
}

const MOST_BYTES = 1024 * 1024

/** Calls a path of the API. For programs of third parties, and for what has no command. */
export async function callPath(input: ApiInput<ApiValues>): Promise<number> {
  const { values, api, out } = input
  const { method } = values
  const [path, query] = split(values.path)
  if (values.body !== undefined && (method === 'GET' || method === 'DELETE'))
    throw new BadArguments(`--body: ${method} has none`)
  const body =
    values.body === undefined ? undefined : parse(await readText(input, { path: values.body, maxBytes: MOST_BYTES }))
  const response = await send(api, { method, path, query, body })
  if (response !== undefined) out(`${toSafeJson(JSON.stringify(response, undefined, 2))}\n`)
  return 0
}

interface Request {
  readonly method: ApiValues['method']
  readonly path: ApiPath
  readonly query: ApiQuery
  readonly body: unknown
}

function send(api: ApiClient, { method, path, query, body }: Request): Promise<unknown> {
  if (method === 'GET') return api.get(path, query)
  if (method === 'POST') return api.post(path, body ?? {}, query)
  if (method === 'PUT') return api.put(path, body ?? {}, query)
  return api.delete(path, query)
}

// The client encodes the segments; it refuses empty ones and dots.
function split(text: string): readonly [ApiPath, ApiQuery] {
  const [path = '', query = ''] = text.replace(/^\/?(?:api\/)?/, '').split(/\?(.*)/s)
  const params = new URLSearchParams(query)
  if (new Set(params.keys()).size !== params.size) throw new BadArguments('PATH: has a parameter twice')
  return [path.split('/'), Object.fromEntries(params)]
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CliProblem('the body is not valid JSON', '--body FILE is a file with the JSON of the request.')
  }
}
