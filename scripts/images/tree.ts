import { execFileSync } from 'node:child_process'
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Content at a path of an image. */
export type Node =
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'file'; readonly from: string; readonly mode: number }
  | { readonly kind: 'text'; readonly text: string; readonly mode: number }

/** Content by path, without a leading slash. */
export type Tree = ReadonlyMap<string, Node>

/** Adds a file from this machine. */
export function file(path: string, from: string, mode = 0o755): [string, Node] {
  return [path, { kind: 'file', from: realpathSync(from), mode }]
}

/** Adds every file of a folder on this machine. */
export function folder(path: string, from: string): [string, Node][] {
  return readdirSync(from, { recursive: true, encoding: 'utf8' })
    .filter((name) => lstatSync(join(from, name)).isFile())
    .map((name) => file(join(path, name), join(from, name), 0o644))
}

/** The loader and the shared libraries of a program of this machine, by file name under `path`. */
export function libraries(path: string, program: string): { entries: [string, Node][]; loader: string } {
  const listed = execFileSync('ldd', [program], { encoding: 'utf8' })
  const files = [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, found = '']) => found)
  const loader = files.find((found) => /\/ld-[^/]*\.so/.test(found))
  if (loader === undefined) throw new Error(`${program} names no loader: is it a dynamic Linux program?`)
  return { entries: files.map((found) => file(join(path, basename(found)), found)), loader }
}

/** Content of every image: named users, name service configuration, a temporary folder. */
export const skeleton: readonly [string, Node][] = [
  text(
    'etc/passwd',
    'root:x:0:0:root:/:/bin/sh\nmesh:x:65532:65532:mesh:/:/bin/false\nagent:x:65533:65533:agent:/:/bin/false\nnobody:x:65534:65534:nobody:/:/bin/false\n',
  ),
  text('etc/group', 'root:x:0:\nmesh:x:65532:\nagent:x:65533:\nnogroup:x:65534:\n'),
  text('etc/nsswitch.conf', 'hosts: files dns\n'),
  ['tmp', { kind: 'folder', mode: 0o1777 }],
]

/** Adds the parent folders of all entries and sorts them in archive order. */
export function toTree(entries: readonly (readonly [string, Node])[]): Tree {
  const found = new Map<string, Node>(entries)
  for (const path of found.keys()) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth++) {
      const parent = parts.slice(0, depth).join('/')
      if (!found.has(parent)) found.set(parent, { kind: 'folder', mode: 0o755 })
    }
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function text(path: string, content: string): [string, Node] {
  return [path, { kind: 'text', text: content, mode: 0o644 }]
}
