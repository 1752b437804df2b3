import { contentProblem } from './check-file-content.ts'
import { fileSettingsOf } from './file-setting.ts'
import type { FileKind } from './file-setting.ts'
import { getAt } from '#core/json/get-at.ts'
import type { Role } from './profile.ts'
import { SettingsError } from './settings-error.ts'

/** Options of the check of files named by settings. */
export interface FileCheck {
  readonly roles: readonly Role[]
  /** Source of a setting, for the message. */
  readonly origin: (setting: string) => string
  /** Settings, by dotted name, that this process uses as another kind of file; undefined for one that it does not use. */
  readonly instead?: Readonly<Record<string, FileKind | undefined>>
}

/** Checks the files that the roles of a process use. Throws `SettingsError` with setting, path, problem and remedy. */
export function checkSettingFiles(schema: unknown, settings: unknown, check: FileCheck): void {
  for (const { path, mark } of fileSettingsOf(schema)) {
    const name = path.join('.')
    const file = getAt(settings, path)
    const holds = check.instead !== undefined && Object.hasOwn(check.instead, name) ? check.instead[name] : mark.holds
    const isUsed = mark.roles === undefined || check.roles.some((role) => mark.roles?.includes(role))
    if (typeof file !== 'string' || holds === undefined || !isUsed) continue
    const problem = contentProblem(holds, file)
    if (problem !== undefined) throw new SettingsError(`${check.origin(name)}: ${shown(file)}: ${problem}`)
  }
}

// A path may contain any character; a log line must not contain control characters.
function shown(path: string): string {
  const text = path.length > 300 ? `${path.slice(0, 300)}...` : path
  return /^[\u0020-\u007E]*$/.test(text) ? text : JSON.stringify(text.toWellFormed())
}
