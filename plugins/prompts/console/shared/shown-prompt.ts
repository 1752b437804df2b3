import type { ListedPrompt, ListedVersion } from '#schemas/api/prompts.ts'

/** Where a prompt is. */
export interface PromptPlace {
  readonly namespace: string
  readonly name: string
}

/** A dialog of the page of a prompt. */
export type PromptDialogName = 'write' | 'move' | 'remove'

/** The label that is read without another one. */
export const DEFAULT_LABEL = 'production'

const VARIABLE = /\{\{([A-Za-z_][A-Za-z0-9_]{0,62})\}\}/g

/** Segments of the path of a prompt in the API. */
export function promptPath({ namespace, name }: PromptPlace): readonly string[] {
  return ['promptversions', namespace, name]
}

/** The address of a prompt in the console. */
export function promptAddress({ namespace, name }: PromptPlace): string {
  return `/prompts/${[namespace, name].map(encodeURIComponent).join('/')}`
}

/** Query of a list in the namespace of the page. */
export function promptScope(namespace: string | undefined): Readonly<Record<string, string>> {
  return namespace === undefined ? { scope: 'permitted' } : { namespace }
}

/** The version that is used without a label: that of `production`, else the latest. */
export function liveVersion({ labels }: Pick<ListedPrompt, 'labels'>, latest: number): number {
  return Object.hasOwn(labels, DEFAULT_LABEL) ? (labels[DEFAULT_LABEL] ?? latest) : latest
}

/** Labels of a version. */
export function labelsAt(labels: ListedPrompt['labels'], version: number): readonly string[] {
  return Object.entries(labels).flatMap(([label, to]) => (to === version ? [label] : []))
}

/** A text that shows a version in one block, such as for a comparison. */
export function plainText({ text, messages = [] }: Pick<ListedVersion, 'text' | 'messages'>): string {
  return text ?? messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n')
}

/** A variable, and the value that stands in for one that an agent does not give. */
export interface ShownVariable {
  readonly name: string
  readonly fallback: string | undefined
}

/** The variables of a version, in the order of their first use. Pure. */
export function variablesIn(version: Pick<ListedVersion, 'text' | 'messages' | 'variables'>): readonly ShownVariable[] {
  const names = new Set([...plainText(version).matchAll(VARIABLE)].map(([, name = '']) => name))
  const { properties } = (version.variables ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> }
  return [...names].map((name) => {
    const schema = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
    const { default: fallback } = (schema ?? {}) as { readonly default?: unknown }
    return { name, fallback: fallback === undefined ? undefined : String(fallback) }
  })
}

/** The two versions that the address compares: by default the live one with the latest, or the latest with the one before. Pure. */
export function comparedOf(
  versions: readonly { readonly version: number }[],
  live: number,
  asked: { readonly from: string | undefined; readonly to: string | undefined },
): { readonly from: number; readonly to: number } | undefined {
  const [latest, before] = versions
  if (latest === undefined || before === undefined) return undefined
  const find = (text: string | undefined) => versions.find(({ version }) => String(version) === text)?.version
  const to = find(asked.to) ?? latest.version
  const usual = to === live ? versions.find(({ version }) => version !== to)?.version : live
  const from = find(asked.from) ?? usual ?? before.version
  return from === to ? undefined : { from, to }
}
