/**
 * Date of the table: list prices in USD for the standard tier. OpenAI prices are from https://developers.openai.com/api/docs/pricing; input and
 * output equal public tables of June 2026 that cite the page. The tables list no cached price of o3 and of embeddings. Anthropic prices are from
 * https://platform.claude.com/docs/en/about-claude/pricing, for models whose price does not depend on the length of the input. Compared on
 * 2026-11-23. The models of the demo have prices so that their calls count. To override a price that has changed since, set it in a route or in
 * `budgets.prices`.
 */
export const SHIPPED_VERSION = '2026-11-23'

type Row = readonly [input: string, cached: string, output: string, cacheWrite?: string, cacheWrite1h?: string]

// Per million tokens. Cache writes without a separate price cost as much as other input.
const table: Readonly<Record<string, Row>> = {
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
  'claude-opus-4-6': ['5', '0.5', '25', '6.25', '10'],
  'claude-opus-4-5': ['5', '0.5', '25', '6.25', '10'],
  'claude-opus-4-1': ['15', '1.5', '75', '18.75', '30'],
  'claude-haiku-4-5': ['1', '0.1', '5', '1.25', '2'],
  mock: ['1', '1', '2'],
  'mock-scripted': ['1', '1', '2'],
}

/** The shipped price of a model, by its exact id. */
export function shippedPriceOf(model: string) {
  const price = Object.hasOwn(table, model) ? table[model] : undefined
  if (price === undefined) return undefined
  const [inputPerMillion, cachedInputPerMillion, outputPerMillion, cacheWrite, cacheWrite1h] = price
  return {
    currency: 'USD',
    inputPerMillion,
    cachedInputPerMillion,
    outputPerMillion,
    ...(cacheWrite === undefined ? {} : { cacheWritePerMillion: cacheWrite }),
    ...(cacheWrite1h === undefined ? {} : { cacheWrite1hPerMillion: cacheWrite1h }),
  }
}
