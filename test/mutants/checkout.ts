import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutant } from './mutant.ts'

/** A copy of the working tree to which mutants are applied; the tree itself is never changed. */
export interface Checkout {
  readonly path: string
  /** Applies a mutant and returns a function that reverts it. Throws unless its text occurs exactly once. */
  apply(mutant: Mutant): () => void
  remove(): void
}

/** Copies tracked and untracked files, and shares the installed packages. */
export function createCheckout(root: string): Checkout {
  const path = mkdtempSync(join(tmpdir(), 'mesh-mutants-'))
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of list.toString().split('\0')) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(path, file))
  }
  sharePackages(root, path)
  return {
    path,
    apply: (mutant) => {
      const file = join(path, mutant.file)
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, mutated(text, mutant))
      return () => writeFileSync(file, text)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

// Installed packages are linked. Workspace packages are copied, since a link would run code without the mutant.
function sharePackages(root: string, path: string): void {
  const [from, to] = [join(root, 'node_modules'), join(path, 'node_modules')]
  mkdirSync(join(to, '@mesh.dev'), { recursive: true })
  for (const name of readdirSync(from)) if (name !== '@mesh.dev') symlinkSync(join(from, name), join(to, name))
  symlinkSync(join(path, 'local', 'apiserver'), join(to, '@mesh.dev', 'embedded-apiserver'))
  // npm keeps packages of the console there whose version the root has not.
  const ofConsole = join('ui', 'node_modules')
  if (existsSync(join(root, ofConsole))) symlinkSync(join(root, ofConsole), join(path, ofConsole))
}

/** Returns the text of a file with the defect. */
export function mutated(text: string, { name, file, find, replace }: Mutant): string {
  const places = text.split(find).length - 1
  if (places !== 1) throw new Error(`${file}: the text of "${name}" stands there ${places} times, not once`)
  return text.replace(find, () => replace)
}
