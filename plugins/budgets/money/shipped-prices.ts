/**
 * Date of the table: list prices of https://developers.openai.com/api/docs/pricing for the standard tier. Input and output equal
 * public tables of June 2026 that cite the page, compared on 2026-11-23; they list no cached price of o3 and of embeddings. A price that has
 * changed since is set in a route or in `budgets.prices`.
 */
export const SHIPPED_VERSION = '2025-08-07'

// Per million tokens in USD: input, cached input, output.
const table: Readonly<Record<string, readonly [input: string, cached: string, output: string]>> = {
  'gpt-5': ['1.25', '0.125', '10'],
  'gpt-5-mini': ['0.25', '0.025', '2'],
  'gpt-5-nano': ['0.05', '0.005', '0.4'],
  'gpt-4.1': ['2', '0.5', '8'],
  'gpt-4.1-mini': ['0.4', '0.1', '1.6'],
  'gpt-4.1-nano': ['0.1', '0.025', '0.4'],
  'gpt-4o': ['2.5', '1.25', '10'],
  'gpt-4o-mini': ['0.15', '0.075', '0.6'],
  o3: ['2', '0.5', '8'],
  'o4-mini': ['1.1', '0.275', '4.4'],
  'text-embedding-3-small': ['0.02', '0.02', '0'],
  'text-embedding-3-large': ['0.13', '0.13', '0'],
}

/** The shipped price of a model, by its exact id. */
export function shippedPriceOf(model: string) {
  const price = Object.hasOwn(table, model) ? table[model] : undefined
  if (price === undefined) return undefined
  const [inputPerMillion, cachedInputPerMillion, outputPerMillion] = price
  return { currency: 'USD', inputPerMillion, cachedInputPerMillion, outputPerMillion }
}
