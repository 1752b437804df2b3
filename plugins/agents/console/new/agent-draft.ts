import { patchYaml } from '#ui/parts/yaml/patch-source.ts'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import type { ValuePath } from '#ui/parts/yaml/yaml-source.ts'

const STORED = 'mesh-agent-draft'
const MAX_KEPT_CHARS = 262_144

/** A draft of an agent, for the time of this window. */
export interface AgentDraft {
  /** Who wrote it: it is not shown to another person. */
  readonly username: string
  /** Its source, as it stands in the address. */
  readonly from: string
  readonly yaml: string
}

const secretName = /secret|token|passw|api[-_]?key|credential|authorization|private[-_]?key/i

/** A document without the values of variables, and without strings whose names look like secrets; undefined if it does not parse. */
export function withoutSecrets(yaml: string): string | undefined {
  const { value, problems } = readYaml(yaml)
  if (problems.length > 0 || typeof value !== 'object' || value === null) return undefined
  return secretPaths(value).reduce((text, path) => patchYaml(readYaml(text), path, ''), yaml)
}

function secretPaths(value: unknown, path: ValuePath = [], isVariable = false): readonly ValuePath[] {
  const name = String(path.at(-1) ?? '')
  if (typeof value !== 'object' || value === null) {
    const isName = typeof path.at(-1) === 'string' && name === 'name' && isVariable
    const isSecret =
      (isVariable && !isName) || (typeof value === 'string' && secretName.test(name) && !name.endsWith('Ref'))
    return isSecret && value !== '' ? [path] : []
  }
  const isInside = isVariable || name === 'env'
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value)
  // What refers to a Secret has names only.
  return entries.flatMap(([key, inner]) =>
    /^(?:secrets?|valueFrom)$|Ref$/.test(String(key)) ? [] : secretPaths(inner, [...path, key], isInside),
  )
}

/** Keeps a draft, without secrets. One that does not parse is not kept; the last one that did stays. */
export function keepDraft(draft: AgentDraft): void {
  const yaml = withoutSecrets(draft.yaml)
  if (yaml === undefined || yaml.length > MAX_KEPT_CHARS) return
  try {
    sessionStorage.setItem(STORED, JSON.stringify({ ...draft, yaml }))
  } catch {
    // A browser may refuse storage; then the draft lasts as long as the page.
  }
}

/** The draft that this person wrote in this window, of this source. */
export function storedDraft(username: string, from: string): string | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as Partial<AgentDraft> | null
    const isOurs = draft?.username === username && draft.from === from
    return isOurs && typeof draft.yaml === 'string' ? draft.yaml : undefined
  } catch {
    return undefined
  }
}

/** Forgets the draft. */
export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(STORED)
  } catch {
    // See above.
  }
}
