import { anyObject, list, object, reply, string } from '#schemas/wire/schema.ts'
import { statePath } from '#schemas/wire/state-path.ts'

/** A launcher requests a certificate for its public key. `x` is the key of 32 bytes, base64url (RFC 8037). */
export const certificates = statePath({
  method: 'POST',
  path: '/launchers/certificates',
  request: object({ x: string({ minLength: 43, maxLength: 43, pattern: '^[A-Za-z0-9_-]{43}$' }) }),
  status: 201,
  response: reply({ certificate: string() }),
})

/** Public keys that verify certificates of launchers (RFC 7517). */
export const launcherKeys = statePath({
  method: 'GET',
  path: '/launchers/keys',
  status: 200,
  response: reply({ keys: list(anyObject) }),
})
