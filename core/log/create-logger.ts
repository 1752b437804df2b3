import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import type { Logger } from './logger.ts'
import { redactKeys } from './redact-keys.ts'
import { processSecrets } from './secrets.ts'
import type { SecretValues } from './secrets.ts'

/** Configuration of a logger. */
export interface LogOptions {
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
  /** Default: stderr, since stdout is reserved for the output of commands. */
  readonly destination?: { write(line: string): void }
  /** Default: the secrets of the process, see `conceal`. */
  readonly secrets?: SecretValues
  /** Returns the trace of the operation in progress; its id is added to each line. */
  readonly currentTrace?: () => { readonly traceId: string } | undefined
}

/** Creates a logger of JSON lines. Values of secret keys and registered secrets are removed before a line is written. */
export function createLogger(options: LogOptions = {}): Logger {
  const secrets = options.secrets ?? processSecrets
  const target = options.destination ?? pino.destination({ dest: 2, sync: true })
  // Applied to the complete line, since a secret may be part of a message, a URL or a stack.
  const stream: DestinationStream = { write: (line) => target.write(secrets.redact(line)) }
  return wrap(
    pino(
      {
        level: options.level ?? 'info',
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        // A line with its own trace id keeps it.
        mixin: () => traceIdOf(options.currentTrace?.()),
      },
      stream,
    ),
  )
}

function traceIdOf(trace: { readonly traceId: string } | undefined): { traceId?: string } {
  return trace === undefined ? {} : { traceId: trace.traceId }
}

function wrap(inner: ReturnType<typeof pino>): Logger {
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fields: object, message: string): void => {
      if (inner.isLevelEnabled(level)) inner[level](redactKeys(fields), message)
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (bindings) => wrap(inner.child(redactKeys(bindings) as object)),
  }
}
