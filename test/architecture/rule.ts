import { isTest } from './sources.ts'
import type { Import, Source } from './sources.ts'

/** A rule for single files: what it forbids, and an example that it must detect. */
export interface Rule {
  readonly name: string
  /** Returns the violations of a file. */
  check(source: Source): string[]
  /** A file that breaks the rule, which proves that the rule detects something. */
  readonly bad: { readonly path: string; readonly text: string }
}

interface ImportRule {
  readonly name: string
  readonly of: (path: string) => boolean
  readonly forbids: (one: Import, path: string) => boolean
  readonly bad: Rule['bad']
}

/** A rule for imports of files, except those of tests. */
export function importRule({ name, of, forbids, bad }: ImportRule): Rule {
  const check = ({ path, imports }: Source): string[] => {
    if (isTest(path) || !of(path)) return []
    return imports.filter((one) => forbids(one, path)).map((one) => `${path} imports ${one.target}`)
  }
  return { name, check, bad }
}

/** A rule for words in the code of files, except tests. */
export function wordRule({
  name,
  of,
  word,
  bad,
}: {
  name: string
  of: (path: string) => boolean
  word: RegExp | ((path: string) => RegExp)
  bad: Rule['bad']
}): Rule {
  const check = ({ path, code }: Source): string[] => {
    if (isTest(path) || !of(path)) return []
    const found = (typeof word === 'function' ? word(path) : word).exec(code)
    return found === null ? [] : [`${path} has ${found[0]}`]
  }
  return { name, check, bad }
}
