import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import type { Logger } from './logger.ts'
import { redactKeys } from './redact.ts'
import { processSecrets } from './secrets.ts'
import type { SecretValues } from './secrets.ts'

/** How a process logs. */
export interface LogOptions {
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
  /** Default: stderr, since stdout belongs to what a command prints. */
  readonly destination?: { write(line: string): void }
  /** Default: those of the process, see `conceal`. */
  readonly secrets?: SecretValues
  /** Returns the trace of the operation in progress; its id is added to each line. */
  readonly currentTrace?: () => { readonly traceId: string } | undefined
}

/** A logger of JSON lines; keys that name a secret and registered values are removed first. */
export function createLogger(options: LogOptions = {}): Logger {
  const secrets = options.secrets ?? processSecrets
  const target = options.destination ?? pino.destination({ dest: 2, sync: true })
  // Values are removed from the finished line: they may stand inside a message, a URL or a stack.
  const stream: DestinationStream = { write: (line) => target.write(secrets.redact(line)) }
  return wrap(
    pino(
      {
        level: options.level ?? 'info',
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        // A line that names its trace itself keeps its own.
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
