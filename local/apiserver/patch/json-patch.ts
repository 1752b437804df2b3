import { equalJson, isObject, setKey } from '../json/json-value.ts'
import type { Json, JsonObject } from '../json/json-value.ts'

/** Thrown when an operation fails (a missing path, a failed test, an unknown op) or copies too much. */
export class PatchDoesNotApply extends Error {}

/** Thrown when the operations move more list items than one request may. */
export class PatchTooCostly extends Error {}

/** JSON that all `copy` operations of a patch may add: kube-apiserver's JSONPatchMaxCopyBytes. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024

/** List items that inserts and removals of a patch may shift: about 50 ms. */
const MAX_MOVED_ITEMS = 20_000_000

interface Root {
  document: Json
  copied: number
  moved: number
}

type Container = Json[] | JsonObject
type Operation = (root: Root, op: JsonObject) => void

const OPERATIONS: { readonly [op: string]: Operation } = {
  add(root, op) {
    write(root, pointer(op, 'path'), op['value'] ?? null, 'add')
  },
  remove(root, op) {
    remove(root, pointer(op, 'path'))
  },
  replace(root, op) {
    const path = pointer(op, 'path')
    if (path.length === 0) root.document = op['value'] ?? null
    else write(root, path, op['value'] ?? null, 'replace')
  },
  move(root, op) {
    const from = pointer(op, 'from')
    const value = read(root, from)
    remove(root, from)
    write(root, pointer(op, 'path'), value ?? null, 'add')
  },
  copy(root, op) {
    const text = JSON.stringify(read(root, pointer(op, 'from')) ?? null)
    root.copied += text.length
    if (root.copied > MAX_COPIED_BYTES) throw new PatchDoesNotApply('the accumulated size of copies exceeds the limit')
    write(root, pointer(op, 'path'), JSON.parse(text), 'add')
  },
  test(root, op) {
    if (!equalJson(read(root, pointer(op, 'path')) ?? null, op['value'] ?? null))
      throw new PatchDoesNotApply('test failed')
  },
}

/** Applies an RFC 6902 patch in place and returns the document. As in kube-apiserver, `replace` of a missing key sets it. */
export function applyJsonPatch(document: Json, operations: readonly JsonObject[]): Json {
  const root: Root = { document, copied: 0, moved: 0 }
  for (const op of operations) {
    const name = op['op']
    const operation = typeof name === 'string' && Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined
    if (!operation) throw new PatchDoesNotApply(`Unexpected kind: ${String(name)}`)
    operation(root, op)
  }
  return root.document
}

function pointer(op: JsonObject, key: 'path' | 'from'): string[] {
  const text = op[key]
  if (typeof text !== 'string') throw new PatchDoesNotApply(`missing ${key}`)
  if (text === '') return []
  if (!text.includes('/')) throw new PatchDoesNotApply(`doc is missing ${key}: ${text}`)
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function parentOf(root: Root, path: readonly string[]): Container {
  let node: Json | undefined = root.document
  for (const key of path.slice(0, -1)) node = child(node, key)
  if (path.length === 0 || !(Array.isArray(node) || isObject(node))) throw new PatchDoesNotApply('doc is missing path')
  return node
}

function child(node: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(node)) return node[index(key, node.length - 1, node.length)]
  if (isObject(node)) return Object.hasOwn(node, key) ? node[key] : undefined
  throw new PatchDoesNotApply('doc is missing path')
}

function index(key: string, last: number, base: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw new PatchDoesNotApply('value was not a proper array index')
  const given = Number(key)
  const at = given < 0 ? given + base : given
  if (at < 0 || at > last) throw new PatchDoesNotApply('invalid index referenced')
  return at
}

function read(root: Root, path: readonly string[]): Json | undefined {
  return path.length === 0 ? root.document : child(parentOf(root, path), path.at(-1) ?? '')
}

function write(root: Root, path: readonly string[], value: Json, mode: 'add' | 'replace'): void {
  const parent = parentOf(root, path)
  const key = path.at(-1) ?? ''
  if (!Array.isArray(parent)) return setKey(parent, key, value)
  if (mode === 'replace') parent[index(key, parent.length - 1, parent.length)] = value
  else if (key === '-') parent.push(value)
  else splice(root, parent, index(key, parent.length, parent.length + 1), [0, value])
}

function remove(root: Root, path: readonly string[]): void {
  const parent = parentOf(root, path)
  const key = path.at(-1) ?? ''
  if (Array.isArray(parent)) splice(root, parent, index(key, parent.length - 1, parent.length), [1])
  else if (!Object.hasOwn(parent, key)) throw new PatchDoesNotApply('Unable to remove nonexistent key')
  else delete parent[key]
}

function splice(root: Root, list: Json[], at: number, [removed, ...added]: [number, ...Json[]]): void {
  root.moved += list.length - at
  if (root.moved > MAX_MOVED_ITEMS) throw new PatchTooCostly()
  list.splice(at, removed, ...added)
}
