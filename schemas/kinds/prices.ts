import { Type } from 'typebox'
import type { Static } from 'typebox'
import { amount, currency } from './parts.ts'

/** Prices of a model, in the format of routes, providers and settings: decimal strings per million tokens. */
export const priceFields = {
  currency: Type.Optional(currency),
  inputPerMillion: amount('Price of one million input tokens.'),
  outputPerMillion: amount('Price of one million output tokens.'),
  cachedInputPerMillion: Type.Optional(
    amount('Price of one million cached input tokens. Defaults to the price of input.'),
  ),
  cacheWritePerMillion: Type.Optional(
    amount('Price of one million input tokens that are written to a cache. Defaults to the price of input.'),
  ),
  cacheWrite1hPerMillion: Type.Optional(
    amount(
      'Price of one million input tokens that are written to a cache for an hour. Defaults to the price of other writes.',
    ),
  ),
  reasoningPerMillion: Type.Optional(amount('Price of one million reasoning tokens. Defaults to the price of output.')),
}

/** Prices of a model by its id at the provider. */
export const modelPrice = Type.Object(
  { model: Type.String({ minLength: 1, maxLength: 256, description: 'Model id at the provider.' }), ...priceFields },
  { additionalProperties: false, description: 'Prices of a model.' },
)

/** See {@link modelPrice}. */
export type ModelPrice = Static<typeof modelPrice>

/** Prices without the model. */
export type ListPrice = Omit<ModelPrice, 'model'>
