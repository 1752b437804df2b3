// Plain JavaScript for Node 18 and newer, since the set-up of a clone uses it.
import { spawnSync } from 'node:child_process'
import { findProgram } from './current-program.mjs'

/**
 * Whether a clone has other sources than its bundle, and all of them are committed, as after `git pull`. Sources that are being edited start without a
 * bundle: each edit would build one. False without git.
 */
export function isUpdated(root) {
  if (findProgram(root) !== undefined) return false
  const asked = ['status', '--porcelain', '--untracked-files=no']
  const { status, stdout } = spawnSync('git', ['--no-optional-locks', '-C', root, ...asked], { encoding: 'utf8' })
  return status === 0 && stdout === ''
}
