import { frameData, framesIn } from '#core/sse/stream-frames.ts'
import { frameOf, opens } from '#launcher/testdata/proxied-launcher.ts'
import type { GatewayReply } from '#launcher/testdata/proxied-launcher.ts'
import type { Path } from './places.ts'

/** A stream with a text in one place. */
export interface StreamPlace {
  readonly name: string
  readonly path: Path
  /** Frames of the provider, as those of chat completions. */
  readonly deltas: (text: string) => readonly object[]
  /** What the agent reads in its API. */
  readonly read: (stream: string) => string
}

type Json = Readonly<Record<string, unknown>>

const MAX_FRAMES = 40
const SHORTEST_PIECE = 7

function piecesOf(text: string): readonly string[] {
  const size = Math.max(SHORTEST_PIECE, Math.ceil(text.length / MAX_FRAMES))
  return Array.from({ length: Math.ceil(text.length / size) }, (_, nth) => text.slice(nth * size, (nth + 1) * size))
}

const asText = (text: string): readonly object[] => piecesOf(text).map((content) => ({ content }))
const asCall = (text: string): readonly object[] =>
  piecesOf(JSON.stringify({ n: 1, text })).map((json, nth) => ({
    tool_calls: [
      {
        index: 0,
        ...(nth === 0 ? { id: 'c', type: 'function' } : {}),
        function: { ...(nth === 0 ? { name: 'f' } : {}), arguments: json },
      },
    ],
  }))
const asReasoning = (text: string): readonly object[] => [
  ...piecesOf(text).map((reasoning_content) => ({ reasoning_content })),
  { content: 'fine' },
]

function eventsOf(stream: string): readonly Json[] {
  return [...framesIn(Buffer.from(stream))].flatMap((frame) => {
    const data = frameData(frame)
    return data === undefined || data === '[DONE]' ? [] : [JSON.parse(data) as Json]
  })
}

/** The strings at a path of each event, put together. */
const joined =
  (...path: readonly (string | number)[]) =>
  (stream: string): string =>
    eventsOf(stream)
      .map((event) => path.reduce<unknown>((value, key) => (value as Json | undefined | null)?.[key], event))
      .filter((value) => typeof value === 'string')
      .join('')
const ofType =
  (type: string, field: string) =>
  (stream: string): string =>
    eventsOf(stream)
      .filter((event) => event['type'] === type)
      .map((event) => String(event[field]))
      .join('')
const inCall = (read: (stream: string) => string) => (stream: string) => {
  const json = read(stream)
  return json === '' ? stream : String((JSON.parse(json) as Json)['text'])
}
const delta = ['choices', 0, 'delta'] as const

/** Places of the streams of three APIs. */
export const streamPlaces: readonly StreamPlace[] = [
  { name: 'chat: stream', path: '/v1/chat/completions', deltas: asText, read: joined(...delta, 'content') },
  {
    name: 'chat: reasoning of a stream',
    path: '/v1/chat/completions',
    deltas: asReasoning,
    read: joined(...delta, 'reasoning_content'),
  },
  {
    name: 'chat: call of a stream',
    path: '/v1/chat/completions',
    deltas: asCall,
    read: inCall(joined(...delta, 'tool_calls', 0, 'function', 'arguments')),
  },
  {
    name: 'responses: stream',
    path: '/v1/responses',
    deltas: asText,
    read: ofType('response.output_text.delta', 'delta'),
  },
  {
    name: 'responses: call of a stream',
    path: '/v1/responses',
    deltas: asCall,
    read: inCall(ofType('response.function_call_arguments.delta', 'delta')),
  },
  { name: 'messages: stream', path: '/v1/messages', deltas: asText, read: joined('delta', 'text') },
  {
    name: 'messages: call of a stream',
    path: '/v1/messages',
    deltas: asCall,
    read: inCall(joined('delta', 'partial_json')),
  },
]

/** The request of a stream. */
export function streamRequest(path: Path): string {
  const more = path === '/v1/responses' ? { input: 'x' } : { messages: [{ role: 'user', content: 'x' }] }
  return JSON.stringify({ model: 'mock', stream: true, max_tokens: path === '/v1/messages' ? 5 : undefined, ...more })
}

/** A gateway that streams these deltas. */
export function streams(deltas: readonly object[]): GatewayReply {
  return (response) => {
    opens(response)
    for (const one of deltas) response.write(frameOf(one))
    response.write(frameOf({}, deltas.some((one) => 'tool_calls' in one) ? 'tool_calls' : 'stop'))
    response.end('data: [DONE]\n\n')
  }
}

/** Text in frames between which another field begins. */
export function interleaved(text: string): readonly object[] {
  return asText(text).flatMap((one) => [one, { reasoning_content: 'hm' }])
}

/** What of a text has arrived when another field begins. */
export function cutsOf(text: string): readonly string[] {
  let arrived = ''
  return piecesOf(text).map((piece) => (arrived += piece))
}
