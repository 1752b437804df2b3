import { writeSync } from 'node:fs'
import { describeError } from './describe-error.ts'
import { processSecrets } from './secrets.ts'

const mostLines = 10
const mostFrames = 30
const mostCharacters = 200

/**
 * Handles uncaught exceptions and unhandled rejections. The first ten are logged as one line of JSON each on stderr. Resolves at the first
 * one: its owner then fails readiness, drains and exits with a code other than 0, since state may be inconsistent. Call it once per
 * process.
 */
export function catchFatalErrors(bindings: object = {}): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let lines = 0
  const caught = (kind: string) => (error: unknown) => {
    if (lines++ < mostLines) write({ ...describeFatal(error), kind, ...bindings })
    resolve()
  }
  process.on('uncaughtException', caught('uncaughtException'))
  process.on('unhandledRejection', caught('unhandledRejection'))
  return promise
}

/**
 * Returns name, code and stack frames of an error, and name and code of its cause. Messages are omitted: they quote input, such as a prompt
 * or a cluster's response. Node's own report would also print the source line, 3 KB of a minified file.
 */
function describeFatal(error: unknown): object {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return {
    ...describeError(error),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
    stack: frames.slice(0, mostFrames).map((line) => line.trim().slice(0, mostCharacters)),
  }
}

// Written synchronously, without the logger: the logger may be what failed, and the process may exit before a buffer is flushed.
function write(fields: object): void {
  const line = JSON.stringify({ level: 'fatal', time: new Date().toISOString(), ...fields, msg: 'unhandled error' })
  try {
    writeSync(2, `${processSecrets.redact(line)}\n`)
  } catch {
    // stderr is closed.
  }
}
