import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { LineCounter, isMap, isSeq, parseDocument } from 'yaml'
import { isObject } from '#core/json/is-object.ts'
import { fileProblem } from './describe-file-error.ts'
import { SettingsError } from './settings-error.ts'

/** A settings file as data, with the positions of its keys. */
export interface YamlFile {
  readonly tree: Readonly<Record<string, unknown>>
  /** Path of the file as given; undefined without a file. */
  readonly file?: string
  /** Position of a key or list item (`mesh.yaml:3:5`), or the file's name if the key is absent. */
  where(path: readonly string[]): string
}

/** Reads a YAML file: one document, no aliases (X3), no duplicate keys. An absent file is empty. */
export function readYamlFile(file: string | undefined): YamlFile {
  if (file === undefined) return { tree: {}, where: () => 'the environment' }
  return parseYamlText(readText(file), file)
}

/** Like `readYamlFile`, from a string. */
export function parseYamlText(text: string, file: string): YamlFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, stringKeys: true })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const [broken] = [...document.errors, ...document.warnings]
  if (broken !== undefined) throw new SettingsError(`${at(broken.pos[0])}: ${summaryOf(broken.message)}`)
  const tree: unknown = withoutAliases(file, () => document.toJS({ maxAliasCount: 0 })) ?? {}
  if (!isObject(tree)) throw new SettingsError(`${file}: must be a mapping of settings`)
  return { tree: { ...tree }, file, where: (path) => positionOf(document.contents, path, at) ?? file }
}

// The parser's message repeats the position and quotes the line, which may hold a password.
function summaryOf(message: string): string {
  const [first = ''] = message.split('\n', 1)
  return first.replace(/ at line \d+, column \d+:?$/, '') || 'not valid YAML'
}

function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new SettingsError(`${file}: the settings file cannot be read: ${fileProblem(error)}`)
  }
  if (!isUtf8(bytes)) throw new SettingsError(`${file}: the settings file is not UTF-8 text`)
  return bytes.toString('utf8')
}

function withoutAliases<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new SettingsError(`${file}: aliases are not allowed`)
  }
}

// Position of the key, not of its value, since readers look for the key. A list item has only a value.
function positionOf(root: unknown, path: readonly string[], at: (offset: number) => string): string | undefined {
  let node = root
  let found: string | undefined
  for (const name of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => textOf(key) === name) : itemOf(node, name)
    if (pair === undefined) return found
    const range = typeof pair.key === 'object' && pair.key !== null && 'range' in pair.key ? pair.key.range : undefined
    if (Array.isArray(range) && typeof range[0] === 'number') found = at(range[0])
    node = pair.value
  }
  return found
}

function itemOf(node: unknown, index: string): { key: unknown; value: unknown } | undefined {
  if (!isSeq(node) || !/^\d{1,9}$/.test(index)) return undefined
  const item: unknown = node.items[Number(index)]
  return item === undefined ? undefined : { key: item, value: item }
}

function textOf(key: unknown): unknown {
  return typeof key === 'object' && key !== null && 'value' in key ? key.value : key
}
