// One process at a time prepares a clone: `npm start` in one terminal, `npx mesh env` in another. Plain JavaScript for Node 18 and newer.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

// A killed process leaves its lock, and another process may have its pid by then.
const longestMs = 30 * 60_000
const lookMs = 250

/** Takes the lock file until this process exits. Waits for the process that holds it, which is reported once. */
export function takeSetupLock(file, report) {
  for (let reported = false; !create(file);) {
    const holder = liveHolder(file)
    if (holder === undefined) {
      rmSync(file, { force: true })
      continue
    }
    if (!reported) report(holder)
    reported = true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs)
  }
  process.on('exit', () => rmSync(file, { force: true }))
}

function create(file) {
  try {
    writeFileSync(file, `${process.pid}`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

// Undefined if the process is gone; 0 while the file is being written.
function liveHolder(file) {
  try {
    const age = Date.now() - statSync(file).mtimeMs
    const pid = Number(readFileSync(file, 'utf8'))
    if (age > longestMs || (pid === 0 && age > lookMs)) return undefined
    if (pid !== 0) process.kill(pid, 0)
    return pid
  } catch (error) {
    return error.code === 'EPERM' ? Number(readFileSync(file, 'utf8')) : undefined
  }
}
