import { readFileSync } from 'node:fs'
import { LineCounter, parseDocument } from 'yaml'
import { SettingsError } from './settings-error.ts'

/** A settings file as data, and where each key stands. */
export interface YamlFile {
  readonly tree: Readonly<Record<string, unknown>>
  /** `mesh.yaml:3:5` of a key, or the file's name when the key is not in it. */
  where(path: readonly string[]): string
}

/** Reads a YAML file: one document, no aliases (X3), no duplicate key; an absent or empty file is an empty one. */
export function readYamlFile(file: string | undefined): YamlFile {
  if (file === undefined) return { tree: {}, where: () => 'the environment' }
  return parseYamlText(readText(file), file)
}

/** As `readYamlFile`, from text. */
export function parseYamlText(text: string, file: string): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, stringKeys: true })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const [broken] = [...document.errors, ...document.warnings]
  if (broken !== undefined)
    throw new SettingsError(`${at(broken.pos[0])}: ${broken.message.split('\n', 1)[0] ?? 'not valid YAML'}`)
  const tree: unknown = withoutAliases(file, () => document.toJS({ maxAliasCount: 0 })) ?? {}
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
    throw new SettingsError(`${file}: must be a mapping of settings`)
  return { tree: { ...tree }, where: (path) => positionOf(document.contents, path, at) ?? file }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new SettingsError(`${file}: cannot be read (${reason})`)
  }
}

function withoutAliases<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new SettingsError(`${file}: aliases are not allowed`)
  }
}

interface MapNode {
  readonly items: readonly { readonly key: unknown; readonly value: unknown }[]
}

// The position of the key, not of its value: that is what the reader looks for.
function positionOf(root: unknown, path: readonly string[], at: (offset: number) => string): string | undefined {
  let node = root
  let found: string | undefined
  for (const name of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => textOf(key) === name) : undefined
    if (pair === undefined) return found
    const range = typeof pair.key === 'object' && pair.key !== null && 'range' in pair.key ? pair.key.range : undefined
    if (Array.isArray(range) && typeof range[0] === 'number') found = at(range[0])
    node = pair.value
  }
  return found
}

function isMap(node: unknown): node is MapNode {
  return typeof node === 'object' && node !== null && 'items' in node && Array.isArray(node.items)
}

function textOf(key: unknown): unknown {
  return typeof key === 'object' && key !== null && 'value' in key ? key.value : key
}
