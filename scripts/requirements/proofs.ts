import { globSync, readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findTests } from '../test/find-tests.ts'
import { idPattern } from './table.ts'

/** A test, or a case of the fault suite. */
export interface Proof {
  readonly file: string
  readonly name: string
}

const heads = String.raw`${idPattern}(?:[\s,/+&]+${idPattern})*`

/** Finds tests whose names begin with an id, and cases of the fault suite that list it. */
export function findProofs(root: URL): Map<string, Proof[]> {
  const found = new Map<string, Proof[]>()
  const add = (id: string, proof: Proof): void => void found.set(id, [...(found.get(id) ?? []), proof])
  for (const path of [...findTests(root, []), ...findTests(root, ['test/pods'])]) {
    const file = relative(fileURLToPath(root), path).replaceAll(sep, '/')
    for (const name of testNames(readFileSync(path, 'utf8'))) for (const id of idsOf(name)) add(id, { file, name })
  }
  for (const path of globSync('test/chaos/cases/*.ts', { cwd: root }).toSorted()) {
    const file = path.replaceAll(sep, '/')
    const { name, ids } = faultCase(readFileSync(new URL(file, root), 'utf8'))
    for (const id of ids) add(id, { file, name: name ?? file })
  }
  return found
}

// Any literal that begins with an id, optionally after the name of an adapter: tests are also declared by tables and helpers.
function testNames(text: string): string[] {
  const literal = new RegExp(String.raw`(['"\`])(?:\$\{\w+\}: )?(${heads}:(?:(?!\1)[^\\\n]|\\.)*)\1`, 'g')
  return [...text.matchAll(literal)].map(([, , name = '']) => name)
}

// A name may contain several ids: `K1, D1: ...` or `A4/A10: ...`.
function idsOf(name: string): string[] {
  return new RegExp(`^(${heads}):`).exec(name)?.[1]?.split(/[\s,/+&]+/) ?? []
}

/** A case of the fault suite lists its requirements. */
function faultCase(text: string): { name: string | undefined; ids: string[] } {
  const list = /\bids: \[([^\]]*)\]/.exec(text)?.[1] ?? ''
  return {
    name: /title:\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/.exec(text)?.[2],
    ids: [...list.matchAll(new RegExp(String.raw`\b${idPattern}\b`, 'g'))].map(([id]) => id),
  }
}
