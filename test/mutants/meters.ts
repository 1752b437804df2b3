import type { Mutant } from './mutant.ts'

const usage = 'core/model-apis/usage'
const streams = [`${usage}/stream-meter.test.ts`]
const documents = [`${usage}/response-meter.test.ts`]

/** Defects of the meter of responses: usage that is missed or invented, and bytes that callers did not ask for. */
export const mutants: readonly Mutant[] = [
  {
    name: 'meter: usage that was not requested is relayed',
    file: `${usage}/stream-meter.ts`,
    find: "(kind === 'last' ? holdsLast : hidesUsage)",
    replace: "(kind === 'last' && holdsLast)",
    tests: streams,
  },
  {
    name: 'meter: the end of a stream is not held back',
    file: `${usage}/stream-meter.ts`,
    find: "(kind === 'last' ? holdsLast : hidesUsage)",
    replace: "(kind !== 'last' && hidesUsage)",
    tests: streams,
  },
  {
    name: 'meter: bytes wait for the end of their event',
    file: `${usage}/stream-meter.ts`,
    find: "return relays === 'bytes' ? chunk : shown",
    replace: 'return shown',
    tests: streams,
  },
  {
    name: 'meter: usage without an end of its event is not read',
    file: `${usage}/stream-meter.ts`,
    find: 'rest.length === 0 ? nothing : read(terminated(rest))',
    replace: 'rest.length === 0 ? nothing : terminated(rest)',
    tests: streams,
  },
  {
    name: 'meter: what follows an event without an end is a part of it',
    file: `${usage}/stream-meter.ts`,
    find: 'read(terminated(rest))',
    replace: 'read(rest)',
    tests: streams,
  },
  {
    name: 'meter: counts that are no numbers undo those before',
    file: `${usage}/chat-reader.ts`,
    find: 'usage = readChatUsage(chunk.usage) ?? usage',
    replace: 'if (chunk.usage) usage = readChatUsage(chunk.usage)',
    tests: streams,
  },
  {
    name: 'meter: an event without counts is removed',
    file: `${usage}/chat-reader.ts`,
    find: 'choices.length === 0 && (usage ?? null) !== null',
    replace: 'choices.length === 0 && usage !== 0',
    tests: streams,
  },
  {
    name: 'meter: an error beside the usage is removed',
    file: `${usage}/chat-reader.ts`,
    find: '!isError && isOnlyUsage(chunk)',
    replace: 'isOnlyUsage(chunk)',
    tests: streams,
  },
  {
    name: 'meter: streams without the name of a model are parsed',
    file: `${usage}/chat-reader.ts`,
    find: 'return model !== undefined || !named.test(events)',
    replace: 'return model !== undefined',
    tests: streams,
  },
  {
    name: 'meter: an empty name is the model',
    file: `${usage}/event-reader.ts`,
    find: "typeof model === 'string' && model !== ''",
    replace: "typeof model === 'string'",
    tests: streams,
  },
  {
    name: 'meter: input of a message that is no number is free',
    file: `${usage}/message-usage.ts`,
    find: '!isObject(given) || !addedCounts.every((name) => isCount(given[name] ?? 0))',
    replace: '!isObject(given)',
    tests: documents,
    only: 'B3',
  },
  {
    name: 'meter: documents are kept without a bound',
    file: `${usage}/response-meter.ts`,
    find: '      if (size > maxDocument) return undefined\n',
    replace: '',
    tests: documents,
  },
  {
    name: 'meter: a message without usage is a completion that is free',
    file: 'core/model-apis/messages-to-chat-response.ts',
    find: '  const usage = readMessageUsage(given)\n  if (usage === undefined) return undefined\n',
    replace:
      '  const usage = readMessageUsage(given) ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 }\n',
    tests: ['core/model-apis/translation.test.ts'],
    only: 'B3',
  },
  {
    name: 'meter: a byte order mark hides the first event',
    file: 'core/sse/stream-frames.ts',
    find: "decoded.startsWith('\\uFEFF') ? decoded.slice(1) : decoded",
    replace: 'decoded',
    tests: ['core/sse/stream-frames.test.ts'],
  },
]
