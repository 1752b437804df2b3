import { Type } from 'typebox'
import { getAt } from '#core/json/get-at.ts'
import type { Role } from './profile.ts'

/** Content of the file or folder that a setting names. */
export type FileKind = 'token' | 'certificates' | 'private-key' | 'kubeconfig' | 'keys' | 'written-folder'

/** Annotation of a setting that names a file. `roles` are the roles that use it; default: every role. */
export interface FileMark {
  readonly holds: FileKind
  readonly roles?: readonly Role[]
}

/** Declares a setting that names a file or a folder. A process that uses it checks it at startup. */
export function fileSetting(file: FileMark, description?: string) {
  return Type.String({ minLength: 1, file, ...(description === undefined ? {} : { description }) })
}

/** A setting that names a file, with its path in the schema. */
export interface NamedFile {
  readonly path: readonly string[]
  readonly mark: FileMark
}

/** Lists the settings of a schema that name files. */
export function fileSettingsOf(schema: unknown, path: readonly string[] = []): readonly NamedFile[] {
  const mark = getAt(schema, ['file']) as FileMark | undefined
  const properties = getAt(schema, ['properties'])
  const below = typeof properties === 'object' && properties !== null ? Object.entries(properties) : []
  return [
    ...(mark === undefined ? [] : [{ path, mark }]),
    ...below.flatMap(([name, child]) => fileSettingsOf(child, [...path, name])),
  ]
}
