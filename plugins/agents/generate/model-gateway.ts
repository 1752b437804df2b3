import { Agent } from 'undici'
import { Fail } from '#core/errors/domain-error.ts'

/** One message of a conversation with a model. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** A request to a model, with a JSON schema of its response. */
export interface JsonQuestion {
  /** `namespace/name` of a ModelRoute. */
  route: string
  messages: readonly ChatMessage[]
  schema: { name: string; schema: Readonly<Record<string, unknown>> }
  signal: AbortSignal
}

/** Calls the model gateway with the caller's bearer token, so that the caller's rights apply (K1). */
export interface ModelGateway {
  /** Returns the text of the response. Throws `forbidden`, `not_found`, `too_many_requests` or `bad_gateway`. */
  ask(bearer: string, question: JsonQuestion): Promise<string>
}

const DEADLINE_MS = 60_000
const MAX_RESPONSE_BYTES = 1024 * 1024

/** A client of the gateway's OpenAI-compatible API. */
export function createModelGateway(baseUrl: string): ModelGateway {
  let agent: Agent | undefined
  return {
    ask: async (bearer, { route, messages, schema, signal }) => {
      const body = { model: route, messages, response_format: { type: 'json_schema', json_schema: schema } }
      // Checked per call, since a process that only describes the API has no gateway.
      const url = new URL('/v1/chat/completions', baseUrl)
      agent ??= new Agent({ allowH2: false })
      const sent = agent.request({
        origin: url.origin,
        path: url.pathname,
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      })
      const answer = await sent.catch((error: unknown) => {
        throw new Fail('bad_gateway', 'The model gateway is not reachable.', { cause: error })
      })
      const value = parse(await readBounded(answer.body))
      if (answer.statusCode !== 200) throw failureOf(answer.statusCode, value)
      return contentOf(value)
    },
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_RESPONSE_BYTES) throw new Fail('bad_gateway', 'The model response is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const codes: Readonly<Record<number, 'unauthenticated' | 'forbidden' | 'not_found' | 'too_many_requests'>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  429: 'too_many_requests',
}

// Errors of the gateway itself (a denied or unknown route) are returned unchanged. Errors of a provider are not quoted.
function failureOf(status: number, answer: unknown): Fail {
  const code = codes[status]
  if (code === undefined) return new Fail('bad_gateway', 'The model gateway returned an unexpected error.')
  const message = field(field(answer, 'error'), 'message')
  return new Fail(code, typeof message === 'string' && code !== 'unauthenticated' ? message : undefined)
}

function contentOf(answer: unknown): string {
  const choices = field(answer, 'choices')
  const content = field(field(Array.isArray(choices) ? choices[0] : undefined, 'message'), 'content')
  if (typeof content !== 'string') throw new Fail('bad_gateway', 'The response of the model gateway has no message.')
  return content
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined
}
