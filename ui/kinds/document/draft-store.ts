import { patchYaml } from '../../parts/yaml/patch-source.ts'
import { readYaml } from '../../parts/yaml/yaml-source.ts'
import type { ValuePath } from '../../parts/yaml/yaml-source.ts'

const STORED = 'mesh-draft '
const MAX_KEPT_CHARS = 262_144

/** A document that a person has typed, for the time of this window. */
export interface StoredDraft {
  /** Who wrote it: it is not shown to another person. */
  readonly username: string
  /** What it is a draft of, such as `agents/demo/hello`. */
  readonly key: string
  readonly yaml: string
  /** What was saved when the edit began; absent for what does not exist yet. */
  readonly base?: string | undefined
}

const secretName = /secret|token|passw|api[-_]?key|credential|authorization|private[-_]?key/i

/** A document without the values of variables, and without strings whose names look like secrets; undefined if it does not parse. */
export function withoutSecrets(yaml: string): string | undefined {
  const { value, problems } = readYaml(yaml)
  if (problems.length > 0 || typeof value !== 'object' || value === null) return undefined
  return secretPaths(value)
    .filter((path) => valueOf(value, path) !== '')
    .reduce((text, path) => patchYaml(readYaml(text), path, ''), yaml)
}

/** A draft with the secrets of the saved document in their places: those of a list belong to the entry with the same name. */
export function withSecretsOf(yaml: string, saved: string): string {
  const { value } = readYaml(yaml)
  const kept = readYaml(saved).value
  return secretPaths(value)
    .filter((path) => valueOf(value, path) === '')
    .reduce((text, path) => {
      const secret = counterpart([value, kept], path)
      return secret === undefined || secret === null || typeof secret === 'object'
        ? text
        : patchYaml(readYaml(text), path, secret)
    }, yaml)
}

function secretPaths(value: unknown, path: ValuePath = [], isVariable = false): readonly ValuePath[] {
  const name = String(path.at(-1) ?? '')
  if (typeof value !== 'object' || value === null) {
    const isName = typeof path.at(-1) === 'string' && name === 'name' && isVariable
    const isSecret =
      (isVariable && !isName) || (typeof value === 'string' && secretName.test(name) && !name.endsWith('Ref'))
    return isSecret ? [path] : []
  }
  const isInside = isVariable || name === 'env'
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value)
  // What refers to a Secret has names only.
  return entries.flatMap(([key, inner]) =>
    /^(?:secrets?|valueFrom)$|Ref$/.test(String(key)) ? [] : secretPaths(inner, [...path, key], isInside),
  )
}

function valueOf(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((node, key) => fieldOf(node, key), value)
}

function fieldOf(node: unknown, key: string | number): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, key)
    ? (Reflect.get(node, key) as unknown)
    : undefined
}

// Entries of a list may have moved.
function counterpart([mine, saved]: readonly [unknown, unknown], path: ValuePath): unknown {
  const [key, ...rest] = path
  if (key === undefined) return saved
  const own = fieldOf(mine, key)
  const name = fieldOf(own, 'name')
  const isNamed = Array.isArray(saved) && typeof name === 'string'
  const other = isNamed ? saved.find((one) => fieldOf(one, 'name') === name) : fieldOf(saved, key)
  return counterpart([own, other], rest)
}

/** Keeps a draft, without secrets. One that does not parse is not kept; the last one that did stays. */
export function keepDraft({ username, key, yaml, base }: StoredDraft): void {
  const safe = withoutSecrets(yaml)
  if (safe === undefined || safe.length > MAX_KEPT_CHARS) return
  const safeBase = base === undefined ? {} : { base: withoutSecrets(base) }
  try {
    sessionStorage.setItem(STORED + key, JSON.stringify({ username, key, yaml: safe, ...safeBase }))
  } catch {
    // A browser may refuse storage; then the draft lasts as long as the page.
  }
}

/** The draft that this person left in this window. */
export function storedDraft(username: string, key: string): StoredDraft | undefined {
  try {
    const draft = JSON.parse(sessionStorage.getItem(STORED + key) ?? 'null') as Partial<StoredDraft> | null
    const { yaml, base } = draft ?? {}
    const isOurs = draft?.username === username && typeof yaml === 'string'
    return isOurs ? { username, key, yaml, base: typeof base === 'string' ? base : undefined } : undefined
  } catch {
    return undefined
  }
}

/** Forgets a draft. */
export function forgetDraft(key: string): void {
  try {
    sessionStorage.removeItem(STORED + key)
  } catch {
    // See above.
  }
}
