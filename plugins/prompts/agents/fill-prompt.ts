import { findProblems } from '#core/json-schema/find-problems.ts'
import { asObject } from '#core/json/is-object.ts'
import type { PromptMessage, PromptVersionFields } from '#schemas/api/prompts.ts'
import { fillTemplate, variablesOf } from '../content/template.ts'

/** A prompt with its variables replaced. */
export interface FilledPrompt {
  /** Its text, or its first messages of the role system. */
  readonly systemPrompt?: string
  readonly messages: readonly PromptMessage[]
}

/** Why a prompt cannot be filled. */
export interface UnfilledPrompt {
  readonly reason: 'PromptVariableMissing' | 'PromptVariableInvalid' | 'PromptTooLong'
  readonly message: string
}

type Properties = Readonly<Record<string, unknown>>

const MAX_FILLED = 262_144
const MOST_NAMED = 5

/**
 * Replaces the variables of a version by the values of an agent, else by the defaults of its JSON Schema. Each value is text: what looks like a
 * variable in it stays.
 */
export function fillPrompt(
  fields: PromptVersionFields,
  given: Readonly<Record<string, string>>,
): FilledPrompt | UnfilledPrompt {
  const properties = asObject(asObject(fields.variables)['properties'])
  const known = new Map<string, string>()
  const missing: string[] = []
  for (const name of variablesOf(fields)) {
    const value = ownOf(given, name) ?? defaultOf(properties, name)
    if (value === undefined) missing.push(name)
    else known.set(name, value)
  }
  if (missing.length > 0) return { reason: 'PromptVariableMissing', message: missingMessage(missing) }
  const problem = fields.variables === undefined ? undefined : valueProblem(properties, known)
  if (problem !== undefined) return { reason: 'PromptVariableInvalid', message: problem }
  const turns: readonly PromptMessage[] =
    fields.text === undefined ? (fields.messages ?? []) : [{ role: 'system', content: fields.text }]
  return toFilled(turns.map(({ role, content }) => ({ role, content: fillTemplate(content, known) })))
}

function toFilled(turns: readonly PromptMessage[]): FilledPrompt | UnfilledPrompt {
  const length = turns.reduce((sum, { content }) => sum + content.length, 0)
  if (length > MAX_FILLED)
    return { reason: 'PromptTooLong', message: `it has ${length} characters with its variables, above ${MAX_FILLED}` }
  const first = turns.findIndex(({ role }) => role !== 'system')
  const [system, messages] = first < 0 ? [turns, []] : [turns.slice(0, first), turns.slice(first)]
  const systemPrompt = system.map(({ content }) => content).join('\n\n')
  // A value may be empty; a message must have content.
  const said = messages.filter(({ content }) => content !== '')
  return { ...(systemPrompt === '' ? {} : { systemPrompt }), messages: said }
}

function missingMessage(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  const shown = names.slice(0, MOST_NAMED).map((name) => `{{${name}}}`)
  return `it needs a value for ${shown.join(', ')}${more}: set spec.prompt.variables, or give it a default`
}

function defaultOf(properties: Properties, name: string): string | undefined {
  const value = asObject(ownOf(properties, name))['default']
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isPlain ? String(value) : undefined
}

function valueProblem(properties: Properties, values: ReadonlyMap<string, string>): string | undefined {
  for (const [name, value] of values) {
    const schema = ownOf(properties, name)
    const [problem] = findProblems({ value: typedAs(asObject(schema)['type'], value), schema, pointer: '' })
    if (problem !== undefined) return `the value of {{${name}}} ${problem.detail}`
  }
  return undefined
}

// The values of an agent are strings; the schema may want a number or a boolean.
function typedAs(type: unknown, value: string): unknown {
  if ((type === 'number' || type === 'integer') && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value)
  return type === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value
}

function ownOf<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}
