import { isAlias, isCollection, isMap, isScalar, stringify } from 'yaml'
import type { Document } from 'yaml'
import type { YamlSource, ValuePath } from '../yaml/yaml-source.ts'

/** The text with a value at a path; undefined removes it, with the parents that it leaves empty. Other lines and comments stay. */
export function patchYaml(source: YamlSource, path: ValuePath, value: unknown): string {
  const { text, document } = source
  if (document.errors.length > 0 || path.length === 0) return text
  if (isBlocked(document, path)) return text
  const replaced = value === undefined ? undefined : replaceScalar(source, path, value)
  if (replaced !== undefined) return replaced
  const changed = document.clone() as Document
  clearEmptyParents(changed, path)
  if (value === undefined) removeAt(changed, path)
  else {
    unfoldEmptyParents(changed, path)
    changed.setIn(path, value)
  }
  // Long lines are not folded, and brackets keep their look: only what was changed differs.
  const options = { lineWidth: 0, flowCollectionPadding: /[[{] \S/.test(text) }
  return changed.contents === null ? '' : changed.toString(options)
}

/** Whether a path leads through an alias or a scalar: a value there cannot be set without changing what else has it. */
export function isBlocked(document: Document, path: ValuePath): boolean {
  return (
    path.some((_, index) => {
      const node = document.getIn(path.slice(0, index), true)
      return isAlias(node) || (isScalar(node) && node.value !== null)
    }) || isAlias(document.getIn(path, true))
  )
}

// `spec:` without a value is null, which has no fields.
function clearEmptyParents(document: Document, path: ValuePath): void {
  for (let length = 0; length < path.length; length += 1) {
    if (!isScalar(document.getIn(path.slice(0, length), true))) continue
    if (length === 0) document.contents = null
    else document.deleteIn(path.slice(0, length))
    return
  }
}

// `spec: {}` has no look to keep: its first field begins a block.
function unfoldEmptyParents(document: Document, path: ValuePath): void {
  const parents = path.map((_, length) => document.getIn(path.slice(0, length), true)).filter(isCollection)
  const isOneLine = parents.some(({ flow, items }) => flow === true && items.length > 0)
  if (!isOneLine) for (const parent of parents) if (parent.items.length === 0) parent.flow = false
}

// Written into the text, so that all else keeps its look.
function replaceScalar({ text, document }: YamlSource, path: ValuePath, value: unknown): string | undefined {
  const node = document.getIn(path, true)
  const isShort = typeof value !== 'object' && !String(value).includes('\n')
  if (!isScalar(node) || !node.range || !isShort || node.anchor !== undefined || node.tag !== undefined)
    return undefined
  const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
  const [from, to] = node.range
  if (isBlock || from === to) return undefined
  const isQuoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE'
  const quoted = typeof value === 'string' && isQuoted ? JSON.stringify(value) : undefined
  const written = quoted ?? stringify(value, { lineWidth: 0 }).trimEnd()
  if (written.includes('\n')) return undefined
  // In `{a: b}` a plain comma or bracket would end the value.
  const inFlow = typeof value === 'string' && /[,[\]{}]/.test(value) ? JSON.stringify(value) : written
  return text.slice(0, from) + inFlow + text.slice(to)
}

function removeAt(document: Document, path: ValuePath): void {
  if (!document.hasIn(path)) return
  document.deleteIn(path)
  for (let length = path.length - 1; length > 0; length -= 1) {
    const parent = path.slice(0, length)
    const node = document.getIn(parent, true)
    const isKept = !isCollection(node) || node.items.length > 0 || typeof parent.at(-1) === 'number'
    if (isKept || (isMap(node) && node.commentBefore)) return
    document.deleteIn(parent)
  }
}
