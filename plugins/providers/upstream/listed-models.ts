import { asObject, isObject } from '#core/json/is-object.ts'
import { Fail } from '#core/errors/domain-error.ts'
import type { ListedModel } from '../contract/adapter.ts'
import { providerErrors } from '../contract/errors.ts'

/** Maximum number of models of a list. */
const MOST_MODELS = 5_000
const MOST_ID = 256
const MOST_OWNER = 128

// Names that endpoints with the API of OpenAI have for it: OpenRouter, vLLM, Groq.
const windows = ['context_window', 'context_length', 'max_model_len'] as const

/**
 * The models of a list with the API of OpenAI or Anthropic, by id. An entry that is no model is left out; throws `provider_answered_badly` for a
 * document without a list.
 */
export function readListedModels(document: unknown): readonly ListedModel[] {
  const { data } = asObject(document)
  if (!Array.isArray(data))
    throw new Fail(providerErrors.provider_answered_badly, 'The response has no list of models.')
  const models = data.slice(0, MOST_MODELS).flatMap((one: unknown) => (isObject(one) ? toModel(one) : []))
  return [...new Map(models.map((model) => [model.id, model])).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function toModel(given: Readonly<Record<string, unknown>>): ListedModel | [] {
  const id = wordOf(given['id'], MOST_ID)
  if (id === undefined) return []
  const ownedBy = wordOf(given['owned_by'], MOST_OWNER)
  const contextWindow = windows.map((name) => given[name]).find(isCount)
  const created = timeOf(given['created'] ?? given['created_at'])
  return {
    id,
    ...(ownedBy === undefined ? {} : { ownedBy }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(created === undefined ? {} : { created }),
  }
}

// No control characters, no lone surrogates: the names are shown, and stored in routes.
function wordOf(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > most) return undefined
  return /\p{Cc}|\p{Cs}/u.test(value) ? undefined : value
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0
}

// Seconds since 1970, or RFC 3339.
function timeOf(value: unknown): Date | undefined {
  const time =
    typeof value === 'number' ? new Date(value * 1000) : typeof value === 'string' ? new Date(value) : undefined
  const ms = time?.getTime()
  return ms === undefined || Number.isNaN(ms) || ms <= 0 || ms > Date.UTC(2200, 0) ? undefined : time
}
