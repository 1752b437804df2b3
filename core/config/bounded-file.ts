import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

/** Thrown for a file that cannot be used. The message contains none of its text. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

/** Files named by settings are small; reading a device or a pipe would never end. */
const maxBytes = 1_048_576

/** Reads a regular file of bounded size. Throws `UnusableFile`, or the error of the file system. */
export function readBounded(path: string): string {
  const stats = statSync(path)
  if (stats.isDirectory()) throw new UnusableFile('it is a folder')
  if (!stats.isFile()) throw new UnusableFile('it is not a regular file')
  if (stats.size > maxBytes) throw new UnusableFile('it is larger than 1 MiB')
  const text = readFileSync(path, 'utf8')
  if (text.trim() === '') throw new UnusableFile('it is empty')
  return text
}

/** Parses every certificate of a PEM text. Throws `UnusableFile`. */
export function readCertificates(text: string): readonly X509Certificate[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (found.length === 0) throw new UnusableFile('it contains no PEM certificate')
  return found.map((pem, index) => {
    try {
      return new X509Certificate(pem)
    } catch {
      throw new UnusableFile(`certificate ${index + 1} in it is damaged`)
    }
  })
}

/** Parses a private key in PEM. Throws `UnusableFile`. */
export function readPrivateKey(text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    const isEncrypted = /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(text)
    throw new UnusableFile(isEncrypted ? 'its key is encrypted' : 'it contains no PEM private key')
  }
}
