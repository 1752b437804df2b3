import { Lexer, isScalar, parseDocument, visit } from 'yaml'
import type { YAMLMap } from 'yaml'
import { failure } from './api-error.ts'
import type { Json } from './json-value.ts'

/** Tokens of the yaml library; parsing costs about 3 us each, a value in a list about five. */
const TOKEN_LIMIT = 50_000

/**
 * Parses YAML without aliases and repeated keys in linear time; throws an Error with the reason, or a 413 above
 * `TOKEN_LIMIT`. JSON, which kubectl and client-go send as an apply body, has no limit of tokens.
 */
export function parseYaml(text: string): Json {
  const json = /^\s*[{[]/.test(text) ? parseJsonOrNothing(text) : undefined
  if (json !== undefined) return json
  refuseTooMany(text)
  // The library's own check of unique keys compares each key with all others.
  const document = parseDocument(text, { uniqueKeys: false })
  const [error] = document.errors
  if (error) throw new Error(`error converting YAML to JSON: yaml: ${error.message}`)
  visit(document, { Map: (_, map) => refuseRepeated(map) })
  return document.toJS({ maxAliasCount: 0 })
}

function parseJsonOrNothing(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refuseTooMany(text: string): void {
  let tokens = 0
  for (const _ of new Lexer().lex(text)) {
    tokens += 1
    if (tokens <= TOKEN_LIMIT) continue
    const message = `Request entity too large: a YAML body holds at most ${TOKEN_LIMIT} tokens; send JSON instead`
    throw failure({ code: 413, reason: 'RequestEntityTooLarge', message })
  }
}

function refuseRepeated({ items }: YAMLMap): void {
  const seen = new Set<string>()
  for (const { key } of items) {
    if (!isScalar(key)) throw new Error('error converting YAML to JSON: yaml: a key must be a scalar')
    const name = String(key.value)
    if (seen.has(name))
      throw new Error(`error converting YAML to JSON: yaml: key ${JSON.stringify(name)} already set in map`)
    seen.add(name)
  }
}
