import { createWriteStream } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { toAuditEvent } from './audit-event.ts'
import type { AuditEntry } from './audit-event.ts'

export interface Audit {
  write(entry: AuditEntry): void
  close(): Promise<void>
}

/** Query parameters that are logged with their value; others may hold secrets. */
const SHOWN = new Set(
  'allowWatchBookmarks continue dryRun fieldManager fieldSelector fieldValidation follow force gracePeriodSeconds labelSelector limit propagationPolicy resourceVersion resourceVersionMatch sendInitialEvents timeout timeoutSeconds watch container tailLines sinceSeconds sinceTime previous timestamps'.split(
    ' ',
  ),
)

function withoutSecrets(rawUrl: string): string {
  const [path = '', query] = rawUrl.split(/\?(.*)/s)
  if (!query) return path
  const kept = query
    .split('&')
    .map((pair) => (SHOWN.has(pair.split('=')[0] ?? '') ? pair : `${pair.split('=')[0]}=REDACTED`))
  return `${path}?${kept.join('&')}`
}

/**
 * Writes an audit log of one JSON line per request to a file, if one is given. `onEvent` receives each mutation as an
 * `audit.k8s.io/v1` Event, like a webhook backend.
 */
export function createAudit(file: string | undefined, onEvent?: (event: object) => void): Audit {
  const open = (): WriteStream | undefined => {
    if (file === undefined) return undefined
    const opened = createWriteStream(file, { flags: 'a', mode: 0o600 })
    // A line that cannot be written (a full disk) is lost; the next line opens a new stream.
    return opened.on('error', () => (broken = true))
  }
  let broken = false
  let stream = open()
  return {
    write(entry) {
      const { auditID, now, user, info, rawUrl, code } = entry
      if (onEvent !== undefined && info.isResource) {
        const event = toAuditEvent(entry, () => withoutSecrets(rawUrl))
        if (event !== undefined) onEvent(event)
      }
      if (file === undefined) return
      const { verb, group, version, resource, subresource, namespace, name } = info
      const line = {
        ts: now.toISOString(),
        auditID,
        user: user?.username ?? '',
        groups: user?.groups ?? [],
        verb,
        group,
        version,
        resource,
        subresource,
        namespace,
        name,
        code,
        requestURI: withoutSecrets(rawUrl),
      }
      if (broken) {
        broken = false
        stream = open()
      }
      stream?.write(`${JSON.stringify(line)}\n`)
    },
    close() {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (stream && !stream.destroyed) stream.end(() => resolve())
      else resolve()
      return promise
    },
  }
}
