import { Fail } from '#core/errors/domain-error.ts'
import { A2A_LEGACY_VERSION, A2A_VERSION } from '#schemas/api/a2a.ts'
import { a2aErrors } from '../contract/errors.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** Whether a client uses 0.3, which an absent version means (A2A 1.0, section 3.6). Throws for versions that are not served. */
export function isLegacyClient(headers: Headers): boolean {
  const version = headers['a2a-version']?.trim() ?? ''
  checkVersion(headers)
  return version === '' || isVersion(version, A2A_LEGACY_VERSION)
}

/** Throws `a2a_version_not_supported` for a version that is not served. Patch versions are ignored. */
export function checkVersion(headers: Headers): void {
  const version = headers['a2a-version']?.trim() ?? ''
  if (version === '' || [A2A_VERSION, A2A_LEGACY_VERSION].some((served) => isVersion(version, served))) return
  const detail = `A2A-Version must be ${A2A_VERSION} or ${A2A_LEGACY_VERSION}.`
  throw new Fail(a2aErrors.a2a_version_not_supported, detail)
}

function isVersion(version: string, served: string): boolean {
  return version === served || version.startsWith(`${served}.`)
}
