import { fileURLToPath } from 'node:url'
import { findLongTests, findRepeatedTests, findTests } from './find-tests.ts'
import { groupTests } from './group-tests.ts'
import type { Group } from './group-tests.ts'

/** The arguments of a run that choose its files. */
export interface Choice {
  readonly paths: readonly string[]
  readonly name: string | undefined
  readonly long: boolean
  readonly skipRepeated: boolean
  /** `together`: in one process; `alone`: each in its own; without both, files that can share a process do. */
  readonly together: boolean
  readonly alone: boolean
}

/** Absolute paths of the files that the arguments choose, the slowest first. */
export function chosenFiles(root: URL, choice: Choice): readonly string[] {
  if (isLongRun(choice)) return findLongTests(root).whole
  const repeated = new Set(choice.skipRepeated ? findRepeatedTests(root) : [])
  return findTests(root, choice.paths).filter((file) => !repeated.has(file))
}

/** Groups of files that run in one process each. */
export function chosenGroups(root: URL, files: readonly string[], choice: Choice): readonly Group[] {
  const { name, together, alone } = choice
  const top = fileURLToPath(root)
  if (isLongRun(choice)) {
    const { whole, onPglite } = findLongTests(root)
    const onOther = groupTests(onPglite, top).map((group) => ({ files: group.files, name: 'PGlite' }))
    return [...whole.map((file) => ({ files: [file] })), ...onOther]
  }
  if (together) return files.length === 0 ? [] : [{ files, name }]
  // In a group, `--name` also matches the name of a file.
  return alone || choice.long || name !== undefined
    ? files.map((file) => ({ files: [file], name }))
    : groupTests(files, top)
}

function isLongRun({ long, paths, name }: Choice): boolean {
  return long && paths.length === 0 && name === undefined
}
