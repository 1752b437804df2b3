import { Type } from 'typebox'
import { durationBounds } from '../values/duration.ts'
import { duration, freeObject } from '../kinds/parts.ts'

/** Kinds of personal data, each with its own syntax and checksum. */
export const PII_KINDS = ['email', 'phone', 'credit_card', 'iban', 'us_ssn', 'ip_address'] as const

/** Kinds of secrets. `high_entropy` is any long random token, which may also be a digest or an identifier. */
export const SECRET_KINDS = [
  'aws',
  'anthropic',
  'github',
  'gitlab',
  'google',
  'jwt',
  'npm',
  'openai',
  'private_key',
  'slack',
  'stripe',
  'high_entropy',
] as const

const textList = (item: { maxLength: number; maxItems: number }, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: item.maxLength }), {
    minItems: 1,
    maxItems: item.maxItems,
    description,
    'x-kubernetes-list-type': 'set',
  })

const closed = { additionalProperties: false }

const regex = Type.Object(
  {
    patterns: textList({ maxLength: 1024, maxItems: 16 }, 'Patterns in the syntax of RE2, without ^, $, \\A and \\z.'),
    ignoreCase: Type.Optional(Type.Boolean({ default: false, description: 'Whether case is ignored.' })),
    maxLength: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4096,
        default: 256,
        description:
          'Maximum length of a match in characters: this much of a stream is held back. A longer match is found in parts.',
      }),
    ),
  },
  { ...closed, description: 'Regular expressions that run in linear time.' },
)

const pii = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(Type.Enum([...PII_KINDS]), {
        minItems: 1,
        maxItems: PII_KINDS.length,
        description: 'Kinds to find. Defaults to all of them.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
  },
  { ...closed, description: 'Personal data; numbers with a checksum match only if it is valid.' },
)

const secrets = Type.Object(
  {
    kinds: Type.Optional(
      Type.Array(Type.Enum([...SECRET_KINDS]), {
        minItems: 1,
        maxItems: SECRET_KINDS.length,
        description: 'Kinds to find. Defaults to all but high_entropy.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
  },
  { ...closed, description: 'Keys, tokens and private keys.' },
)

const words = Type.Object(
  { phrases: textList({ maxLength: 128, maxItems: 500 }, 'Words or phrases, as whole words and without case.') },
  { ...closed, description: 'Words of topics.' },
)

const modelNames = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 320, pattern: '^[-a-z0-9./*]+$' }), {
    minItems: 1,
    maxItems: 64,
    description,
    'x-kubernetes-list-type': 'set',
  })

const models = Type.Object(
  {
    allow: Type.Optional(modelNames('Only these models are allowed. `*` matches any characters.')),
    deny: Type.Optional(modelNames('These models are never allowed.')),
  },
  {
    ...closed,
    description:
      'Routes (namespace/name) and agents (agent/namespace/name) that may be called. The action applies to every other one.',
    minProperties: 1,
  },
)

const http = Type.Object(
  {
    url: Type.String({
      maxLength: 2048,
      pattern: '^https?://[^\\s/?#@]+(/[^\\s#]*)?$',
      description: 'URL that the gateway calls with POST. Outbound calls must be allowed to reach it.',
    }),
    timeout: Type.Optional(
      duration(durationBounds.guardCheck, 'Maximum time to wait for the response. Defaults to 2s.'),
    ),
    onFailure: Type.Enum(['closed', 'open'], {
      description: 'Without a response: closed refuses the call, open continues it.',
    }),
  },
  { ...closed, description: 'A check by an HTTP service.' },
)

/** The checks; each rule has exactly one. */
export const checks = {
  regex: Type.Optional(regex),
  secrets: Type.Optional(secrets),
  pii: Type.Optional(pii),
  words: Type.Optional(words),
  models: Type.Optional(models),
  outputSchema: Type.Optional(
    freeObject(
      'JSON Schema of answers, which must be JSON. Keywords with patterns, formats and references are refused.',
    ),
  ),
  http: Type.Optional(http),
} as const

/** Names of the checks. */
export const CHECKS = Object.keys(checks)
