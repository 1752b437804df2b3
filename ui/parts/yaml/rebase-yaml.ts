import { changedFields } from './changed-fields.ts'
import { patchYaml } from './patch-source.ts'
import { toNode } from './schema-shape.ts'
import { readYaml, toPath, toPointer } from './yaml-source.ts'

/** My changes of a document, applied to what it has become. Lists are taken as a whole: their places mean nothing in another version. */
export function rebaseYaml(base: string, mine: string, theirs: string): string {
  const from = readYaml(base).value
  const to = readYaml(mine).value
  const places = new Set(changedFields(from, to).map(({ path }) => listAround(path, [from, to])))
  return [...places].reduce((text, pointer) => {
    const source = readYaml(text)
    return patchYaml(source, toPath(source, pointer), valueOf(to, pointer))
  }, theirs)
}

function listAround(pointer: string, values: readonly unknown[]): string {
  const names = namesOf(pointer)
  for (let length = 1; length < names.length; length += 1) {
    const place = toPointer(names.slice(0, length))
    if (values.some((value) => Array.isArray(valueOf(value, place)))) return place
  }
  return pointer
}

function namesOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueOf(value: unknown, pointer: string): unknown {
  return namesOf(pointer).reduce((found: unknown, name) => {
    const node = toNode(found)
    return node !== undefined && Object.hasOwn(node, name) ? node[name] : undefined
  }, value)
}
