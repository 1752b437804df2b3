import { Type } from 'typebox'
import { getAt } from '#core/json/get-at.ts'
import type { Role } from './profile.ts'

/** What the file or folder of a setting holds. */
export type FileKind = 'token' | 'certificates' | 'private-key' | 'kubeconfig' | 'keys' | 'written-folder'

/** What a setting that names a file says of it. `roles` are those that use it; default: every role. */
export interface FileMark {
  readonly holds: FileKind
  readonly roles?: readonly Role[]
}

/** A setting that names a file or a folder: a process that uses it checks it before it starts. */
export function fileSetting(file: FileMark, description?: string) {
  return Type.String({ minLength: 1, file, ...(description === undefined ? {} : { description }) })
}

/** A setting that names a file, by its path in the schema. */
export interface NamedFile {
  readonly path: readonly string[]
  readonly mark: FileMark
}

/** Every setting of a schema that names a file. */
export function fileSettingsOf(schema: unknown, path: readonly string[] = []): readonly NamedFile[] {
  const mark = getAt(schema, ['file']) as FileMark | undefined
  const properties = getAt(schema, ['properties'])
  const below = typeof properties === 'object' && properties !== null ? Object.entries(properties) : []
  return [
    ...(mark === undefined ? [] : [{ path, mark }]),
    ...below.flatMap(([name, child]) => fileSettingsOf(child, [...path, name])),
  ]
}
