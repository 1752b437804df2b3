import { isTest } from './sources.ts'
import type { Source } from './sources.ts'

/** Names that each plugin, migration or generator exports for its own role in the contract. */
const conventional = new Set(['createServices', 'routes', 'up', 'breaking'])

const declared = /^export (?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|enum) (\w+)/gm

/**
 * Names that two files of schemas, core, plugins and local export, as `name: file, file`. `schemas/api` is exempt: its schemas have the
 * names of the types that they describe. The launcher, the scripts and the embedded API server are programs of their own.
 */
export function duplicateNames(sources: readonly Source[]): string[] {
  const files = new Map<string, string[]>()
  for (const { path, code } of sources) {
    if (isTest(path) || !isChecked(path)) continue
    for (const name of new Set([...code.matchAll(declared)].map(([, found = '']) => found)))
      files.set(name, [...(files.get(name) ?? []), path])
  }
  return [...files]
    .filter(([name, paths]) => paths.length > 1 && !conventional.has(name))
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`)
}

// A person or a client answers an interrupt; servers respond.
const ofInterrupts = /^plugins\/(?:runs\/(?:ag-ui|interrupts|contract)|a2a\/tasks)\//

/** Exported names that call a response an answer, as `path: name`. */
export function answerNames(sources: readonly Source[]): string[] {
  return sources
    .filter(({ path }) => !isTest(path) && !ofInterrupts.test(path))
    .flatMap(({ path, code }) => [...code.matchAll(declared)].map(([, name = '']) => [path, name] as const))
    .filter(([, name]) => /answer/i.test(name))
    .map(([path, name]) => `${path}: ${name}`)
}

function isChecked(path: string): boolean {
  return /^(?:schemas|core|plugins|local)\//.test(path) && !/^(?:schemas\/api|local\/apiserver)\//.test(path)
}
