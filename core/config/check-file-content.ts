import { accessSync, constants, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createKeyring } from '#core/signing/create-keyring.ts'
import { readBounded, readCertificates, readPrivateKey, UnusableFile } from './bounded-file.ts'
import { fileProblem } from './describe-file-error.ts'
import type { FileKind } from './file-setting.ts'
import { kubeconfigProblem } from './kubeconfig-problem.ts'

/**
 * Checks the content of a file or folder. Returns the problem and its remedy, or undefined. The text never quotes the file, which may hold
 * a secret.
 */
export function contentProblem(kind: FileKind, path: string): string | undefined {
  const { check, remedy } = kinds[kind]
  try {
    check(path)
    return undefined
  } catch (error) {
    return `${error instanceof UnusableFile ? error.message : fileProblem(error)}; ${remedy}`
  }
}

const kinds: Readonly<Record<FileKind, { readonly check: (path: string) => void; readonly remedy: string }>> = {
  token: { check: checkToken, remedy: 'name a file with a bearer token on one line' },
  certificates: {
    check: (path) => {
      readCertificates(readBounded(path))
    },
    remedy: 'name a file with PEM certificates',
  },
  'private-key': { check: checkPrivateKey, remedy: 'name a file with a PEM private key without a passphrase' },
  kubeconfig: { check: checkKubeconfig, remedy: 'name a kubeconfig that kubectl can use' },
  keys: { check: checkKeys, remedy: 'name a folder of keys, as created by `mesh keys init --dir FOLDER`' },
  'written-folder': { check: checkWritten, remedy: 'name a folder that this process can write to' },
}

function checkToken(path: string): void {
  if (!/^[\u0021-\u007E]+$/.test(readBounded(path).trim())) throw new UnusableFile('it contains no bearer token')
}

function checkPrivateKey(path: string): void {
  readPrivateKey(readBounded(path))
}

function checkKubeconfig(path: string): void {
  const problem = kubeconfigProblem(readBounded(path), path)
  if (problem !== undefined) throw new UnusableFile(problem)
}

function checkKeys(path: string): void {
  readdirSync(path)
  try {
    createKeyring({ dir: path })
  } catch (error) {
    // Messages of the file system and of our own checks are safe to use.
    if (error instanceof Error && !('code' in error)) throw new UnusableFile(error.message)
    const file = error instanceof Error && 'path' in error ? `${String(error.path)}: ` : ''
    throw new UnusableFile(`${file}${fileProblem(error)}`)
  }
}

function checkWritten(path: string): void {
  // Creates one directory at a time: a recursive mkdir below /proc never returns.
  const absent: string[] = []
  for (let at = resolve(path); isAbsent(at); at = dirname(at)) absent.unshift(at)
  for (const folder of absent) mkdirSync(folder, { mode: 0o700 })
  if (!statSync(path).isDirectory()) throw new UnusableFile('it is a file, not a folder')
  accessSync(path, constants.W_OK | constants.X_OK)
}

// Throws for a path that exists and cannot be followed, such as a loop of links.
function isAbsent(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined
}
