import type { PromptContent } from '#schemas/api/prompts.ts'

// Two braces, a name and two braces: white space, filters and other expressions are text.
const VARIABLE = /\{\{([A-Za-z_][A-Za-z0-9_]{0,62})\}\}/g

/** Maximum number of variables of a prompt. */
export const MAX_VARIABLES = 256

/** Values of variables by name. */
export type VariableValues = ReadonlyMap<string, string>

/** The variables of a prompt, each once, in the order of their first use. */
export function variablesOf(content: Pick<PromptContent, 'text' | 'messages'>): readonly string[] {
  const found = textsOf(content).flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name))
  return [...new Set(found)]
}

/** The texts of a prompt, in their order. */
export function textsOf({ text, messages = [] }: Pick<PromptContent, 'text' | 'messages'>): readonly string[] {
  return text === undefined ? messages.map(({ content }) => content) : [text]
}

/** Replaces each variable once: a value is text, also if it looks like a variable. Each variable must have a value. */
export function fillTemplate(template: string, values: VariableValues): string {
  return template.replaceAll(VARIABLE, (whole, name: string) => values.get(name) ?? whole)
}
