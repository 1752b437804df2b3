import type { Logger } from '#core/log/logger.ts'
import type { Level } from '../contract/settings/settings.ts'

const levels: Readonly<Record<Level, number>> = { debug: 20, info: 30, warn: 40, error: 50 }

// Writing to a pipe blocks: lines of one turn of the event loop are one write. Lines that may explain the end of the process are written immediately.
const lines = {
  waiting: '',
  add(line: string, isUrgent: boolean): void {
    if (lines.waiting === '' && !isUrgent) setImmediate(lines.flush)
    lines.waiting += line
    if (isUrgent) lines.flush()
  },
  flush: (): void => {
    const due = lines.waiting
    lines.waiting = ''
    if (due !== '') process.stderr.write(due)
  },
}
process.once('exit', lines.flush)

/**
 * Logs one JSON object per line on stderr. The launcher does not load pino, to keep its start short. Callers pass ids, names and numbers, never
 * headers, prompts or responses.
 */
export function createLog(threshold: Level, bindings: object = {}): Logger {
  const write = (level: Level, fields: object, message: string): void => {
    if (levels[level] < levels[threshold]) return
    const line = { time: new Date().toISOString(), level, ...bindings, ...fields, msg: message }
    lines.add(`${JSON.stringify(line)}\n`, levels[level] >= levels.warn)
  }
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
    child: (more) => createLog(threshold, { ...bindings, ...more }),
  }
}

/** Parses a level; throws an error that names the variable. */
export function parseLevel(text: string | undefined): Level {
  const level = text === undefined || text === '' ? 'info' : text
  if (!(level in levels)) throw new Error(`MESH_LOG_LEVEL must be one of ${Object.keys(levels).join(', ')}`)
  return level as Level
}
